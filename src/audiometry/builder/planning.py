"""What a spec makes: its sources read, its clips settled, its tasks made, and made again where items were lost."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from audiometry.builder import shortfall, slips, sources, spec, splits
from audiometry.builder.dry_run import ToBeTold, to_be_told
from audiometry.builder.gather import Gathered, gather
from audiometry.builder.items import Made
from audiometry.builder.make import MAKES
from audiometry.builder.maker import Maker, Own
from audiometry.builder.sources import Opened
from audiometry.builder.spec import Spec
from audiometry.builder.writer import HowAsked, Writer
from audiometry.errors import counted, shown
from audiometry.files import build_folder
from audiometry.files.build_folder import Rejected
from audiometry.records import Card

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is done (``rows``, ``clips``), how many are done and how many there are."""


class Plan(msgspec.Struct, frozen=True):
    """All that a build will write but the clips.

    Attributes:
        spec, raw: the spec, and its file's bytes.
        sources: as they were read.
        card: of the benchmark.
        made: its items, whose clips are no files yet.
        rejected: what is not in it.
        notes: what a person should know, a line each.
        worded: the tasks of whose wordings a model wrote some.
        told: of a dry run, what models would be asked; None: it is none.
    """

    spec: Spec
    raw: bytes
    sources: list[Opened]
    card: Card
    made: list[Made]
    rejected: list[Rejected]
    notes: list[str]
    told: ToBeTold | None = None
    worded: Sequence[Own] = ()


class Planning:
    """A spec whose sources were read, and what is made of it; see `planning`.

    Attributes:
        spec, private: what is built, and what nobody is told.
        maker: of its items.
        own: what was made of each task, in the order of the spec.
    """

    def __init__(
        self,
        found: Spec,
        raw: bytes,
        read: list[Opened],
        gathered: Gathered,
        writer: Writer | None,
        folder: Path | None,
    ) -> None:
        self.spec, self.private = found, gathered.private
        self._raw, self._read, self._folder, self._writer = raw, read, folder, writer
        used = tuple(dict.fromkeys(split for task in found.task for split in found.splits_of(task)))
        clips, left = splits.settled(gathered.clips, used, gathered.shared)
        self._rejected = [*gathered.rejected, *left]
        self._notes = [*_of_licence(found), *_of_filter(found), *gathered.notes, *_of_splits(gathered, used)]
        self.maker = Maker(found, gathered, clips, writer, folder)
        self.own: list[Own] = [self.maker.made(task) for task in found.task]

    @property
    def made(self) -> list[Made]:
        """All items."""
        return [one for own in self.own for one in own.made]

    def again(self, lost: dict[str, set[str]]) -> None:
        """Make others in the place of items that were lost, of tasks that want a number of them.

        Args:
            lost: ids of items by task, of all times.
        """
        for place, own in enumerate(self.own):
            gone = lost.get(own.task.name, set())
            if any(one.item.id in gone for one in own.made):
                if own.task.n:
                    self.own[place] = self.maker.made(self.spec.task[place], gone)
                else:
                    left = [one for one in own.made if one.item.id not in gone]
                    self.own[place] = msgspec.structs.replace(own, made=left)

    def plan(self, asked: HowAsked) -> Plan:
        """All that will be written."""
        found, writer = self.spec, self._writer
        told = to_be_told(found, asked, writer, [one.item for one in self.made]) if self._folder is None else None
        makes = [MAKES.named(task.make) for task in found.task]
        card = Card(
            benchmark=found.benchmark,
            task=tuple(one.card for one in self.own),
            dimension=tuple(dict.fromkeys(one for make in makes for one in make.dimensions)),
            distractors={kind: said for make in makes for kind, said in make.distractors.items()},
        )
        notes = [*self._notes, *(note for own in self.own for note in own.notes)]
        return Plan(
            spec=found,
            raw=self._raw,
            sources=self._read,
            card=card,
            made=self.made,
            rejected=[*self._rejected, *(one for own in self.own for one in own.rejected)],
            notes=[self.private.hidden(one) for one in notes],
            told=told,
            worded=[own for own in self.own if own.task.written],
        )


@contextlib.contextmanager
def planning(path: Path, progress: Progress | None, asked: HowAsked, folder: Path | None) -> Iterator[Planning]:
    """What a spec makes, to be made again while the writer is there; see `plan`."""
    found, raw = spec.read(path)
    found = asked.over(found)
    slips.refuse(path, found)
    read = [sources.read(path, one) for one in found.source]
    if folder is not None:
        sources.refuse_within(folder.parent, read)
        build_folder.refuse_other(folder.parent, found.benchmark.name)
    gathered = gather(read, counting(progress, "rows"))
    with asked.opened(found, folder) as writer:
        yield Planning(found, raw, read, gathered, writer, folder)


def plan(
    path: Path, progress: Progress | None = None, asked: HowAsked | None = None, folder: Path | None = None
) -> Plan:
    """What a spec makes.

    Args:
        path: of the spec.
        progress: see `Progress`.
        asked: how a writer is asked.
        folder: where its replies are kept; None: it is not asked, and nothing is written.

    Raises:
        BenchmarkError: the spec or a source cannot be used; says where and what to do.
        UnknownNameError: there is no such make.
    """
    asked = asked or HowAsked()
    with planning(path, progress, asked, folder) as work:
        found = work.plan(asked)
        found.notes.extend(shortfall.notes(work.own, found.rejected, whole=folder is not None))
        return found


def counting(progress: Progress | None, what: str) -> Callable[[int, int], None] | None:
    """A progress that says what is done."""
    return None if progress is None else lambda done, whole: progress(what, done, whole)


def _of_licence(found: Spec) -> Iterator[str]:
    for source in found.source if not found.benchmark.licence else ():
        if not source.licence and not source.columns.licence:
            do = "write it in the [[source]], or under [benchmark], before the clips are given to anybody"
            yield f"{shown(source.called)}: no licence is stated; {do}"


def _of_filter(found: Spec) -> Iterator[str]:
    """What a filter cannot look at, lest somebody believes that it did."""
    for task in found.task if found.filter.text or found.filter.audio else ():
        if MAKES.named(task.make).kind(task) == "open":
            why = "open questions have no options for a model to be right about in every order"
            yield f"task {shown(task.name)}: {why}, so [filter] leaves them as they are; have people review them"


def _of_splits(gathered: Gathered, used: Sequence[str]) -> Iterator[str]:
    others = Counter((one.source, one.split) for one in gathered.clips if one.split and one.split not in used)
    for (source, split), n in others.items():
        yield f"{shown(source)}: {counted(n, 'clip')} of the split {shown(split, 40)}: not used, {', '.join(used)} are"
