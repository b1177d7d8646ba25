"""Clips that a card says to cut: their beginning, bit for bit, and a record that says so."""

import io

import numpy as np
import pytest
import soundfile

from audiometry.audio.kept import KeptClips, key_of
from audiometry.audio.prepare import prepare, prepare_file
from audiometry.errors import TooLongAudioError
from audiometry.records import ModelCard

RATE = 16_000


def wav(seconds, rate=RATE, channels=1):
    samples = np.random.default_rng(1).uniform(-0.5, 0.5, (round(seconds * rate), channels))
    out = io.BytesIO()
    soundfile.write(out, samples, rate, subtype="PCM_16", format="WAV")
    return out.getvalue()


def heard(clip):
    return soundfile.read(io.BytesIO(clip.data), dtype="int16")


def test_a_longer_clip_is_its_beginning_bit_for_bit():
    data = wav(2.5)
    clip = prepare(data, ModelCard(longest_s=1.0, cut=True), where="x")
    samples, rate = heard(clip)
    whole, _ = soundfile.read(io.BytesIO(data), dtype="int16")
    assert (len(samples), rate) == (RATE, RATE)
    assert np.array_equal(samples, whole[:RATE])
    assert clip.changes == ("first 1.00 of 2.50 s",)
    assert clip.duration_s == 1.0


@pytest.mark.parametrize("seconds", [0.2, 0.999, 1.0])
def test_a_clip_that_is_not_longer_is_sent_byte_for_byte(seconds):
    data = wav(seconds)
    clip = prepare(data, ModelCard(longest_s=1.0, cut=True), where="x")
    assert (clip.data, clip.changes) == (data, ())


@pytest.mark.parametrize(("rate", "channels"), [(44_100, 2), (8_000, 1), (22_050, 1), (48_000, 2)])
def test_what_is_resampled_too_is_never_longer_than_the_card_says(rate, channels):
    clip = prepare(wav(1.7, rate, channels), ModelCard(longest_s=0.73, cut=True), where="x")
    assert clip.duration_s <= 0.73
    assert len(heard(clip)[0]) == int(0.73 * RATE)
    assert clip.changes[0] == "first 0.73 of 1.70 s"


def test_compressed_clips_and_loud_ones_are_cut_alike():
    card = ModelCard(formats=("flac",), rate=None, longest_s=0.5, cut=True)
    assert len(heard(prepare(wav(1.0), card, where="x"))[0]) == RATE // 2
    loud = io.BytesIO()
    soundfile.write(loud, np.full(RATE, 1.5, dtype=np.float32), RATE, subtype="FLOAT", format="WAV")
    clip = prepare(loud.getvalue(), ModelCard(longest_s=0.5, cut=True), where="x")
    assert len(heard(clip)[0]) == RATE // 2
    assert any("lowered" in change for change in clip.changes)


def test_nothing_is_cut_unless_the_card_says_so(tmp_path):
    (tmp_path / "x.wav").write_bytes(wav(2.0))
    with pytest.raises(TooLongAudioError, match="nothing is cut"):
        prepare_file(tmp_path / "x.wav", ModelCard(longest_s=1.0))
    assert prepare_file(tmp_path / "x.wav", ModelCard(longest_s=1.0, cut=True)).duration_s == 1.0
    assert prepare_file(tmp_path / "x.wav", ModelCard(cut=True)).changes == ()


def test_a_kept_clip_of_another_length_is_not_taken_for_it(tmp_path):
    keys = {key_of("a", ModelCard(longest_s=n, cut=True)) for n in (1.0, 2.0)}
    assert len(keys | {key_of("a", ModelCard())}) == 3
    assert key_of("a", ModelCard(longest_s=1.0)) == key_of("a", ModelCard())
    kept = KeptClips(tmp_path)
    lengths = [prepare(wav(3.0), ModelCard(longest_s=n, cut=True), where="x", kept=kept).duration_s for n in (1.0, 2.0)]
    kept.close()
    assert lengths == [1.0, 2.0]
