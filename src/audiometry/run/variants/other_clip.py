"""The clips of another item, drawn by the run's seed."""

from __future__ import annotations

import msgspec

from audiometry.choices.variant import OTHER_CLIP, REPLACED
from audiometry.errors import AudioError
from audiometry.records import Audio, Item
from audiometry.run.variant import Hand, Variant

MOST_BROKEN = 32  # other items whose clips are tried before one gives up


async def _of_another(hand: Hand, item: Item) -> list[Audio]:
    """As many clips of another item, none from a file with the bytes of one of its own.

    Files are compared, not what is sent, so that the same clip stands in for every model, and so that `standing`
    can tell which it is without converting any.
    """
    own = await hand.own(item)
    problem = AudioError(f"item {item.id}: no other item has a clip to stand in; leave out --variant {OTHER_CLIP}")
    files = {clip.file_sha256 for clip in own}
    for other, _ in zip(hand.others.candidates(item), range(MOST_BROKEN), strict=False):
        try:
            clips = await hand.own(other)
        except AudioError as broken:
            problem = broken
            continue
        if files.isdisjoint(clip.file_sha256 for clip in clips):
            said = f"{REPLACED} {other.id}"
            clips = [msgspec.structs.replace(clip, changes=(said, *clip.changes)) for clip in clips]
            return [clips[k % len(clips)] for k in range(len(own))]
    raise problem


VARIANT = Variant(name=OTHER_CLIP, about="the clips of another item", clips=_of_another)
