"""The clips of a run, as its model takes them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec

from audiometry.audio.clip_file import read_small
from audiometry.audio.inspect import inspect
from audiometry.audio.prepare import passes, prepare, prepare_file
from audiometry.bench import Benchmark
from audiometry.dispatch.parallel import processors
from audiometry.errors import AudioError
from audiometry.files.stamp import stat_of
from audiometry.records import Audio, ModelCard

T = TypeVar("T")
SMALL: Final = 1 << 20  # bytes; a larger file is read beside the event loop, not in it


class Clips:
    """Reads clips and makes them fit for a model, in as many threads as there are processors.

    More threads than that would only take turns. A WAV file that can be sent as it is takes no thread.

    Args:
        benchmark: whose clips.
        card: what the model takes.
    """

    def __init__(self, benchmark: Benchmark, card: ModelCard) -> None:
        self._benchmark, self._card = benchmark, card
        self._threads: ThreadPoolExecutor | None = None

    async def get(self, name: str) -> Audio:
        """The clip of that name.

        Raises:
            AudioError: it cannot be used.
        """
        before = self.stat(name)  # before it is read: a change between the two shows
        return msgspec.structs.replace(await self._get(name), file_stat=before)

    def stat(self, name: str) -> str:
        """What tells without reading that a clip's file is unchanged, where its name is spelt right; else empty."""
        return stat_of(self._path(name))

    def usable(self, name: str) -> bool:
        """Whether a clip can be made fit for the model; it is read to know."""
        try:
            self._prepared(name)
        except AudioError:
            return False
        return True

    def _path(self, name: str) -> str:
        return os.path.join(self._benchmark.root, name)  # noqa: PTH118  a Path costs more than the read

    async def _get(self, name: str) -> Audio:
        data = read_small(self._path(name), SMALL, b"RIFF")
        if data and passes(info := inspect(data, name), self._card):
            return prepare(data, self._card, where=name, info=info)
        del data  # many may wait for a thread
        return await self.beside(self._prepared, name)

    async def beside(self, work: Callable[..., T], *args: object) -> T:
        """What work on samples gives; the event loop goes on meanwhile."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(processors(), "clips")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def close(self) -> None:
        """End the threads; the next clip that needs one starts them again."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None

    def _prepared(self, name: str) -> Audio:
        return prepare_file(self._benchmark.clip_path(name), self._card, where=name)
