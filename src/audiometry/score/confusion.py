"""Which label was read where which was right: counts, over the replies with their own clips that came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.records import State
from audiometry.score.counts import Confusion
from audiometry.score.items import KINDS, Bools, Codes, occurring
from audiometry.score.sheet import CODE, Sheet

_LABEL = KINDS.index("label")
MOST = 100  # labels of a task that have a row and a column: numbers grow with their square


def confusion(sheet: Sheet) -> dict[str, Confusion]:
    """By task of labels, how often each label was read for each right one.

    Args:
        sheet: with tasks of labels, and all of the run's variants.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    found: dict[str, Confusion] = {}
    for code in occurring(own.items.task[own.items.kind == _LABEL]).tolist():
        name = own.items.tasks[code]
        labels, rows = own.labels.get(name, ()), (own.items.task == code) & (own.items.kind == _LABEL)
        came = (own.state[rows] >= 0) & ~own.lost[rows] & (own.gold[rows] >= 0)
        gold, read = own.gold[rows][came].astype(np.int64), own.letter[rows][came].astype(np.int64)
        refused = own.state[rows][came] == CODE[State.REFUSED]
        found[name] = _of_task(labels, gold, read, np.asarray(refused, np.bool_))
    return found


def _of_task(labels: Sequence[str], gold: Codes, read: Codes, refused: Bools) -> Confusion:
    """Of replies with these right labels, in which these were read, as places among the labels; -1 for none."""
    kept = _most_mistaken(len(labels), gold, read)
    n, places = len(kept), list[int](kept.tolist())
    place = np.full(len(labels) + 1, -1)
    place[kept], place[-1] = np.arange(n), n
    right, said = place[gold], place[read]  # no label, -1, is the last place
    inside = (right >= 0) & (said >= 0)
    cells = right[inside] * (n + 1) + said[inside]
    counts = np.bincount(cells, minlength=n * (n + 1)).reshape(n, n + 1)
    return Confusion(
        labels=tuple(labels[at] for at in places),
        counts=tuple(map(tuple, counts[:, :n].tolist())),
        without_label=tuple(counts[:, n].tolist()),
        n_others=len(gold) - len(cells),
        refused=tuple(np.bincount(right[inside & refused], minlength=n).tolist()),
    )


def _most_mistaken(n: int, gold: Codes, read: Codes) -> Codes:
    """Places of the labels that are shown, in order: those that are mistaken most often, then those that occur most."""
    if n <= MOST:
        return np.arange(n)
    mistaken = (read >= 0) & (read != gold)
    wrong, seen = (np.bincount(np.concatenate([gold[of], read[of]]), minlength=n) for of in (mistaken, read >= 0))
    return np.sort(np.lexsort((-seen, -wrong))[:MOST])
