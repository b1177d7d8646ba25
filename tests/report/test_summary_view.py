"""The number of a run on its own, what is told beside it, and what became of the replies."""

from types import SimpleNamespace

import msgspec
import pytest

from audiometry.render.table import Estimate
from audiometry.report.numbers import scale
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.score_rows import charted
from audiometry.report.views.summary import summary
from audiometry.score.extras import Against, Beside, Extras
from audiometry.score.result import Scored

COUNTS = {"n_items": 40, "n_clusters": 40, "n_replies": 40, "n_answered": 36, "n_counted": 40, "n_refused": 0}
COUNTS |= {"n_unanswered": 4, "n_empty": 0, "n_failed": 0, "n_not_asked": 0, "n_unjudged": 0}
FIELDS = COUNTS | {
    "value": 0.625, "interval": (0.5, 0.75), "chance": 0.25, "over_answered": 0.5, "signature": "strict.1+made",
    "profile": "strict", "measure": "accuracy", "unit": "share correct", "kinds": ("choice",), "direction": "up",
    "range": (0.0, 1.0), "average": "items", "complete": True, "rankable": True, "failures": {}, "categories": {},
    "tasks": {}, "extras": Extras(),
}  # fmt: skip
AGAINST = Against(reference=8.5, orders={}, win=0.125, tie=0.375, loss=0.5)
JUDGED = {
    "unit": "judge's score", "measure": "judge-score", "kinds": ("open",), "range": (1.0, 10.0), "value": 7.125,
    "interval": (6.5, 7.75), "chance": None, "n_answered": 40, "n_unanswered": 0,
    "extras": Extras(beside=Beside(all=AGAINST, categories={}, tasks={}, folders={})),
}  # fmt: skip


def shown(**changes):
    scored = Scored(**(FIELDS | changes))
    part = SimpleNamespace(first=scored, its=scale(scored), judged=scored.extras.beside is not None)
    return summary(part, SimpleNamespace(n_correct=lambda _: 25), None, "strict")


def told(**changes):
    return " ".join(line.text for line in shown(**changes)[0].told)


def tiles(**changes):
    return {tile.name: tile for tile in shown(**changes)[1].tiles}


def test_the_number_stands_with_its_unit_and_its_interval_and_is_not_there_without_one():
    head = shown()[0]
    assert (head.number, head.what, [line.text for line in head.under]) == (
        ("62.5", "%"),
        "correct",
        ["95 % interval 50.0 to 75.0"],
    )
    judged = shown(**JUDGED)[0]
    assert (judged.number, judged.what) == (("7.13", ""), "of 10")
    error = shown(unit="errors per reference word", range=(0.0, None), measure="wer", chance=None)[0]
    assert (error.number, error.what) == (("0.625", ""), "word error rate")
    none = shown(value=None, interval=None)[0]
    assert (none.number, none.what, none.under) == (("none", ""), "", ())
    assert shown(asked_of={"t": (40, 90)})[0].under[-1].text.startswith("Asked ")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "The share of 40 items. The interval lies above chance (25.0 %)."),
        ({"chance": 0.9}, "The share of 40 items. The interval lies below chance (90.0 %)."),
        ({"n_answered": 0}, "The share of 40 items. No reply holds an answer: none chose rightly, none wrongly."),
        ({"chance": 0.5}, "The share of 40 items. The interval includes chance (50.0 %): this result cannot be told "),
        ({"chance": 0.75}, "The share of 40 items. The interval includes chance (75.0 %): "),
        ({"chance": None, "average": "tasks"}, "The mean of tasks over 40 items."),
        ({"interval": None, "n_replies": 80, "n_counted": 80}, "The share of 40 items, 80 replies."),
        ({"interval": None, "n_clusters": 9}, "The share of 40 items; those that share a clip or a recording count as"),
        ({"n_not_asked": 3, "n_counted": 37}, "The run is not finished: it has bounds and no number."),
        ({"value": None, "average": "none"}, "The rules of strict have numbers for categories only, and no mean of th"),
        ({"value": None}, "No reply counts under the rules of strict, so there is no number."),
        ({"value": None, "average": "none", "n_counted": 0}, "No reply counts under the rules of strict, so there"),
        ({**JUDGED, "value": None}, "Nothing counts under the rules of strict, so there is no number."),
        (JUDGED, "The judge's score of 40 items. The reference answers beside them get 8.50 (the dashed line)."),
    ],
)  # fmt: skip
def test_what_the_number_is_of_and_how_it_stands_to_chance_is_told(changes, says):
    assert told(**changes).startswith(says)


