"""The conversation with a metric program: what is asked, what is answered, and what to do when it ends early."""

from __future__ import annotations

import asyncio
import contextlib
import math
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from audiometry.dispatch.waiting import PROCESS
from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign
from audiometry.files.rating_lines import LARGEST
from audiometry.programs.lines import Line
from audiometry.programs.lives import Lives
from audiometry.programs.program import End, Program
from audiometry.programs.terms import Terms
from audiometry.records import Failure
from audiometry.score.measures.references import Watch, unwatched

WINDOW: Final = 32  # questions under way; one at a time once it has ended early, to find out which did it
WRONG: Final = 3  # lines in JSON that answer nothing, before any that does: it speaks, and not as it has to

_DUMB: Final = frozenset({"stuck", "not-json"})  # kinds of ends of a program that ran and answered nothing


class Introduction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a program says of itself; all of it optional but ``metric``.

    Attributes:
        metric, version: names of what it computes.
        higher_is_better: the direction of its scores.
        lowest, highest: the ends of its scale; of one whose upper end alone is stated the lower one is 0; neither: any
            number goes.
        unit: what a score counts.
    """

    metric: str = ""
    version: str = ""
    higher_is_better: bool = True
    lowest: Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)] | None = None
    highest: Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)] | None = None
    unit: str = ""

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The ends of its scale."""
        return (0.0 if self.lowest is None and self.highest is not None else self.lowest), self.highest


class Answers(msgspec.Struct, frozen=True):
    """All that a program said.

    Attributes:
        scores: by question, a number or why there is none.
        itself: its introduction, or the defaults.
    """

    scores: dict[str, float | Failure]
    itself: Introduction


Keep: TypeAlias = Callable[[str, float, Introduction], None]
"""Told every score as it comes: of which question, and what the program had said of itself."""


def unkept(question: str, score: float, itself: Introduction) -> None:
    """For whoever keeps nothing."""


def ask(terms: Terms, lines: Mapping[str, bytes], watch: Watch = unwatched, keep: Keep = unkept) -> Answers:
    """Put every line to a program; started again where it ends early, given up where that is of no use.

    Args:
        terms: what to start, and how long to wait for an answer.
        lines: by question, what is sent.
        watch: told how it goes.
        keep: takes scores as they come.

    Raises:
        UsageError: it cannot be started, or introduces itself wrongly.
    """
    if not lines:
        return Answers({}, Introduction())
    with tempfile.TemporaryDirectory(prefix="audiometry-metric-") as folder:
        return asyncio.run(_Conversation(terms, Path(folder), lines, watch, keep).held())


