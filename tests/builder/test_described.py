"""What stands beside a built benchmark: the page of its statistics, and Croissant metadata."""

import json
import os
import re
from collections import Counter

import numpy as np
import pytest
import soundfile

from audiometry.builder.statistics import _histogram

SPECIES = 'name = "species"\nmake = "label"\nabout = "species"\nquestion = ["Which bird is heard?"]'
WORDS = 'name = "words"\nmake = "given"\nkind = "transcript"\nabout = "said"\nquestion = ["What is said?"]'
FACTS = 'species = "species", said = "said"'


def rows_of(n, **more):
    return [
        {"file": f"birds/{k}.wav", "species": f"bird {k % 4}", "said": f"word {k}", "station": k, "who": "Anna"} | more
        for k in range(n)
    ]


@pytest.fixture
def made(recordings, spec, cli, tmp_path):
    def make(*tasks, columns='audio = "file", group = ["station"], private = ["who"]', **how):
        recordings(9, seconds=1.5)
        rows = rows_of(9)
        said = cli("build", spec(rows, *tasks, columns=columns, facts=FACTS, **how), "-o", tmp_path / "out")
        assert said.code == 0, said.err
        return tmp_path / "out"

    return make


@pytest.fixture
def validated():
    """The package that reads Croissant; without it the test is skipped, and fails under CI=true."""
    try:
        import mlcroissant
    except ImportError:
        (pytest.fail if os.environ.get("CI", "").lower() == "true" else pytest.skip)("mlcroissant is missing")

    def read(folder):
        found = mlcroissant.Dataset(str(folder / "croissant.json"))
        assert not found.metadata.ctx.issues.errors
        return found

    return read


def texts(value):
    if isinstance(value, list):
        return [texts(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_croissant_metadata_is_valid_and_gives_the_items(made, validated, metadata):
    folder = made(SPECIES, benchmark='licence = "CC0-1.0"\ntitle = "Birds at dawn"\ncitation = "Nobody, 2026"')
    found = validated(folder)
    assert found.metadata.name == "dawn"
    assert found.metadata.conforms_to[0].endswith("/1.1")
    items = metadata(folder)
    records = [
        {key.removeprefix("items/"): texts(value) for key, value in one.items()} for one in found.records("items")
    ]
    assert [one["id"] for one in records] == [one["id"] for one in items]
    for record, item in zip(records, items, strict=True):
        assert {key: item[key] for key in record} == record
    whole = json.loads((folder / "croissant.json").read_text())
    assert whole["license"] == ["CC0-1.0"]
    assert whole["rai:personalSensitiveInformation"].startswith("The columns who of the sources were declared private")
    assert "Anna" not in str(whole)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_croissant_metadata_name_no_field_that_no_item_has(made, validated):
    found = validated(made(WORDS, columns='audio = "file"', benchmark=""))
    assert len(list(found.records("items"))) == 9
    assert "options" not in {field.name for field in found.metadata.record_sets[0].fields}


def test_the_page_shows_what_the_benchmark_is_like(made, metadata):
    folder = made(SPECIES, WORDS)
    page = re.sub("<[^>]*>", "", (folder / "build/report.html").read_text(encoding="utf-8"))
    for said in ("18 items, 9 clips, seen by no reviewer", "9 clips, 0.2 min in all, of 1.50 to 1.50 s", "LUFS"):
        assert said in page
    letters = Counter("ABCD"[one["options"].index(one["answer"])] for one in metadata(folder) if "options" in one)
    assert f"Right letters: {', '.join(f'{k} {n}' for k, n in sorted(letters.items()))}." in page
    assert "9 different answers" not in page  # few enough to be drawn
    assert "word 7" in page


def test_hostile_names_do_nothing_on_the_page(recordings, spec, cli, tmp_path):
    bad = "<script>alert(1)</script>\\u202e\\u001b[31m"
    task = f'name = "{bad}"\nmake = "label"\nabout = "species"\nquestion = ["{bad}?"]'
    recordings(4)
    rows = [{"file": f"birds/{k}.wav", "species": f"<img src=x onerror=alert({k})>", "station": k} for k in range(4)]
    said = cli("build", spec(rows, task), "-o", tmp_path / "out")
    assert said.code == 0, said.err
    assert "\x1b" not in said.out
    page = (tmp_path / "out/build/report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img" not in page
    assert cli("run", tmp_path / "out", "--model", "scripted/oracle", "-o", tmp_path / "run").code == 0


@pytest.mark.slow
@pytest.mark.browser
def test_axe_finds_nothing_serious_on_the_page(made, axe, system_program):
    from playwright.sync_api import sync_playwright

    page = made(SPECIES, WORDS) / "build/report.html"
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(
            executable_path=system_program("chromium-headless-shell"), args=["--no-sandbox"]
        )
        for scheme, width in (("light", 1280), ("dark", 400)):
            shown = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}).new_page()
            shown.goto(f"file://{page}")
            assert axe(shown) == []
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()


def test_a_histogram_counts_each_value_once():
    found = _histogram([-1.0, 0.0, 0.99, 1.0, 4.0, 9.0], (0.0, 1.0, 5.0))
    assert found.counts == (3, 2, 1)
    assert (found.least, found.median, found.most) == (-1.0, 0.995, 9.0)
    assert _histogram([], (0.0, 1.0)).counts == (0, 0)


def test_the_check_at_the_end_names_recordings_as_their_source_does(recordings, spec, cli, tmp_path):
    folder = recordings(4)
    samples = np.zeros(4800, np.int16)
    samples[:20] = 32767  # less than what is rejected before
    soundfile.write(folder / "2.wav", samples, 16_000)
    found = cli("build", spec(rows_of(4), SPECIES, facts=FACTS), "-o", tmp_path / "out", "--json").json
    clipped = [one["where"] for one in found["check"]["findings"] if one["code"] == "clipped"]
    assert [one.partition(" ")[2] for one in clipped] == ["(of birds/2.wav)"]
    assert sum(found["statistics"]["letters"]["species"].values()) == 4
    assert found["statistics"]["seconds"]["median"] == 0.3
