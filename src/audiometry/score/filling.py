"""Fills sheets: a run's replies and items are read once, whatever is made of them.

Replies are read some hundred at a time, by several processes where that takes long, so that memory holds numbers only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from audiometry.choices.parsers.muchomusic import BY_PLACE
from audiometry.choices.variant import shown_options
from audiometry.programs.parallel import LIGHT_S, mapped
from audiometry.records import Item, ReplyRecord, State, Task
from audiometry.score.columns import Columns, gold_of
from audiometry.score.gathered import Book, Found, parts_of, told_apart
from audiometry.score.items import KINDS, Fact, Facts
from audiometry.score.measures.measure import Measure
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome, Reader, as_shown, of_task
from audiometry.score.readers.choice import place_of_answer
from audiometry.score.replies import Replies
from audiometry.score.sheet import CODE, Sheet, Wanted

_UNGUESSED = frozenset({State.ANSWERED, State.NOT_ASKED})
_NAMED = frozenset({State.FAILED, State.UNJUDGED})  # states whose reason is kept
_CHUNK = 256  # replies read at a time
_Seen: TypeAlias = tuple[int, int, ReplyRecord | None, Item, tuple[str, ...], int, Fact]


class Count(Protocol):
    """Counts replies of a kind, beside what sheets are made of; ``n`` of them were seen."""

    n: int

    def among(self, replies: Sequence[tuple[int, ReplyRecord, Item]]) -> int:
        """How many of some replies, each with the column of its variant, are of that kind; another process may ask."""
        ...


def fill(run: OpenedRun, profile: Profile, measure: Measure) -> Sheet:
    """One run under one profile and one measure; for what needs no judge.

    Raises:
        RunFolderError: the run folder is damaged.
        UsageError: the measure gives what are no parts.
    """
    return fill_all(run, [Wanted(profile=profile, measure=measure, readers=profile.readers_for(measure))])[0]


def fill_all(
    run: OpenedRun,
    wanted: Sequence[Wanted],
    tags: Iterable[str] = (),
    counts: Sequence[Count] = (),
    replies: Replies | None = None,
) -> list[Sheet]:
    """Sheets of one run, its replies and items read once.

    Args:
        run: the run.
        wanted: the sheets.
        tags: of the items, kept for slices.
        counts: look at every reply that counts as well.
        replies: of the run, if somebody looks on as they are read.

    Raises:
        RunFolderError: the run folder is damaged.
        UsageError: a measure gives what are no parts.
    """
    replies = Replies(run) if replies is None else replies
    tasks = {name: run.benchmark.card.task_named(name) for name in run.benchmark.tasks()}
    gold = gold_of(run, tasks, [(one.measure, one.readers) for one in wanted])
    labels = {name: task.labels or gold.get(name, ()) for name, task in tasks.items() if task.kind == "label"}
    facts = Facts(run, tasks, gold, tags)
    columns = [Columns(one.measure, tasks, gold) for one in wanted]
    style = run.info.prompt.style
    readers = [{name: _readers(one, task, gold.get(name, ()), style) for name, task in tasks.items()} for one in wanted]
    read = _Reading(run, wanted, readers, columns, facts, labels, counts)
    books = [Book(run, one, its, replies.shape) for one, its in zip(wanted, columns, strict=True)]
    for count in counts:
        count.n = 0
    for rows, seen, found in mapped(read, _chunks(replies), chunk=1, light_s=_CHUNK * LIGHT_S):
        facts.put(*rows)
        for count, n in zip(counts, seen, strict=True):
            count.n += n
        for book, one in zip(books, found, strict=True):
            book.put(one)
    table = facts.table()
    return [book.sheet(table, labels) for book in books]


def _chunks(replies: Replies) -> Iterator[list[tuple[int, int, ReplyRecord | None]]]:
    """The replies that count, then the places without one, some hundred at a time."""
    missing = ((row, column, None) for row, column in _late(replies))
    every: Iterator[tuple[int, int, ReplyRecord | None]] = itertools.chain(replies, missing)
    while chunk := list(itertools.islice(every, _CHUNK)):
        yield chunk


def _late(replies: Replies) -> Iterator[tuple[int, int]]:
    """Asked for when the replies have been gone through, not before."""
    yield from replies.missing()


def _readers(wanted: Wanted, task: Task, gold: Sequence[str], style: str) -> list[Reader | None]:
    """The readers of a task, by the place of the kind; None where it is no part of the sheet."""
    if wanted.tasks is not None and task.name not in wanted.tasks:
        return [None] * len(KINDS)
    return [of_task(as_shown(wanted.readers.get(kind), style), task, gold) for kind in KINDS]


class _Reading:
    """Reads a chunk of replies for every sheet; without side effects that matter, so that processes may share it."""

    def __init__(
        self,
        run: OpenedRun,
        wanted: Sequence[Wanted],
        readers: Sequence[Mapping[str, Sequence[Reader | None]]],
        columns: Sequence[Columns],
        facts: Facts,
        labels: Mapping[str, tuple[str, ...]],
        counts: Sequence[Count],
    ) -> None:
        self._places = {name: {label: at for at, label in enumerate(these)} for name, these in labels.items()}
        self._run, self._wanted, self._readers, self._columns, self._facts = run, wanted, readers, columns, facts
        self._counts = counts
        self._told = bytearray(len(run.positions))

    def __call__(
        self, chunk: list[tuple[int, int, ReplyRecord | None]]
    ) -> tuple[tuple[list[int], list[Fact]], list[int], list[Found]]:
        run = self._run
        at, fact_of, positions = run.benchmark.items.at, self._facts.read, run.positions
        variants, seed = run.info.variants, run.info.seed
        seen: list[_Seen] = []
        rows: list[int] = []
        facts: list[Fact] = []
        before = chunk[0][0]
        item = at(positions[before])
        fact = fact_of(item)
        for row, column, reply in chunk:
            if row != before:  # else another variant of the same item
                item, before = at(positions[row]), row
                fact = fact_of(item)
            if not self._told[row]:
                self._told[row] = 1
                rows.append(row)
                facts.append(fact)
            shown = shown_options(item, seed=seed, variant=variants[column]) if item.options else ()
            came = reply is not None and reply.error is None
            worded = run.benchmark.asked(item, variants[column])
            seen.append((row, column, reply, worded, shown, self._right(item, shown) if came else -1, fact))
        came_in = [(column, reply, item) for _, column, reply, item, *_ in seen if reply is not None]
        counted = [count.among(came_in) for count in self._counts]
        return (rows, facts), counted, [self._one(number, seen) for number in range(len(self._wanted))]

    def _one(self, number: int, seen: Sequence[_Seen]) -> Found:
        wanted, readers, columns = self._wanted[number], self._readers[number], self._columns[number]
        rows: list[int] = []
        at: list[int] = []
        items: list[Item] = []
        outcomes: list[Outcome] = []
        letter: list[int] = []
        gold: list[int] = []
        option: list[int] = []
        guesses: list[tuple[int, Outcome]] = []
        blocked: list[int] = []
        for row, column, reply, item, shown, right, fact in seen:
            reader = readers[fact[1]][fact[0]]
            if reader is None or (wanted.with_reference and not fact[4]):
                continue
            said = wanted.words(reply, item, shown) if wanted.words is not None and reply is not None else ()
            outcome = reader.read(reply, item, shown, said)
            taken = outcome
            if wanted.profile.guess is not None and shown and outcome.state not in _UNGUESSED:
                taken = self._guessed(wanted.profile, column, item, shown)
                guesses.append((len(rows), taken))
            if reply is not None and outcome.state == State.REFUSED and reply.blocked:
                blocked.append(len(rows))
            rows.append(row)
            at.append(column)
            items.append(item)
            outcomes.append(outcome)
            letter.append(self._chosen(item, shown, outcome))
            gold.append(right)
            option.append(item.options.index(taken.read) if shown and taken.letter and taken.read else -1)
        return _found(wanted, columns, rows, at, items, outcomes, letter, gold, option, guesses, blocked)

    def _right(self, item: Item, shown: Sequence[str]) -> int:
        """The place of what is right among the options as shown, or the labels of the task; -1 for none."""
        if shown or item.task not in self._places:
            return place_of_answer(item, shown)
        return self._places[item.task].get(item.answer or "", -1)

    def _chosen(self, item: Item, shown: Sequence[str], outcome: Outcome) -> int:
        """The place of what was chosen, likewise."""
        if shown or item.task not in self._places:
            return ord(outcome.letter) - ord("A") if outcome.letter and outcome.how != BY_PLACE else -1
        return self._places[item.task].get(outcome.read or "", -1)

    def _guessed(self, profile: Profile, column: int, item: Item, shown: Sequence[str]) -> Outcome:
        info = self._run.info
        assert profile.guess is not None  # noqa: S101  for the type
        drawn = profile.guess(info.seed, item.id, info.variants[column], len(shown))
        place = ord(drawn) - ord("A")
        return Outcome(State.ANSWERED, shown[place] if place < len(shown) else None, letter=drawn)


def _found(
    wanted: Wanted,
    columns: Columns,
    rows: list[int],
    at: list[int],
    items: list[Item],
    outcomes: list[Outcome],
    letter: list[int],
    gold: list[int],
    option: list[int],
    guesses: list[tuple[int, Outcome]],
    blocked: list[int],
) -> Found:
    """The arrays of a chunk; the measure is asked for its parts here, unless it wants all outcomes at once."""
    n, state = len(rows), np.array([CODE[outcome.state] for outcome in outcomes], np.int8)
    guessed = np.zeros(n, np.bool_)
    guessed[[k for k, _ in guesses]] = True
    uncounted: list[int] = []
    why = [(k, one.how) for k, one in enumerate(outcomes) if one.state in _NAMED]
    at_once = getattr(wanted.measure, "at_once", False)
    parts = np.zeros((n, columns.widest))
    if n and not at_once:
        parts, uncounted = parts_of(wanted.measure, columns, items, outcomes, state, why)
        if guesses:
            drawn, read = [items[k] for k, _ in guesses], [one for _, one in guesses]
            unheard = np.zeros(len(drawn), np.int8)  # what was drawn leaves the state as it is
            parts[[k for k, _ in guesses]] = parts_of(wanted.measure, columns, drawn, read, unheard, [])[0]
    kept, different = told_apart(columns, items, parts) if columns.shared and not at_once else (parts, [])
    return Found(
        rows=np.array(rows, np.int64),
        columns=np.array(at, np.int64),
        state=state,
        letter=np.array(letter, np.int32),
        gold=np.array(gold, np.int32),
        option=np.array(option, np.int8),
        guessed=guessed,
        parts=kept,
        different=different,
        uncounted=uncounted,
        why=why,
        blocked=blocked,
        outcomes=outcomes if at_once or wanted.outcomes is not None else [],
    )
