"""Makes the items of each task of a spec, and others in the place of those that are lost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from audiometry.builder import items, mixes, wordings
from audiometry.builder.clip import SourceClip
from audiometry.builder.gather import Gathered
from audiometry.builder.heard import Heard
from audiometry.builder.items import Made
from audiometry.builder.make import MAKES, Hand, KindOfTask
from audiometry.builder.sounds import Sounds
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import Writer
from audiometry.files.build_folder import Rejected
from audiometry.records import Task


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """What is made of a task.

    Attributes:
        task: of the spec, with all its wordings.
        card: of the benchmark's card.
        made: its items.
        rejected: what is none of them.
        flawed: ids of items that were written and break a rule that all items keep.
        notes: what a person should know, a line each.
        strata: of which as many are wanted as of any other, where a model writes.
        clips: of which it could be made.
        would_ask: whether this is a dry run, in which a writer would be asked for it.
        written: of its wordings that a model has written, their provenance.
    """

    task: TaskSpec
    card: Task
    made: list[Made]
    rejected: list[Rejected]
    flawed: set[str]
    notes: list[str]
    strata: tuple[str, ...]
    clips: int
    would_ask: bool
    written: dict[str, dict[str, str]] = {}


class _Started(msgspec.Struct):
    """What need not be done again for a task: its mixes and its wordings."""

    task: TaskSpec
    clips: list[SourceClip]
    rejected: list[Rejected]
    notes: list[str]
    written: dict[str, dict[str, str]]
    batches: int = 1
    mixes: int = 0


class Maker:
    """Makes items, as often as others are needed; what a model wrote is not asked for again.

    Args:
        spec: of the build.
        gathered: what its sources hold.
        clips: of these, the ones that may be asked about.
        writer: who writes; None: nobody.
        folder: of what the build keeps; None: of a dry run.
    """

    def __init__(
        self, spec: Spec, gathered: Gathered, clips: Sequence[SourceClip], writer: Writer | None, folder: Path | None
    ) -> None:
        self._spec, self._private, self._clips = spec, gathered.private, clips
        self._writer, self._folder = writer, folder
        self._heard = Heard(gathered.clips, gathered.sometime)
        self._started = dict[str, _Started]()
        self.sounds = Sounds(gathered.private)

    def made(self, task: TaskSpec, gone: Collection[str] = ()) -> Own:
        """The items of a task, as many as it wants or can be had.

        Args:
            task: of the spec.
            gone: ids of items that were made before and lost since.
        """
        lost, start = {*gone}, self._start(task)
        while True:
            own = self._made(start, lost)
            lacking = task.n - len(own.made)
            if self._folder is None or lacking <= 0:
                return own
            if own.strata and own.flawed - lost:
                lost |= own.flawed
            elif not self._mixed_more(start, lacking):
                return own

    def _start(self, task: TaskSpec) -> _Started:
        if task.name not in self._started:
            start = _Started(task, [*self._of(task)], [], [], {})
            if task.mix is not None:
                self._mix(start, start.clips, 0)
            if task.written:
                hand = Hand(self._spec, task, start.clips, self._private, self._writer, self._heard)
                start.rejected += wordings.expand(hand)
                start.task, start.written, start.notes = hand.task, hand.written, hand.notes
            self._started[task.name] = start
        return self._started[task.name]

    def _of(self, task: TaskSpec) -> Iterator[SourceClip]:
        named, parts = self._spec.sources_of(task), ("", *self._spec.splits_of(task))
        return (one for one in self._clips if one.source in named and one.split in parts)

    def _mix(self, start: _Started, clips: Sequence[SourceClip], lacking: int) -> int:
        batch = start.batches if lacking else 0
        found, left = mixes.mixed(
            self._spec, start.task, clips, self._folder, self._private, self._heard, batch, lacking or start.task.n
        )
        start.clips = [*start.clips, *found] if lacking else found
        start.rejected += left
        start.mixes += len(found) + len(left)
        return len(found)

    def _mixed_more(self, start: _Started, lacking: int) -> bool:
        """Make more mixes, unless that was done often enough; whether there are any."""
        if start.task.mix is None or start.mixes >= mixes.MOST * start.task.n:
            return False
        found = self._mix(start, [*self._of(start.task)], lacking)
        start.batches += 1
        return found > 0

    def _made(self, start: _Started, gone: Collection[str]) -> Own:
        task, make = start.task, MAKES.named(start.task.make)
        hand = Hand(
            self._spec,
            task,
            start.clips,
            self._private,
            self._writer,
            self._heard,
            gone=gone,
            unheard=lambda clips: {} if self._folder is None else self.sounds.unfit(clips, silence=task.silence),
        )
        hand.written = start.written
        card = _card(task, make.kind(task))
        own, left, flawed = items.made(hand, card, make.make(hand), self._private)
        return Own(
            task=task,
            card=card,
            made=own,
            rejected=[*start.rejected, *left],
            flawed=flawed,
            notes=[*start.notes, *hand.notes],
            strata=hand.strata,
            clips=len(start.clips),
            would_ask=hand.would_ask,
            written=start.written,
        )


def _card(task: TaskSpec, kind: KindOfTask) -> Task:
    its = {name: getattr(task, name) for name in ("name", "title", "category", "pool", "measure", "note")}
    return Task(kind=kind, **its)
