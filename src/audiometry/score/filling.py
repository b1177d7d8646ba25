"""Fills sheets: a run's replies and items are read once, whatever is made of them.

Replies are read some hundred at a time, by several processes where that takes long, so that memory holds numbers only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices.variant import shown_options
from audiometry.programs.parallel import LIGHT_S, mapped
from audiometry.records import Item, ReplyRecord, State, Task
from audiometry.score.items import KINDS, Bools, Fact, Facts, Floats, ItemTable
from audiometry.score.measures import Measure, checked, takes_scores
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome, as_shown
from audiometry.score.readers.choice import place_of_answer
from audiometry.score.replies import Replies
from audiometry.score.sheet import CODE, LOST, UNPLANNED, Places, Sheet, Wanted

_CAME = frozenset({State.ANSWERED, State.UNANSWERED, State.REFUSED, State.EMPTY})
_UNGUESSED = frozenset({State.ANSWERED, State.NOT_ASKED})
_NAMED = frozenset({State.FAILED, State.UNJUDGED})  # states whose reason is kept
_CHUNK = 256  # replies read at a time
_Seen: TypeAlias = tuple[int, int, ReplyRecord | None, Item, tuple[str, ...], Fact]


def fill(run: OpenedRun, profile: Profile, measure: Measure) -> Sheet:
    """One run under one profile and one measure; for what needs no judge.

    Raises:
        RunFolderError: the run folder is damaged.
        UsageError: the measure gives what are no parts.
    """
    return fill_all(run, [Wanted(profile=profile, measure=measure, readers=profile.readers_for(measure))])[0]


def fill_all(run: OpenedRun, wanted: Sequence[Wanted], tags: Iterable[str] = ()) -> list[Sheet]:
    """Sheets of one run, its replies and items read once.

    Args:
        run: the run.
        wanted: the sheets.
        tags: of the items, kept for slices.

    Raises:
        RunFolderError: the run folder is damaged.
        UsageError: a measure gives what are no parts.
    """
    replies = Replies(run)
    facts = Facts(run, tags)
    columns = [one.measure.columns(Task(name=""), ()) for one in wanted]
    read = _Reading(run, wanted, columns, facts)
    books = [_Book(run, one, its, replies.shape) for one, its in zip(wanted, columns, strict=True)]
    for rows, found in mapped(read, _chunks(replies), chunk=1, light_s=_CHUNK * LIGHT_S):
        for row, fact in rows:
            facts.put(row, fact)
        for book, one in zip(books, found, strict=True):
            book.put(one)
    table = facts.table()
    return [book.sheet(table) for book in books]


def _chunks(replies: Replies) -> Iterator[list[tuple[int, int, ReplyRecord | None]]]:
    """The replies that count, then the places without one, some hundred at a time."""
    missing = ((row, column, None) for row, column in _late(replies))
    every: Iterator[tuple[int, int, ReplyRecord | None]] = itertools.chain(replies, missing)
    while chunk := list(itertools.islice(every, _CHUNK)):
        yield chunk


def _late(replies: Replies) -> Iterator[tuple[int, int]]:
    """Asked for when the replies have been gone through, not before."""
    yield from replies.missing()


class _Found(msgspec.Struct, frozen=True, array_like=True):
    """What one sheet takes from a chunk of replies; columns of m places."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    state: Places
    letter: Places
    gold: Places
    guessed: Bools
    parts: Floats
    uncounted: list[int]
    why: list[tuple[int, str]]
    blocked: list[int]
    outcomes: list[Outcome]


