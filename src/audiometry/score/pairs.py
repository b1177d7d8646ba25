"""Two sheets on the same items: the difference of their values, overall and by task, whatever the measure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from audiometry import seeds
from audiometry.score.items import Bools, Floats
from audiometry.score.result import Difference
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table, weights_of
from audiometry.stats import compare as paired
from audiometry.stats.multiplicity import holm
from audiometry.stats.parts import Parts


class Pairing:
    """Two sheets of one benchmark under one measure, on the items that count in both.

    Args:
        a, b: with the variants that count; where these are not the same, each item's are averaged first.

    Attributes:
        items_in_both: items that both were asked.
        n: those of them that count in both.
    """

    def __init__(self, a: Sheet, b: Sheet) -> None:
        both = np.intersect1d(a.items.position, b.items.position)
        first, second = (_at(sheet, both) for sheet in (a, b))
        counts = first.counted.any(axis=1) & second.counted.any(axis=1)
        self.items_in_both, self.n = len(both), int(counts.sum())
        if a.variants != b.variants:
            first, second = _averaged(first), _averaged(second)
        self.a, self.b = Table(first.of(counts)), Table(second.of(counts))

    def whole(self) -> Difference | None:
        """Over everything, averaged as the headline is; None if there is nothing to compare."""
        average = "items" if self.a.by_items else self.a.averaged_by
        return self._difference(np.ones(self.n, np.bool_), average)

    def tasks(self) -> dict[str, Difference]:
        """By task, p corrected over them (Holm)."""
        items = self.a.sheet.items
        found = {
            items.tasks[code]: self._difference(items.task == code, "items") for code in np.unique(items.task).tolist()
        }
        return corrected({name: one for name, one in found.items() if one is not None})

    def _difference(self, rows: Bools, average: str) -> Difference | None:
        leaf, categories = self.a.leaves(rows, average)
        cluster = self.a.sheet.items.cluster[rows]
        parts = [
            Parts(sums=side.sheet.parts[rows], cluster=cluster, leaf=leaf, size=side.sizes(rows))
            for side in (self.a, self.b)
        ]
        value, rng = self.a.sheet.measure.value, seeds.generator(0, "compare")
        found = paired.compare(parts[0], parts[1], value, weights_of(leaf, categories), self.a.scale, rng)
        if found.difference is None or found.a is None or found.b is None or found.interval is None:
            return None
        return Difference(
            n_items=int(rows.sum()),
            n_clusters=found.n_clusters,
            score_a=found.a,
            score_b=found.b,
            difference=found.difference,
            interval=found.interval,
            p=1.0 if found.p is None else found.p,
            detectable=found.detectable,
            n_effective=found.n_differing,
        )


def corrected(found: Mapping[str, Difference]) -> dict[str, Difference]:
    """Differences with p corrected over all of them (Holm)."""
    adjusted = holm([one.p for one in found.values()])
    return {
        name: msgspec.structs.replace(one, p_corrected=p)
        for (name, one), p in zip(found.items(), adjusted, strict=True)
    }


def _at(sheet: Sheet, positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Sheet:
    """The sheet with these items only; positions rise in both."""
    return sheet.of(np.asarray(np.isin(sheet.items.position, positions), np.bool_))


def _averaged(sheet: Sheet) -> Sheet:
    """The sheet with one variant in place of several: the mean of an item's parts over those that count."""
    counted = sheet.counted
    n = counted.sum(axis=1)
    parts: Floats = sheet.parts.sum(axis=1) / np.maximum(n, 1)[:, None]
    there = (n > 0)[:, None]
    return msgspec.structs.replace(
        sheet,
        variants=("mean",),
        state=sheet.state[:, :1],
        parts=parts[:, None, :],
        counted=there,
        worst=None,
        best=None,
        letter=sheet.letter[:, :1],
        gold=sheet.gold[:, :1],
        guessed=np.zeros_like(there),
        why={},
        blocked=frozenset(),
    )
