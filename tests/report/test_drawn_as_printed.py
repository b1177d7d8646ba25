"""What is drawn and what is printed are the same numbers: no mark off its place, no share of two values."""

import re
from itertools import pairwise

import pytest

from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Line
from audiometry.render.escaped import together
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.html import html
from audiometry.render.layout import beside
from audiometry.render.svg import caption, svg
from audiometry.render.table import Column, Table
from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.places import MOST_VALUES, binned
from audiometry.report.views.score_rows import charted
from audiometry.report.views.scored import without_clip
from audiometry.score.extras import Against, Beside, Extras
from audiometry.score.result import Condition, Difference, Row, Scored

COUNTS = {"n_items": 90, "n_clusters": 40, "n_replies": 90, "n_answered": 90, "n_unanswered": 0, "n_refused": 0}
COUNTS |= {"n_empty": 0, "n_failed": 0, "n_not_asked": 0, "n_unjudged": 0, "n_counted": 90}


def row(value, interval=None, **other):
    return Row(**COUNTS | other, value=value, interval=interval)


def scored(value, interval=None, **other):
    plain = {"signature": "made", "profile": "strict", "measure": "wer", "unit": "errors per reference word"}
    plain |= {"kinds": ("transcript",), "direction": "down", "range": (0.0, None), "average": "items"}
    plain |= {"complete": True, "rankable": True, "failures": {}, "categories": {}, "tasks": {}}
    return Scored(**COUNTS | plain | other, value=value, interval=interval)


def drawn(runs, *entries):
    """The chart of rows."""
    given = Entries(all=entries, place="tasks", corner="task", caption="made")
    return charted(Runs(scored=runs, labels=tuple(map(str, range(len(runs)))), absent=("",) * len(runs)), given)[0]


@pytest.mark.parametrize("values", [[(37.0, (20.0, 60.0)), (0.2, (0.1, 0.3))], [(9.0, (2.0, 400.0))]])
def test_an_error_rate_beyond_ten_stands_at_its_place_and_so_do_its_ends(values):
    entries = [Entry(title=str(n), rows=(row(*one),)) for n, one in enumerate(values)]
    figure = drawn((scored(*values[0]),), *entries).figure
    assert figure.x.ticks[-1] >= max(interval[1] for _, interval in values)
    for mark in figure.marks:
        for end in (mark.x, *mark.interval):
            assert figure.x.at(end) == pytest.approx(end / figure.x.high)


def test_wins_ties_and_losses_are_printed_like_every_other_share():
    shares = [(1 / 8, 6 / 8, 1 / 8), (1 / 6, 1 / 6, 4 / 6), (8 / 15, 2 / 15, 5 / 15)]
    against = [Against(reference=8.0, orders={}, win=a, tie=b, loss=c) for a, b, c in shares]
    judged = {"measure": "judge-score", "unit": "judge's score", "range": (1.0, 10.0), "direction": "up"}
    extras = Extras(beside=Beside(all=against[0], categories={}, tasks={}, folders={}))
    entries = [Entry(title=str(n), rows=(row(5.0, (4.0, 6.0)),), against=(one,)) for n, one in enumerate(against)]
    table = drawn((scored(5.0, (4.0, 6.0), **judged, extras=extras),), *entries).table
    columns = {column.id: (at, column) for at, column in enumerate(table.columns)}
    printed = [
        [columns[name][1].printed(one[columns[name][0]]) for name in ("win", "tie", "loss")] for one in table.rows
    ]
    assert printed == [["12.5", "75.0", "12.5"], ["16.7", "16.7", "66.7"], ["53.3", "13.3", "33.3"]]


def test_an_axis_of_a_share_or_a_judges_score_has_the_ends_of_its_scale():
    assert [(axis.low, axis.high) for axis in (Scale(0, 1, share=True).axis([0.4]), Scale(1, 10).axis([5.0]))] == [
        (0, 1),
        (1, 10),
    ]


def test_a_histogram_of_differences_leans_to_no_side_and_leaves_out_no_empty_bar():
    even = [(sign * value, (10,)) for value in (0.5, 1.5, 2.5, 3.5, 0.1, 1.3, 2.2, 9.9) for sign in (-1, 1)]
    found = binned([*even, (0.0, (3,))])
    assert found == [(0.0 - value, counts) for value, counts in reversed(found)]
    assert sum(n for _, (n,) in found) == 163
    assert binned([(float(n), (n + 1,)) for n in (0, 1, 2, 7, 10)]) == [
        (n, (n + 1 if n in {0, 1, 2, 7, 10} else 0,)) for n in range(11)
    ]
    for far in (0.003, 37.5, 4e9):
        found = binned([(-far, (1, 2)), (0.0, (0, 5)), (far / 3, (1, 1))])
        assert len(found) <= MOST_VALUES
        assert [sum(n) for n in zip(*(counts for _, counts in found), strict=True)] == [2, 8]
        apart = [b - a for (a, _), (b, _) in pairwise(found)]
        assert apart == pytest.approx([apart[0]] * len(apart))


