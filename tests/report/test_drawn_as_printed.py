"""What is drawn and what is printed are the same numbers: no mark off its place, no share of two values."""

from itertools import pairwise

import pytest

from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.places import MOST_VALUES, binned
from audiometry.report.views.score_rows import charted
from audiometry.score.extras import Against, Beside, Extras
from audiometry.score.result import Row, Scored

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
