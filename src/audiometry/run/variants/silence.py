"""Each clip replaced by silence of its length."""

from __future__ import annotations

from audiometry.choices.variant import SILENCE
from audiometry.records import Audio, Item
from audiometry.run.variant import Hand, each


def _silence(hand: Hand, item: Item, number: int, clip: Audio) -> Audio:
    from audiometry.audio.perturb import as_silence

    return as_silence(clip, hand.card, where=item.clips[number])


VARIANT = each(SILENCE, "each clip replaced by silence of its length", _silence)
