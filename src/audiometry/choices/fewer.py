"""Variants with fewer options: the right one of an item and some of its distractors, its own clip, and no examples.

``distractors=IR`` keeps the distractors of a kind, ``distractors=CU+IR`` those of several; which kinds there are the
benchmark says (`Item.kinds`). ``leave-2`` leaves out the second distractor, whatever its kind. Options stand in an
order that the run's seed, the item and the variant draw. Fewer options are easier to guess among, so that these
variants count in no headline and have a chance of their own.

Source: MuChoMusic (arXiv 2408.01337) §4.5, one or two distractors of a kind; RUListening (arXiv 2504.00369), one left
out in turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from audiometry import seeds
from audiometry.records import Item

DISTRACTORS: Final = "distractors"
LEAVE: Final = "leave"
_KEPT: Final = re.compile(rf"{DISTRACTORS}=([A-Za-z0-9][A-Za-z0-9_-]*(?:\+[A-Za-z0-9][A-Za-z0-9_-]*)*)")
_LEFT: Final = re.compile(rf"{LEAVE}-([1-9][0-9]?)")
LEAST: Final = 2
"""Options without which there is nothing to choose."""


class Fewer(NamedTuple):
    """Which options a variant shows: the right one, and distractors of these kinds or all but the one in a place.

    Attributes:
        kinds: of the distractors that stay; none: those of any kind.
        leaves: the place of the one that is left out among the distractors, from 1; 0: none.
    """

    kinds: tuple[str, ...] = ()
    leaves: int = 0

    @property
    def name(self) -> str:
        """Of the variant.

        >>> Fewer(("CU", "IR")).name, Fewer(leaves=2).name
        ('distractors=CU+IR', 'leave-2')
        """
        return f"{LEAVE}-{self.leaves}" if self.leaves else f"{DISTRACTORS}={'+'.join(self.kinds)}"

    def of(self, item: Item) -> tuple[str, ...]:
        """The options of an item that stay, in its own order; none where it cannot be asked so."""
        if self.leaves:
            wrong = [option for option in item.options if option != item.answer]
            left = wrong[self.leaves - 1] if LEAST <= len(wrong) >= self.leaves else None
            return () if left is None else tuple(option for option in item.options if option != left)
        if not set(self.kinds) <= set(item.kinds):
            return ()
        kept = {"", *self.kinds}
        return tuple(one for one, kind in zip(item.options, item.kinds, strict=False) if kind in kept)


@lru_cache(maxsize=4096)
def fewer(variant: str) -> Fewer | None:
    """Which options a variant shows; None for one that shows all.

    >>> fewer("distractors=IR"), fewer("leave-1"), fewer("order-1")
    (Fewer(kinds=('IR',), leaves=0), Fewer(kinds=(), leaves=1), None)
    """
    if kept := _KEPT.fullmatch(variant):
        kinds = tuple(kept[1].split("+"))
        return Fewer(kinds) if len(set(kinds)) == len(kinds) else None
    left = _LEFT.fullmatch(variant)
    return Fewer(leaves=int(left[1])) if left else None


def shown(item: Item, how: Fewer, seed: int) -> tuple[str, ...]:
    """The options that stay, letter A first."""
    return tuple(seeds.stream(seed, "options", item.id, how.name).shuffled(how.of(item)))


def every(kinds: Sequence[str]) -> tuple[Fewer, ...]:
    """Each kind of distractor alone and each two of them, where that is not all there are.

    >>> ["+".join(one.kinds) for one in every(["IR", "CU", "IU"])]
    ['IR', 'CU', 'IU', 'IR+CU', 'IR+IU', 'CU+IU']
    """
    alone = [(kind,) for kind in kinds]
    pairs = [(one, other) for at, one in enumerate(kinds) for other in kinds[at + 1 :]]
    return tuple(Fewer(some) for some in (*alone, *pairs) if len(some) < len(kinds))
