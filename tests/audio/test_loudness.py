"""The meter against the standard's table, EBU Tech 3341's tones, pyloudnorm's De Man filter and ffmpeg's ebur128."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry import bench
from audiometry.audio.clip import Clip, read
from audiometry.audio.encode import encode
from audiometry.audio.loudness import loudness, measure, weighting
from audiometry.errors import AudioError, SilentAudioError

MINI = sorted((Path(bench.__file__).parent / "mini" / "audio").iterdir())
RATES = [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000]


def sine(rate, *levels, hz=1000.0, channels=2):
    """A sine in steps: dBFS (peak) and seconds of each."""
    parts = [np.full(round(seconds * rate), 10 ** (level / 20)) for level, seconds in levels]
    size = np.concatenate(parts)
    wave = size * np.sin(2 * np.pi * hz * np.arange(len(size)) / rate)
    return Clip(np.repeat(wave[:, None], channels, axis=1).astype(np.float32), rate)


def noise(seed, frames, channels, rate):
    """Noise whose level comes and goes, so that the gates have work to do."""
    rng = np.random.default_rng(seed)
    swell = 10 ** (rng.uniform(-2.5, -0.3, 1 + frames // (rate // 3)).repeat(rate // 3 + 1)[:frames])
    return Clip((rng.standard_normal((frames, channels)) * 0.3 * swell[:, None]).astype(np.float32), rate)


def by_pyloudnorm(clip):
    return pyloudnorm.Meter(clip.rate, filter_class="DeMan").integrated_loudness(clip.samples.astype(np.float64))


def test_the_weighting_is_the_standards_table():
    shelf, low_cut = weighting(48_000)
    table = [1.53512485958697, -2.69169618940638, 1.19839281085285, 1, -1.69065929318241, 0.73248077421585]
    assert shelf == pytest.approx(table, abs=1e-8)
    assert low_cut == pytest.approx([1, -2, 1, 1, -1.99004745483398, 0.99007225036621], abs=1e-8)


@pytest.mark.parametrize(
    ("levels", "lufs"),
    [
        ([(-23, 20)], -23.0),
        ([(-33, 20)], -33.0),
        ([(-36, 10), (-23, 60), (-36, 10)], -23.0),
        ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23.0),
        ([(-26, 20), (-20, 20.1), (-26, 20)], -23.0),
    ],
    ids=["1", "2", "3", "4", "5"],  # case 6 has five channels
)
def test_ebu_tech_3341_within_a_tenth(levels, lufs):
    assert loudness(sine(48_000, *levels)) == pytest.approx(lufs, abs=0.1)


def test_a_full_scale_sine_in_one_channel():
    assert loudness(sine(48_000, (0, 2), hz=997, channels=1)) == pytest.approx(-3.01, abs=0.005)
    left = sine(48_000, (0, 2), hz=997)
    left.samples[:, 1] = 0
    assert loudness(left) == pytest.approx(-3.01, abs=0.005)
    assert loudness(sine(48_000, (0, 2), hz=997)) == pytest.approx(0.0, abs=0.005)


@given(
    seed=st.integers(0, 10**6),
    rate=st.sampled_from(RATES),
    channels=st.sampled_from([1, 2]),
    tenths=st.integers(4, 60),
    more=st.floats(0, 0.4),
)
def test_pyloudnorms_de_man_filter_says_the_same(seed, rate, channels, tenths, more):
    """Of less than half a hop at the end; of more, it counts a block that is not whole, which the standard does not."""
    clip = noise(seed, round((tenths + more) * rate / 10), channels, rate)
    assert loudness(clip) == pytest.approx(by_pyloudnorm(clip), abs=0.001)


def test_a_block_that_is_cut_by_the_end_is_left_out():
    rate = 16_000
    clip = noise(1, rate * 2, 1, rate)
    longer = Clip(np.concatenate((clip.samples, np.ones((rate // 10 - 1, 1), np.float32))), rate)
    assert loudness(longer) == loudness(clip)


def test_a_clip_longer_than_is_filtered_at_once_is_measured_as_one():
    clip = noise(3, 44_100 * 20, 2, 44_100)
    assert loudness(clip) == pytest.approx(by_pyloudnorm(clip), abs=0.001)


@pytest.mark.parametrize("clip", MINI[:: max(1, len(MINI) // 8)], ids=lambda path: path.stem)
def test_ffmpegs_ebur128_agrees_on_the_demos_clips(clip, system_program):
    found = read(clip)
    if found.duration_s < 1:
        found = Clip(np.tile(found.samples, (1 + int(1 / found.duration_s), 1)), found.rate)
    command = [system_program("ffmpeg"), "-hide_banner", "-nostats", "-i", "-", "-af", "ebur128", "-f", "null", "-"]
    said = subprocess.run(command, input=encode(found), capture_output=True, check=True).stderr.decode()
    theirs = re.findall(r"I: +(-?[\d.]+) LUFS", said)[-1]
    assert loudness(found) == pytest.approx(float(theirs), abs=0.1)


@pytest.mark.parametrize("rate", RATES)
def test_under_a_block_the_whole_counts_without_gates(rate):
    short = sine(rate, (-20, 0.39), hz=997, channels=1)
    long = sine(rate, (-20, 5), hz=997, channels=1)
    assert loudness(short) == pytest.approx(loudness(long), abs=0.15)
    assert loudness(sine(rate, (-75, 0.2))) == pytest.approx(-75, abs=0.5)


def test_the_loudness_at_a_gain_is_that_of_the_scaled_clip():
    clip = noise(5, 48_000 * 3, 2, 48_000)
    for gain in (0.03, 0.5, 30.0):
        scaled = Clip(clip.samples * np.float32(gain), clip.rate)
        assert measure(clip).lufs(gain) == pytest.approx(loudness(scaled), abs=1e-5)


@pytest.mark.parametrize("seconds", [0, 0.1, 3])
def test_silence_is_not_loud(seconds):
    with pytest.raises(SilentAudioError, match=r"here\.wav: (silent|never above -70 LUFS), so it has no loudness"):
        loudness(Clip(np.zeros((round(seconds * 16_000), 1), np.float32), 16_000), where="here.wav")
    with pytest.raises(SilentAudioError):
        loudness(sine(16_000, (-80 if seconds == 3 else -100, max(seconds, 0.05))))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, -1])
def test_what_is_no_number_is_refused_wherever_it_stands(value, at):
    clip = noise(1, 16_000 * 2 + 90, 1, 16_000)
    clip.samples[at] = value
    with pytest.raises(AudioError, match=r"clip: samples that are not numbers \(NaN or infinity\); replace the file"):
        loudness(clip)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(AudioError, match="has 6 channels"):
        loudness(Clip(np.ones((9000, 6), np.float32), 48_000))
    with pytest.raises(AudioError, match="2000 Hz is too low"):
        loudness(Clip(np.ones((9000, 1), np.float32), 2_000))
