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
from audiometry.score.sheet import CODE, Sheet
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
    wrong = own.items.n_options - 1
    longest = _table([one.longest for one in shapes])
    ties = longest.sum(axis=1)[shape]
    missed, looks = _missed(own), _looks(sheet)
    first, placed = own.letter == np.where(own.gold == 0, 1, 0), own.letter >= 0
    is_longest = longest[shape[:, None], own.option]
    found = {
        FIRST: _preferred(first, np.ones_like(wrong), wrong, missed & placed, own.items.cluster, looks),
        LONGEST: _preferred(is_longest, ties, wrong, missed, own.items.cluster, looks),
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
    wrong = own.items.n_options - 1
    of_kind = {name: _table([[kind == name for kind in one.kinds] for one in shapes]) for name in names}
    missed, looks = _missed(own), _looks(sheet)
    takes = {name: found[shape[:, None], own.option] for name, found in of_kind.items()}
    preferred = {
        name: _preferred(takes[name], found.sum(axis=1)[shape], wrong, missed, cluster, looks)
        for name, found in of_kind.items()
    }
    read, came = (own.option >= 0) & ~own.guessed, np.isin(own.state, CAME)
    right = read & (own.option == own.items.right[:, None])

    def taken(rows: Bools) -> Taken:
        return Taken(
            right=int(right[rows].sum()),
            kinds={name: int((one & missed)[rows].sum()) for name, one in takes.items()},
            none=int((came & ~read)[rows].sum()),
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


def _looks(sheet: Sheet) -> int:
    """How many preferences are looked for together: the first, the longest, and each kind; of two kinds one."""
    shapes = [one for one in sheet.items.shapes if len(one.longest) > 2]  # noqa: PLR2004  several wrong options
    longest = any(0 < sum(one.longest) < len(one.longest) - 1 for one in shapes)
    kinds = len({kind for one in shapes for kind in one.kinds if kind})
    return max(1, bool(shapes) + longest + (kinds if kinds > 2 else kinds // 2))  # noqa: PLR2004  a mirror image


def _preferred(taken: Bools, such: Codes, wrong: Codes, missed: Bools, cluster: Codes, looks: int) -> Preferred | None:
    """The share of wrong replies that take such an option, where an item has ``such`` and other ``wrong`` ones."""
    there = missed & ((such > 0) & (such < wrong))[:, None]
    n = there.sum(axis=1).astype(np.float64)
    hits = (taken & there).sum(axis=1).astype(np.float64)
    found = share(hits, n, cluster, 1 - 0.05 / looks)
    if found is None:
        return None
    return Preferred(
        share=found.value,
        expected=float((such / np.maximum(wrong, 1)) @ n / n.sum()),
        interval=found.interval,
        n_taken=int(hits.sum()),
        n=found.n,
        n_clusters=found.n_clusters,
    )


def _missed(sheet: Sheet) -> Bools:
    """Where a wrong option that was shown was chosen, and not drawn."""
    right = sheet.items.right[:, None]
    return np.asarray(~sheet.guessed & (sheet.option >= 0) & (right >= 0) & (sheet.option != right), np.bool_)


def _table(rows: Sequence[Sequence[bool]]) -> Bools:
    """Lists of different lengths as rows of a table, False behind their ends and in one more column for no option."""
    found = np.zeros((len(rows), 1 + max(map(len, rows))), np.bool_)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found
