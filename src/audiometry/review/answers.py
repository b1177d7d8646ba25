"""What raters said, as a journal: every word of everybody is kept, and the last of a rater on a unit counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from audiometry.review.form import Said
from audiometry.review.unit import Unit


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of ``answers.jsonl``.

    Attributes:
        unit: key of what it is about.
        item, models: the same for people.
        content: hash of what was shown.
        rater: who says it.
        said: the answer; empty where one is taken back.
        order: the places, in the unit, of the options or replies in the order in which the rater saw them.
        undone: it takes the rater's earlier answer back.
        later: it is no answer: the rater left the unit for later.
        seconds: from the unit's appearance on the page to the answer, by the page's clock.
        at: UTC, ISO 8601.
    """

    unit: str
    item: str
    models: tuple[str, ...] = ()
    content: str
    rater: str
    said: Said = {}
    order: tuple[int, ...] = ()
    undone: bool = False
    later: bool = False
    seconds: float | None = None
    at: str


class Answers:
    """The answers that count.

    Args:
        units: that there are, by key; answers to others, or to what they held before, are passed over.
        lines: of the journal, in order.
        takes: whether a line is an answer about its unit.

    Attributes:
        passed_over: how many lines are about what is not there any more, or no answers.
    """

    def __init__(
        self,
        units: Mapping[str, Unit],
        lines: Iterable[Answer] = (),
        takes: Callable[[Unit, Answer], bool] = lambda _, __: True,
    ) -> None:
        self._contents = {key: unit.content for key, unit in units.items()}
        self._of: dict[str, dict[str, Answer]] = {key: {} for key in units}
        self._by: dict[str, dict[str, None]] = {}  # a rater's units in the order of their answers
        self._later: dict[tuple[str, str], int] = {}
        self.passed_over = 0
        for line in lines:
            if line.unit in units and takes(units[line.unit], line):
                self.take(line)
            else:
                self.passed_over += 1

    def take(self, line: Answer) -> None:
        """Have a line count."""
        if self._contents.get(line.unit) != line.content:
            self.passed_over += not (line.undone or line.later)
            return
        if line.later:
            self._later[line.rater, line.unit] = 1 + max(self._later.values(), default=0)
            return
        mine = self._by.setdefault(line.rater, {})
        mine.pop(line.unit, None)
        if line.undone:
            self._of[line.unit].pop(line.rater, None)
        else:
            mine[line.unit] = None
            self._of[line.unit][line.rater] = line

    def forget(self, rater: str) -> list[str]:
        """Have nothing of a rater count, nor what they left for later; the units that they had answered."""
        mine = [unit for unit in self._by.pop(rater, {}) if self._of[unit].pop(rater, None)]
        self._later = {of: at for of, at in self._later.items() if of[0] != rater}
        return mine

    def of(self, unit: str) -> list[Answer]:
        """What raters said of a unit, in the order in which they came to it."""
        return list(self._of[unit].values())

    def n(self, unit: str) -> int:
        """How many raters have answered a unit."""
        return len(self._of[unit])

    def by(self, rater: str, unit: str) -> Answer | None:
        """What a rater said of a unit."""
        return self._of[unit].get(rater)

    def all_by(self, rater: str) -> list[Answer]:
        """What a rater said, the last first."""
        return [self._of[unit][rater] for unit in reversed(self._by.get(rater, {}))]

    def last_of(self, rater: str) -> Answer | None:
        """The last answer of a rater."""
        mine = self._by.get(rater, {})
        return self._of[next(reversed(mine))][rater] if mine else None

    def put_off(self, rater: str, unit: str) -> int:
        """How late a rater wants to see a unit: 0 for those that they have not left for later, then in that order."""
        return self._later.get((rater, unit), 0)

    def count(self, rater: str) -> int:
        """How many units a rater has answered."""
        return len(self._by.get(rater, {}))

    @property
    def raters(self) -> list[str]:
        """Everybody whose answers count."""
        return sorted(rater for rater, mine in self._by.items() if mine)

    def __iter__(self) -> Iterator[Answer]:
        return (one for of in self._of.values() for one in of.values())

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))
