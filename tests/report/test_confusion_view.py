"""Matrices of labels: what stands in a cell, how dark it is, where it leads, and whose it is."""

import re
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest
from msgspec import structs

from audiometry.records import BenchmarkInfo, Card, Failure, ReplyRecord, Task
from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Folded
from audiometry.render.files import figures
from audiometry.render.html import html as as_html
from audiometry.render.table import Table
from audiometry.report import html, taken
from audiometry.report.naming import FEW
from audiometry.report.taken import Taken
from audiometry.report.views.confusion import MOST_LABELS, MOST_MISTAKEN, confusion
from audiometry.report.views.entries import Runs
from audiometry.score import score
from audiometry.score.counts import Confusion

CARD = Card(benchmark=BenchmarkInfo(name="moods"), task=(Task(name="mood", title="Mood of the voice"),))
TOML = '[benchmark]\nname = "moods"\n[[task]]\nname = "mood"\n'
FOUND = Confusion(labels=("glad", "sad"), counts=((3, 1), (2, 2)), without_label=(0, 4))


@pytest.fixture
def scored(made, make_benchmark, make_run):
    """A score of some run whose extras are put in place."""
    items = [made.item(i, task="mood") for i in range(12)]
    run = make_run(make_benchmark(items, name="moods", card=TOML), made.answers(items))
    return score(run, store=False).scores["strict"]


def shown(scored, *found, place="tasks"):
    labels = tuple(f"vllm/m{n}" for n in range(1, len(found) + 1))
    each = (
        structs.replace(
            scored, extras=structs.replace(scored.extras, confusion={"mood": one} if one else {}), kinds=("label",)
        )
        for one in found
    )
    (folded,) = confusion(Runs(scored=tuple(each), labels=labels), CARD, place)
    assert isinstance(folded, Folded)
    assert folded.title == "What is taken for what in Mood of the voice"
    assert folded.opened is (len(folded.blocks) == 1)
    assert folded.signature == scored.signature
    return list(folded.blocks)


def test_each_count_has_a_cell_as_dark_as_its_share_of_the_row_and_leads_to_its_replies(scored):
    (chart,) = shown(scored, FOUND)
    assert isinstance(chart, Chart)
    figure, table = chart.figure, chart.table
    assert [band.name for band in figure.x.bands] == ["glad", "sad", "no label", "all"]
    assert [band.name for band in figure.y.bands] == ["glad", "sad"]
    cells = {(mark.y, mark.x): mark for mark in figure.marks}
    assert [[cells[y, x].n for x in range(4)] for y in range(2)] == [[3, 1, 0, 4], [2, 2, 4, 8]]
    assert [[cells[y, x].shade for x in range(4)] for y in range(2)] == [[0.75, 0.25, 0, None], [0.25, 0.25, 0.5, None]]
    assert {place for place, mark in cells.items() if mark.framed} == {(0, 0), (1, 1)}
    asked = {place: parse_qs(mark.items, keep_blank_values=True) for place, mark in cells.items()}
    assert asked[1, 0] == {"task": ["mood"], "right": ["sad"], "chosen": ["glad"]}
    assert asked[1, 2] == {"task": ["mood"], "right": ["sad"], "chosen": [""]}
    assert asked[0, 2] == asked[1, 3] == {}  # nothing is behind a nought, and failed replies too have a right label
    assert table.rows == (("glad", 3, 1, 0, 4), ("sad", 2, 2, 4, 8))
    assert figure.signature == table.signature == scored.signature
    assert figure.caption == table.caption == "Which label is read, by the right one, in 12 replies: Mood of the voice"
    assert (figure.id, figure.n) == ("confusion", 12)


def test_matrices_of_several_runs_say_whose_they_are_and_have_names_of_their_own(scored):
    charts = shown(scored, FOUND, None, FOUND, place="tasks-macro-f1")
    assert [chart.figure.id for chart in charts] == ["confusion-macro-f1-vllm-m1", "confusion-macro-f1-vllm-m3"]
    assert [chart.figure.caption.rpartition(", ")[2] for chart in charts] == ["vllm/m1", "vllm/m3"]
    assert {parse_qs(mark.items)["run"][0] for mark in charts[1].figure.marks if mark.items} == {"vllm/m3"}


def test_a_matrix_says_what_is_missing_of_its_own_task_and_a_terminal_what_is_mistaken(scored):
    row = structs.replace(scored.tasks["mood"], n_failed=1)
    part = structs.replace(scored, n_failed=7, tasks={"mood": row, "other": structs.replace(row, n_failed=6)})
    (chart,) = shown(part, FOUND)
    assert chart.figure.caption.endswith("Mood of the voice; incomplete, 1 of 12 replies missing")
    part = structs.replace(scored, extras=structs.replace(scored.extras, confusion={"mood": FOUND}), kinds=("label",))
    (block,) = confusion(Runs(scored=(part,), labels=("a",)), CARD, "tasks")
    assert block.instead == "Most often mistaken in Mood of the voice: sad read as glad (2), glad read as sad (1)."
    many = Runs(scored=(part,) * (FEW + 1), labels=tuple(f"m{n}" for n in range(FEW + 1)))
    assert not any(block.opened for block in confusion(many, CARD, "tasks"))


