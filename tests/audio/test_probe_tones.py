"""The clips of the hearing test: each sounds what, where, at which rate and in which channel it says."""

from pathlib import Path

import numpy as np
import pytest

from audiometry import seeds
from audiometry.audio import probe_tones as tones
from audiometry.audio.clip import Clip, at_rate, read
from audiometry.audio.encode import encode
from audiometry.audio.prepare import prepare
from audiometry.errors import AudioError
from audiometry.records import ModelCard


def room(name="x"):
    return seeds.generator(0, "room", name)


def level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-20)


def peak_hz(clip):
    samples = clip.samples[:, 0] * np.hanning(clip.frames)
    return np.argmax(np.abs(np.fft.rfft(samples))) * clip.rate / clip.frames


@pytest.mark.parametrize("number", range(10))
def test_each_digit_is_a_short_clip_of_its_own_without_silence_around_it(number):
    clip = tones.digit(number)
    assert (clip.rate, clip.channels) == (16_000, 1)
    assert 0.4 <= clip.duration_s <= 0.75
    assert level_db(clip.samples) == pytest.approx(tones.LEVEL_DBFS, abs=1.5)
    assert np.abs(clip.samples).max() < 0.9
    assert level_db(clip.samples[:800]) > -65
    assert level_db(clip.samples[-800:]) > -65
    others = [tones.digit(n).samples.tobytes() for n in range(10) if n != number]
    assert clip.samples.tobytes() not in others


def test_there_is_no_eleventh_digit():
    with pytest.raises(IndexError):
        tones.digit(10)


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
@pytest.mark.parametrize("hz", [100, 650, 3_780])
def test_a_tone_has_its_frequency_and_level_at_every_rate(rate, hz):
    clip = tones.tone(hz, 1.5, rate=rate)
    assert (clip.rate, clip.channels, clip.samples.dtype) == (rate, 1, np.float32)
    assert clip.duration_s == pytest.approx(1.5, abs=1e-3)
    assert peak_hz(clip) == pytest.approx(hz, abs=1)
    middle = clip.samples[clip.frames // 4 : -clip.frames // 4]
    assert level_db(middle) == pytest.approx(tones.LEVEL_DBFS, abs=0.1)
    assert abs(clip.samples[0, 0]) < 1e-3  # it does not begin with a click
    assert abs(clip.samples[-1, 0]) < 1e-3


@pytest.mark.parametrize("hz", [0, -5, 4_000, 9_000])
def test_a_tone_that_the_rate_cannot_hold_is_refused(hz):
    with pytest.raises(AudioError, match="choose a frequency"):
        tones.tone(hz, 1, rate=8_000)


def test_tones_come_in_their_order_with_silence_between_them():
    clip = tones.tones((320, 1000, 320), 0.6)
    gap, each = round(0.15 * 16_000), round(0.6 * 16_000)
    assert clip.frames == 4 * gap + 3 * each
    for number, hz in enumerate((320, 1000, 320)):
        start = gap + number * (each + gap)
        part = Clip(samples=clip.samples[start : start + each], rate=clip.rate)
        assert peak_hz(part) == pytest.approx(hz, abs=2)
        assert not clip.samples[start - gap : start].any()


@pytest.mark.parametrize("seconds", [5, 29, 31, 61])
def test_a_digit_at_the_end_is_at_the_very_end(seconds):
    digit = tones.digit(0)  # the longest
    clip = tones.placed(digit, seconds, "end", room())
    assert clip.duration_s == seconds
    spoken = clip.samples[-digit.frames - round(tones.TAIL_S * clip.rate) :]
    assert level_db(spoken) > -30
    quiet = clip.samples[: -len(spoken)]
    assert level_db(quiet) == pytest.approx(tones.ROOM_DBFS, abs=0.5)


def test_what_a_cut_at_30_s_leaves_of_31_s_holds_nothing_of_any_digit_or_tone():
    for sound in (*map(tones.digit, range(10)), tones.tones((320,), 0.6)):
        clip = tones.placed(sound, 31, "end", room())
        assert level_db(clip.samples[: 30 * clip.rate]) < -65


def test_a_digit_at_the_start_is_over_within_two_seconds():
    clip = tones.placed(tones.digit(7), 61, "start", room())
    assert level_db(clip.samples[: 2 * clip.rate]) > -35
    assert level_db(clip.samples[2 * clip.rate :]) < -65


def test_a_sound_that_does_not_fit_is_refused():
    with pytest.raises(AudioError, match="choose a longer one"):
        tones.placed(tones.digit(1), 0.5, "end", room())
    with pytest.raises(AudioError, match="choose a longer one"):
        tones.placed(tones.digit(1), 0.9, "start", room())


def test_the_same_stream_gives_the_same_clip_and_another_another():
    clips = [tones.in_quiet(tones.digit(3), room(name)).samples.tobytes() for name in ("a", "a", "b")]
    assert clips[0] == clips[1] != clips[2]


@pytest.mark.parametrize(("side", "channel"), [("left", 0), ("right", 1)])
def test_a_digit_in_one_channel_leaves_the_other_silent_and_survives_a_downmix(side, channel):
    mono = tones.in_quiet(tones.digit(4), room())
    clip = tones.in_channel(mono, side)
    assert clip.channels == 2
    assert np.array_equal(clip.samples[:, channel], mono.samples[:, 0])
    assert not clip.samples[:, 1 - channel].any()
    sent = read(prepare(encode(clip), ModelCard(channels=1), where="x").data)
    assert sent.channels == 1
    assert level_db(sent.samples) == pytest.approx(level_db(mono.samples) - 6.02, abs=0.1)


def test_a_stereo_clip_stands_in_no_single_channel():
    stereo = tones.in_channel(tones.digit(1), "left")
    with pytest.raises(AudioError, match="give a mono clip"):
        tones.in_channel(stereo, "right")


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_another_rate_is_the_same_sound_in_as_many_seconds(rate):
    clip = tones.digit(9)
    other = at_rate(clip, rate)
    assert other.rate == rate
    assert other.duration_s == pytest.approx(clip.duration_s, abs=1e-3)
    assert level_db(other.samples) == pytest.approx(level_db(clip.samples), abs=1.0)


def test_the_recordings_say_where_they_come_from():
    folder = Path(tones.__file__).parent / "digits"
    words = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "Allison Smith" in words
    assert "CC-BY-SA-3.0" in words
    assert sum(path.stat().st_size for path in folder.iterdir()) < 200_000
