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
        if looked >= MOST_LOOKED_AT or (looked >= _FIRST and crc32(reply.item.encode()) % _EACH):
            return False
        answers = self._answers(reply)
        self._looked[reply.variant] += answers is not None
        return answers is False

    def _answers(self, reply: ReplyRecord) -> bool | None:
        """Whether a reply answers a prompt of the run; None where that cannot be told."""
        item = self._benchmark.item(reply.item) if reply.prompt_sha256 and reply.text is not None else None
        if item is None or not item.options:
            return None
        if self._rebuilt.laid_out(item, item.options, n_sent(item, reply)) is None:
            return None
        return self._rebuilt.words(item, reply) is not None

    def said(self, replies: Iterable[ReplyRecord]) -> str:
        """One line; empty if there is none.

        Args:
            replies: of the run, which are all looked at where any of some was one.
        """
        if not self.n:
            return ""
        found = Counter(map(self._answers, replies))
        n, of = found[False], found[False] + found[True]
        return (
            f"{n:,} of {counted(of, 'reply')} {'does' if n == 1 else 'do'} not answer this run's prompts (other words, "
            "or other orders of the options), so what they chose may be read wrongly: run.json and replies.jsonl are "
            "of two runs"
        )
