"""One thing to be asked, and the identity of what was asked."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

import msgspec

from audiometry.records import Prompt, Text


class Ask(msgspec.Struct, frozen=True):
    """A prompt yet to be built.

    Prompts are built when a place is free, so only the clips under way are in memory.

    Attributes:
        item, variant: under which the reply is kept.
        build: gives the prompt; what it raises as `AudioError` is recorded as a failure.
    """

    item: str
    variant: str
    build: Callable[[], Awaitable[Prompt]]


def prompt_sha256(prompt: Prompt) -> str:
    """Hash of a prompt's words, roles and order, with a mark where each clip stands."""
    whole = hashlib.sha256()
    for turn in prompt.turns:
        whole.update(b"\x00turn\x00" + turn.role.encode())
        for part in turn.parts:
            if isinstance(part, Text):
                raw = part.text.encode()
                whole.update(b"\x00text\x00%d\x00" % len(raw) + raw)
            else:
                whole.update(b"\x00audio\x00")
    return whole.hexdigest()


def audio_sha256(prompt: Prompt) -> str:
    """Hashes of the bytes of the item's clips as sent, joined by ``+``; empty for none."""
    return "+".join(clip.sha256 for clip in prompt.own_audio)


def file_sha256(prompt: Prompt) -> str:
    """Hashes of the files behind these clips, joined by ``+``; empty where they are sent as they are."""
    files = "+".join(clip.file_sha256 for clip in prompt.own_audio)
    return "" if files == audio_sha256(prompt) else files


def file_stat(prompt: Prompt) -> str:
    """What tells that those files are unchanged, joined by ``+``; empty where nothing does."""
    stats = "+".join(clip.file_stat for clip in prompt.own_audio)
    return stats if stats.strip("+") else ""


def reply_key(model: str, parameters: bytes, prompt_hash: str, audio_hash: str, repeat: int = 0) -> str:
    """Hash of everything that shaped a reply; under it the reply is found again.

    Args:
        model: its name.
        parameters: of it.
        prompt_hash: of the words that were asked.
        audio_hash: of the clips.
        repeat: how often the same was asked before: another draw is another reply.
    """
    whole = hashlib.sha256()
    again = (str(repeat).encode(),) if repeat else ()
    for part in (model.encode(), parameters, prompt_hash.encode(), audio_hash.encode(), *again):
        whole.update(b"%d\x00" % len(part) + part)
    return whole.hexdigest()
