"""The clips of a run, as its model takes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

import msgspec

from audiometry.audio.clip_file import read_small
from audiometry.audio.inspect import inspect
from audiometry.audio.kept import KeptClips
from audiometry.audio.prepare import prepare, prepare_file
from audiometry.audio.target import passes
from audiometry.bench import Benchmark
from audiometry.errors import AudioError
from audiometry.files.stamp import stat_of
from audiometry.programs.parallel import processors
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
        self._coming: dict[str, asyncio.Future[Audio]] = {}
        self._kept = KeptClips()

    async def get(self, name: str) -> Audio:
        """The clip of that name.

        Raises:
            AudioError: it cannot be used.
        """
        before = self.stat(name)
        data = read_small(self._benchmark.file_of(name), SMALL, b"RIFF")
        if data and passes(info := inspect(data, name), self._card, len(data)):
            return msgspec.structs.replace(prepare(data, self._card, where=name, info=info), file_stat=before)
        del data  # many may wait for a thread
        coming = self._coming.get(name)
        if coming is None:  # else another item on the same clip waits for it already
            coming = self._coming[name] = asyncio.ensure_future(self.beside(self._prepared, name))
            coming.add_done_callback(partial(self._arrived, name))
        return await asyncio.shield(coming)

    def stat(self, name: str) -> str:
        """What tells without reading that a clip's file is unchanged, where its name is spelt right; else empty."""
        return stat_of(self._benchmark.file_of(name))

    def usable(self, name: str) -> bool:
        """Whether a clip can be made fit for the model; it is read to know."""
        try:
            self._prepared(name)
        except AudioError:
            return False
        return True

    def keep(self, kept: KeptClips) -> None:
        """Keep converted clips there from now on."""
        self._kept.close()
        self._kept = kept

    async def beside(self, work: Callable[..., T], *args: object) -> T:
        """What work on samples gives; the event loop goes on meanwhile."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(processors(), "clips")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def close(self) -> None:
        """End the threads, and forget the converted clips; the next clip that needs one starts them again."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None
        self._coming.clear()
        self._kept.close()

    def _arrived(self, name: str, coming: asyncio.Future[Audio]) -> None:
        self._coming.pop(name, None)
        if not coming.cancelled():
            coming.exception()  # nobody may wait for it any more

    def _prepared(self, name: str) -> Audio:
        path = self._benchmark.clip_path(name)
        before = self.stat(name)  # before it is read: a change between the two shows, whoever waits for it
        made = prepare_file(path, self._card, where=name, kept=self._kept)
        return msgspec.structs.replace(made, file_stat=before)
