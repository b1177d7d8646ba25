"""Whether replies answer the prompts that a run says it asked: the words, and the order of the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final
from zlib import crc32

from audiometry.bench import Benchmark
from audiometry.errors import counted
from audiometry.files.run_folder import RunInfo
from audiometry.records import Item, ReplyRecord
from audiometry.run.rebuilt import Rebuilt, n_sent

MOST_LOOKED_AT: Final = 200  # replies in each variant
_FIRST, _EACH = 20, 16  # the first ones, then one in so many


class Otherwise:
    """Counts replies to other prompts than those of the run, of some that are looked at (see `filling.Count`).

    What letter a reply chose is read in the order of options that the run's seed gives; of a reply to another order it
    would be the wrong option. Prompts that cannot be built again are passed over.

    Args:
        benchmark: that was asked.
        info: of the run.
    """

    def __init__(self, benchmark: Benchmark, info: RunInfo) -> None:
        self.n = 0
        self._benchmark, self._looked = benchmark, Counter[str]()
        self._corrected = bool(info.benchmark.earlier)  # questions may be other ones than were asked
        self._rebuilt = Rebuilt(benchmark, info)

    def among(self, replies: Iterable[tuple[int, ReplyRecord, Item]]) -> int:
        """How many they are."""
        return 0 if self._corrected else sum(self._is_other(reply) for _, reply, _ in replies)

    def _is_other(self, reply: ReplyRecord) -> bool:
        looked = self._looked[reply.variant]
        if looked >= MOST_LOOKED_AT or not reply.prompt_sha256 or reply.text is None:
            return False
        if looked >= _FIRST and crc32(reply.item.encode()) % _EACH:
            return False
        item = self._benchmark.item(reply.item)
        if item is None or not item.options:
            return False
        self._looked[reply.variant] += 1
        known = self._rebuilt.laid_out(item, item.options, n_sent(item, reply)) is not None
        return known and self._rebuilt.words(item, reply) is None

    @property
    def said(self) -> str:
        """One line; empty if there is none."""
        if not self.n:
            return ""
        do = "does" if self.n == 1 else "do"
        return (
            f"{counted(self.n, 'reply')} of those looked at {do} not answer this run's prompts (other words, or other "
            "orders of the options), so what they chose may be read wrongly: run.json and replies.jsonl are of two runs"
        )
