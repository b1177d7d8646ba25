"""Which option is taken for which, in tasks of which all questions have the same options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from audiometry.records import Item
from audiometry.report.naming import FEW, LONGEST
from audiometry.report.parts import Part
from audiometry.report.record_row import NOT_ASKED, Kept
from audiometry.report.views.confusion import MOST_LABELS
from audiometry.score.counts import Confusion
from audiometry.score.result import Scored

MOST_MATRICES: Final = 200
"""Of tasks by runs, in a page."""

_UNMADE = frozenset({"failed", NOT_ASKED, "unjudged"})  # no reply came, or nobody has read it


class Taken:
    """Counts replies by right and chosen option while items are gone through for another reason.

    Of fewer replies than there are options, and of options that are no names of classes, nothing is shown.

    Args:
        runs: how many there are; of very many nothing is counted, as nobody looks at a matrix of each. For the same
            reason, and as each takes 15 kB of the page, nothing is shown of more than `MOST_MATRICES`.
    """

    def __init__(self, runs: int) -> None:
        self._few, self._runs = runs <= FEW, runs
        self._item: Item | None = None
        self._counted = False
        self._options: dict[str, frozenset[str]] = {}  # by task; none where questions have others
        self._counts: dict[str, Counter[tuple[int, str, str]]] = {}

    def see(self, item: Item, run: int, kept: Kept) -> None:
        """Count a reply with its own clip; those that did not come, and those to open questions, are passed over."""
        if item is not self._item:  # of several runs and variants it comes several times
            self._item, self._counted = item, self._few and self._alike(item)
        if self._counted and kept.verdict not in _UNMADE:
            place = kept.chosen
            shown = kept.order[place] if kept.order and 0 <= place < len(kept.order) else place
            read = item.options[shown] if 0 <= shown < len(item.options) else ""
            self._counts.setdefault(item.task, Counter())[run, item.answer or "", read] += 1

    def _alike(self, item: Item) -> bool:
        """Whether all questions of its task so far have its options, of which its answer is one."""
        known = self._options.get(item.task)
        if known == frozenset():
            return False
        options = frozenset(item.options)
        if known is None and 0 < len(options) <= MOST_LABELS and max(map(len, options)) <= LONGEST:
            known = self._options[item.task] = options
        if known != options:
            self._options[item.task] = frozenset()
            self._counts.pop(item.task, None)
        return known == options and item.answer in options

    def into(self, parts: Sequence[Part]) -> list[Part]:
        """The parts of a page, with the counts among what the scores of choices alone have."""
        return [
            msgspec.structs.replace(part, scored=tuple(self._with(n, one) for n, one in enumerate(part.scored)))
            if part.choice
            else part
            for part in parts
        ]

    def _with(self, run: int, scored: Scored | None) -> Scored | None:
        if scored is None:
            return None
        found = {task: self._of(task, run) for task in self._counts if task in scored.tasks}
        found = {task: one for task, one in found.items() if sum(map(sum, one.counts)) >= len(one.labels)}
        if len(found) * self._runs > MOST_MATRICES:
            return scored
        extras = msgspec.structs.replace(scored.extras, confusion=scored.extras.confusion | found)
        return msgspec.structs.replace(scored, extras=extras)

    def _of(self, task: str, run: int) -> Confusion:
        counts = self._counts[task]
        names = sorted(self._options[task], key=lambda one: (len(one) if one.isdecimal() else 0, one))
        return Confusion(
            labels=tuple(names),
            counts=tuple(tuple(counts[run, right, read] for read in names) for right in names),
            without_label=tuple(counts[run, right, ""] for right in names),
        )
