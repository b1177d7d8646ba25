"""The replies of a run as its report shows them: on the disk, but for the few bytes of each that are counted."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices.variant import shown_options
from audiometry.dispatch.tally import Tally
from audiometry.records import Item, ReplyRecord, State
from audiometry.report.read_once import KeptFolder
from audiometry.report.record_row import NOT_ASKED, VERDICTS, Edits, Kept
from audiometry.report.spool import Spool
from audiometry.score.items import KINDS, occurring
from audiometry.score.measures.accuracy import is_right
from audiometry.score.measures.edits import DELETED, INSERTED, SUBSTITUTED, UNITS, Aligned, ErrorRate
from audiometry.score.measures.references import ByReference
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.readers import Outcome
from audiometry.score.readers.judged import Compared, JudgedReader, became
from audiometry.score.replies import Replies
from audiometry.score.result import Scored
from audiometry.score.sheet import STATES, Sheet, Wanted

RULED_KINDS: Final = frozenset({"choice", "label"})
"""Kinds of task whose replies are right or wrong."""

EDITED: Final = {"wer": "word", "cer": "character"}
"""Measures that count errors, and in what."""

MOST_MARKED: Final = 2_000
"""Words of reply and reference together that are shown with their errors in place."""

_UNPLANNED, _MISSED, _UNSEEN = -1, -2, 255
_RIGHT: Final = VERDICTS.index("correct")


class KeptOutcomes:
    """What was read of each reply of a run, on the disk (see `score.sheet.Outcomes`).

    Args:
        run: whose.
    """

    def __init__(self, run: OpenedRun) -> None:
        self._width = len(run.info.variants)
        self._number = array("i", [-1]) * (len(run.positions) * self._width)
        # MessagePack, as scores may be NaN; and of a kind that has all that any outcome has.
        encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Compared).decode
        self._spool = Spool[Outcome](encode, decode)

    def put(self, places: Sequence[tuple[int, int]], outcomes: Sequence[Outcome]) -> None:
        """Keep what was read of the replies at these places."""
        for (row, column), outcome in zip(places, outcomes, strict=True):
            self._number[row * self._width + column] = self._spool.put(outcome)

    def get(self, row: int, column: int) -> Outcome | None:
        """What was read of one; None if the score has no part in it."""
        number = self._number[row * self._width + column]
        return None if number < 0 else self._spool[number]


class Ledger(Replies):
    """A run's replies, which are noted as scores are made of them; and then looked at, item by item, for the page.

    Args:
        run: whose, opened by `read_once.opened`.

    Attributes:
        tally, finished: the accounts of the replies that were looked at, and when the last of them arrived.
    """

    def __init__(self, run: OpenedRun) -> None:
        super().__init__(run)
        assert isinstance(run.folder, KeptFolder)  # noqa: S101  for the type
        self._folder, self._width = run.folder, len(run.info.variants)
        n = len(run.positions) * self._width
        self._number = array("i", [_UNPLANNED]) * n
        self._verdict = bytearray([_UNSEEN]) * n
        self._kind = bytearray([_UNSEEN]) * len(run.positions)
        self._row = _places(len(run.benchmark), run.positions)
        self._shown: list[_Shown] = []
        self.tally, self.finished = Tally(), ""

    def __iter__(self) -> Iterator[tuple[int, int, ReplyRecord]]:
        """As any run's replies; where each is kept is noted on the way."""
        for row, column, record in super().__iter__():
            self._number[row * self._width + column] = self._folder.number
            yield row, column, record

    def settle(self, shown: Sequence[tuple[Wanted, Sheet]]) -> None:
        """Say by which scores the page counts replies, the first one that has a part in a reply before others."""
        self._shown = [_Shown(wanted, sheet) for wanted, sheet in shown]
        for row, column in self.missing():
            self._number[row * self._width + column] = _MISSED

    @property
    def verdicts(self) -> set[str]:
        """What replies without a right or wrong answer have become, as the scores tell."""
        codes = {code for one in self._shown for code in occurring(one.sheet.state[one.sheet.state >= 0]).tolist()}
        missed = {NOT_ASKED} if _MISSED in self._number else set()
        return missed | {STATES[code].value for code in codes} - {State.ANSWERED.value, State.NOT_ASKED.value}

    def look(self, position: int, column: int, item: Item) -> Kept | None:
        """A reply that is to be shown, which is counted from now on; None if none was to be asked for."""
        kept = self._kept(position, column, item)
        if kept is not None:
            row = self._row[position]
            self._verdict[row * self._width + column] = VERDICTS.index(kept.verdict)
            self._kind[row] = KINDS.index(kind_of(self._run, item))
            if kept.record is not None:
                self.tally.add(kept.record)
                self.finished = max(self.finished, kept.record.at)
        return kept

    def reply(self, position: int, column: int) -> Kept:
        """A reply once more; one that says so if it was never asked."""
        return self._kept(position, column, self._run.benchmark.items.at(position)) or Kept(None, NOT_ASKED)

    def verdict(self, position: int, column: int) -> str:
        """What became of a reply that was looked at; empty if none was."""
        row = self._row[position]
        code = _UNSEEN if row < 0 else self._verdict[row * self._width + column]
        return "" if code == _UNSEEN else VERDICTS[code]

    def became(self, verdicts: Sequence[str], columns: Sequence[int]) -> list[tuple[int, int]]:
        """The replies that became one of these, by place in the benchmark and column."""
        codes, positions = [VERDICTS.index(name) for name in verdicts], self._run.positions
        rows, places = np.nonzero(np.isin(self._codes(), codes))
        both = zip(rows.tolist(), places.tolist(), strict=True)
        return [(positions[row], column) for row, column in both if column in columns]

    def n_correct(self, scored: Scored, columns: Sequence[int]) -> int:
        """How many of the replies that a score is made of are right; of those that rules read."""
        task_of = self._run.benchmark.items.task_of
        kinds = np.isin(np.frombuffer(self._kind, np.uint8), [KINDS.index(kind) for kind in scored.kinds])
        rows = kinds & [task_of(position) in scored.tasks for position in self._run.positions]
        return int((self._codes()[rows][:, list(columns)] == _RIGHT).sum())

    def _codes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._verdict, np.uint8).reshape(-1, self._width)

    def _kept(self, position: int, column: int, item: Item) -> Kept | None:
        """A reply with what the first score read of it that it has a part in, and what judges said."""
        row = self._row[position]
        number = _UNPLANNED if row < 0 else self._number[row * self._width + column]
        if number < 0:
            return None if number == _UNPLANNED else Kept(None, NOT_ASKED)
        record = self._folder.spool[number]
        reads = ((one, one.read(position, row, column)) for one in self._shown)
        shown, read = next((found for found in reads if found[1] is not None), (None, None))
        if shown is None or read is None:
            return Kept(record, became(record)[0].value)
        kind, info = kind_of(self._run, item), self._run.info
        state = shown.state(position, column)
        if kind in RULED_KINDS:
            options = shown_options(item, seed=info.seed, variant=record.variant)
            order = () if options == item.options else tuple(map(item.options.index, options))
            right = "correct" if is_right(item, read) else "wrong"
            return Kept(record, right if state == State.ANSWERED else state.value, read, order, ruled=True)
        reader, words = shown.wanted.readers[kind], shown.wanted.words
        said = words(record, item, ()) if words is not None else ()
        rules = reader.rules if isinstance(reader, JudgedReader) else None
        counting = next((one for one in self._shown if one.counts_edits(position)), None)
        edits = None if counting is None else counting.edits(position, column)
        marks = () if counting is None or edits is None else counting.marks(item, read, edits)
        return Kept(record, state.value, read, said=said, rules=rules, edits=edits, marks=marks)


