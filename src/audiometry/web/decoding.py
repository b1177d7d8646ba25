"""Recordings of strangers, decoded in processes of their own: what breaks a decoder costs one upload and not the page.

Run as a module it is such a process: a request a line on standard input, an answer a line on standard output. Files
go between, since a recording is longer than a line may be.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import (
    AudioError,
    ShortageError,
    StorageError,
    TooLargeAudioError,
    TooLongAudioError,
    TooShortAudioError,
    UnreadableAudioError,
    UsageError,
    short_of,
)
from audiometry.files import foreign, secrets
from audiometry.files.extras import install
from audiometry.programs.pool import EndedError, Pool
from audiometry.web.upload import LIMITS, Heard, Limits, heard

MEMORY: Final = 1 << 30
"""Bytes of address space that a decoding process may have, of which Python and its libraries take a quarter."""
LOST: Final = "the recording cannot be decoded; record again, or send another file"
_ERRORS: Final = {
    one.kind: one for one in (TooLargeAudioError, TooLongAudioError, TooShortAudioError, UnreadableAudioError)
}


class _Asked(msgspec.Struct):
    path: str
    limits: Limits
    normalise: bool


class _Answer(msgspec.Struct, omit_defaults=True):
    heard: Heard | None = None
    kind: str = ""
    message: str = ""


class Decoding:
    """At most so many processes that decode, started as they are needed. Belongs to one event loop.

    Args:
        limits: what is taken of a stranger.
        normalise: see `upload.heard`.
        size: how many processes.

    Raises:
        UsageError: PyAV is not installed.
    """

    def __init__(self, limits: Limits = LIMITS, *, normalise: bool = False, size: int = 2) -> None:
        if find_spec("av") is None:  # the processes would say so one by one
            raise UsageError(f"recordings are decoded by PyAV; run: {install('web')}")
        self.limits, self._normalise = limits, normalise
        environment = {**secrets.without(os.environ), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._folder = tempfile.TemporaryDirectory(prefix="audiometry-heard-")
        command = [sys.executable, "-m", "audiometry.web.decoding"]
        self._pool = Pool(command, size, environment, Path(self._folder.name))
        self._turn = asyncio.Semaphore(size)
        self._count = 0

    async def heard(self, data: bytes) -> tuple[bytes, Heard]:
        """See `upload.heard`.

        Raises:
            AudioError: as that does; also where the decoder broke, or took too long.
            StorageError: there is no room for the file.
            ShortageError: no process can be started.
        """
        if len(data) > self.limits.bytes:  # before it is written anywhere
            return heard(data, self.limits)
        self._count += 1
        path = Path(self._folder.name) / str(self._count)
        made = path.with_suffix(".flac")
        async with self._turn:
            try:
                await asyncio.to_thread(path.write_bytes, data)
                answer = await self._asked(path)
                if answer.heard is None:
                    raise _ERRORS.get(answer.kind, StorageError)(answer.message)
                return await asyncio.to_thread(made.read_bytes), answer.heard
            except OSError as problem:
                raise StorageError(
                    f"the recording cannot be kept: {short_of(problem) or problem.strerror}"
                ) from problem
            finally:
                for file in (path, made):
                    with contextlib.suppress(OSError):
                        file.unlink()

    async def _asked(self, path: Path) -> _Answer:
        asked = msgspec.json.encode(_Asked(str(path), self.limits, self._normalise)) + b"\n"
        try:
            async with asyncio.timeout(2 * self.limits.decode_s):
                return foreign.json((await self._pool.ask(asked)).data, _Answer)
        except (EndedError, TimeoutError) as problem:
            raise UnreadableAudioError(LOST, "damaged") from problem
        except OSError as problem:
            raise ShortageError(short_of(problem) or f"no process can be started ({problem.strerror})") from problem

    async def close(self) -> None:
        """End the processes, and remove what is left of files."""
        await self._pool.close()
        self._folder.cleanup()


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; who started this decides
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints would answer in our place
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    decoder = foreign.Decoder(_Asked)
    for line in sys.stdin.buffer:
        out.write(msgspec.json.encode(_answer(decoder.decode(line))) + b"\n")
        out.flush()


def _answer(asked: _Asked) -> _Answer:
    path = Path(asked.path)
    try:
        made, found = heard(path.read_bytes(), asked.limits, normalise=asked.normalise)
        path.with_suffix(".flac").write_bytes(made)
    except AudioError as problem:
        return _Answer(kind=problem.kind, message=str(problem))
    except MemoryError:
        return _Answer(kind=UnreadableAudioError.kind, message=LOST)
    except OSError as problem:
        return _Answer(message=f"the recording cannot be kept: {short_of(problem) or problem.strerror}")
    return _Answer(heard=found)


if __name__ == "__main__":
    main()
