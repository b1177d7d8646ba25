"""Rows with fewer options in what a reader of results sees."""

import csv
import re

import pytest

from audiometry import bench as benches
from audiometry.run.execute import execute, prepare
from audiometry.run.settings import RunSettings

CARD = '[benchmark]\nname = "made"\nversion = "1"\n[distractors]\nCU = "correct but unrelated"\nIR = "<b>related</b>"\n'


@pytest.fixture
def folder(made, make_benchmark):
    options, kinds = ["lute", "oboe", "bell"], ["", "IR", "CU"]
    entries = [made.item(k, options=options, kinds=kinds, answer="lute") for k in range(6)]
    return make_benchmark(entries, card=CARD)


def ran(folder, path, **how):
    execute(prepare(benches.load(folder), "scripted/oracle", RunSettings(**how), path))
    return path


def test_rows_with_fewer_options_stand_in_the_order_of_the_card_with_their_chance(cli, folder, tmp_path):
    run = ran(folder, tmp_path / "run", shots=1, variants=("distractors=IR", "distractors=CU", "leave-1"))
    done = cli("score", run)
    lines = [re.split(r"  +", line.strip()) for line in done.out.splitlines()]
    named = {line[0]: line for line in lines if len(line) > 4}
    order = [name for name in named if name.startswith(("IR", "CU", "without"))]
    assert order == ["CU: correct but unrelated", "IR: <b>related</b>", "without wrong option 1"]
    assert "all" not in named  # asked after an example, as these were not
    assert named["CU: correct but unrelated"][3] == "50.0"
    page = tmp_path / "page.html"
    assert cli("report", run, "-o", page).code == 0
    html = page.read_text()
    assert 'id="fewer"' in html
    assert "worked examples" in html
    assert "1 before each item, in words" in html
    assert "<b>related" not in html
    assert "IR: &lt;b&gt;related" in html


def test_they_are_signed_as_they_were_asked_and_held_to_the_score_only_where_that_was_asked_likewise(
    cli, folder, tmp_path
):
    hows = {"alike": {}, "examples": {"shots": 1}, "orders": {"orders": 2}}
    for name, how in hows.items():
        run, tables = ran(folder, tmp_path / name, variants=("distractors=IR", "noise"), **how), tmp_path / f"t-{name}"
        assert cli("report", run, "-o", tmp_path / "page.html", "--tables", tables).code == 0
        text, heard = (tables / "fewer.md").read_text(), (tables / "listening.md").read_text()
        assert ("| **all**" in text) is (name == "alike")
        assert "+orders-1+" in text
        assert "+orders-1+" in heard
        assert "shots-" not in text
        assert ("+shots-1+" in heard) is (name == "examples")


def test_vote_and_passes_are_rows_with_what_guessing_gives(cli, folder, tmp_path):
    run = ran(folder, tmp_path / "run", variants=("leave-1", "leave-2"))
    tables = tmp_path / "tables"
    assert cli("report", run, "-o", tmp_path / "page.html", "--tables", tables).code == 0
    with (tables / "fewer.csv").open(encoding="utf-8-sig", newline="") as file:
        found = {row["distractors"]: row for row in csv.DictReader(file)}
    head = re.sub("<[^>]*>", "", (tmp_path / "page.html").read_text().split('id="fewer"')[0])
    said = "100.0 % are right by a majority vote of the passes (chance 25.0 %), 100.0 % in single passes"
    assert said in " ".join(head.split())
    vote, each = found["majority vote of the passes"], found["single passes"]
    assert [float(row["chance, %"]) for row in (vote, each)] == [25.0, 50.0]
    assert [float(row["correct, %"]) for row in (vote, each)] == [100.0, 100.0]
    assert [(row["items"], row["answered"]) for row in (vote, each)] == [("6", "12"), ("6", "12")]


def test_a_terminal_heads_what_a_page_heads(cli, folder, tmp_path):
    variants = ("distractors=IR", "noise", "other-clip")
    lines = cli("score", ran(folder, tmp_path / "run", variants=variants)).out.splitlines()
    assert "With fewer options" in lines
    assert "Does it need the clip?" in lines
