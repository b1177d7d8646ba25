"""What a terminal shows of scores at any width: every name whole, and every figure."""

import io
import re
from collections import Counter

import pytest
from msgspec import structs

from audiometry.records import BenchmarkInfo, Card, Task
from audiometry.render.console import Terminal, console
from audiometry.render.table import Column, OutOf, Table
from audiometry.report.views.ranks import ranks
from audiometry.report.views.scored import scored
from audiometry.score import score
from audiometry.score.opened import open_run
from audiometry.score.ranks import ranked

WIDTHS = (60, 80, 100, 120)
CARD = Card(
    benchmark=BenchmarkInfo(name="small"),
    task=(
        Task(name="bell", title="Bells that somebody rings in a tower", category="sound"),
        Task(name="voice", title="Voices", category="speech"),
    ),
)
NAMES = ("Bells that somebody rings in a tower", "Voices")


def at(width, report):
    out = Terminal(width)
    with out.capture() as said:
        show(out, report)
    return said.get()


def show(out, report):
    """Print blocks, or what is none yet."""
    if isinstance(report, list):
        out.show(report)
    else:
        out.print(report, crop=False)


def figures(said):
    """Numbers of cells and lines; ``95 %`` is a heading, which each block has."""
    return Counter(re.findall(r"[+-]?\d[\d,.]*(?:/\d+)*", re.sub(r"95 %:?", "", said)))


@pytest.fixture
def runs(made, make_benchmark, make_run):
    items = [made.item(i) for i in range(12)]
    bench = make_benchmark(items)
    found = []
    for n, right in enumerate((lambda i: i > 1, lambda i: i % 3 == 0)):
        replies = made.answers(items, right=right)
        texts = {2: "I would rather not say.", 3: "", 5: "I'm sorry, I can't help with that.", 8: "bells"}
        replies = [structs.replace(one, text=texts.get(i, one.text)) for i, one in enumerate(replies)]
        found.append(open_run(make_run(bench, replies, name=f"run-{n}")))
    return found


def reports(runs):
    profiles = score(runs[0], ["all"], store=False)
    plain = [score(run, store=False) for run in runs]
    yield "score", [*scored(plain[0], CARD)], NAMES
    yield "profiles", [*scored(profiles, CARD)], NAMES
    names = tuple(run.info.model for run in runs)
    yield "ranks", [ranks(ranked(plain, runs), names)], names


@pytest.mark.parametrize("which", ["score", "profiles", "ranks"])
def test_no_name_and_no_figure_is_cut_at_any_width(runs, which, monkeypatch):
    report, names = next((report, names) for name, report, names in reports(runs) if name == which)
    whole, again = at(400, report), set(figures(" ".join(names)))
    for width in WIDTHS:
        said = at(width, report)
        flat = " ".join(said.split())
        assert "…" not in said
        assert figures(said) >= figures(whole)
        assert not (figures(said) - figures(whole)).keys() - again  # names of rows stand in each part of a table
        assert all(word in flat for name in names for word in name.split())
        own = [line for line in said.splitlines() if "+ours-" not in line]  # signatures are copied as a whole
        assert max(map(len, own)) <= width
    monkeypatch.setattr("sys.stdout", io.StringIO())  # a pipe
    pipe = console()
    with pipe.capture() as caught:
        show(pipe, report)
    assert figures(caught.get()) == figures(whole)
    assert all(word in caught.get() for name in names for word in name.split())


def test_rows_that_have_no_room_stand_in_several_tables_under_the_same_names(runs):
    said = at(60, [*scored(score(runs[0], store=False), CARD)])
    rows = [line.split() for line in said.splitlines() if line.startswith("Voices")]
    heads = [line.split() for line in said.splitlines() if line.startswith("task")]
    assert len(rows) == len(heads) > 1
    assert all(row[0] == "Voices" and len(row) > 1 for row in rows)
    assert not re.search(r";$", said, re.MULTILINE)  # no row is a list


LONG = (
    "Speaker_Gender_Recognition_common_voice_13_en",
    "Music_Instruments_Classfication_MTJ-Jamendo",
    "wind/in the trees",
)


def test_long_names_of_folders_are_broken_at_their_joints_before_rows_become_blocks():
    columns = (
        Column(id="task", title="task", kind="name"),
        Column(id="items", title="items", kind="count"),
        Column(id="correct", title="correct", kind="number"),
        Column(id="interval", title="95 %", kind="interval"),
        Column(id="chance", title="chance", kind="number"),
        Column(id="answered", title="answered", kind="count"),
        Column(id="unanswered", title="unanswered", kind="count"),
    )
    rows = tuple((name, 2, 50.0, (9.5, 90.5), 25.0, OutOf(2, 2), 0) for name in LONG)
    table = [Table(id="t", caption="", signature="", columns=columns, rows=rows)]
    for width in (120, 100, 90):
        lines = at(width, table).splitlines()
        assert max(map(len, lines)) <= width
        assert sum("50.0" in line and "25.0" in line for line in lines) == len(LONG)  # a table at all of them
        names = "".join(line[: lines[1].index("items")].strip() for line in lines[3:])
        assert all(name.replace(" ", "") in names.replace(" ", "") for name in LONG)
    alone = Table(id="a", caption="", signature="", columns=columns, rows=rows[:1])
    assert "\nSpeaker_Gender_Recognition_common_voice_13_en\n  items 2;" in at(60, [alone])  # one row is a list, always
    whole = Table(id="w", caption="", signature="", columns=columns[:2], rows=(("x" * 90, 1),))
    assert "x" * 90 in at(80, [whole]).replace("\n", "")
