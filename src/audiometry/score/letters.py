"""Letters: how often each was right and chosen, and how many replies plain matching reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audiometry import choices
from audiometry.choices.variant import with_clip
from audiometry.score.extras import Letters, PlainMatching
from audiometry.score.sheet import Sheet


def letters(sheet: Sheet) -> Letters:
    """How often each letter was right and chosen, over the replies with their own clips that have both.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    own = sheet.of(variants=with_clip(sheet.variants))
    known = (own.gold >= 0) & (own.letter >= 0)
    if not known.any():
        return Letters(gold={}, chosen={})
    gold, chosen = np.bincount(own.gold[known]), np.bincount(own.letter[known])
    names: Sequence[str] = choices.letters(max(len(gold), len(chosen)))
    return Letters(
        gold={name: int(gold[i]) if i < len(gold) else 0 for i, name in enumerate(names)},
        chosen={name: int(chosen[i]) if i < len(chosen) else 0 for i, name in enumerate(names)},
    )


def plain_matching(sheets: Mapping[str, Sheet]) -> dict[str, PlainMatching]:
    """How many of the replies with their own clips each parser reads a letter from.

    Args:
        sheets: by the parser's name.
    """
    found = {}
    for name, sheet in sheets.items():
        own = sheet.of(variants=with_clip(sheet.variants))
        n = int(((own.state >= 0) & ~own.lost).sum())
        n_read = int((own.letter >= 0).sum())
        found[name] = PlainMatching(n_read=n_read, n_replies=n, share=n_read / n if n else None)
    return found