def test_matrices_of_several_tasks_are_folded_by_task_and_a_terminal_says_what_is_mistaken_by_their_titles(scored):
    card = structs.replace(CARD, task=(*CARD.task, Task(name="age", title="Age of the voice", size=24)))
    found = {"mood": FOUND, "age": structs.replace(FOUND, counts=((1, 0), (0, 1)))}
    extras = structs.replace(scored.extras, confusion=found)
    tasks = dict.fromkeys(("mood", "age"), scored.tasks["mood"])
    one = structs.replace(scored, extras=extras, kinds=("label",), tasks=tasks)
    (folded,) = blocks = list(confusion(Runs(scored=(one,)), card, "tasks"))
    assert (folded.title, folded.opened) == ("What is taken for what, task by task", False)
    assert [one.title for one in folded.blocks] == ["Mood of the voice", "Age of the voice"]  # ids and marks nowhere
    terminal = Terminal(width=100)
    with terminal.capture() as capture:
        terminal.show(blocks)
    assert capture.get().split("\n")[:-1] == [
        "Most often mistaken in Mood of the voice: sad read as glad (2), glad read as sad (1)."
    ]
    page = str(as_html(blocks))
    assert page.count("<figcaption>") == 2
    assert page.count(f'<p class="copied"><code>{scored.signature}') == 1
    assert "<code>" not in "".join(re.findall("<figcaption>.*?</figcaption>", page))
    assert "Most often mistaken" not in page


def test_of_very_many_labels_only_what_is_mistaken_is_listed(scored):
    n = MOST_LABELS + 1
    counts = tuple(tuple(5 if x == y else int((y, x) == (3, 7)) for x in range(n)) for y in range(n))
    many = Confusion(labels=tuple(f"l{k}" for k in range(n)), counts=counts, without_label=(0,) * n)
    (table,) = shown(scored, many)
    assert isinstance(table, Table)
    assert [(row[0], row[1], row[2].n) for row in table.rows] == [("l3", "l7", 1)]
    assert "such pairs" not in table.caption
    counts = tuple(tuple(9 if x == y else int(y == (x + 1) % n) * (1 + (x < 2)) for x in range(n)) for y in range(n))
    (table,) = shown(scored, structs.replace(many, counts=counts))
    assert len(table.rows) == MOST_MISTAKEN == n - 1
    assert f"; {n - 1} of {n} such pairs, {n + 1} of {n + 2} replies" in table.caption


SIZES = ("2", "10", "1")
OTHERS = '[benchmark]\nname = "sizes"\n[[task]]\nname = "same"\n[[task]]\nname = "other"\n'


def test_questions_with_the_same_options_throughout_have_a_matrix_of_those_that_are_chosen(
    made, make_benchmark, make_run, tmp_path
):
    items = [
        made.item(
            i, task="other" if i % 4 == 3 else "same", options=[*SIZES[i % 3 :], *SIZES[: i % 3]], answer=SIZES[0]
        )
        for i in range(24)
    ]
    for at in (3, 7):
        items[at] |= {"options": [f"only {at}", "2", "3"]}
    bench = make_benchmark(items, name="sizes", card=OTHERS)
    replies = made.answers(items, right=lambda i: i % 5)
    replies[4] = ReplyRecord(item=items[4]["id"], text="Hard to say.")
    replies[8] = ReplyRecord(item=items[8]["id"], error=Failure(kind="http-500", message="broke"))
    run = make_run(bench, replies, name="a")
    blocks = []
    html.write([run, make_run(bench, replies[:12], name="b", limit=12)], tmp_path / "page.html", also=blocks.extend)
    first, _ = found = [figure for figure in figures(blocks) if figure.id.startswith("confusion")]
    assert len({figure.id for figure in found}) == 2
    assert first.id.startswith("confusion-")
    assert [band.name for band in first.x.bands] == ["1", "2", "10", "no option", "all"]
    counts = {(first.y.bands[int(mark.y)].name, first.x.bands[int(mark.x)].name): mark.n for mark in first.marks}
    right = score(run, store=False).scores["strict"].tasks["same"]
    assert counts["2", "all"] == right.n_replies - 1 == 17
    assert counts["2", "no option"] == 1
    assert counts["2", "2"] == round(right.value * right.n_items)
    assert counts["1", "all"] == counts["10", "all"] == 0
    assert "right=2&chosen=2&run=" in next(mark.items for mark in first.marks if mark.framed and mark.n)
    assert first.caption.startswith("Which option is read, by the right one, in 17 replies: same, ")


def test_options_that_are_sentences_and_questions_asked_once_have_no_matrix(made, make_benchmark, make_run, tmp_path):
    items = [made.item(i, task="same", options=["a" * 161, "b"], answer="b") for i in range(8)]
    items.append(made.item(9, task="other"))
    run = make_run(make_benchmark(items, name="sizes", card=OTHERS), made.answers(items))
    blocks = []
    html.write([run], tmp_path / "page.html", also=blocks.extend)
    assert "matrix" not in {figure.kind for figure in figures(blocks)}


def test_of_very_many_tasks_no_matrices_of_options_are_shown(made, make_benchmark, make_run, tmp_path, monkeypatch):
    items = [made.item(i, task=f"t{i % 4}", options=["a", "b"], answer="a") for i in range(24)]
    card = '[benchmark]\nname = "sizes"\n' + "".join(f'[[task]]\nname = "t{n}"\n' for n in range(4))
    run = make_run(make_benchmark(items, name="sizes", card=card), made.answers(items))
    for most, drawn in ((4, 4), (3, 0)):
        monkeypatch.setattr(taken, "MOST_MATRICES", most)
        blocks = []
        html.write([run], tmp_path / "page.html", also=blocks.extend)
        assert [figure.kind for figure in figures(blocks)].count("matrix") == drawn


def test_of_many_runs_no_options_are_counted(made):
    item = SimpleNamespace(task="t", options=("a", "b"), answer="a")
    kept = SimpleNamespace(verdict="correct", order=(), chosen=0)
    for n, kinds in ((FEW, 1), (FEW + 1, 0)):
        seen = Taken(n)
        seen.see(item, 0, kept)
        assert len(seen._counts) == kinds
