"""Which label was read where which was right: counts, over the replies with their own clips that came."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import with_clip
from audiometry.score.counts import Confusion
from audiometry.score.items import KINDS
from audiometry.score.sheet import Sheet

_LABEL = KINDS.index("label")


def confusion(sheet: Sheet) -> dict[str, Confusion]:
    """By task of labels, how often each label was read for each right one.

    Args:
        sheet: with tasks of labels, and all of the run's variants.
    """
    own = sheet.of(variants=with_clip(sheet.variants))
    found: dict[str, Confusion] = {}
    for code in np.unique(own.items.task[own.items.kind == _LABEL]).tolist():
        name = own.items.tasks[code]
        labels, rows = own.labels.get(name, ()), (own.items.task == code) & (own.items.kind == _LABEL)
        came = (own.state[rows] >= 0) & ~own.lost[rows] & (own.gold[rows] >= 0)
        gold, read = own.gold[rows][came].astype(np.int64), own.letter[rows][came].astype(np.int64)
        n = len(labels)
        counts = np.bincount(gold * (n + 1) + np.where(read < 0, n, read), minlength=n * (n + 1)).reshape(n, n + 1)
        each = tuple(map(tuple, counts[:, :n].tolist()))
        found[name] = Confusion(labels=labels, counts=each, without_label=tuple(counts[:, n].tolist()))
    return found
