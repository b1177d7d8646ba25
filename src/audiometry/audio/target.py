"""What a model's card makes of a clip: format, rate, channels and room, known from the clip's header alone."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from audiometry.audio.info import AudioInfo
from audiometry.errors import AudioError, TooLargeAudioError
from audiometry.records import Audio, ModelCard

CUT: Final = "first "
"""How the change of a clip begins of which no more than its beginning is sent."""

_FOR_CLIPS: Final = 0.95
"""Share of a request that clips may fill, before base64 makes three bytes four; the words have the rest."""


def passes(info: AudioInfo, card: ModelCard, size: int) -> bool:
    """Whether a model takes such a file of ``size`` bytes byte for byte.

    A card without formats takes any file as it is; a card that takes WAV means 16-bit PCM with a plain header.
    """
    return (
        (not card.formats or (info.format in card.formats and info.plain))
        and card.rate in {None, info.rate}
        and (card.channels is None or info.channels <= card.channels)
        and size <= room(card)
        and heard_s(info, card) == info.duration_s
        and not silence_s(info, card)
    )


class Target(msgspec.Struct, frozen=True):
    """What a clip is converted to: a format, a rate in Hz, channels, the most frames of that rate, None for all.

    So many frames of silence follow.
    """

    form: str
    rate: int
    channels: int
    frames: int | None = None
    silence: int = 0


def target(info: AudioInfo, card: ModelCard, where: str) -> Target:
    """What a clip is converted to for a model: the first of its card's formats that can hold what the card asks for.

    Raises:
        AudioError: none can.
    """
    from audiometry.audio.encode import LIMITS

    wanted = card.formats or ((info.format,) if info.format in LIMITS else ("wav",))
    for form in wanted:
        limits = LIMITS.get(form)
        if limits is None or (card.rate is not None and not limits.holds(card.rate)):
            continue
        rate = card.rate if card.rate is not None else limits.nearest(info.rate)
        most = min(limits.channels, card.channels if card.channels is not None else limits.channels)
        frames = None if heard_s(info, card) == info.duration_s else int(heard_s(info, card) * rate)
        silence = int(silence_s(info, card) * rate)
        return Target(form, rate, info.channels if info.channels <= most else 1, frames, silence)
    raise AudioError(
        f"{where}: the model's card asks for {' or '.join(wanted)} at {card.rate or 'any'} Hz, which cannot be "
        f"written; correct the card (formats written: {', '.join(LIMITS)})"
    )


def heard_s(info: AudioInfo, card: ModelCard) -> float:
    """Seconds of a clip that are sent: all, unless the card says to cut it."""
    return info.duration_s if card.longest_s is None or not card.cut else min(info.duration_s, card.longest_s)


def silence_s(info: AudioInfo, card: ModelCard) -> float:
    """Seconds of silence that follow a clip: none, unless it is too short and the card says to pad it."""
    return card.shortest_s if card.shortest_s is not None and card.padded and info.duration_s < card.shortest_s else 0.0


def room(card: ModelCard) -> float:
    """Bytes that a clip may have."""
    return math.inf if card.largest_mb is None else card.largest_mb * 1e6 * _FOR_CLIPS * 3 / 4


def wav_size(info: AudioInfo, card: ModelCard, where: str) -> float:
    """Bytes of a clip's samples as a model takes them, of 16 bits.

    Raises:
        AudioError: see `target`.
    """
    made = target(info, card, where)
    return heard_s(info, card) * made.rate * made.channels * 2


def with_room(info: AudioInfo, card: ModelCard, where: str) -> ModelCard:
    """The card, with MP3 as its only format where a WAV of that clip would be too large; it is not made to know.

    Raises:
        TooLargeAudioError: the card has no MP3.
    """
    if card.largest_mb is None:
        return card
    made, size = target(info, card, where), wav_size(info, card, where)
    if made.form != "wav" or size <= room(card):
        return card
    if "mp3" in card.formats:
        return msgspec.structs.replace(card, formats=("mp3",))
    raise _too_large(size, "wav", card, where)


def small_enough(clip: Audio, card: ModelCard, where: str) -> Audio:
    """The clip.

    Raises:
        TooLargeAudioError: it is too large for a request to the model.
    """
    if len(clip.data) > room(card):
        raise _too_large(len(clip.data), clip.format, card, where)
    return clip


def _too_large(size: float, form: str, card: ModelCard, where: str) -> TooLargeAudioError:
    return TooLargeAudioError(
        f"{where}: {size / 1e6:.1f} MB as {form}, of which a request to the model holds {room(card) / 1e6:.1f} MB; "
        "nothing is cut silently: shorten the clip or choose another model"
    )
