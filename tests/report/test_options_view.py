"""Options: what wrong replies take, and what holds in every order, in words and in marks."""

import msgspec
import pytest

from audiometry.analysis.variance.result import Level, Split
from audiometry.records import Card, Dimension
from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Folded, Line
from audiometry.render.html import html
from audiometry.report.views.consistency import consistency
from audiometry.report.views.entries import Runs
from audiometry.report.views.form import form
from audiometry.report.views.options import options, told
from audiometry.report.views.variance import spread, told_apart
from audiometry.score.chosen import Consistent, Distractors, Followed, Preferred, Share, Taken
from audiometry.score.extras import Extras
from audiometry.score.result import Scored

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e"
CARD = Card(
    dimension=(
        Dimension(tag="knowledge", values=("melody", "lyrics"), title="Music knowledge"),
        Dimension(tag="reasoning", values=("lyrics",), title="Music reasoning"),
    )
)


def taken(share, low, high, expected=1 / 3):
    return Preferred(
        share=share, expected=expected, interval=(low, high), n_taken=int(share * 600), n=600, n_clusters=50
    )


FAIR, OFTEN, SELDOM = taken(0.34, 0.30, 0.38), taken(0.70, 0.66, 0.74), taken(0.15, 0.12, 0.19)
KINDS = Distractors(
    titles={"IR": "incorrect but related", "CU": HOSTILE},
    wrong={"IR": OFTEN, "CU": SELDOM},
    all=Taken(right=400, kinds={"IR": 420, "CU": 90}, none=7),
    by={
        "knowledge": {
            "melody": Taken(right=11, kinds={"IR": 12, "CU": 13}, none=14),
            "lyrics": Taken(right=1, kinds={"IR": 2, "CU": 3}, none=4),
        },
        "reasoning": {"lyrics": Taken(right=5, kinds={"IR": 6, "CU": 7}, none=8)},
    },
)
ROUND = Consistent(
    right=Share(value=0.412, interval=(0.35, 0.47), n=300, n_clusters=160),
    same=Share(value=0.633, interval=(0.58, 0.69), n=300, n_clusters=160),
    each=0.55,
    chance=0.004,
    n_rounds=300,
)
ALL = Extras(preferences={"first": FAIR, "longest": SELDOM}, distractors=KINDS, consistency={"orders": ROUND})


FIELDS = {
    **dict.fromkeys(("n_refused", "n_empty", "n_failed", "n_not_asked", "n_unjudged"), 0),
    "value": 0.4,
    "interval": (0.3, 0.5),
    "n_items": 300,
    "n_clusters": 160,
    "n_replies": 900,
    "n_answered": 893,
    "n_unanswered": 7,
    "n_counted": 900,
    "chance": 0.25,
    "signature": "muchomusic.1+made",
    "profile": "muchomusic",
    "measure": "accuracy",
    "unit": "share correct",
    "kinds": ("choice",),
    "direction": "up",
    "range": (0.0, 1.0),
    "average": "items",
    "complete": True,
    "rankable": True,
    "failures": {},
    "categories": {},
    "tasks": {},
}


SPLIT = Split(
    run="",
    model="",
    name="strict",
    measure="accuracy",
    unit="share correct",
    direction="up",
    range=(0.0, 1.0),
    signature="s",
    n_items=9,
    n_of=9,
    n_clusters=9,
    wordings=1,
    orders=2,
    repeats=1,
    value=0.5,
    n_replies=18,
    n_effective=9.0,
    error=0.1,
    sources=(),
)


def scored(extras):
    """A score of choices with these extras."""
    return Scored(**FIELDS, extras=extras)


def printed(blocks, width=100):
    out = Terminal(width)
    with out.capture() as said:
        out.show(list(blocks))
    return " ".join(said.get().split())


def shown(*each, labels=("a model", "another")):
    runs = Runs(scored=tuple(scored(one) if one is not None else None for one in each), labels=labels[: len(each)])
    return options(runs, CARD)


