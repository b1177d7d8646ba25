"""Letters: how often each was right and chosen, and whether the two differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry import choices, seeds
from audiometry.choices.variant import of_score
from audiometry.score.counts import LetterDifference, Letters, LetterTest
from audiometry.score.sheet import Sheet
from audiometry.stats.homogeneity import homogeneity


def letters(sheet: Sheet) -> Letters:
    """How often each letter was right and chosen, over the replies with their own clips that have both.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    known = (own.gold >= 0) & (own.letter >= 0)
    gold, chosen = np.bincount(own.gold[known]), np.bincount(own.letter[known])
    names: Sequence[str] = choices.letters(max(len(gold), len(chosen)))
    return Letters(
        gold={name: int(gold[i]) if i < len(gold) else 0 for i, name in enumerate(names)},
        chosen={name: int(chosen[i]) if i < len(chosen) else 0 for i, name in enumerate(names)},
        test=_test(own, names) if known.any() else None,
    )


def _test(own: Sheet, names: Sequence[str]) -> LetterTest:
    known = (own.gold >= 0) & (own.letter >= 0)
    cluster = np.broadcast_to(own.items.cluster[:, None], known.shape)[known]
    found = homogeneity(own.gold[known], own.letter[known], cluster, seeds.generator(0, "letters"))
    limits = zip(names, found.difference.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    return LetterTest(
        statistic=found.statistic,
        df=found.df,
        p=found.p,
        n_replies=found.n,
        n_clusters=found.n_clusters,
        letters={name: LetterDifference(difference=one, interval=(low, high)) for name, one, low, high in limits},
    )