@pytest.mark.parametrize("n", [40, 35])
def test_a_number_is_held_to_reference_answers_only_where_these_stood_beside_all_that_count(n):
    against = msgspec.structs.replace(AGAINST, n_reference=n)
    beside = Beside(all=against, categories={}, tasks={}, folders={})
    judged = JUDGED | {"extras": Extras(beside=beside)}
    assert ("8.50 (the dashed line)" in told(**judged)) == (n == 40)
    assert ("get 8.50 beside 35 replies alone: replies that are empty or failed count too" in told(**judged)) == (
        n == 35
    )
    runs = Runs(scored=(Scored(**(FIELDS | judged)),))
    entry = Entry(title="all", rows=runs.scored, against=(against,))
    chart = charted(runs, Entries(all=(entry,), place="tasks", corner="task", caption="c"))[0]
    assert (chart.figure.marks[0].reference, chart.figure.y.bands[0].reference) == (None, 8.5 if n == 40 else None)
    (cell,) = (
        row[at] for row in chart.table.rows for at, one in enumerate(chart.table.columns) if one.id == "reference"
    )
    assert cell == (8.5 if n == 40 else Estimate(8.5, None, "of 35 replies"))


def test_what_the_rules_did_to_make_it_is_told():
    assert "count" not in told().removeprefix("The share of 40 items")
    assert told(n_counted=30).endswith(" The rules of strict count 30 of 40 replies.")
    guessed = told(n_guessed=4, n_guessed_right=1)
    assert guessed.endswith(" The rules of strict draw a letter where none was read: 4 times, 1 of them right.")


def test_what_became_of_the_replies_is_counted_and_drawn_as_shares_of_all():
    found = tiles()
    assert list(found)[:5] == ["correct", "wrong", "unanswered", "refused", "failed"]
    assert [(found[name].value, found[name].share) for name in ("correct", "wrong", "unanswered")] == [
        ("25", 0.625),
        ("11", 0.275),
        ("4", 0.1),
    ]
    assert found["refused"].value == "0"
    assert "empty" not in found  # it is usual for answers in words alone
    assert tiles(n_empty=1)["empty"].value == "1"
    assert (found["correct of the answered"].value, found["chance"].value) == ("50.0", "25.0")
    assert tiles(over_answered=None)["correct of the answered"].value == ""
    assert [tiles(average=mean)["correct of the answered"].of for mean in ("items", "categories", "tasks")] == [
        "%",
        "%, mean of categories",
        "%, mean of tasks",
    ]
    assert sum(tile.share for tile in found.values()) == pytest.approx(1.0)


def test_of_judged_answers_what_they_are_beside_the_reference_is_drawn():
    found = tiles(**JUDGED)
    assert [(name, tile.value, tile.share) for name, tile in found.items() if tile.share] == [
        ("above the reference", "12.5", 0.125),
        ("as the reference", "37.5", 0.375),
        ("below the reference", "50.0", 0.5),
    ]
    assert (found["answered"].value, found["empty"].value) == ("40", "0")
    assert "chance" not in found
    assert shown(**JUDGED)[1].title == "Against the reference answers"
    assert shown()[1].title == "What became of the replies"
