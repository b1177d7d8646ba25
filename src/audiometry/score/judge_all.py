"""One run under several profiles, its replies read from disk and joined to their items once.

Reading a reply depends on nothing but the reply and its item, so that processes share it where it takes long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from audiometry.bench import Benchmark
from audiometry.programs.parallel import mapped
from audiometry.records import Item, ReplyRecord, Verdict
from audiometry.records.reply import FILTERED
from audiometry.score.judged import CODE, Judged, OpenRun, is_empty, replies
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import Reading, as_shown

_FAILED, _REFUSED = CODE[Verdict.FAILED], CODE[Verdict.REFUSED]
_EMPTY = "empty"


class _Unread:
    """Joins replies to items and leaves the reading to others."""

    name = "unread"
    about = "reads nothing"
    reading = Reading(Verdict.UNANSWERED, None, "not-read")

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:  # noqa: ARG002  a profile
        return self.reading


#: A reply's place in the sheets, its item's position, the gold option's place, the options as shown, the reply. Plain
#: tuples here and below, since between processes they travel many times faster than named ones.
_Joined: TypeAlias = tuple[int, int, int, tuple[str, ...], ReplyRecord]
#: What one profile makes of a reply: the verdict's code, the option's place, and the kind of a failure, of a block, or
#: `_EMPTY`.
_Read: TypeAlias = tuple[int, int, str]


class _Readers:
    """Reads a joined reply under each profile; gives it with its place and its gold option's."""

    def __init__(self, benchmark: Benchmark, profiles: Sequence[Profile]) -> None:
        self._items = benchmark.items
        self._reads = [profile.read for profile in profiles]

    def __call__(self, one: _Joined) -> tuple[int, int, list[_Read]]:
        place, position, gold, options, record = one
        item = self._items.at(position)
        found = []
        for read in self._reads:
            reading = read(record, item, options)
            code = CODE[reading.verdict]
            kind = _EMPTY if is_empty(reading, record) else ""
            if code == _FAILED:
                kind = reading.how
            elif code == _REFUSED and record.blocked:
                kind = FILTERED
            found.append((code, _place(reading.letter), kind))
        return place, gold, found


class _Sheet:
    """The verdicts of one profile as they come in; a failure never takes the place of a reply."""

    def __init__(self, places: int) -> None:
        self.verdict = bytearray([_FAILED]) * places
        self.chosen = [-1] * places
        self.gold = [-1] * places
        self.kinds: dict[int, str] = {}
        self.blocked: set[int] = set()
        self.empty: set[int] = set()

    def put(self, place: int, read: _Read, gold: int) -> None:
        code, chosen, kind = read
        if code == _FAILED:
            if self.verdict[place] == _FAILED:
                self.kinds[place] = kind
            return
        self.kinds.pop(place, None)
        (self.blocked.add if kind == FILTERED else self.blocked.discard)(place)
        (self.empty.add if kind == _EMPTY else self.empty.discard)(place)
        self.verdict[place] = code
        self.chosen[place] = chosen
        self.gold[place] = gold

    def judged(self, missing: NDArray[np.bool_]) -> Judged:
        shape, empty = missing.shape, np.zeros(missing.size, np.bool_)
        empty[list(self.empty)] = True
        return Judged(
            verdict=np.frombuffer(bytes(self.verdict), dtype=np.int8).reshape(shape),
            chosen=np.array(self.chosen, dtype=np.int8).reshape(shape),
            gold=np.array(self.gold, dtype=np.int8).reshape(shape),
            empty=empty.reshape(shape),
            missing=missing,
            failures=dict(sorted(Counter(self.kinds.values()).items())),
            n_blocked=len(self.blocked),
        )


def judge_all(run: OpenRun, profiles: Sequence[Profile]) -> list[Judged]:
    """What `judged.judge` says of a run, for each of the profiles, in one pass over the replies."""
    shape = (len(run.positions), len(run.info.variants))
    sheets = [_Sheet(shape[0] * shape[1]) for _ in profiles]
    asked = bytearray(shape[0] * shape[1])
    profiles = [as_shown(profile, run.info.prompt.style) for profile in profiles]
    for place, gold, read in mapped(_Readers(run.benchmark, profiles), _joined(run)):
        asked[place] = 1
        for sheet, one in zip(sheets, read, strict=True):
            sheet.put(place, one, gold)
    missing = np.frombuffer(asked, dtype=np.int8).reshape(shape) == 0
    return [sheet.judged(missing) for sheet in sheets]


def _joined(run: OpenRun) -> Iterator[_Joined]:
    rows = {position: row for row, position in enumerate(run.positions)}
    columns = {variant: column for column, variant in enumerate(run.info.variants)}
    position_of = run.benchmark.items.position
    for reply in replies(run, _Unread()):
        position = position_of(reply.item.id)
        if position is not None:
            place = rows[position] * len(columns) + columns[reply.record.variant]
            yield place, position, _place(reply.gold), reply.options, reply.record


def _place(letter: str | None) -> int:
    return ord(letter) - ord("A") if letter else -1
