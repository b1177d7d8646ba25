"""Two files mixed into a third: what the record says can be measured back from the files."""

import hashlib
import os

import numpy as np
import pytest

from audiometry.audio import MixPlan
from audiometry.audio.clip import Clip, read
from audiometry.audio.encode import encode
from audiometry.audio.loudness import loudness
from audiometry.audio.mixed_file import mix_files
from audiometry.errors import AudioError, SilentAudioError, UnreadableAudioError, UsageError

PLAN = MixPlan(louder="a", level_difference_db=6, ahead="b", offset_s=0.5)


@pytest.fixture
def noise(tmp_path):
    def write(name, seconds=1.0, rate=16_000, channels=1, seed=1, level=0.05):
        samples = np.random.default_rng(seed).standard_normal((round(seconds * rate), channels)) * level
        path = tmp_path / name
        path.write_bytes(encode(Clip(samples.astype(np.float32), rate), path.suffix[1:]))
        return path

    return write


@pytest.mark.parametrize("ending", [".wav", ".FLAC"])
def test_gains_and_onsets_can_be_found_in_the_file(noise, tmp_path, ending):
    a, b = noise("a.wav", 2.0), noise("b.flac", 1.5, seed=2)
    made = mix_files(a, b, PLAN, tmp_path / f"out{ending}")
    mixed, parts = read(made.file_name), {"a": read(a), "b": read(b)}
    lying = np.zeros((mixed.frames, 2))
    for k, (name, clip) in enumerate(parts.items()):
        onset = round(made.sources[name].onset_s * 16_000)
        lying[onset : onset + clip.frames, k] = clip.samples[:, 0]
    gains = np.linalg.lstsq(lying, mixed.samples[:, 0].astype(float), rcond=None)[0]
    assert 20 * np.log10(gains) == pytest.approx([made.gain_db["a"], made.gain_db["b"]], abs=0.001)
    assert made.loudness_lufs["a"] - made.loudness_lufs["b"] == pytest.approx(6, abs=1e-5)
    assert made.loudness_before_lufs == {k: pytest.approx(loudness(clip), abs=1e-5) for k, clip in parts.items()}
    assert (made.louder, made.ahead, made.level_difference, made.offset_s) == ("a", "b", 6, 0.5)
    assert (made.duration_s, made.rate, made.channels, made.lossy) == (2.5, 16_000, 1, False)
    assert made.sources["a"].sha256 == hashlib.sha256(a.read_bytes()).hexdigest()
    assert made.sources["b"].path == str(b)


def test_the_higher_rate_counts_unless_one_is_named(noise, tmp_path):
    a, b = noise("a.wav"), noise("b.wav", rate=44_100, seed=2)
    assert mix_files(a, b, PLAN, tmp_path / "o.wav").rate == read(tmp_path / "o.wav").rate == 44_100
    made = mix_files(a, b, MixPlan(louder="equal", ahead="equal", rate=8_000), tmp_path / "o.wav")
    assert made.rate == read(tmp_path / "o.wav").rate == 8_000
    assert {name: one.rate for name, one in made.sources.items()} == {"a": 16_000, "b": 44_100}


@pytest.mark.parametrize("ending", ["ogg", "mp3"])
def test_a_lossy_coding_is_called_so_and_keeps_the_level(noise, tmp_path, ending):
    made = mix_files(noise("a.wav", 2.0), noise("b.wav", 2.0, seed=2), PLAN, tmp_path / f"o.{ending}")
    assert (made.lossy, made.format) == (True, ending)
    exact = mix_files(tmp_path / "a.wav", tmp_path / "b.wav", PLAN, tmp_path / "o.wav")
    assert loudness(read(made.file_name)) == pytest.approx(
        loudness(read(exact.file_name)), abs=1
    )  # of white noise, which is the worst


def test_no_source_is_written_over(noise, tmp_path):
    a, b = noise("a.wav"), noise("b.wav", seed=2)
    before = a.read_bytes()
    (tmp_path / "link.wav").symlink_to(b)
    os.link(a, tmp_path / "hard.wav")
    for name in ("a.wav", "b.wav", "../" + tmp_path.name + "/a.wav", "link.wav", "hard.wav"):
        with pytest.raises(UsageError, match="is one of the two clips, which is not written over"):
            mix_files(a, b, PLAN, tmp_path / name)
    assert a.read_bytes() == before


@pytest.mark.parametrize(("name", "says"), [("o.mp4", "not written as '.mp4'"), ("o", "has no ending that says")])
def test_another_coding_is_refused_before_anything_is_read(tmp_path, name, says):
    with pytest.raises(UsageError, match=says):
        mix_files(tmp_path / "nope.wav", tmp_path / "nope.wav", PLAN, tmp_path / name)


def test_a_clip_that_cannot_be_mixed_is_named_and_nothing_is_written(noise, tmp_path):
    good, out = noise("good.wav"), tmp_path / "o.wav"
    silent, six = noise("silent.wav", level=0), noise("six.wav", channels=6)
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "half.wav").write_bytes(good.read_bytes()[:2000])
    for bad, error, says in (
        (silent, SilentAudioError, "silent.wav: never above"),
        (six, AudioError, "six.wav: has 6 channels"),
        (tmp_path / "text.wav", UnreadableAudioError, "text.wav: not audio"),
        (tmp_path / "half.wav", UnreadableAudioError, "half.wav: truncated"),
        (tmp_path / "none.wav", UnreadableAudioError, "none.wav: no such file"),
        (tmp_path, UnreadableAudioError, "a folder, not a file"),
    ):
        for pair in ((bad, good), (good, bad)):
            with pytest.raises(error, match=says):
                mix_files(*pair, PLAN, out)
    assert not out.exists()


def test_one_clip_may_be_mixed_with_itself(noise, tmp_path):
    a = noise("a.wav")
    made = mix_files(a, a, PLAN, tmp_path / "o.wav")
    assert made.loudness_before_lufs["a"] == made.loudness_before_lufs["b"]
