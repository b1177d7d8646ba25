"""What a sheet is gathered from: the states and parts of replies, chunk by chunk, and at the end the sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.records import Item, State
from audiometry.score.columns import Columns
from audiometry.score.items import KINDS, Bools, Floats, ItemTable
from audiometry.score.measures.measure import Measure, checked, takes_scores
from audiometry.score.opened import OpenedRun
from audiometry.score.readers import Outcome
from audiometry.score.sheet import CODE, LOST, UNPLANNED, Kept, Places, Sheet, Shown, Wanted
from audiometry.stats.sparse import Sparse, of_dense

Filled: TypeAlias = tuple[int, bytes, bytes]
"""Parts that occur: the number of the block, and which of its columns are not 0, ``int64``, and their numbers."""
HAS_OPTIONS, OTHER_KIND, NO_REFERENCE = "options to choose from", "another kind of task", "no reference answer"
NO_LABELS: Mapping[str, tuple[str, ...]] = {}
_CAME = frozenset({State.ANSWERED, State.UNANSWERED, State.REFUSED, State.EMPTY})


class Found(msgspec.Struct, frozen=True, array_like=True):
    """What one sheet takes from a chunk of replies; columns of m places.

    ``parts`` are those of each place, or of ``different`` ones the place of each (see `Sheet`).
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    state: Places
    letter: Shown
    gold: Shown
    option: Places
    guessed: Bools
    parts: Kept
    different: list[Filled]
    uncounted: list[int]
    why: list[tuple[int, str]]
    blocked: list[int]
    outcomes: list[Outcome]


def parts_of(
    measure: Measure,
    columns: Columns,
    items: Sequence[Item],
    outcomes: Sequence[Outcome],
    state: Places,
    why: list[tuple[int, str]],
) -> tuple[Floats, list[int]]:
    """Parts, and the rows that do not count; what came and could not be measured is unjudged, with its reason.

    Each row has the columns of its task's block, and 0 behind them.
    """
    parts, uncounted = np.zeros((len(items), columns.widest)), list[int]()
    for number, rows in columns.groups(items):
        block = columns.blocks[number]
        mine, read = [items[row] for row in rows], [outcomes[row] for row in rows]
        found = checked(measure, measure.parts(mine, read, block), len(mine), block)
        parts[rows, : len(block)] = found.parts
        for at, failure in found.failures.items():
            if read[at].state in _CAME and (read[at].scores or not takes_scores(measure)):
                state[rows[at]] = CODE[State.UNJUDGED]
                why.append((rows[at], failure.kind))
        uncounted += [rows[at] for at in found.failures]
    return parts, uncounted


def told_apart(columns: Columns, items: Sequence[Item], parts: Floats) -> tuple[Kept, list[Filled]]:
    """Of each row the place of its parts among the different ones, and these."""
    known: dict[Filled, int] = {}
    out = np.zeros(len(items), np.int32)
    filled = of_dense(parts)
    ends = filled.ends.tolist()
    for number, rows in columns.groups(items):
        for row in rows:
            mine = slice(ends[row], ends[row + 1])
            one = number, filled.column[mine].tobytes(), filled.value[mine].tobytes()
            out[row] = known.setdefault(one, len(known))
    return out, list(known)


