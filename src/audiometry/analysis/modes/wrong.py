"""The replies of a run that are wrong, or from which nothing is read: what there is to explain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices.variant import PLAIN, shown_options, without_clip
from audiometry.errors import UsageError, shown
from audiometry.files.rating_lines import stamp
from audiometry.records import Item, State
from audiometry.score.judge.question import shown_reply
from audiometry.score.opened import OpenedRun, has_options
from audiometry.score.readers import Outcome
from audiometry.score.readers.choice import HouseReader, place_of_answer
from audiometry.score.replies import Replies

NONE = -1
_WORDLESS = frozenset({State.FAILED, State.NOT_ASKED})


class Wrong(msgspec.Struct, frozen=True, kw_only=True):
    """One of them.

    Attributes:
        row: of its item among those of the run.
        item: what was asked.
        shown: the options in the order they were shown.
        outcome: what became of it under the house's own rules.
        text: what it says, without reasoning; of a very long one the two ends.
    """

    row: int
    item: Item
    shown: tuple[str, ...]
    outcome: Outcome
    text: str

    @property
    def right(self) -> str:
        """The text of the right option, as it was shown."""
        at = place_of_answer(self.item, self.shown)
        return self.shown[at] if at >= 0 else self.item.answer or ""


class Replied(msgspec.Struct, frozen=True, kw_only=True):
    """A run's replies to questions with options, in the benchmark's own wording and order.

    Attributes:
        run: whose.
        cluster: ``int64[items]``.
        state: ``int8[items]``: 1 right, 0 wrong or nothing read, `NONE` no reply came.
        alone: by variant without the clip, ``int64[items]``, the place of the option that was chosen there in the
            benchmark's own order; `NONE` for none.
        stamps: by row, of what there is to explain, what tells whether it is still the same reply.
    """

    run: OpenedRun
    cluster: NDArray[np.int64]
    state: NDArray[np.int8]
    alone: dict[str, NDArray[np.int64]]
    stamps: dict[int, str]

    @property
    def wrong(self) -> NDArray[np.int64]:
        """Rows of what there is to explain."""
        return np.flatnonzero(self.state == 0)

    def each(self) -> Iterator[Wrong]:
        """What there is to explain, in the order of arrival; the replies are read once more for it."""
        reader = _reader(self.run)
        for row, column, record in Replies(self.run):
            if self.run.info.variants[column] == PLAIN and self.state[row] == 0:
                item, options = _asked(self.run, row, PLAIN)
                text = shown_reply(record.text or "")
                yield Wrong(row=row, item=item, shown=options, outcome=reader.read(record, item, options), text=text)


def replied(run: OpenedRun) -> Replied:
    """Go through a run's replies once.

    Raises:
        UsageError: none of its questions has options.
        RunFolderError: the folder is damaged.
    """
    if not has_options(run):
        raise UsageError(
            f"{shown(str(run.folder.path))}: none of its questions has options; what is wrong with other replies is "
            "told by their measure (audiometry score)"
        )
    n, reader = len(run.positions), _reader(run)
    state = np.full(n, NONE, np.int8)
    stamps: dict[int, str] = {}
    alone = {name: np.full(n, NONE, np.int64) for name in without_clip(run.info.variants)}
    for row, column, record in Replies(run):
        variant = run.info.variants[column]
        if variant != PLAIN and variant not in alone:
            continue
        item, options = _asked(run, row, variant)
        found = reader.read(record, item, options)
        if not options or found.state in _WORDLESS:
            continue
        if variant == PLAIN:
            at = place_of_answer(item, options)
            state[row] = int(found.read is not None and at >= 0 and found.read == options[at])
            if not state[row]:
                stamps[row] = stamp(record)
        elif found.read is not None:
            alone[variant][row] = item.options.index(found.read)
    cluster = np.unique([run.benchmark.items.at(p).cluster for p in run.positions], return_inverse=True)[1]
    return Replied(run=run, cluster=cluster.astype(np.int64), state=state, alone=alone, stamps=stamps)


def same_alone(given: Replied, wrong: Wrong) -> tuple[int, int]:
    """In how many variants without the clip the same option was chosen as in a reply, and of how many in which any was.

    Args:
        given: the run's replies.
        wrong: one of them.
    """
    chosen = [int(found[wrong.row]) for found in given.alone.values() if found[wrong.row] != NONE]
    if wrong.outcome.read is None or not chosen:
        return 0, len(chosen)
    return Counter(chosen)[wrong.item.options.index(wrong.outcome.read)], len(chosen)


def _reader(run: OpenedRun) -> HouseReader:
    return HouseReader().shown_as(run.info.prompt.style)


def _asked(run: OpenedRun, row: int, variant: str) -> tuple[Item, tuple[str, ...]]:
    item = run.benchmark.asked(run.benchmark.items.at(run.positions[row]), variant)
    return item, shown_options(item, seed=run.info.seed, variant=variant)
