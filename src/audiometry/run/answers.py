"""The right answers, handed to scripted models: looked up when asked, never held in memory."""

from __future__ import annotations

import hashlib

from audiometry.audio.clip_file import read_file
from audiometry.bench import Benchmark


class BenchmarkAnswers:
    """What a scripted model may know of a benchmark; see `AnswerTable`.

    Args:
        benchmark: where the items are.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark

    def answer(self, item: str) -> str | None:
        """The text of the item's right option; None if the item is not known."""
        found = self._benchmark.item(item)
        return None if found is None else found.answer

    def audio_sha256(self, item: str) -> str:
        """Hash of the item's own clip files as they are on disk now, several joined by ``+``."""
        found = self._benchmark.item(item)
        names = () if found is None else found.clips
        files = (read_file(self._benchmark.clip_path(name)) for name in names)
        return "+".join(hashlib.sha256(data).hexdigest() for data in files)
