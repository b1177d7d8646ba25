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
        self._labels: dict[str, tuple[str, ...]] = {}

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

    def kind(self, item: str) -> str:
        """Of the item's task; empty if the item is not known."""
        found = self._benchmark.item(item)
        return "" if found is None else self._benchmark.card.task_named(found.task).kind

    def labels(self, item: str) -> tuple[str, ...]:
        """All labels of the item's task, in the order of the card, or of the items if it names none."""
        found = self._benchmark.item(item)
        if found is None or self.kind(item) != "label":
            return ()
        if found.task not in self._labels:
            listed = self._benchmark.card.task_named(found.task).labels
            answers = (one.answer for one in self._benchmark if one.task == found.task and one.answer)
            self._labels[found.task] = listed or tuple(dict.fromkeys(answers))
        return self._labels[found.task]
