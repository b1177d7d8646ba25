"""Letters: how often each was right and chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry import choices
from audiometry.choices.variant import with_clip
from audiometry.score.counts import Letters
from audiometry.score.sheet import Sheet


def letters(sheet: Sheet) -> Letters:
    """How often each letter was right and chosen, over the replies with their own clips that have both.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    own = sheet.of(variants=with_clip(sheet.variants))
    known = (own.gold >= 0) & (own.letter >= 0)
    gold, chosen = np.bincount(own.gold[known]), np.bincount(own.letter[known])
    names: Sequence[str] = choices.letters(max(len(gold), len(chosen)))
    return Letters(
        gold={name: int(gold[i]) if i < len(gold) else 0 for i, name in enumerate(names)},
        chosen={name: int(chosen[i]) if i < len(chosen) else 0 for i, name in enumerate(names)},
    )