class _Shown:
    """A score of the page, and what its rows count of a reply."""

    def __init__(self, wanted: Wanted, sheet: Sheet) -> None:
        self.wanted, self.sheet = wanted, sheet
        self._row = _places(len(sheet.run.benchmark), sheet.items.position)

    def read(self, position: int, row: int, column: int) -> Outcome | None:
        """What was read of a reply; None if it has no part in it."""
        kept = self.wanted.outcomes
        return None if kept is None or self._row[position] < 0 else kept.get(row, column)

    def state(self, position: int, column: int) -> State:
        """What became of a reply, as the tables count it."""
        return STATES[int(self.sheet.state[self._row[position], column])]

    def counts_edits(self, position: int) -> bool:
        """Whether it counts the errors of replies to an item."""
        return self.sheet.measure.name in EDITED and self._row[position] >= 0

    def edits(self, position: int, column: int) -> Edits:
        """The errors of a reply."""
        parts, unit = self.sheet.parts[self._row[position], column], EDITED[self.sheet.measure.name]
        substituted, deleted, inserted, units = (int(parts[at]) for at in (SUBSTITUTED, DELETED, INSERTED, UNITS))
        return Edits(substituted, deleted, inserted, units, unit)

    def marks(self, item: Item, read: Outcome, edits: Edits) -> tuple[Aligned, ...]:
        """A reply with errors beside its reference, unit by unit; empty where they are too long to be read so."""
        measure = self.sheet.measure
        if not isinstance(measure, ByReference) or not isinstance(measure.counts, ErrorRate) or not edits.n:
            return ()
        return measure.counts.aligned(measure.pair(item, read.read or ""), MOST_MARKED) or ()


def _places(n: int, positions: Sequence[int] | NDArray[np.int64]) -> Sequence[int]:
    """By place in the benchmark, which of the positions it is; -1 for none."""
    if len(positions) == n:
        return range(n)
    found = np.full(n, -1, np.int32)
    found[np.asarray(positions, np.int64)] = np.arange(len(positions))
    return array("i", found.tobytes())