DIFFERENCE = {"n_items": 90, "n_clusters": 40, "score_a": 0.6, "score_b": 0.2, "difference": 0.4}
DIFFERENCE |= {"interval": (0.3, 0.5), "p": 0.0007, "p_corrected": 0.0014, "detectable": 0.1}


def test_where_no_reply_came_there_is_no_number_no_interval_and_no_mark():
    lost = COUNTS | {"n_answered": 0, "n_failed": 90}
    entries = [Entry(title="none", rows=(Row(**lost, value=None, interval=None),))]
    entries.append(Entry(title="some", rows=(row(0.5, (0.4, 0.6)),)))
    chart = drawn((scored(0.5),), *entries)
    assert chart.table.rows[0][1:3] == ("no reply", None)
    assert [mark.y for mark in chart.figure.marks] == [1]


def test_a_figure_of_runs_of_different_size_says_both():
    large, small = scored(0.5, n_items=717), scored(0.4)
    figure = drawn((large, small), Entry(title="all", rows=(large, small))).figure
    assert "n\u00a0=\u00a090 to 717 items." in caption(figure)
    assert "n\u00a0=\u00a090 items." in caption(drawn((small, small), Entry(title="all", rows=(small, small))).figure)
    assert figure.x.title == "word error rate, lower is better"


def test_bounds_of_missing_replies_are_drawn_beside_the_number_and_printed_without_one():
    least, open_above = row(0.2, (0.1, 0.3), bounds=(0.2, 0.6)), row(0.5, (0.4, 0.6), bounds=(0.5, None))
    entries = [Entry(title=str(at), rows=(one,)) for at, one in enumerate((least, open_above, row(0.4)))]
    figure = drawn((scored(0.3),), *entries).figure
    assert [band.shade for band in figure.y.bands] == [(0.2, 0.6), (0.5, figure.x.high), None]
    assert figure.shade_name.startswith("bounds")
    assert drawn((scored(0.3),), entries[2]).figure.shade_name == ""
    stopped = scored(None, bounds=(0.1, 0.9), n_not_asked=9)
    chart = drawn((stopped, scored(0.3)), Entry(title="all", rows=(stopped, scored(0.3))))
    assert chart.table.columns[1].printed(chart.table.rows[0][1]) == "not all asked, bounds 0.100 to 0.900"
    alone = drawn((stopped,), Entry(title="all", rows=(stopped,))).table
    assert [column.id for column in alone.columns[:3]] == ["name", "value", "bounds"]  # no heading over nothing


def test_what_is_lost_without_the_clip_names_the_order_and_each_p():
    noise = Condition(**COUNTS, value=0.2, interval=(0.1, 0.3), difference=Difference(**DIFFERENCE))
    one = scored(0.65, (0.6, 0.7), variants={"noise": noise}, direction="up", n_replies=270)
    said = [block.text for block in without_clip(one) if isinstance(block, Line)]
    assert (
        "p = 0.0007, corrected over the sounds 0.0014; 90 items: 0.600 with them in the first order, 0.200" in said[0]
    )
    one = scored(0.65, (0.6, 0.7), variants={"noise": noise})
    assert "0.600 with them, 0.200 without" in next(b.text for b in without_clip(one) if isinstance(b, Line))


def test_a_name_beside_a_mark_is_not_struck_by_the_line():
    marks = tuple(Mark(x=x, y=y, name="Qwen-Audio Turbo") for x, y in ((0.45, 0.2), (0.55, 0.5), (0.5, 0.8)))
    figure = Figure(id="s", caption="c", signature="", kind="scatter", x=Axis(), y=Axis(), marks=marks, reference=0.52)
    for label in beside(figure, 320):
        ends = [620 * label.x + (-9 if label.left else 9) * far for far in (1, 1 + 1)]
        assert not min(ends) < 620 * 0.52 < max(ends)
        assert label.left == (label.x <= 0.52)


