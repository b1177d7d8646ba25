"""What a variant puts in place of an item's own clips.

A variant is a module of `audiometry.run.variants` with a ``VARIANT``, or an entry point in the group
``audiometry.variants`` that gives a `Variant`, such as `of_samples` makes. It keeps the benchmark's own order of
options and counts in no headline; how much less is scored in it than with the clip is told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from audiometry import seeds
from audiometry.choices.variant import WITHOUT_CLIP, may_be_called
from audiometry.errors import shown
from audiometry.outside import FUNCTION, OURS, VariantError, awaited, line, looked_at, well_formed
from audiometry.records import Audio, Item, ModelCard
from audiometry.registry import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from audiometry.run.clips import Clips
    from audiometry.run.other_clip import OtherClips

Samples: TypeAlias = "NDArray[np.float32]"
Change: TypeAlias = "Callable[[Samples, int, np.random.Generator], Samples]"
"""Of samples ``float32[n, channels]`` between -1 and 1, by their rate in Hz and the variant's randomness."""


class Hand(msgspec.Struct, frozen=True):
    """What a variant may use.

    Attributes:
        clips: of the benchmark, as the model takes them.
        others: whose clips may stand in.
        card: what the model takes.
        seed: of the run.
    """

    clips: Clips
    others: OtherClips
    card: ModelCard
    seed: int

    async def own(self, item: Item) -> list[Audio]:
        """An item's own clips, as they are sent."""
        return [await self.clips.get(name) for name in item.clips]


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """A way to ask items without their own clips.

    Attributes:
        name: as in ``--variant``.
        about: one line for people.
        clips: gives what is sent in place of an item's clips.
    """

    name: str
    about: str
    clips: Callable[[Hand, Item], Awaitable[list[Audio]]]


def each(name: str, about: str, made: Callable[[Hand, Item, int, Audio], Audio]) -> Variant:
    """A variant that makes something of each clip by itself, given its number, the first having 0."""

    def replaced(hand: Hand, item: Item, number: int, clip: Audio) -> Audio:
        out = made(hand, item, number, clip)
        return msgspec.structs.replace(out, file_sha256=clip.file_sha256, file_stat=clip.file_stat)

    async def clips(hand: Hand, item: Item) -> list[Audio]:
        own = await hand.own(item)
        return [await hand.clips.beside(replaced, hand, item, number, clip) for number, clip in enumerate(own)]

    return Variant(name=name, about=about, clips=clips)


def of_samples(name: str, about: str, change: Change) -> Variant:
    """A variant that changes the samples of each clip as it is sent; its randomness depends on seed and item alone."""

    def made(hand: Hand, item: Item, number: int, clip: Audio) -> Audio:
        from audiometry.audio.perturb import as_changed

        draw = seeds.generator(hand.seed, name, *drawn_by(item, number))
        where = f"{item.clips[number]}, in the variant {name}"
        return as_changed(clip, hand.card, lambda samples, rate: change(samples, rate, draw), about, where=where)

    return each(name, about, made)


def drawn_by(item: Item, number: int) -> tuple[str, ...]:
    """The names of the stream for a clip of an item."""
    return (item.id, str(number)) if number else (item.id,)


def _announced(name: str, given: Any) -> Variant:
    if type(given) is not Variant or given.name != name or not may_be_called(name):
        raise TypeError(
            f"it is no Variant called {name}, in small letters, digits and dashes, and unlike an order of options"
        )
    looked_at(given, {"about": line(), "clips": FUNCTION})

    async def clips(hand: Hand, item: Item) -> list[Audio]:
        where = f"item {item.id}, in the variant {name} ({VARIANTS.announced(name)})"

        async def made() -> list[Audio]:
            found = list(await given.clips(hand, item))
            for clip in found:
                if not isinstance(clip, Audio):
                    raise TypeError(f"{shown(type(clip).__name__, 60)} is no Audio")
                well_formed(clip)
            return found

        try:
            return await awaited(made, VariantError, OURS)
        except VariantError as problem:
            raise VariantError(f"{where}: {problem}") from problem

    return msgspec.structs.replace(given, clips=clips)


VARIANTS: Final[Kind[Variant]] = Kind("audiometry.variants", "audiometry.run.variants", "variant", made=_announced)


def known() -> tuple[str, ...]:
    """The names of all, the house's first, in the order in which they are asked."""
    return (*WITHOUT_CLIP, *(name for name in VARIANTS.names() if name not in WITHOUT_CLIP))