def test_only_what_is_apart_from_chance_is_said_to_be_preferred():
    lines = [one.text for one in shown(ALL).blocks if isinstance(one, Line)]
    assert lines[0].startswith("Not all wrong options are taken alike (600 wrong replies): less often the longest")
    assert "15.0 % (95 %: 12.0 to 19.0; 33.3 % if none were preferred)" in lines[0]
    assert "more often incorrect but related, 70.0 %" in lines[0]
    assert "the first of" not in lines[0]
    fair = msgspec.structs.replace(ALL, preferences={"first": FAIR}, distractors=None, consistency={})
    lines = [one.text for one in shown(fair).blocks if isinstance(one, Line)]
    assert lines[0] == "That the first or the longest wrong option is preferred cannot be told (600 wrong replies)."


def test_spreads_of_several_runs_are_drawn_on_one_axis_and_named_by_what_they_differ_in():
    def split(run, *values):
        levels = tuple(Level(number=n, value=one, interval=None) for n, one in enumerate(values, 1))
        return msgspec.structs.replace(SPLIT, run=run, by_order=levels, orders=len(levels))

    labels = {run: f"exec/python3 ../model.py ../data/of/a/long/name/key.json {run}" for run in ("0.6", "0.7")}
    both = [split("0.6", 0.30, 0.34), split("0.7", 0.71, 0.75)]
    told = told_apart(both, labels)
    charts = [one for found, of in zip(both, told, strict=True) for one in spread(found, of) if isinstance(one, Chart)]
    assert {(chart.figure.x.low, chart.figure.x.high) for chart in charts} == {(0.3, 0.8)}
    assert [of.ending[-3:] for of in told] == ["0-6", "0-7"]


def test_rates_and_spread_stand_in_a_table_of_their_own():
    share = Share(value=0.8, interval=(0.7, 0.9), n=90, n_clusters=9)
    read = Followed(n_read=72, n_received=90, n_all=96, of_received=share, of_all=None)
    one = scored(Extras(ifr=read, ways={"plain": 0.4, "order-1": 0.5, "order-2": 0.6}))
    (folded,) = form(Runs(scored=(one, None, scored(Extras())), labels=("a", "b", "c")), "tasks")
    (table,) = folded.blocks
    ((name, received, of_all, n, ways, apart),) = table.rows
    assert (name, received.value, received.interval, of_all, n, ways) == ("a", 0.8, (0.7, 0.9), "no reply", 96, 3)
    assert table.columns[-1].printed(apart) == "10.0"
    assert list(form(Runs(scored=(scored(Extras()),)), "tasks")) == []


@pytest.mark.parametrize(
    ("one", "apart"),
    [
        (taken(0.30, 0.20, 0.333), True),
        (taken(0.30, 0.20, 0.334), False),
        (taken(0.40, 0.334, 0.5), True),
        (taken(0.40, 0.333, 0.5), False),
    ],
)
def test_a_preference_is_one_where_the_interval_leaves_out_what_no_preference_gives(one, apart):
    assert one.apart is apart


def test_a_round_and_wordings_stand_with_what_guessing_gives_of_each_run():
    both = Extras(consistency={"orders": ROUND, "wordings": msgspec.structs.replace(ROUND, chance=1 / 64)})
    labels = ("a model", "another")
    (chart,) = consistency(Runs(scored=(scored(ALL), scored(both)), labels=labels))
    assert [row[0] for row in chart.table.rows] == [
        "a model: right in every order of a whole round",
        "another: right in every order of a whole round",
        "another: right in every wording",
    ]
    right, chance, each, same, n = chart.table.rows[2][1:]
    assert (right.value, right.interval, chance, each) == (0.412, (0.35, 0.47), 1 / 64, 0.55)
    assert (same.value, n) == (0.633, 300)
    assert [(mark.x, mark.reference) for mark in chart.figure.marks] == [
        (0.412, 0.004),
        (0.412, 0.004),
        (0.412, 1 / 64),
    ]
    assert list(consistency(Runs(scored=(scored(Extras()), None), labels=labels))) == []
    text = printed(told([scored(both)]))
    assert "right in every wording 41.2" in text


