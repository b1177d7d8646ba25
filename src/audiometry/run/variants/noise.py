"""Each clip replaced by noise of its length and level."""

from __future__ import annotations

from audiometry import seeds
from audiometry.choices.variant import NOISE
from audiometry.records import Audio, Item
from audiometry.run.variant import Hand, drawn_by, each


def _noise(hand: Hand, item: Item, number: int, clip: Audio) -> Audio:
    from audiometry.audio.perturb import as_noise

    draw = seeds.generator(hand.seed, NOISE, *drawn_by(item, number))
    return as_noise(clip, hand.card, draw, where=item.clips[number])


VARIANT = each(NOISE, "each clip replaced by noise of its length and level", _noise)
