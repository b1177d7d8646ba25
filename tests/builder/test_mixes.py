"""Tasks about mixed audio: the clips of two sources are mixed, and asked about with what is known of both."""

import json
import re
from collections import Counter

import numpy as np
import pytest
import soundfile

LOUDER = """
name = "louder"
make = "label"
about = "louder"
source = "rows"
question = ["Which is louder?"]
mix = {with = "rain", equal = 0.0, offset = [0.5, 1]}
"""
CHAT = """
name = "both"
make = "chat"
category = "mixed"
source = "rows"
n = 8
mix = {with = "rain"}
"""
RAIN = """
[[source]]
source = "csv"
path = "rain.csv"
name = "rain"
columns = {audio = "file", group = ["site"]}
facts = {caption = "caption"}
licence = "CC-BY-4.0"
"""


@pytest.fixture
def two(written, recordings, tmp_path, captioned):
    """Build of six clips of birds and four of rain: what was said, the items, what was rejected, the server."""

    def make(*tasks, script=None, **how):
        recordings(10, seconds=2)
        lines = [f'"birds/{k}.wav","rain {k}","site {k}"' for k in range(6, 10)]
        (tmp_path / "rain.csv").write_text("\n".join(["file,caption,site", *lines]) + "\n")
        rows = [row | {"file": f"birds/{k}.wav"} for k, row in enumerate(captioned(6))]
        return written(script or {}, RAIN, *tasks, n=0, rows=rows, **how)

    return make


def test_labels_of_mixes_are_true_of_the_sound(two, tmp_path):
    said, items, rejected, _ = two(LOUDER)
    assert said.code == 0, said.err
    assert (len(items), rejected) == (6, [])
    assert Counter(item["answer"] for item in items) == {"rows": 3, "rain": 3}
    for item in items:
        assert {*item["options"]} == {"rows", "rain"}
        a, b = (soundfile.read(tmp_path / name)[0] for name in item["provenance"]["file"].split(" + "))
        made, rate = soundfile.read(tmp_path / "out" / item["file_name"])
        first = a if item["tags"]["ahead"] == "rows" else b
        head = made[: rate // 4]
        gain = head @ first[: len(head)] / (first[: len(head)] @ first[: len(head)])
        assert np.abs(head - gain * first[: len(head)]).max() < 2 / 32768  # alone, before the other begins
        gains = dict(zip(("rows", "rain"), map(float, item["provenance"]["gain_db"].split(", ")), strict=True))
        assert 20 * np.log10(gain) == pytest.approx(gains[item["tags"]["ahead"]], abs=0.1)
        other = {"rows": "rain", "rain": "rows"}[item["answer"]]
        assert gains[item["answer"]] > gains[other]  # of noise that is equally loud
        assert f"{item['answer']} louder by " in item["provenance"]["mix"]
        assert item["licence"] == "CC-BY-4.0"
    assert not (tmp_path / "out/build/mixed").exists()


def test_open_questions_about_mixes_know_both_captions_and_which_is_louder(two, tmp_path, cli):
    said, items, rejected, server = two(CHAT)
    assert said.code == 0, said.err
    assert (len(items), rejected) == (8, [])
    assert {item["tags"]["ability"] for item in items} == {"parts", "relation", "situation"}
    for item in items:
        known = dict(line.split(": ", 1) for line in item["meta"].splitlines())
        assert {*known} == {"species", "caption of rows", "caption of rain", "louder", "ahead"}
        assert item["provenance"]["source"] == "rows + rain"
    whole = (tmp_path / "out/metadata.jsonl").read_bytes()
    asked = len(server.log())
    assert cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out").code == 0
    assert ((tmp_path / "out/metadata.jsonl").read_bytes(), len(server.log())) == (whole, asked)
    found = cli("build", tmp_path / "spec.toml", "--dry-run", "--json").json
    assert found["calls"] == 8
    assert [*next(iter(found["hosts"].values()))] == ["rows", "rain"]


def test_a_pair_that_cannot_be_mixed_is_kept_apart_and_the_rest_goes_on(two, tmp_path, recordings):
    from audiometry.builder import mixes

    recordings(1)
    silent = tmp_path / "birds/9.wav"
    real = mixes.mix_all

    def quiet(pairs, place, **how):
        soundfile.write(silent, np.zeros(32_000), 16_000, subtype="PCM_16")
        return real(pairs, place, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixes, "mix_all", quiet)
        said, items, rejected, _ = two(LOUDER)
    assert said.code == 0, said.err
    assert {one["rule"] for one in rejected} == {"not-mixed"}
    assert all(
        re.search(r"rows \+ rain, row \d+ \+ 5 \(.* louder by .* LU, .* ahead by", one["where"]) for one in rejected
    )
    assert len(items) + len(rejected) == 6


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ('with = "rian"', "which is no other source; did you mean 'rain'"),
        ('with = "rows"', "which is no other source"),
        ('with = "rain", by = [1, 2]', "has by = [1, 2]; from 3 to"),
        ('with = "rain", bye = 3', "did you mean 'by'"),
    ],
)
def test_a_mix_that_cannot_be_is_refused(two, change, what):
    said, _, _, server = two(CHAT.replace('with = "rain"', change))
    assert (said.code, server.log()) == (2, [])
    assert what in said.err


def test_what_is_mixed_is_named(two):
    said, _, _, _ = two(CHAT.replace('source = "rows"', ""))
    assert 'mixes clips and does not say of which source; name it (source = "speech")' in said.err
    assert json.dumps(said.code) == "2"
