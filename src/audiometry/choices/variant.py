"""Variants: the same item asked another way, each with a name that a run folder keeps.

Two kinds. With the item's own clip: ``plain`` (the benchmark's own order of options) and ``order-1``, ``order-2``, …
These are what a score is made of. Without it: ``noise``, ``silence``, ``other-clip`` and ``text-only``, which show
whether the model needs the clip; they keep the benchmark's own order of options, so that they differ from ``plain``
in the sound alone, and count in no headline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audiometry.choices.ordering import order
from audiometry.errors import UnknownNameError

PLAIN = "plain"
ORDER = "order-"
NOISE, SILENCE, OTHER_CLIP, TEXT_ONLY = "noise", "silence", "other-clip", "text-only"
WITHOUT_CLIP = (NOISE, SILENCE, OTHER_CLIP, TEXT_ONLY)
"""The variants in which an item's own clip is replaced or left out, in the order they are asked and shown."""
REPLACED = "replaced by the clip of"
"""How the first change of a clip begins that stands in for another; the rest is its item's id."""


def order_names(orders: int) -> tuple[str, ...]:
    """The variants of ``--orders N``: the benchmark's own order of options, then others.

    >>> order_names(3)
    ('plain', 'order-1', 'order-2')
    """
    return (PLAIN, *(f"{ORDER}{k}" for k in range(1, orders)))


def variant_names(orders: int, without_clip: Iterable[str] = ()) -> tuple[str, ...]:
    """The variants of ``--orders N --variant V…``: the benchmark's own order of options, others, and V.

    >>> variant_names(3, ["silence", "noise"])
    ('plain', 'order-1', 'order-2', 'noise', 'silence')

    Args:
        orders: how many orders of options, 1 or more.
        without_clip: of `WITHOUT_CLIP`, in any order.

    Raises:
        UnknownNameError: there is no such variant.
    """
    wanted = set(without_clip)
    for name in sorted(wanted):
        if name not in WITHOUT_CLIP:
            hint = "items are always asked with their own clip too, in as many orders of options as --orders says"
            raise UnknownNameError("variant", name, WITHOUT_CLIP, hint)
    return (*order_names(orders), *(name for name in WITHOUT_CLIP if name in wanted))


def with_clip(variants: Iterable[str]) -> tuple[str, ...]:
    """Those variants in which an item comes with its own clip, in their order: what a score is made of.

    >>> with_clip(("plain", "order-1", "noise"))
    ('plain', 'order-1')
    """
    return tuple(name for name in variants if name not in WITHOUT_CLIP)


def in_order(variants: Iterable[str]) -> tuple[str, ...]:
    """Variants in the order in which they are asked and shown.

    >>> in_order(["silence", "order-10", "plain", "noise", "order-2"])
    ('plain', 'order-2', 'order-10', 'noise', 'silence')

    Raises:
        UnknownNameError: there is no such variant.
    """
    return tuple(sorted(variants, key=_place))


def _place(variant: str) -> tuple[int, int]:
    if variant == PLAIN:
        return (0, 0)
    if variant in WITHOUT_CLIP:
        return (2, WITHOUT_CLIP.index(variant))
    return (1, _number(variant))


def shown_options(item_id: str, options: Sequence[str], *, seed: int, variant: str) -> tuple[str, ...]:
    """The options of an item in the order that a variant shows them, letter A first.

    What asks and what scores both call this, so a run folder need not keep the order of every item.

    Raises:
        UnknownNameError: there is no such variant.
    """
    if variant == PLAIN or variant in WITHOUT_CLIP:
        return tuple(options)
    return order(item_id, options, seed=seed, order=_number(variant))


def _number(variant: str) -> int:
    number = variant.removeprefix(ORDER)
    if variant.startswith(ORDER) and number.isdecimal():
        return int(number)
    raise UnknownNameError("variant", variant, (PLAIN, f"{ORDER}1", *WITHOUT_CLIP))


def n_asked(variants: Sequence[str], n_items: int, n_without_clip: int) -> int:
    """How many replies that makes: an item that names no clip is not asked in the variants without it.

    >>> n_asked(("plain", "noise"), 10, 2)
    18

    Args:
        variants: the ways items are asked.
        n_items: how many.
        n_without_clip: those of them that name no clip.
    """
    own = len(with_clip(variants))
    return n_items * own + (n_items - n_without_clip) * (len(variants) - own)
