"""The words alone."""

from __future__ import annotations

from audiometry.choices.variant import TEXT_ONLY
from audiometry.records import Audio, Item
from audiometry.run.variant import Hand, Variant


async def _none(hand: Hand, item: Item) -> list[Audio]:  # noqa: ARG001  what every variant is given
    return []


VARIANT = Variant(name=TEXT_ONLY, about="the words alone", clips=_none)