def test_the_matrix_has_a_row_for_all_and_one_a_value_each_under_a_name_of_its_own():
    section = shown(ALL)
    *_, matrix = section.blocks
    assert isinstance(matrix, Chart)
    assert [row[0] for row in matrix.table.rows] == ["all items", "melody", "lyrics", "Music reasoning: lyrics"]
    assert matrix.table.rows[0][1:] == (400, 420, 90, 7)
    assert matrix.table.rows[3][1:] == (5, 6, 7, 8)
    drawn = {(mark.x, mark.y): mark for mark in matrix.figure.marks}
    assert [drawn[2, row].n for row in range(4)] == [510, 25, 5, 13]  # wrong replies
    assert [drawn[x, 1].value for x in (0, 1)] == [12 / 25, 13 / 25]  # of these
    assert [drawn[x, 0].shade for x in (0, 1)] == pytest.approx([1.0, 90 / 420])  # up to the largest share
    assert {mark.shade for mark in drawn.values() if mark.y and mark.x < 2} == {0.0}  # few replies are not shaded
    assert (drawn[1, 3].items, drawn[0, 0].items) == ("tag=reasoning%3Alyrics&kind=CU", "kind=IR")


def test_of_a_value_without_a_wrong_reply_there_is_no_share():
    none = Taken(right=3, kinds={}, none=0)
    one = msgspec.structs.replace(KINDS, by={"knowledge": {"melody": none}})
    *_, matrix = shown(msgspec.structs.replace(ALL, distractors=one)).blocks
    assert [(mark.x, mark.n) for mark in matrix.figure.marks if mark.y == 1] == [(2, 0)]
    assert matrix.table.rows[1] == ("melody", 3, 0, 0, 0)


def test_where_no_wrong_option_was_taken_nothing_is_said_of_kinds():
    one = msgspec.structs.replace(KINDS, wrong={}, all=Taken(right=0, kinds={}, none=40))
    assert shown(Extras(distractors=one)) is None


def test_kinds_lead_to_the_items_in_which_they_are_taken():
    chart = next(one for one in shown(ALL).blocks if isinstance(one, Chart))
    assert [info.items for info in chart.table.info] == ["", "", "kind=IR", "kind=CU"]


def test_runs_stand_side_by_side_and_one_without_is_said_to_have_none():
    section = shown(ALL, msgspec.structs.replace(ALL, distractors=None), None, labels=("a", "b", "c"))
    chart = next(one for one in section.blocks if isinstance(one, Chart))
    assert [row[0] for row in chart.table.rows][:3] == [
        "the first of the wrong options",
        "the longest of the wrong options",
        "incorrect but related",
    ]
    assert chart.table.rows[2][2:] == ("none", "none")
    assert {(mark.y, mark.series) for mark in chart.figure.marks} == {(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0)}
    assert all(mark.reference == pytest.approx(1 / 3) for mark in chart.figure.marks)
    kinds, folded = section.blocks[-2:]
    assert [row[0] for row in kinds.table.rows] == ["a"]
    assert isinstance(folded, Folded)


def test_a_terminal_says_what_is_found_and_shows_kinds_and_nothing_of_what_cannot_be_told():
    text = printed(told([scored(ALL)]))
    assert "Not all wrong options are taken alike" in text
    assert "right in every order of a whole round" in text
    assert "70.0 (66.0 to 74.0)" in text
    assert "\x1b[2J" not in text
    assert "\u202e" not in text
    fair = Extras(preferences={"first": FAIR})
    assert list(told([scored(fair)])) == []
    assert list(told([scored(Extras())])) == []
    assert shown(Extras()) is None


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_number_is_cropped_at_any_width(width):
    text = printed(told([scored(ALL)]), width)
    assert all(number in text for number in ("34.0", "15.0", "70.0", "33.3", "600"))


def test_hostile_titles_are_text_on_a_page():
    page = html(list(shown(ALL, ALL, labels=(HOSTILE, "b")).blocks))
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
