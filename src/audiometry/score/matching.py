"""Plain matching: how many replies are matched with a letter, by AIR-Bench's text and by its script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from audiometry.choices import LETTERED
from audiometry.choices.parsers import airbench, airbench_text
from audiometry.choices.variant import is_of_score
from audiometry.records import Item, ReplyRecord
from audiometry.score.counts import PlainMatching
from audiometry.score.opened import OpenedRun

_KEPT: Final = 256  # replies, as letters come again and again
TEXT: Final = "airbench-text"
SCRIPT: Final = "airbench-script"
RULES: Final = {
    TEXT: ("AIR-Bench's paper", "'B', 'B.' or 'B)' and no more"),
    SCRIPT: ("its script", "the first character, else the second to last"),
}
"""Who looks for a letter, and where. What the paper printed in table 4 stands beside the first."""
_CAME: Final = ""  # not a parser: counts every reply that came


class Matched:
    """Counts the replies to questions with options and their own clips that a parser matches (see `filling.Count`).

    Args:
        run: whose.
        reads: whether a reply, beside so many options, is matched.
    """

    def __init__(self, run: OpenedRun, reads: Callable[[str, int], bool]) -> None:
        self.n = 0
        self._reads, self._own = reads, [is_of_score(name) for name in run.info.variants]

    def among(self, replies: Sequence[tuple[int, ReplyRecord, Item]]) -> int:
        """How many they are."""
        own, reads, n = self._own, self._reads, 0
        for k, one, item in replies:
            if item.options and own[k] and one.error is None and one.text is not None:
                n += reads(one.text, len(item.options))
        return n


def matching(run: OpenedRun) -> dict[str, Matched]:
    """What counts the replies that plain matching reads: all that came, then by parser in the order of `RULES`."""
    lettered = run.info.prompt.style in LETTERED  # else there is nothing that they could read

    @lru_cache(_KEPT)
    def by_text(reply: str, n_options: int) -> bool:
        return lettered and airbench_text.read(reply, range(n_options)).letter is not None

    @lru_cache(_KEPT)
    def by_script(reply: str, _: int) -> bool:
        return lettered and airbench.read(reply).letter is not None

    return {
        _CAME: Matched(run, lambda _, __: True),
        TEXT: Matched(run, by_text),
        SCRIPT: Matched(run, by_script),
    }


def plain_matching(found: Mapping[str, Matched]) -> dict[str, PlainMatching]:
    """How many of the replies that came each parser reads a letter from.

    Args:
        found: what `matching` gave, once replies were looked at; none where nothing has options.
    """
    n = found[_CAME].n if found else 0
    return {
        name: PlainMatching(n_read=one.n, n_replies=n, share=one.n / n if n else None)
        for name, one in found.items()
        if name != _CAME
    }