class Book:
    """What one sheet has found so far."""

    def __init__(self, run: OpenedRun, wanted: Wanted, columns: Columns, shape: tuple[int, int]) -> None:
        self._run, self._wanted, self._columns = run, wanted, columns
        self._state = np.full(shape, UNPLANNED, np.int8)
        self._letter, self._gold = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
        self._option = np.full(shape, -1, np.int8)
        self._guessed, self._counted = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self._parts: Kept = np.zeros(shape, np.int32) if columns.shared else np.zeros((*shape, columns.widest))
        self._different: dict[Filled, int] = {(-1, b"", b""): 0}
        self._why: dict[tuple[int, int], str] = {}
        self._blocked: set[tuple[int, int]] = set()
        self._at_once = getattr(wanted.measure, "at_once", False)
        self._outcomes: dict[tuple[int, int], Outcome] = {}  # of a measure that wants all at once

    def put(self, found: Found) -> None:
        """Take over what a chunk of replies gave."""
        rows, columns = found.rows, found.columns
        named = found.why or found.blocked or found.outcomes
        places = list(zip(rows.tolist(), columns.tolist(), strict=True)) if named else []
        self._state[rows, columns] = found.state
        self._parts[rows, columns] = self._kept(found.parts, found.different)
        self._letter[rows, columns], self._gold[rows, columns] = found.letter, found.gold
        self._option[rows, columns], self._guessed[rows, columns] = found.option, found.guessed
        counted = found.state != CODE[State.NOT_ASKED]
        if self._wanted.profile.denominator == "readable" and not takes_scores(self._wanted.measure):
            counted = found.state == CODE[State.ANSWERED]
        counted[found.uncounted] = False
        self._counted[rows, columns] = counted
        self._why |= {places[k]: why for k, why in found.why}
        self._blocked |= {places[k] for k in found.blocked}
        if self._wanted.outcomes is not None:
            self._wanted.outcomes.put(places, found.outcomes)
        if self._at_once:
            self._outcomes |= dict(zip(places, found.outcomes, strict=True))

    def sheet(self, table: ItemTable, labels: Mapping[str, tuple[str, ...]] = NO_LABELS) -> Sheet:
        """The sheet of the items that the measure fits; ``labels`` are those of tasks that have some."""
        wanted = self._wanted
        if self._outcomes:
            self._measure_all(table)
        self._parts[~self._counted] = 0.0
        fits = np.isin(table.kind, [KINDS.index(kind) for kind in wanted.readers])
        if wanted.tasks is not None:
            fits &= np.array([name in wanted.tasks for name in table.tasks], np.bool_)[table.task]
        rows = fits & table.reference if wanted.with_reference else fits
        options = ~fits & (table.kind == KINDS.index("choice"))
        left_out = {HAS_OPTIONS: options, OTHER_KIND: ~fits & ~options, NO_REFERENCE: fits & ~rows}
        chosen = slice(None) if rows.all() else rows  # of all, nothing is copied
        state = self._state[chosen]
        items = table.of(rows)
        worst, best = self._ends(items, state)  # before what is different is put together
        kept = np.cumsum(rows) - 1
        return Sheet(
            run=self._run,
            profile=wanted.profile,
            measure=wanted.measure,
            items=items,
            variants=self._run.info.variants,
            state=state,
            columns=self._columns,
            parts=self._parts[chosen],
            different=self._rows() if self._columns.shared else None,
            counted=self._counted[chosen],
            worst=worst,
            best=best,
            letter=self._letter[chosen],
            gold=self._gold[chosen],
            option=self._option[chosen],
            guessed=self._guessed[chosen],
            why={(int(kept[row]), column): why for (row, column), why in self._why.items()},
            blocked=frozenset((int(kept[row]), column) for row, column in self._blocked),
            left_out={why: int(these.sum()) for why, these in left_out.items() if these.any()},
            labels=labels,
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
        parts, uncounted = parts_of(self._wanted.measure, self._columns, items, outcomes, state, why)
        self._state[rows, columns], self._parts[rows, columns] = state, self._told(items, parts)
        self._counted[rows[uncounted], columns[uncounted]] = False
        self._why |= {places[k]: kind for k, kind in why}

    def _ends(self, items: ItemTable, state: Places) -> tuple[Kept | None, Kept | None]:
        """Parts of the worst and the best reply in the places that are lost."""
        rows = np.nonzero(np.isin(state, LOST))[0]
        at, columns = self._run.benchmark.items.at, self._columns
        lost = [at(int(items.position[row])) for row in rows]
        sides: list[Floats | None] = [np.zeros((len(lost), columns.widest)) for _ in range(2)]
        for number, these in columns.groups(lost):
            block = columns.blocks[number]
            ends = self._wanted.measure.ends([lost[row] for row in these], block)
            if ends is None:
                return None, None
            for place, (side, end) in enumerate(zip(sides, ends, strict=True)):
                if side is None or end is None:
                    sides[place] = None
                else:
                    side[these, : len(block)] = end
        worst, best = (None if side is None else self._told(lost, side) for side in sides)
        return worst, best

    def _told(self, items: Sequence[Item], parts: Floats) -> Kept:
        return self._kept(*told_apart(self._columns, items, parts)) if self._columns.shared else parts

    def _kept(self, parts: Kept, different: Sequence[Filled]) -> Kept:
        """Parts as they are kept; the different ones of a chunk have other places among those of all."""
        if not self._columns.shared:
            return parts
        places = [self._different.setdefault(one, len(self._different)) for one in different]
        return np.array(places, np.int32)[parts.astype(np.int64)] if places else np.zeros(len(parts), np.int32)

    def _rows(self) -> Sparse:
        """The different rows, with all columns."""
        numbers, columns, values = zip(*self._different, strict=True)
        at = [self._columns.places[n][np.frombuffer(raw, np.int64)] for n, raw in zip(numbers, columns, strict=True)]
        return Sparse(
            ends=np.cumsum([0, *map(len, at)]),
            column=np.concatenate(at),
            value=np.frombuffer(b"".join(values)),
            n_columns=len(self._columns.names),
        )
