"""A run's open items and what became of each reply, and the pairs that a judge has to see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import IntEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices import clean, read_answer
from audiometry.choices.refusal import may_decline
from audiometry.choices.variant import has_own_clip
from audiometry.errors import UsageError
from audiometry.records import Item, ReplyRecord
from audiometry.score.chat.pair import ORDERS, Pair, shown_reply
from audiometry.score.judged import OpenRun, open_items, open_positions, records
from audiometry.score.readers import DECLINED

SHORT = 400  # characters; a longer reply says more than that it declines


class State(IntEnum):
    """What became of a reply."""

    FAILED = 0
    EMPTY = 1
    ANSWERED = 2
    REFUSED = 3
    NOT_ASKED = 4
    UNJUDGED = 5  # in no sheet, since each profile has its own


class Sheet(msgspec.Struct, frozen=True):
    """The open items of a run; row i is the i-th of them, column v the v-th variant.

    Attributes:
        whole: the run.
        run: the same, with the positions of these items only.
        beside_choices: the run has items with options too.
        state: ``int8[items, variants]``, codes of `State`.
        keys: by place, the keys of its pairs in both orders; none where no reply came.
        pairs: by key; equal ones stand once.
        failures: replies that failed, by kind; of the variants with the items' own clips.
        left_out: items that cannot be judged, by reason.
        without_description: items whose benchmark says nothing of the audio.
    """

    whole: OpenRun
    run: OpenRun
    beside_choices: bool
    state: NDArray[np.int8]
    keys: Mapping[tuple[int, int], tuple[str, str]]
    pairs: Mapping[str, Pair]
    failures: dict[str, int]
    left_out: dict[str, int]
    without_description: int

    def to_judge(self, *, empty_too: bool) -> dict[str, Pair]:
        """The pairs to put to a judge; those of empty replies only for rules that have them judged."""
        judged = {State.ANSWERED, State.REFUSED} | ({State.EMPTY} if empty_too else set())
        wanted = [key for place, both in self.keys.items() if self.state[place] in judged for key in both]
        return {key: self.pairs[key] for key in wanted}


def is_open(run: OpenRun) -> bool:
    """Whether a run has open items, which only a judge or a metric can score."""
    return next(open_items(run), None) is not None


def has_options(run: OpenRun) -> bool:
    """Whether a run has items with options, which rules score."""
    return len(open_positions(run)) < len(run.positions)


def sheet(run: OpenRun) -> Sheet:
    """Join a run's replies to its open items.

    Raises:
        UsageError: none of its items is open, or none has a reference answer.
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    opened = list(open_items(run))
    if not opened:
        raise UsageError(f"{run.folder.path}: no item of {run.info.benchmark.name} is open; score it without --judge")
    usable = [(position, item) for position, item in opened if item.answer and item.answer.strip()]
    if not usable:
        raise UsageError(
            f"{run.folder.path}: no item of {run.info.benchmark.name} has a reference answer for the judge to compare "
            "with; put one into `answer`"
        )
    rows = {position: row for row, (position, _) in enumerate(usable)}
    found_last = latest(run, rows)
    state = np.full((len(rows), len(run.info.variants)), State.NOT_ASKED, np.int8)
    own = {column for column, name in enumerate(run.info.variants) if has_own_clip(name)}
    keys: dict[tuple[int, int], tuple[str, str]] = {}
    pairs: dict[str, Pair] = {}
    failures: Counter[str] = Counter()
    for place, record in found_last.items():
        found = state_of(record)
        state[place] = found
        if found == State.FAILED:
            if place[1] in own:
                failures[record.error.kind if record.error else "no-text"] += 1
            continue
        both = _pairs(usable[place[0]][1], record.text or "")
        pairs |= both
        first, second = both
        keys[place] = (first, second)
    lacking = len(opened) - len(usable)
    return Sheet(
        whole=run,
        run=msgspec.structs.replace(run, positions=list(rows)),
        beside_choices=len(opened) < len(run.positions),
        state=state,
        keys=keys,
        pairs=pairs,
        failures=dict(sorted(failures.items())),
        left_out={"no reference answer": lacking} if lacking else {},
        without_description=sum(not item.meta.strip() for _, item in usable),
    )


def latest(run: OpenRun, rows: Mapping[int, int]) -> dict[tuple[int, int], ReplyRecord]:
    """The reply that counts, by row and number of the variant; a failure never takes the place of a reply.

    Args:
        run: the run.
        rows: by place of the item in the benchmark.

    Raises:
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    columns = {variant: column for column, variant in enumerate(run.info.variants)}
    found: dict[tuple[int, int], ReplyRecord] = {}
    for record, position in records(run):
        if position in rows and record.variant in columns:
            place = (rows[position], columns[record.variant])
            if record.error is None or place not in found or found[place].error is not None:
                found[place] = record
    return found


def state_of(record: ReplyRecord) -> State:
    """What became of one reply."""
    if record.error is not None or record.text is None:
        return State.FAILED
    if record.finish_reason in DECLINED:
        return State.REFUSED
    said = shown_reply(record.text)
    if not said:
        return State.EMPTY
    if len(said) <= SHORT and may_decline(clean.undressed(said)) and read_answer(said, ()).refused:
        return State.REFUSED
    return State.ANSWERED


def _pairs(item: Item, text: str) -> dict[str, Pair]:
    said = shown_reply(text)
    both = [Pair(item.meta, item.question, item.answer or "", said, order) for order in ORDERS]
    return {pair.key: pair for pair in both}