class _Reading:
    """Reads a chunk of replies for every sheet; without side effects that matter, so that processes may share it."""

    def __init__(
        self, run: OpenedRun, wanted: Sequence[Wanted], columns: Sequence[Sequence[str]], facts: Facts
    ) -> None:
        self._run, self._wanted, self._columns, self._facts = run, wanted, columns, facts
        style = run.info.prompt.style
        self._readers = [[as_shown(one.readers.get(kind), style) for kind in KINDS] for one in wanted]
        self._told = bytearray(len(run.positions))

    def __call__(self, chunk: list[tuple[int, int, ReplyRecord | None]]) -> tuple[list[tuple[int, Fact]], list[_Found]]:
        run, facts = self._run, []
        at, variants, seed = run.benchmark.items.at, run.info.variants, run.info.seed
        seen: list[_Seen] = []
        for row, column, reply in chunk:
            item = at(run.positions[row])
            row_and_fact = self._facts.read(row, item)
            if not self._told[row]:
                self._told[row] = 1
                facts.append(row_and_fact)
            shown = shown_options(item.id, item.options, seed=seed, variant=variants[column]) if item.options else ()
            seen.append((row, column, reply, item, shown, row_and_fact[1]))
        return facts, [self._one(number, seen) for number in range(len(self._wanted))]

    def _one(self, number: int, seen: Sequence[_Seen]) -> _Found:
        wanted, readers, columns = self._wanted[number], self._readers[number], self._columns[number]
        rows: list[int] = []
        at: list[int] = []
        items: list[Item] = []
        outcomes: list[Outcome] = []
        letter: list[int] = []
        gold: list[int] = []
        guesses: list[tuple[int, Outcome]] = []
        blocked: list[int] = []
        for row, column, reply, item, shown, fact in seen:
            reader = readers[fact[0]]
            if reader is None or (wanted.with_reference and not fact[4]):
                continue
            said = wanted.words(reply, item, shown) if wanted.words is not None and reply is not None else ()
            outcome = reader.read(reply, item, shown, said)
            if wanted.profile.guess is not None and shown and outcome.state not in _UNGUESSED:
                guesses.append((len(rows), self._guessed(wanted.profile, column, item, shown)))
            if reply is not None and outcome.state == State.REFUSED and reply.blocked:
                blocked.append(len(rows))
            rows.append(row)
            at.append(column)
            items.append(item)
            outcomes.append(outcome)
            letter.append(ord(outcome.letter) - ord("A") if outcome.letter else -1)
            gold.append(place_of_answer(item, shown) if reply is not None and reply.error is None else -1)
        return _found(wanted, columns, rows, at, items, outcomes, letter, gold, guesses, blocked)

    def _guessed(self, profile: Profile, column: int, item: Item, shown: Sequence[str]) -> Outcome:
        info = self._run.info
        assert profile.guess is not None  # noqa: S101  for the type
        drawn = profile.guess(info.seed, item.id, info.variants[column], len(shown))
        place = ord(drawn) - ord("A")
        return Outcome(State.ANSWERED, shown[place] if place < len(shown) else None, letter=drawn)


def _found(
    wanted: Wanted,
    columns: Sequence[str],
    rows: list[int],
    at: list[int],
    items: list[Item],
    outcomes: list[Outcome],
    letter: list[int],
    gold: list[int],
    guesses: list[tuple[int, Outcome]],
    blocked: list[int],
) -> _Found:
    """The arrays of a chunk; the measure is asked for its parts here, unless it wants all outcomes at once."""
    n, state = len(rows), np.array([CODE[outcome.state] for outcome in outcomes], np.int8)
    guessed = np.zeros(n, np.bool_)
    guessed[[k for k, _ in guesses]] = True
    uncounted: list[int] = []
    why = [(k, one.how) for k, one in enumerate(outcomes) if one.state in _NAMED]
    at_once = getattr(wanted.measure, "at_once", False)
    parts = np.zeros((n, len(columns)))
    if n and not at_once:
        parts, uncounted = _parts(wanted.measure, columns, items, outcomes, state, why)
        if guesses:
            drawn = [items[k] for k, _ in guesses]
            found = wanted.measure.parts(drawn, [one for _, one in guesses], columns)
            parts[[k for k, _ in guesses]] = checked(wanted.measure, found, len(drawn), columns).parts
    return _Found(
        rows=np.array(rows, np.int64),
        columns=np.array(at, np.int64),
        state=state,
        letter=np.array(letter, np.int8),
        gold=np.array(gold, np.int8),
        guessed=guessed,
        parts=parts,
        uncounted=uncounted,
        why=why,
        blocked=blocked,
        outcomes=outcomes if at_once else [],
    )


def _parts(
    measure: Measure,
    columns: Sequence[str],
    items: Sequence[Item],
    outcomes: Sequence[Outcome],
    state: Places,
    why: list[tuple[int, str]],
) -> tuple[Floats, list[int]]:
    """Parts, and the rows that do not count; what came and could not be measured is unjudged, with its reason."""
    found = checked(measure, measure.parts(items, outcomes, columns), len(items), columns)
    for row, failure in found.failures.items():
        if outcomes[row].state in _CAME and (outcomes[row].scores or not takes_scores(measure)):
            state[row] = CODE[State.UNJUDGED]
            why.append((row, failure.kind))
    return found.parts, list(found.failures)