class _Conversation:
    def __init__(self, terms: Terms, folder: Path, lines: Mapping[str, bytes], watch: Watch, keep: Keep) -> None:
        self._terms, self._lines, self._watch, self._keep = terms, lines, watch, keep
        self._waiting = deque(lines)
        self._under_way: dict[str, None] = {}
        self._scores: dict[str, float | Failure] = {}
        self._itself: Introduction | None = None
        self._fault, self._failed, self._wrong = "", 0, 0
        self._lives = Lives(terms, folder, self._hear)
        self._news: asyncio.Future[None] | None = None
        self._ready = False

    async def held(self) -> Answers:
        why: Failure | None = None
        try:
            while self._waiting and why is None:
                why = await self._life()
        finally:
            PROCESS.begin("")
        if why is not None:
            self._scores.update(dict.fromkeys(self._waiting, why))
        return Answers(self._scores, self._itself or Introduction())

    async def _life(self) -> Failure | None:
        """One life of the program; afterwards nothing is under way.

        Returns:
            Why it is given up, if it is.
        """
        self._ready, self._wrong = False, 0
        self._news = asyncio.get_running_loop().create_future()
        PROCESS.begin(f"waiting for {self._terms.called} to answer")
        try:
            program = await self._lives.begin()
        except OSError as problem:
            raise UsageError(f"{self._terms.called} cannot be started: {problem.strerror}") from problem
        try:
            while not program.ended.done() and self._send(program):
                await self._next(program)
        finally:
            if not program.ended.done():
                await program.leave()
        if self._fault:
            raise UsageError(f"{self._terms.called}: {self._fault}")
        return self._mourned(program.ended.result()) if self._under_way or self._waiting else None

    def _send(self, program: Program) -> bool:
        """Ask as much as may be under way; whether anything is."""
        most = 1 if self._lives.endurance.careful else WINDOW
        while self._waiting and len(self._under_way) < most:
            key = self._waiting.popleft()
            self._under_way[key] = None
            program.send(self._lines[key])
        return bool(self._under_way)

    async def _next(self, program: Program) -> None:
        """Wait for an answer, the program's end, or the end of patience."""
        self._news = asyncio.get_running_loop().create_future()
        ready = self._ready or self._lives.replies > 0
        patience = self._terms.timeout_s if ready else self._terms.start_s
        left = self._lives.heard + patience - time.monotonic()
        either: set[asyncio.Future[Any]] = {self._news, program.ended}
        await asyncio.wait(either, timeout=max(0.0, left), return_when=asyncio.FIRST_COMPLETED)
        if not self._news.done() and not program.ended.done():
            option = "timeout" if ready else "start"
            program.kill(
                f"gave no answer for {patience:g} s and was ended; if it needs longer, add ?{option}=SECONDS", "stuck"
            )
            await program.ended

    def _mourned(self, end: End) -> Failure | None:
        """Draw conclusions from an end that came too early: who is to blame, and whether to go on."""
        asked = list(self._under_way)
        self._under_way.clear()
        self._lives.ended(asked)
        hopeless = end.kind in _DUMB and not self._scores and self._lives.aside.count >= min(WRONG, len(asked))
        said = f"{self._terms.called} {end}"
        told = "; ".join(filter(None, [said, self._terms.missed(said), self._lives.aside.take()]))
        failure = Failure(kind=end.kind, message=told)
        for key in asked:
            if self._lives.endurance.to_blame(key):
                self._take(key, failure)
        self._waiting.extendleft(key for key in reversed(asked) if key not in self._scores)
        return failure if hopeless or self._lives.endurance.exhausted else None

    def _hear(self, line: Line) -> bool:
        """A line of the program's standard output; whether it meant something."""
        found = _read(line)
        said = found if isinstance(found, dict) else {}
        key = said.get("item")
        if isinstance(key, str) and key in self._under_way:
            del self._under_way[key]
            self._take(key, self._judged(said))
            self._lives.answered()
        elif "item" not in said and isinstance(said.get("metric"), str):
            self._ready = True
            self._meet(said)
        else:
            self._doubt(found)
            return False
        PROCESS.begin(PROCESS.what)
        if self._news is not None and not self._news.done():
            self._news.set_result(None)
        return True

    def _doubt(self, said: Any) -> None:
        """Something in JSON that answers nothing: a few of them before any answer, and the program is ended."""
        meant = said is not None and (not isinstance(said, dict) or not said.keys().isdisjoint({"item", "score"}))
        self._wrong += meant and not self._scores
        if self._wrong >= min(WRONG, len(self._lines)) and self._lives.program is not None:
            self._lives.program.kill('was ended, since an answer reads {"item": …, "score": …}', "not-json")

    def _take(self, key: str, score: float | Failure) -> None:
        self._scores[key] = score
        if isinstance(score, Failure):
            self._failed += 1
        else:
            self._keep(key, score, self._itself or Introduction())
        self._watch(len(self._scores) - self._failed, self._failed, len(self._lines))

    def _meet(self, said: dict[str, Any]) -> None:
        """Keep what the program says of itself the first time; later lives say it again."""
        if self._itself is not None:
            return
        try:
            itself = foreign.convert(said, Introduction, strict=True)
        except UndecodableError as problem:
            self._fault = f"what it says of itself is wrong: {problem}"
        else:
            low, high = itself.range
            if low is None or high is None or high - low > 1 / LARGEST:
                self._itself = itself
                return
            self._fault = f"what it says of itself is wrong: its highest score is {high:g} and its lowest {low:g}"
            self._fault += "" if itself.lowest is not None else ", as it does not say `lowest`"
        if self._lives.program is not None:
            self._lives.program.kill("was ended")

    def _judged(self, said: dict[str, Any]) -> float | Failure:
        if "error" in said:
            return Failure(kind="program", message=shown(str(said["error"]), 200) or "no reason given")
        raw = said.get("score")
        score = usable(raw)
        if score is None:
            return Failure(kind="not-a-number", message=f"score {shown(repr(raw), 60)} is not a finite number")
        if abs(score) > LARGEST:
            return Failure(kind="out-of-range", message=f"score {score:g} is beyond any scale")
        low, high = (self._itself or Introduction()).range
        if (low is not None and score < low) or (high is not None and score > high):
            ends = f"between {low:g} and the stated {high:g}" if high is not None else f"{low:g} or more, as it stated"
            return Failure(kind="out-of-range", message=f"score {score:g} is not {ends}")
        return score


def _read(line: Line) -> Any:
    """What a line says in JSON, NaN and infinities included; None if it is none."""
    with contextlib.suppress(UndecodableError):
        return foreign.loose_json(line.data) if line.whole else None
    return None


def usable(score: Any) -> float | None:
    """A finite number, as a float; None for anything else.

    >>> usable(1), usable(float("nan")), usable("0.5"), usable(True), usable(10**400)
    (1.0, None, None, None, None)
    """
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    try:
        found = float(score)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
