"""Variants: the same item asked another way, each with a name that a run folder keeps.

Two kinds. With the item's own clip: ``plain`` (the benchmark's own order of options) and ``order-1``, ``order-2``, …
These are what a score is made of. Without it: ``noise``, ``silence``, ``other-clip`` and ``text-only``, which show
whether the model needs the clip; they keep the benchmark's own order of options, so that they differ from ``plain``
in the sound alone, and count in no headline. Other packages add variants of that kind, under names of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from audiometry.choices.ordering import order
from audiometry.errors import UnknownNameError

PLAIN = "plain"
ORDER = "order-"
NOISE, SILENCE, OTHER_CLIP, TEXT_ONLY = "noise", "silence", "other-clip", "text-only"
WITHOUT_CLIP = (NOISE, SILENCE, OTHER_CLIP, TEXT_ONLY)
"""The variants in which an item's own clip is replaced or left out, in the order they are asked and shown."""
_NAME = re.compile(r"(?!order\b)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST_NUMBER = 9  # digits of an order's
REPLACED = "replaced by the clip of"
"""How the first change of a clip begins that stands in for another; the rest is its item's id."""


def order_names(orders: int) -> tuple[str, ...]:
    """The variants of ``--orders N``: the benchmark's own order of options, then others.

    >>> order_names(3)
    ('plain', 'order-1', 'order-2')
    """
    return (PLAIN, *(f"{ORDER}{k}" for k in range(1, orders)))


def variant_names(
    orders: int, without_clip: Iterable[str] = (), known: Sequence[str] = WITHOUT_CLIP
) -> tuple[str, ...]:
    """The variants of ``--orders N --variant V…``: the benchmark's own order of options, others, and V.

    >>> variant_names(3, ["silence", "noise"])
    ('plain', 'order-1', 'order-2', 'noise', 'silence')

    Args:
        orders: how many orders of options, 1 or more.
        without_clip: of those that are known, in any order.
        known: variants in which an item comes without its own clip, in the order in which they are asked.

    Raises:
        UnknownNameError: there is no such variant.
    """
    wanted = set(without_clip)
    for name in sorted(wanted):
        if name not in known:
            hint = "items are always asked with their own clip too, in as many orders of options as --orders says"
            raise UnknownNameError("variant", name, known, hint)
    return (*order_names(orders), *(name for name in known if name in wanted))


def with_clip(variants: Iterable[str]) -> tuple[str, ...]:
    """Those variants in which an item comes with its own clip, in their order: what a score is made of.

    >>> with_clip(("plain", "order-1", "noise"))
    ('plain', 'order-1')
    """
    return tuple(name for name in variants if has_own_clip(name))


def has_own_clip(variant: str) -> bool:
    """Whether items come with their own clip in a variant; in all but `PLAIN` and further orders they do not.

    >>> has_own_clip("order-2"), has_own_clip("noise"), has_own_clip("of-another-package")
    (True, False, False)
    """
    return variant == PLAIN or variant.startswith(ORDER)


def without_clip(variants: Iterable[str]) -> tuple[str, ...]:
    """The others: those in which an item's own clip is replaced, changed or left out.

    >>> without_clip(("plain", "order-1", "noise"))
    ('noise',)
    """
    return tuple(name for name in variants if not has_own_clip(name))


def in_order(variants: Iterable[str]) -> tuple[str, ...]:
    """Variants in the order in which they are asked and shown.

    >>> in_order(["silence", "order-10", "plain", "noise", "order-2"])
    ('plain', 'order-2', 'order-10', 'noise', 'silence')

    Raises:
        UnknownNameError: there is no such variant.
    """
    return tuple(sorted(variants, key=_place))


def _place(variant: str) -> tuple[int, int, str]:
    if variant == PLAIN:
        return (0, 0, "")
    if variant in WITHOUT_CLIP:
        return (2, WITHOUT_CLIP.index(variant), "")
    return (3, 0, variant) if may_be_called(variant) else (1, _number(variant), "")


def shown_options(item_id: str, options: Sequence[str], *, seed: int, variant: str) -> tuple[str, ...]:
    """The options of an item in the order that a variant shows them, letter A first.

    What asks and what scores both call this, so a run folder need not keep the order of every item.

    Raises:
        UnknownNameError: there is no such variant.
    """
    if variant == PLAIN or may_be_called(variant):
        return tuple(options)
    return order(item_id, options, seed=seed, order=_number(variant))


def _number(variant: str) -> int:
    number = variant.removeprefix(ORDER)
    if variant.startswith(ORDER) and number.isdecimal() and len(number) <= LONGEST_NUMBER:
        return int(number)
    raise UnknownNameError("variant", variant, (PLAIN, f"{ORDER}1", *WITHOUT_CLIP))


def may_be_called(variant: str) -> bool:
    """Whether a variant without the item's own clip may have that name.

    >>> may_be_called("backwards"), may_be_called("order-x"), may_be_called("Two words")
    (True, False, False)
    """
    return _NAME.fullmatch(variant) is not None and variant != PLAIN


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