class _Book:
    """What one sheet has found so far."""

    def __init__(self, run: OpenedRun, wanted: Wanted, columns: tuple[str, ...], shape: tuple[int, int]) -> None:
        self._run, self._wanted, self._columns = run, wanted, columns
        self._state = np.full(shape, UNPLANNED, np.int8)
        self._letter, self._gold = np.full(shape, -1, np.int8), np.full(shape, -1, np.int8)
        self._guessed, self._counted = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self._parts = np.zeros((*shape, len(columns)))
        self._why: dict[tuple[int, int], str] = {}
        self._blocked: set[tuple[int, int]] = set()
        self._outcomes: dict[tuple[int, int], Outcome] = {}

    def put(self, found: _Found) -> None:
        """Take over what a chunk of replies gave."""
        rows, columns = found.rows, found.columns
        places = list(zip(rows.tolist(), columns.tolist(), strict=True))
        self._state[rows, columns], self._parts[rows, columns] = found.state, found.parts
        self._letter[rows, columns], self._gold[rows, columns] = found.letter, found.gold
        self._guessed[rows, columns] = found.guessed
        counted = found.state != CODE[State.NOT_ASKED]
        if self._wanted.profile.denominator == "readable" and not takes_scores(self._wanted.measure):
            counted = found.state == CODE[State.ANSWERED]
        counted[found.uncounted] = False
        self._counted[rows, columns] = counted
        self._why |= {places[k]: why for k, why in found.why}
        self._blocked |= {places[k] for k in found.blocked}
        self._outcomes |= dict(zip(places, found.outcomes, strict=False))

    def sheet(self, table: ItemTable) -> Sheet:
        """The sheet of the items that the measure fits."""
        wanted = self._wanted
        if self._outcomes:
            self._measure_all(table)
        self._parts[~self._counted] = 0.0
        fits = np.isin(table.kind, [KINDS.index(kind) for kind in wanted.readers])
        rows = fits & table.reference if wanted.with_reference else fits
        left_out = {"another kind of task": int((~fits).sum()), "no reference": int((fits & ~rows).sum())}
        state = self._state[rows]
        items = table.of(rows)
        worst, best = self._ends(items, state)
        kept = {old: new for new, old in enumerate(np.flatnonzero(rows).tolist())}
        return Sheet(
            run=self._run,
            profile=wanted.profile,
            measure=wanted.measure,
            items=items,
            variants=self._run.info.variants,
            state=state,
            parts=self._parts[rows],
            counted=self._counted[rows],
            worst=worst,
            best=best,
            letter=self._letter[rows],
            gold=self._gold[rows],
            guessed=self._guessed[rows],
            why={(kept[row], column): why for (row, column), why in self._why.items()},
            blocked=frozenset((kept[row], column) for row, column in self._blocked),
            left_out={why: n for why, n in left_out.items() if n},
        )

    def _measure_all(self, table: ItemTable) -> None:
        """Have a measure that wants everything at once measure the outcomes that count."""
        at = self._run.benchmark.items.at
        places = sorted(self._outcomes)
        outcomes = [self._outcomes[place] for place in places]
        rows, columns = (np.array(codes, np.int64) for codes in zip(*places, strict=True))
        items = [at(int(table.position[row])) for row, _ in places]
        state = self._state[rows, columns]
        why: list[tuple[int, str]] = []
        parts, uncounted = _parts(self._wanted.measure, self._columns, items, outcomes, state, why)
        self._state[rows, columns], self._parts[rows, columns] = state, parts
        self._counted[rows[uncounted], columns[uncounted]] = False
        self._why |= {places[k]: kind for k, kind in why}

    def _ends(self, items: ItemTable, state: Places) -> tuple[Floats | None, Floats | None]:
        """Parts of the worst and the best reply in the places that are lost."""
        rows = np.nonzero(np.isin(state, LOST))[0]
        at = self._run.benchmark.items.at
        ends = self._wanted.measure.ends([at(int(items.position[row])) for row in rows], self._columns)
        return (None, None) if ends is None else ends
