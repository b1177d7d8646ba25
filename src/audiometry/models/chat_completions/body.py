"""The body of a chat-completions request, in pieces that are never joined.

A clip's base64 is ASCII that JSON leaves as it is, so a clip stays a clip here and is encoded slice
by slice while it is sent: no copy of it is ever whole in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from audiometry.models.system_turn import without_system
from audiometry.records import Audio, ModelCard, Part, Prompt, Text, Turn

Piece: TypeAlias = bytes | Audio
"""JSON as it is, or a clip of which the base64 belongs here."""

_encode = msgspec.json.Encoder().encode


def body(prompt: Prompt, model: str, card: ModelCard, settings: dict[str, Any]) -> list[Piece]:
    """The pieces of the JSON body, to be sent one after the other.

    Args:
        prompt: turns; a turn of one text is sent as a plain string, which every server takes.
        model: as the server knows it.
        card: says how clips travel.
        settings: further keys of the request (``temperature``, ``stream``, …).

    Source: the chat-completions format, ``input_audio`` and ``audio_url`` content parts.
    """
    pieces: list[Piece] = [b'{"model":' + _encode(model) + b',"messages":[']
    for number, turn in enumerate(prompt.turns if card.system_role else without_system(prompt.turns)):
        if number:
            pieces.append(b",")
        _add_turn(pieces, turn, card)
    pieces.append(b"]")
    pieces += [b"," + _encode(key) + b":" + _encode(value) for key, value in settings.items()]
    pieces.append(b"}")
    return pieces


def size(pieces: Sequence[Piece]) -> int:
    """Bytes of a body."""
    return sum(len(piece) if isinstance(piece, bytes) else 4 * ((len(piece.data) + 2) // 3) for piece in pieces)


def _add_turn(pieces: list[Piece], turn: Turn, card: ModelCard) -> None:
    pieces.append(b'{"role":' + _encode(turn.role) + b',"content":')
    if len(turn.parts) == 1 and isinstance(turn.parts[0], Text):
        pieces.append(_encode(turn.parts[0].text) + b"}")
        return
    pieces.append(b"[")
    for number, part in enumerate(turn.parts):
        if number:
            pieces.append(b",")
        _add_part(pieces, part, card)
    pieces.append(b"]}")


def _add_part(pieces: list[Piece], part: Part, card: ModelCard) -> None:
    if isinstance(part, Text):
        pieces.append(_encode({"type": "text", "text": part.text}))
    elif card.parts == "audio_url":
        head = b'{"type":"audio_url","audio_url":{"url":"data:audio/' + _media(part) + b";base64,"
        pieces += [head, part, b'"}}']
    else:
        tail = b'","format":' + _encode(part.format) + b"}}"
        pieces += [b'{"type":"input_audio","input_audio":{"data":' + _encode(card.data_prefix)[:-1], part, tail]


def _media(clip: Audio) -> bytes:
    return {"mp3": b"mpeg"}.get(clip.format, clip.format.encode())
