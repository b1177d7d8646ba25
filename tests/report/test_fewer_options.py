"""Rows with fewer options in what a reader of results sees."""

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
    order = [name for name in named if name.startswith(("IR", "CU", "all but"))]
    assert order == ["CU: correct but unrelated", "IR: <b>related</b>", "all but number 1"]
    assert named["CU: correct but unrelated"][3] == "50.0"
    page = tmp_path / "page.html"
    assert cli("report", run, "-o", page).code == 0
    html = page.read_text()
    assert 'id="fewer"' in html
    assert "worked examples" in html
    assert "1 before each item, in words" in html
    assert "<b>related" not in html
    assert "IR: &lt;b&gt;related" in html
