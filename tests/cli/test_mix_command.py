"""``audiometry mix`` of two recordings, from the outside."""

import numpy as np
import pytest

from audiometry.audio.clip import Clip, read
from audiometry.audio.encode import encode

EVER = {
    "louder", "ahead", "level_difference", "offset_s", "gain_db", "loudness_lufs", "duration_s", "rate", "sources"
}  # fmt: skip


@pytest.fixture
def pair(tmp_path):
    paths = []
    for seed, (rate, channels) in enumerate([(16_000, 1), (22_050, 2)]):
        samples = np.random.default_rng(seed).standard_normal((rate, channels)) * 0.25
        paths.append(tmp_path / f"{'ab'[seed]}.wav")
        paths[-1].write_bytes(encode(Clip(samples.astype(np.float32), rate)))
    return paths


def test_a_mix_keeps_its_promises(cli, pair, tmp_path):
    how = ("--louder", "b", "--by", 6, "--ahead", "a", "--offset", 0.25, "-o", tmp_path / "o.wav")
    document = cli("mix", *pair, *how, "--json").json
    assert set(document) >= EVER
    assert (document["louder"], document["ahead"], document["offset_s"]) == ("b", "a", pytest.approx(0.25, abs=1e-4))
    assert document["level_difference"] == pytest.approx(6, abs=1e-4)
    assert set(document["gain_db"]) == set(document["loudness_lufs"]) == set(document["sources"]) == {"a", "b"}
    assert len(document["sources"]["a"]["sha256"]) == 64
    mixed = read(tmp_path / "o.wav")
    assert (mixed.rate, mixed.channels) == (document["rate"], document["channels"]) == (22_050, 2)
    assert mixed.duration_s == pytest.approx(document["duration_s"], abs=1e-4)


def test_what_was_done_is_said(cli, pair, tmp_path):
    how = ("--louder", "a", "--by", 6, "--ahead", "b", "--offset", 1.5, "--rate", 8000, "-o", tmp_path / "o.ogg")
    said = cli("mix", *pair, *how)
    assert said.code == 0
    for words in (
        "a is louder by 6.00 LU; b starts first, by 1.500 s.",
        "a was resampled, 16,000 → 8,000 Hz.",
        "a is mono and stands in both channels",
        "They are never heard together",
        "ogg is lossy",
        "o.ogg: 2.500 s, 8,000 Hz, stereo",
    ):
        assert words in said.out
    same = cli("mix", pair[0], pair[0], "--louder", "equal", "--ahead", "equal", "-o", tmp_path / "o.flac")
    assert "Equal loudness; both start together." in same.out
    assert "Both were lowered by" in same.out
    assert "lossy" not in same.out


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (["--louder", "a", "--ahead", "equal"], "--louder a needs --by"),
        (["--louder", "a", "--by", 3, "--ahead", "b"], "--ahead b needs --offset"),
        (["--louder", "a", "--by", 40, "--ahead", "equal"], "40 LU cannot be made; give 0 to 30"),
        (["--louder", "a", "--by", "nan", "--ahead", "equal"], "nan LU cannot be made"),
        (["--louder", "equal", "--by", 3, "--ahead", "equal"], "contradict each other"),
        (["--louder", "equal", "--ahead", "a", "--offset", -1], "an offset of -1 s cannot be made"),
        (["--louder", "both", "--ahead", "a", "--offset", 1], "is not one of"),
        (["--louder", "equal", "--ahead", "equal", "--rate", 3], "a rate of 3 Hz cannot be made"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(cli, pair, tmp_path, how, says):
    said = cli("mix", *pair, *how, "-o", tmp_path / "o.wav")
    assert said.code == 2
    assert says in said.err
    assert not (tmp_path / "o.wav").exists()


def test_a_clip_with_a_hostile_name_is_named_on_one_plain_line(cli, pair, tmp_path):
    bad = tmp_path / "a\x1b[31m\nb\u202e.wav"
    bad.write_bytes(encode(Clip(np.zeros((16_000, 1), np.float32), 16_000)))
    said = cli("mix", pair[0], bad, "--louder", "equal", "--ahead", "equal", "-o", tmp_path / "o.wav")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "\x1b" not in said.err
    assert "\u202e" not in said.err
