"""Which options replies take besides the right one: the first, the longest, those of a kind.

A model that does not know prefers nothing if each of the wrong options is as likely as the others. So only wrong
replies tell: a right option that is often the longest, or a model that is often right, moves nothing. Replies that
chose no option that was shown tell nothing either. Where the order of options is drawn, what is taken for being the
first hangs on nothing but its place; longer options, and kinds, may also be better made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.records import Card, State
from audiometry.score.chosen import Distractors, Preferred, Share, Taken
from audiometry.score.items import Bools, Codes, Floats
from audiometry.score.sheet import CODE, UNPLANNED, Sheet
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

FIRST, LONGEST = "first", "longest"
CAME = [CODE[state] for state in (State.ANSWERED, State.UNANSWERED, State.REFUSED, State.EMPTY)]


def preferences(sheet: Sheet) -> dict[str, Preferred]:
    """How often wrong replies take the first of the wrong options that were shown, and the longest of them.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    shapes, shape = own.items.shapes, own.items.shape
    wrong = np.array([len(one.longest) - 1 for one in shapes])[shape]
    longest = _table([one.longest for one in shapes])
    ties = longest.sum(axis=1)[shape]
    missed = _missed(own)
    first = own.letter == np.where(own.gold == 0, 1, 0)
    is_longest = longest[shape[:, None], own.option]
    several = wrong > 1
    found = {
        FIRST: _preferred(first, 1 / np.maximum(wrong, 1), missed & several[:, None], own.items.cluster),
        LONGEST: _preferred(
            is_longest, ties / np.maximum(wrong, 1), missed & (several & (ties < wrong))[:, None], own.items.cluster
        ),
    }
    return {name: one for name, one in found.items() if one is not None}


def distractors(sheet: Sheet, card: Card) -> Distractors | None:
    """Which kinds of wrong options replies take; None where the kinds are not known.

    Args:
        sheet: of choices, with all of the run's variants.
        card: of its benchmark, which says what kinds and dimensions are called.
    """
    shapes, shape = sheet.items.shapes, sheet.items.shape
    met = dict.fromkeys(kind for one in shapes for kind in one.kinds if kind)
    names = [
        *(kind for kind in card.distractors if kind in met),
        *(kind for kind in met if kind not in card.distractors),
    ]
    if not names:
        return None
    own = sheet.of(rows=np.array([bool(one.kinds) for one in shapes])[shape], variants=of_score(sheet.variants))
    shape, cluster = own.items.shape, own.items.cluster
    wrong = np.array([len(one.longest) - 1 for one in shapes])[shape]
    of_kind = {name: _table([[kind == name for kind in one.kinds] for one in shapes]) for name in names}
    missed, takes = _missed(own), {name: found[shape[:, None], own.option] for name, found in of_kind.items()}
    preferred = {
        name: _preferred(
            takes[name],
            found.sum(axis=1)[shape] / np.maximum(wrong, 1),
            missed & (wrong > 1)[:, None],
            cluster,
            among=len(names) if len(names) > 2 else 1,  # noqa: PLR2004  of two, one is the other's mirror image
        )
        for name, found in of_kind.items()
    }
    right, came = (own.option >= 0) & (own.option == _right(own)[:, None]), np.isin(own.state, CAME)

    def taken(rows: Bools) -> Taken:
        return Taken(
            right=int(right[rows].sum()),
            kinds={name: int((one & missed)[rows].sum()) for name, one in takes.items()},
            none=int((came & (own.option < 0))[rows].sum()),
        )

    return Distractors(
        titles={name: card.distractors.get(name) or name for name in names},
        wrong={name: one for name, one in preferred.items() if one is not None},
        all=taken(np.ones(len(own.items), np.bool_)),
        by={
            one.tag: {value: taken(rows) for value in one.values if (rows := tagged.get(value)) is not None}
            for one in card.dimension
            if (tagged := own.items.tagged(one.tag))
        },
    )


def share(hits: Floats, n: Floats, cluster: Codes, confidence: float = 0.95) -> Share | None:
    """The share that ``hits`` are of ``n``, both by item; None of nothing.

    Args:
        hits: ``float64[items]``, of each item.
        n: ``float64[items]``, likewise; items with nothing in them do not count.
        cluster: ``int64[items]``.
        confidence: of the interval.
    """
    rows = n > 0
    if not rows.any():
        return None
    found = estimate(
        means(hits[rows] / n[rows], cluster[rows], weight=n[rows]), ratio, [1.0], SHARE, confidence=confidence
    )
    assert found.value is not None  # noqa: S101  something counts
    return Share(value=found.value, interval=found.interval or (0.0, 1.0), n=int(n.sum()), n_clusters=found.n_clusters)


def _preferred(taken: Bools, expected: Floats, there: Bools, cluster: Codes, among: int = 1) -> Preferred | None:
    """The share of some places that take an option, against what is expected of each item."""
    n = there.sum(axis=1).astype(np.float64)
    hits = (taken & there).sum(axis=1).astype(np.float64)
    found = share(hits, n, cluster, 1 - 0.05 / among)
    if found is None:
        return None
    return Preferred(
        share=found.value,
        expected=float(expected @ n / n.sum()),
        interval=found.interval,
        n_taken=int(hits.sum()),
        n=found.n,
        n_clusters=found.n_clusters,
    )


def _right(sheet: Sheet) -> Codes:
    """The place of the right option in the benchmark's own order, of each item."""
    return np.array([one.right for one in sheet.items.shapes], np.int64)[sheet.items.shape]


def _missed(sheet: Sheet) -> Bools:
    """Where a wrong option that was shown was chosen."""
    right = _right(sheet)[:, None]
    return np.asarray(
        (sheet.state != UNPLANNED) & (sheet.option >= 0) & (right >= 0) & (sheet.option != right), np.bool_
    )


def _table(rows: Sequence[Sequence[bool]]) -> Bools:
    """Lists of different lengths as rows of a table, False behind their ends and in one more column for no option."""
    found = np.zeros((len(rows), 1 + max(map(len, rows))), np.bool_)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found
