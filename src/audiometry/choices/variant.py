"""Variants: the same item asked another way, each with a name that a run folder keeps.

Two groups. What a score is made of: ``plain`` (the benchmark's own wording and order of options), ``order-1``,
``wording-1``, ``repeat-1``, … and any of these together (``wording-1+order-2``), with the item's own clip and all of
its options. And those aside, which count in no headline: without the clip ``noise``, ``silence``, ``other-clip`` and
``text-only``, which show whether the model needs it, and keep the benchmark's own wording and order of options, so that
they differ from ``plain`` in the sound alone; other packages add variants of that kind, under names of their own. With
the clip and fewer options ``distractors=…`` and ``leave-…`` (`choices.fewer`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from audiometry.choices.fewer import DISTRACTORS, LEAVE, fewer, shown
from audiometry.choices.ordering import order
from audiometry.errors import UnknownNameError, UsageError
from audiometry.records import Item

PLAIN = "plain"
NOISE, SILENCE, OTHER_CLIP, TEXT_ONLY = "noise", "silence", "other-clip", "text-only"
SOUNDS = (NOISE, SILENCE, OTHER_CLIP)
"""Those in which another sound stands in for an item's own clip."""
WITHOUT_CLIP = (*SOUNDS, TEXT_ONLY)
"""The variants in which an item's own clip is replaced or left out, in the order they are asked and shown."""
_WAYS: Final = ("wording", "order", "repeat")
"""In which ways an item is asked again with its own clip, in the order in which a name tells them."""
_TAKEN: Final = (*_WAYS, DISTRACTORS, LEAVE, "cyclic")
_NAME = re.compile(rf"(?!(?:{'|'.join(_TAKEN)})\b)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
MOST_WAYS: Final = 10_000
"""To ask an item: more are a slip, and their names alone would fill the memory."""
LONGEST_NUMBER = 9  # digits of an order's
REPLACED = "replaced by the clip of"
"""How the first change of a clip begins that stands in for another; the rest is its item's id."""


class Asked(NamedTuple):
    """How an item is asked for a score; 0: the benchmark's own wording, its own order, the first time."""

    wording: int = 0
    order: int = 0
    repeat: int = 0

    @property
    def name(self) -> str:
        """Of the variant.

        >>> Asked().name, Asked(wording=1, order=2).name
        ('plain', 'wording-1+order-2')
        """
        return "+".join(f"{way}-{k}" for way, k in zip(_WAYS, self, strict=True) if k) or PLAIN


@lru_cache(maxsize=4096)
def asked(variant: str) -> Asked | None:
    """How a variant that a score is made of asks an item; None for a variant aside, or no name of one.

    >>> asked("order-2"), asked("noise"), asked("order-2+wording-1")
    (Asked(wording=0, order=2, repeat=0), None, None)
    """
    if variant == PLAIN:
        return Asked()
    found: dict[str, int] = {}
    for part in variant.split("+"):
        way, _, number = part.partition("-")
        if way not in _WAYS or not number.isdecimal() or len(number) > LONGEST_NUMBER or not int(number):
            return None
        found[way] = int(number)
    one = Asked(**found)
    return one if one.name == variant else None


def asked_names(orders: int = 1, wordings: int = 1, repeats: int = 1) -> tuple[str, ...]:
    """The variants of ``--orders N --wordings W --repeats R``: every order in every wording, each so many times.

    >>> asked_names(orders=3)
    ('plain', 'order-1', 'order-2')
    >>> asked_names(orders=2, wordings=2)
    ('plain', 'order-1', 'wording-1', 'wording-1+order-1')

    Raises:
        UsageError: there are more than `MOST_WAYS` of them.
    """
    if orders * wordings * repeats > MOST_WAYS:
        raise UsageError(
            f"{orders:,} orders × {wordings:,} wordings × {repeats:,} repeats are more than {MOST_WAYS:,} ways to ask "
            "each item; ask it in fewer"
        )
    every = product(range(repeats), range(wordings), range(orders))
    return tuple(Asked(wording, order, repeat).name for repeat, wording, order in every)


def crossed(variants: Iterable[str]) -> Asked:
    """How many wordings, orders and repeats it takes to ask all of these variants, each at least 1.

    >>> crossed(["plain", "order-2", "wording-1", "noise"])
    Asked(wording=2, order=3, repeat=1)
    """
    own = [one for name in variants if (one := asked(name)) is not None] or [Asked()]
    return Asked(*(1 + max(numbers) for numbers in zip(*own, strict=True)))


def is_crossed(variants: Iterable[str]) -> bool:
    """Whether those of the score are every order in every wording as many times, so that numbers name them all.

    >>> is_crossed(["plain", "order-1", "noise"]), is_crossed(["plain", "order-1", "wording-1"])
    (True, False)
    """
    own = set(of_score(variants))
    wording, order, repeat = crossed(own)
    return len(own) == wording * order * repeat or not own  # names differ, so that as many are all of them


def variant_names(
    own: Sequence[str], aside: Iterable[str] = (), known: Sequence[str] = WITHOUT_CLIP
) -> tuple[str, ...]:
    """The variants of a command: those that a score is made of, then those of ``--variant V…``.

    >>> variant_names(asked_names(3), ["silence", "noise"])
    ('plain', 'order-1', 'order-2', 'noise', 'silence')

    Args:
        own: see `asked_names`.
        aside: of those that are known, in any order.
        known: variants aside, in the order in which they are asked.

    Raises:
        UnknownNameError: there is no such variant.
    """
    wanted = set(aside)
    for name in sorted(wanted):
        if name not in known:
            hint = "items are always asked with their own clip too, as --orders, --wordings and --repeats say"
            raise UnknownNameError("variant", name, known, hint)
    return (*own, *(name for name in known if name in wanted))


def of_score(variants: Iterable[str]) -> tuple[str, ...]:
    """Those variants that a score is made of, in their order: with the item's own clip and all of its options.

    >>> of_score(("plain", "order-1", "noise", "distractors=IR"))
    ('plain', 'order-1')
    """
    return tuple(name for name in variants if is_of_score(name))


def is_of_score(variant: str) -> bool:
    """Whether a score is made of a variant: the item is asked another way or once more, but as it is.

    >>> is_of_score("wording-1+order-2"), is_of_score("noise"), is_of_score("of-another-package")
    (True, False, False)
    """
    return asked(variant) is not None


def aside(variants: Iterable[str]) -> tuple[str, ...]:
    """The others, which count in no headline.

    >>> aside(("plain", "order-1", "noise", "distractors=IR"))
    ('noise', 'distractors=IR')
    """
    return tuple(name for name in variants if not is_of_score(name))


def without_clip(variants: Iterable[str]) -> tuple[str, ...]:
    """Those of them in which an item's own clip is replaced, changed or left out.

    >>> without_clip(("plain", "order-1", "noise", "distractors=IR"))
    ('noise',)
    """
    return tuple(name for name in variants if not has_own_clip(name))


def with_fewer(variants: Iterable[str]) -> tuple[str, ...]:
    """Those of them in which an item comes with fewer options.

    >>> with_fewer(("plain", "order-1", "noise", "distractors=IR"))
    ('distractors=IR',)
    """
    return tuple(name for name in variants if fewer(name) is not None)


def has_own_clip(variant: str) -> bool:
    """Whether items come with their own clip in a variant.

    >>> has_own_clip("wording-1+order-2"), has_own_clip("noise"), has_own_clip("leave-1")
    (True, False, True)
    """
    return is_of_score(variant) or fewer(variant) is not None


def in_order(variants: Iterable[str]) -> tuple[str, ...]:
    """Variants in the order in which they are asked and shown.

    >>> in_order(["silence", "order-10", "plain", "noise", "order-2"])
    ('plain', 'order-2', 'order-10', 'noise', 'silence')

    Raises:
        UnknownNameError: there is no such variant.
    """
    return tuple(sorted(variants, key=_place))


def _place(variant: str) -> tuple[int, tuple[int, ...], str]:
    if (own := asked(variant)) is not None:
        return (0, (own.repeat, own.wording, own.order), "")
    if variant in WITHOUT_CLIP:
        return (1, (WITHOUT_CLIP.index(variant),), "")
    if (less := fewer(variant)) is not None:
        return (3, (less.leaves, len(less.kinds)), variant)
    if may_be_called(variant):
        return (2, (), variant)
    raise _unknown(variant)


def shown_options(item: Item, *, seed: int, variant: str) -> tuple[str, ...]:
    """The options of an item that a variant shows, in its order, letter A first; none of an item without.

    What asks and what scores both call this, so a run folder need not keep the order of every item.

    Raises:
        UnknownNameError: there is no such variant.
    """
    own = asked(variant)
    if own is not None:
        return order(item.id, item.options, seed=seed, order=own.order)
    if (less := fewer(variant)) is not None:
        return shown(item, less, seed)
    if may_be_called(variant):
        return item.options
    raise _unknown(variant)


def _unknown(variant: str) -> UnknownNameError:
    return UnknownNameError("variant", variant, (PLAIN, *(f"{way}-1" for way in _WAYS), *WITHOUT_CLIP))


def may_be_called(variant: str) -> bool:
    """Whether a variant without the item's own clip may have that name.

    >>> may_be_called("backwards"), may_be_called("order-x"), may_be_called("leave-it"), may_be_called("Two words")
    (True, False, False, False)
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
    replaced = len(without_clip(variants))
    return n_items * (len(variants) - replaced) + (n_items - n_without_clip) * replaced
