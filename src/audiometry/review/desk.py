"""The desk: hands units to raters so that each unit has as many as it needs, and keeps what they say."""

from __future__ import annotations

import hmac
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

import msgspec

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.files import foreign
from audiometry.records.reply import now
from audiometry.review.answers import Answer, Answers
from audiometry.review.form import Form, checked
from audiometry.review.modes.mode import Mode
from audiometry.review.unit import Unit

AWAY_S: Final = 1800.0
"""Seconds without a sign of a rater after which the unit that they have begun is handed to others."""
IDLE_S: Final = 300.0
"""The same of a unit that they have only been shown: who opens the page and goes keeps nobody waiting for long."""

_LONGEST_S: Final = 86_400.0


class Kept(Protocol):
    """Where answers are kept: `audiometry.files.journal.Journal`."""

    def append(self, record: Answer) -> Answer:
        """Keep an answer, and give it as it was kept."""
        ...

    def leave_out(self, unwanted: Callable[[bytes], bool]) -> int:
        """Remove lines, and give how many."""
        ...


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a review is: of all units, and for one rater.

    Attributes:
        done, units: units that have all the answers they need, of how many.
        mine: how many this rater has answered.
        left: how many are still there for this rater.
    """

    done: int
    units: int
    mine: int
    left: int


class _Hold(msgspec.Struct):
    """What a rater has before them: since when, on which visit of their page, and whether they have begun with it."""

    key: str
    since: float
    visit: int
    begun: bool = False
    left: bool = False


class Desk:
    """Hands out units and keeps answers.

    A rater gets the first in an order of their own, drawn by seed and name, so that nobody's fatigue falls on the same
    units as another's; where more raters come than each unit is to have, what others have begun is first. What somebody
    has before them is not given to another, unless they went away.

    Args:
        mode: what is asked.
        units: that there are.
        raters: how many each unit is to have.
        seed: of the orders.
        salt: goes into the orders and the addresses.
        journal: keeps every answer.
        lines: what it holds already.
        clock: seconds, for who went away.
    """

    def __init__(
        self,
        mode: Mode,
        units: Iterable[Unit],
        *,
        raters: int,
        seed: int,
        salt: str = "",
        journal: Kept,
        lines: Iterable[Answer] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.mode, self.raters, self._seed, self._salt = mode, raters, seed, salt
        self.units = {unit.key: unit for unit in units}
        self.answers = Answers(self.units, lines, mode.takes)
        self._journal, self._clock = journal, clock
        self._held: dict[str, _Hold] = {}
        self._visits = 0
        self._missing = {key: self._wanted(key) for key in self.units}
        self._orders: dict[str, list[str]] = {}

    def next(self, rater: str) -> Unit | None:
        """What a rater has before them: the same until it is answered; None where nothing is left for them."""
        hold = self._held.get(rater)
        key = hold.key if hold is not None else ""
        if (
            hold is None
            or self.answers.by(rater, key) is not None
            or (not self._is_there(hold) and self._missing[key] <= self._soon(rater)[key])
        ):
            left = self._open_to(rater)
            many = len(self._orders.keys() | set(self.answers.raters)) > self.raters

            def place(one: str) -> tuple[int, int]:
                return self.answers.put_off(rater, one), self._begun(one) if many else 0

            key = min(left, key=place, default="")
        if not key:
            self._held.pop(rater, None)
            return None
        self._hold(rater, key)
        return self.units[key]

    def _hold(self, rater: str, key: str) -> None:
        before = self._held.get(rater)
        self._visits += 1
        begun = before is not None and before.key == key and before.begun
        self._held[rater] = _Hold(key, self._clock(), self._visits, begun)

    def visit(self, rater: str) -> int:
        """Number of the visit on which a rater was given what they have before them."""
        return hold.visit if (hold := self._held.get(rater)) is not None else 0

    def begin(self, rater: str, key: str) -> None:
        """A sign of a rater: they hear the unit that they have before them, or say something of it."""
        if (hold := self._held.get(rater)) is not None and hold.key == key:
            hold.begun, hold.since = True, self._clock()

    def leave(self, rater: str, visit: int) -> None:
        """Let others have what a rater was given on a visit, and left without a word; back soon, they find it again."""
        if (hold := self._held.get(rater)) is not None and hold.visit == visit:
            hold.left = True

    def later(self, rater: str) -> None:
        """Put what a rater has before them behind all else that is left for them.

        Raises:
            StorageError: the disk refused; nothing has changed.
        """
        if (hold := self._held.get(rater)) is not None:
            self._keep(self.units[hold.key], rater, later=True)
            self._held.pop(rater)

    def order(self, unit: Unit, rater: str) -> tuple[int, ...]:
        """The order in which a rater sees the parts of a unit whose order is drawn: one's own, and always the same."""
        parts = range(self.mode.parts(unit))
        return tuple(seeds.stream(self._seed, "review order", rater, unit.key, self._salt).shuffled(parts))

    def address(self, unit: Unit, rater: str) -> str:
        """What a rater's page calls a unit: nobody else's page does, and it is another where what is judged changed."""
        told = f"{rater}\0{unit.key}\0{unit.content}"
        return hmac.digest(self._salt.encode(), told.encode(), "sha256").hex()[:16]

    def at(self, address: str, rater: str) -> Unit:
        """The unit that a rater's page calls so.

        Raises:
            UsageError: none is what that page showed.
        """
        first = [self.units[self._held[rater].key]] if rater in self._held else []
        for unit in (*first, *self.units.values()):
            if self.address(unit, rater) == address:
                return unit
        raise UsageError("what this page shows is not what is asked now; nothing was kept: load the page again")

    def form(self, unit: Unit, rater: str) -> Form:
        """What a rater is asked about a unit."""
        return self.mode.form(unit, self.order(unit, rater))

    def put(self, rater: str, key: str, said: Mapping[str, str | list[str]], seconds: float | None = None) -> None:
        """Keep an answer; one that was kept already, as of a page that is sent twice, is not kept again.

        Raises:
            UsageError: the answer is none.
            StorageError: the disk refused; nothing has changed.
        """
        unit = self.units[key]
        kept = checked(self.form(unit, rater), said)
        if why := self.mode.flaw(unit, kept):
            raise UsageError(why)
        before = self.answers.by(rater, key)
        if before is not None and before.said == kept:
            return
        took = seconds if seconds is not None and 0 <= seconds <= _LONGEST_S else None
        self._keep(unit, rater, said=kept, order=self.order(unit, rater), seconds=took)
        if rater in self._held and self._held[rater].key == key:
            self._held.pop(rater)

    def undo(self, rater: str) -> tuple[Unit, Answer] | None:
        """Take a rater's last answer back and put it before them again; None where there is none."""
        last = self.answers.last_of(rater)
        if last is None:
            return None
        unit = self.units[last.unit]
        self._keep(unit, rater, undone=True)
        self._hold(rater, last.unit)
        self.begin(rater, last.unit)
        return unit, last

    def forget(self, rater: str) -> None:
        """Remove all that a rater said, from the journal too.

        Raises:
            StorageError: the disk refused; nothing has changed.
        """
        self._journal.leave_out(lambda line: foreign.json(line, Answer).rater == rater)
        for key in self.answers.forget(rater):
            self._missing[key] = self._wanted(key)
        self._held.pop(rater, None)

    def progress(self, rater: str) -> Progress:
        """How far it is."""
        return Progress(
            done=sum(not missing for missing in self._missing.values()),
            units=len(self.units),
            mine=self.answers.count(rater),
            left=len(self._open_to(rater)),
        )

    @property
    def missing(self) -> int:
        """How many answers are still to be given."""
        return sum(self._missing.values())

    def _keep(self, unit: Unit, rater: str, **fields: object) -> None:
        line = Answer(
            unit=unit.key,
            item=unit.item.id,
            models=unit.models,
            content=unit.content,
            rater=rater,
            at=now(),
            **fields,  # type: ignore[arg-type]  # checked where they are made
        )
        self.answers.take(self._journal.append(line))
        self._missing[unit.key] = self._wanted(unit.key)

    def _wanted(self, key: str) -> int:
        return self.mode.wanted(self.units[key], self.answers.of(key), self.raters)

    def _is_there(self, hold: _Hold) -> bool:
        return not hold.left and self._clock() - hold.since < (AWAY_S if hold.begun else IDLE_S)

    def _soon(self, rater: str) -> Counter[str]:
        """How many others have each unit before them now."""
        return Counter(
            hold.key
            for who, hold in self._held.items()
            if who != rater and self._is_there(hold) and self.answers.by(who, hold.key) is None
        )

    def _open_to(self, rater: str) -> list[str]:
        """Units that need somebody beside those who have them before them now, in the rater's order."""
        if rater not in self._orders:
            order = seeds.stream(self._seed, "review units", rater, self._salt)
            drawn = order.shuffled(sorted(self.units))  # wordings first, since items ask in them
            self._orders[rater] = sorted(drawn, key=lambda key: not self.units[key].given)
        missing, soon, by = self._missing, self._soon(rater), self.answers.by
        return [key for key in self._orders[rater] if missing[key] > soon[key] and by(rater, key) is None]

    def _begun(self, key: str) -> int:
        """How much of a unit is done, the most first."""
        return self._missing[key] - self.answers.n(key)