def test_a_row_that_cannot_be_drawn_stands_in_no_figure():
    bands = Axis(bands=(Band(name="ours"), Band(name="chance", bare=True), Band(name="theirs")))
    marks = (Mark(x=0.5, y=0), Mark(x=0.75, y=2))
    text = svg(Figure(id="s", caption="c", signature="", kind="bands", x=Axis(), y=bands, marks=marks))
    assert "ours" in text
    assert "theirs" in text
    assert "chance" not in text.replace('class="chance"', "").replace(".chance", "")


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("no (p = 0.5543)", "p = 0.5543"),
        ("it is (95 %: 0.0 to 16.1)", "95 %: 0.0 to 16.1"),
        ("it is (95 %: +14.9 to +21.5; p = 0.0001)", "95 %: +14.9 to +21.5"),
    ],
)
def test_an_interval_and_p_are_not_split_over_lines(text, whole):
    assert f'<span class="nowrap">{whole}</span>' in str(together(text))


@pytest.mark.parametrize("sign", [True, False])
def test_the_bold_column_is_the_one_that_is_drawn(sign):
    columns = (
        Column(id="name", title="name", kind="name"),
        Column(id="first", title="first", kind="number", decimals=2),
        Column(id="apart", title="apart", kind="number", decimals=2, sign=True),
    )
    table = Table(id="t", caption="c", signature="", columns=columns, rows=(("a", 0.25, 0.5),))
    bands = Axis(bands=(Band(name="a"),))
    figure = Figure(
        id="t", caption="c", signature="", kind="bands", x=Axis(sign=sign), y=bands, marks=(Mark(x=0.5, y=0),)
    )
    bold = re.findall(r'data-label="(\w+)" class="main"', str(html([Chart(figure, table)])))
    assert bold == ["apart" if sign else "first"]
    assert "main" not in re.findall(r'class="(\w+)"', str(html([table])))


@pytest.mark.parametrize("width", [20, 30, 40, 60])
def test_no_range_in_a_table_is_split_on_a_terminal(width):
    columns = (
        Column(id="name", title="name", kind="name"),
        Column(id="number", title="word error rate", kind="number", decimals=3),
        Column(id="interval", title="95 %", kind="interval", decimals=3),
        Column(id="items", title="items", kind="count"),
    )
    table = Table(id="t", caption="", signature="", columns=columns, rows=(("all of them", 1.07, (0.965, 1.201), 90),))
    with (out := Terminal(width)).capture() as captured:
        out.show([table])
    assert "0.965 to 1.201" in captured.get()


def test_runs_with_references_of_their_own_are_each_held_against_theirs_and_where_there_is_none_a_figure_says_why():
    judged = {"measure": "judge-score", "unit": "judge's score", "range": (1.0, 10.0), "direction": "up"}
    sides = [Against(reference=value, orders={}, win=0.5, tie=0.0, loss=0.5) for value in (8.0, 7.0)]
    runs = tuple(
        scored(5.0, (4.0, 6.0), **judged, extras=Extras(beside=Beside(all=one, categories={}, tasks={}, folders={})))
        for one in sides
    )
    rows = (row(5.0, (4.0, 6.0)), row(6.0, (5.0, 7.0)))
    apart, alike = (
        Entry(title="a", rows=rows, against=tuple(sides)),
        Entry(title="b", rows=rows, against=(sides[0],) * 2),
    )
    figure = drawn(runs, apart, alike).figure
    assert [mark.reference for mark in figure.marks] == [8.0, 7.0, None, None]
    assert [band.reference for band in figure.y.bands] == [None, 8.0]
    assert (figure.reference_name, figure.unheld) == ("reference answers", "")
    lines = re.findall(r'<line class="chance" x1="([\d.]+)%"', str(html([figure])))
    assert lines == ["77.78", "66.67", "77.78"]
    alone = drawn((scored(0.4, (0.2, 0.6)),), Entry(title="a", rows=(row(0.4, (0.2, 0.6)),))).figure
    assert alone.reference_name == ""
    assert "No reference line: what guessing gives is not known." in caption(alone)
    chances = (row(0.4, (0.2, 0.6), chance=0.25), row(0.4, (0.2, 0.6), chance=0.5))
    figure = drawn((scored(0.4), scored(0.4)), Entry(title="a", rows=chances)).figure
    assert [mark.reference for mark in figure.marks] == [0.25, 0.5]


def test_numbers_that_are_said_have_true_minus_signs():
    axis = Axis(low=-1.0, high=1.0, ticks=(-1.0, 0.0, 1.0), sign=True, decimals=2)
    figure = Figure(
        id="a", caption="A", signature="", kind="bands", x=axis, y=Axis(bands=(Band(name="a-b"),)),
        marks=(Mark(x=-0.5, y=0, interval=(-0.75, 0.1)),),
    )  # fmt: skip
    assert "a-b: \u22120.50 (\u22120.75 to +0.10)" in svg(figure)
    assert "\u22120.50 (\u22120.75 to +0.10)" in str(html([figure]))
