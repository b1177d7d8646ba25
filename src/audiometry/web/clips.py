"""Clips for a page: under addresses that tell nothing of their names, by ranges, as what a browser plays."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from starlette.responses import FileResponse, PlainTextResponse, Response

from audiometry.audio.clip_file import called, read_head
from audiometry.audio.played import HEAD, sniff
from audiometry.errors import AudioError, visible

_CLIP: Final = "the clip"  # its name is nothing for those who hear it
_KEPT: Final = "private, max-age=3600"


class Playable(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clip as a page finds it: address and media type, or why there is nothing to play."""

    href: str = ""
    type: str = ""
    problem: str = ""


class Clips:
    """Clips by their names in a benchmark, each under an address that only this process knows.

    What few browsers play (AIFF, Sphere, …) is decoded once and served as WAV.

    Args:
        where: finds a clip's file, and fetches it if it has to.
    """

    def __init__(self, where: Callable[[str], Path]) -> None:
        self._where, self._salt = where, secrets.token_bytes(16)
        self._files: dict[str, tuple[Path, str]] = {}
        self._made = tempfile.TemporaryDirectory(prefix="audiometry-clips-")

    async def playable(self, name: str) -> Playable:
        """A clip by its name in the benchmark."""
        key = hashlib.sha256(self._salt + name.encode()).hexdigest()[:20]
        if key not in self._files:
            try:
                self._files[key] = await asyncio.to_thread(self._found, key, name)
            except AudioError as problem:
                what = str(problem).replace(called(name), _CLIP).replace(name, _CLIP)
                return Playable(problem=visible(what.partition("; ")[0].removeprefix(f"{_CLIP}: ")))
        return Playable(href=f"/clip/{key}", type=self._files[key][1])

    def _found(self, key: str, name: str) -> tuple[Path, str]:
        path = self._where(name)
        kind, note, problem = sniff(read_head(path, HEAD, where=_CLIP))
        if not (note or problem):
            return path, kind
        from audiometry.audio.clip import read
        from audiometry.audio.encode import encode

        made = Path(self._made.name) / f"{key}.wav"
        made.write_bytes(encode(read(path, where=_CLIP)))
        return made, "audio/wav"

    async def response(self, key: str) -> Response:
        """What is at a clip's address; the ranges of it that are asked for."""
        path, kind = self._files.get(key, (None, ""))
        if path is None or not path.is_file():
            return PlainTextResponse("There is no such clip.\n", 404)
        return FileResponse(path, media_type=kind, headers={"cache-control": _KEPT})

    def close(self) -> None:
        """Remove what was decoded."""
        self._made.cleanup()
