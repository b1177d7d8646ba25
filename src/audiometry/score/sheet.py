"""The sheet: one run under one profile and one measure, parts and states by item and variant.

Everything that is said of a run is made of sheets: rows, intervals, comparisons, what is lost without the clip, ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.records import Item, ReplyRecord, State
from audiometry.score.columns import Columns
from audiometry.score.items import Bools, Codes, Floats, ItemTable, occurring
from audiometry.score.measures.measure import Measure
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome, Reader, Said
from audiometry.stats.sparse import Sparse

STATES = tuple(State)
CODE = {state: code for code, state in enumerate(STATES)}
UNPLANNED = -1  # an item without a clip in a variant that replaces it, or not chosen in that variant
BY_CLASSES = frozenset({"f1", "recall"})  # scales whose columns are nearly all 0
_TRACE = 1e-15  # of a reply: a class occurs, and no number is another
LOST = (CODE[State.FAILED], CODE[State.NOT_ASKED], CODE[State.UNJUDGED])
Places: TypeAlias = NDArray[np.int8]
Ends: TypeAlias = Literal["", "worst", "best"]
Shown: TypeAlias = NDArray[np.int32]
Kept: TypeAlias = NDArray[Any]
"""Parts as a sheet keeps them: ``float64[..., k]``, or where its ``different`` is given ``int32[...]``, rows of it."""
Words: TypeAlias = Callable[[ReplyRecord, Item, Sequence[str]], Sequence[Said]]
"""Gives what the judges said of a reply, before it is read."""


class Outcomes(Protocol):
    """Where what was read of replies is kept, by the row of the item in the run and the column of the variant."""

    def put(self, places: Sequence[tuple[int, int]], outcomes: Sequence[Outcome]) -> None:
        """Keep what was read of the replies at these places."""
        ...

    def get(self, row: int, column: int) -> Outcome | None:
        """What was read of one; None if the sheet has no part in it."""
        ...


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """One sheet that is to be filled.

    Attributes:
        profile, measure: by which rules.
        readers: by kind of task; kinds without one are no part of the sheet.
        words: of the judges that its readers need; None: they need none.
        with_reference: items without an answer to be held to are left out.
        tasks: items of other tasks are no part of the sheet; None: of all tasks.
        outcomes: gets what was read of every reply; None: nobody asks for it again.
    """

    profile: Profile
    measure: Measure
    readers: Mapping[str, Reader]
    words: Words | None = None
    with_reference: bool = False
    tasks: frozenset[str] | None = None
    outcomes: Outcomes | None = None


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """One run under one profile and one measure.

    Attributes:
        run: the run.
        items: the items that the measure fits, n of them.
        variants: names; v of them.
        state: ``int8[n, v]``, codes of `STATES`; `UNPLANNED` where nothing was to be asked.
        columns: names of the parts, k of them.
        parts: ``float64[n, v, k]``; 0 where nothing counts.
        different: ``[u, 1, k]``, where columns are many or not the same for all tasks: each row of parts that occurs,
            once, the first 0; then ``parts`` are ``int32[n, v]``, rows of it.
        counted: ``bool[n, v]``, in the denominator.
        worst, best: of the worst and best replies that there can be in the m places that are lost (`LOST`), in their
            order, ``float64[m, k]`` or ``int32[m]``; None where the measure has no such ends.
        letter, gold: ``int32[n, v]``, places of the chosen and the right option as shown, or of labels among those of
            their task, from 0; -1 for none, and for a letter that is the rules' choice among several that were named.
        option: ``int8[n, v]``, place of the option that counts as chosen, also where it was drawn, in the benchmark's
            own order, from 0; -1 for none.
        guessed: ``bool[n, v]``, a letter was drawn.
        why: of failed and unjudged places, the kind of the failure.
        blocked: places of refusals that were the provider's.
        left_out: items that the measure does not fit, by reason.
        labels: by task, of tasks that have labels.
    """

    run: OpenedRun
    profile: Profile
    measure: Measure
    items: ItemTable
    variants: tuple[str, ...]
    state: Places
    parts: Kept
    columns: Columns | None = None
    different: Sparse | None = None
    counted: Bools
    worst: Kept | None
    best: Kept | None
    letter: Shown
    gold: Shown
    option: Places
    guessed: Bools
    why: Mapping[tuple[int, int], str]
    blocked: frozenset[tuple[int, int]]
    left_out: Mapping[str, int]
    labels: Mapping[str, tuple[str, ...]] = {}

    def of(self, rows: Bools | None = None, variants: Sequence[str] | None = None) -> Sheet:
        """The sheet with some of its items and variants only."""
        chosen = np.ones(len(self.items), np.bool_) if rows is None else rows
        columns = [self.variants.index(name) for name in (self.variants if variants is None else variants)]
        if chosen.all() and columns == list(range(len(self.variants))):
            return self
        places = np.ix_(np.flatnonzero(chosen), np.array(columns, np.int64))
        lost = self.lost
        kept = lost & chosen[:, None] & np.isin(np.arange(len(self.variants)), columns)
        rank = {old: new for new, old in enumerate(np.flatnonzero(chosen).tolist())}
        at = {old: new for new, old in enumerate(columns)}
        order = self._order_of(lost, chosen, columns)
        return msgspec.structs.replace(
            self,
            items=self.items.of(chosen),
            variants=tuple(self.variants[column] for column in columns),
            state=self.state[places],
            parts=self.parts[places],
            counted=self.counted[places],
            worst=None if self.worst is None else self.worst[order],
            best=None if self.best is None else self.best[order],
            letter=self.letter[places],
            gold=self.gold[places],
            option=self.option[places],
            guessed=self.guessed[places],
            why={(rank[r], at[c]): why for (r, c), why in self.why.items() if kept[r, c]},
            blocked=frozenset((rank[r], at[c]) for r, c in self.blocked if r in rank and c in at),
        )

    def sums(self, rows: Bools, leaf: Codes) -> Floats:
        """Parts of some of the items, ``float64[rows, v, columns]``, of each leaf with the columns of its tasks only.

        Args:
            rows: ``bool[n]``.
            leaf: ``int64[rows]``, which items are summed up together.
        """
        if self.different is None:
            return np.asarray(self.parts if rows.all() else self.parts[rows], np.float64)
        return self.spread(self.different, rows, leaf).dense()

    def spread(self, different: Sparse, rows: Bools, leaf: Codes) -> Sparse:
        """The same, of the sheet's ``different`` parts, without the numbers that are 0."""
        codes, task = self.parts[rows].astype(np.int64), self.items.task[rows]
        found = different.at(codes.ravel())
        row = found.line // codes.shape[1]
        column, width = np.zeros(len(found.column), np.int64), 0
        for code in occurring(leaf):
            these, mine = self._columns_of(task[leaf == code]), leaf[row] == code
            column[mine] = np.searchsorted(these, found.column[mine])
            width = max(width, len(these))
        return msgspec.structs.replace(found, column=column, n_variants=codes.shape[1], n_columns=width)

    def values(self, rows: Bools, there: Bools, end: Ends = "") -> Floats:
        """The value of some of the items in each variant, ``float64[v]``, NaN for none.

        Args:
            rows: ``bool[n]``.
            there: ``bool[rows, v]``, which of their places count.
            end: what is taken for lost replies, such as there can be; empty: what they count as.
        """
        if not end:
            total = self._total(self.parts, rows, there)
            if getattr(self.measure, "scale", "") in BY_CLASSES and not there.all():  # classes are those of all replies
                total = total + _TRACE * self._total(self.parts, rows, self.counted[rows] & ~there)
            return self.measure.value(total)
        lost, parts = self.lost, self.parts.copy()
        parts[lost] = self.worst if end == "worst" else self.best
        known, filled = (self._total(parts, rows, there & side[rows]) for side in (~lost, lost))
        lowest: Callable[[Floats, Floats], Floats] | None = getattr(self.measure, "lowest", None)
        if lowest is None or end == "best":
            return self.measure.value(known + filled)
        return lowest(known, filled)

    def _total(self, parts: Kept, rows: Bools, there: Bools) -> Floats:
        """The sums of some of the items by variant, ``float64[v, columns]``, with the columns of their tasks only."""
        if self.different is None:
            chosen = parts if rows.all() else parts[rows]
            return np.asarray((chosen if there.all() else chosen * there[..., None]).sum(axis=0))
        these = self._columns_of(self.items.task[rows])
        different, codes = self.different, parts[rows].astype(np.int64)
        counts = [np.bincount(codes[there[:, v], v], minlength=len(different.ends) - 1) for v in range(codes.shape[1])]
        line, column, value = different.line, different.column, different.value
        sums = [np.bincount(column, value * count[line], different.n_columns)[these] for count in counts]
        return np.array(sums, np.float64)

    def _columns_of(self, tasks: Codes) -> Codes:
        """Places of the columns that items of these tasks have."""
        assert self.columns is not None  # noqa: S101  where parts are shared
        return self.columns.together([self.items.tasks[code] for code in occurring(tasks).tolist()])

    @property
    def lost(self) -> Bools:
        """``bool[n, v]``, where no reply can be worth anything that is known."""
        return np.asarray(np.isin(self.state, LOST), np.bool_)

    def _order_of(self, lost: Bools, rows: Bools, columns: Sequence[int]) -> NDArray[np.int64]:
        """The rows of `worst` for the lost places of a smaller sheet, in its order."""
        number = np.full(lost.shape, -1, np.int64)
        number[lost] = np.arange(int(lost.sum()))
        smaller = number[np.ix_(np.flatnonzero(rows), np.array(columns, np.int64))]
        return smaller[smaller >= 0]
