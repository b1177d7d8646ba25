"""Builds a benchmark folder from a spec: the one door of the builder."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

import audiometry
from audiometry.bench.check import check
from audiometry.bench.findings import CheckReport
from audiometry.builder import audio_files, croissant, items, slips, sources, spec, splits, toml, wordings
from audiometry.builder.clip import SourceClip
from audiometry.builder.dry_run import ToBeTold, to_be_told
from audiometry.builder.filter import Sieve
from audiometry.builder.gather import Gathered, gather
from audiometry.builder.heard import Heard
from audiometry.builder.items import Made
from audiometry.builder.make import MAKES, Hand, KindOfTask
from audiometry.builder.mixes import mixed
from audiometry.builder.sources import Opened
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.statistics import Statistics, statistics
from audiometry.builder.writer import HowAsked
from audiometry.builder.writing import short_of
from audiometry.errors import AudioError, counted, shown
from audiometry.files import atomic, benchmark_folder, build_folder, foreign, secrets
from audiometry.files.build_folder import BuildInfo, Filtered, KeptClip, Rejected, SourceStamp
from audiometry.files.journal import Journal
from audiometry.files.stamp import sha256_of
from audiometry.records import Card, Item, Task

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
        worded: the hands of tasks of whose wordings a model wrote some.
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
    worded: Sequence[Hand] = ()


class Built(msgspec.Struct, frozen=True):
    """A benchmark that was built.

    Attributes:
        folder: of it.
        plan: what it was built by.
        rejected: what is not in it.
        info: what stands in its ``build.json``.
        check: what `audiometry.bench.check` finds in it; None where it holds no item.
        statistics: what it is like; None as there.
    """

    folder: Path
    plan: Plan
    rejected: list[Rejected]
    info: BuildInfo
    check: CheckReport | None
    statistics: Statistics | None


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
    found, raw = spec.read(path)
    asked = asked or HowAsked()
    found = asked.over(found)
    slips.refuse(path, found)
    read = [sources.read(path, one) for one in found.source]
    if folder is not None:
        sources.refuse_within(folder.parent, read)
        build_folder.refuse_other(folder.parent, found.benchmark.name)
    gathered = gather(read, _counting(progress, "rows"))
    rejected, notes = list(gathered.rejected), [*_of_licence(found), *gathered.notes]
    made = list[Made]()
    cards, worded = [], list[Hand]()
    used = tuple(dict.fromkeys(split for task in found.task for split in found.splits_of(task)))
    heard = Heard(gathered.clips, gathered.sometime)
    clips, left = splits.settled(gathered.clips, used)
    rejected += left
    notes += _of_splits(gathered, used)
    with asked.opened(found, folder) as writer:
        for task in found.task:
            make = MAKES.named(task.make)
            named, parts = found.sources_of(task), ("", *found.splits_of(task))
            own_clips = [one for one in clips if one.source in named and one.split in parts]
            if task.mix is not None:
                own_clips, left = mixed(found, task, own_clips, folder, gathered.private, heard)
                rejected += left
            hand = Hand(found, task, own_clips, gathered.private, writer, heard)
            if task.written:
                rejected += wordings.expand(hand)
                worded.append(hand)
            own_card = _task(task, make.kind(task))
            own, left = items.made(hand, own_card, make.make(hand), gathered.private)
            made, rejected, notes = made + own, rejected + left, notes + hand.notes
            cards.append(own_card)
            if not own and not hand.would_ask:
                notes.append(f"task {shown(task.name)}: no item could be made, {_why(left, len(hand.clips))}")
        told = to_be_told(found, asked, writer, [one.item for one in made]) if folder is None else None
    makes = [MAKES.named(task.make) for task in found.task]
    dimensions = tuple(dict.fromkeys(one for make in makes for one in make.dimensions))
    kinds = {kind: said for make in makes for kind, said in make.distractors.items()}
    card = Card(benchmark=found.benchmark, task=tuple(cards), dimension=dimensions, distractors=kinds)
    return Plan(found, raw, read, card, made, rejected, [*map(gathered.private.hidden, notes)], told, worded)


def build(path: Path, output: Path, progress: Progress | None = None, asked: HowAsked | None = None) -> Built:
    """Build a benchmark folder; what is there of it already is kept.

    Args:
        path: of the spec.
        output: the folder, new or of an earlier build.
        progress: see `Progress`.
        asked: how a writer is asked.

    Raises:
        BenchmarkError: the spec or a source cannot be used, or the folder is something else's.
        StoppedError: the writer cannot be asked, or the person stopped it; what it wrote is kept.
        StorageError: the disk refused.
    """
    beside = output / build_folder.FOLDER
    planned = plan(path, progress, asked, beside)
    with Journal(beside / build_folder.CLIPS) as journal:
        atomic.write(beside / build_folder.SPEC, secrets.known().raw(planned.raw))
        files = _files(planned, output, journal, _counting(progress, "clips"))
        whole, lost = _with_files(planned, files)
        sieve = Sieve(output, planned.card, planned.spec.seed, asked or HowAsked())
        kept, aside, told = _filtered(planned, whole, sieve)
        whole = items.lettered(kept, planned.spec.seed)
        planned.notes.extend(short_of(planned.spec.task, whole))
        rejected = [*planned.rejected, *lost, *aside]
        _sweep(output, {one.file_name for one in whole})
        atomic.write_records(output / benchmark_folder.METADATA, whole)
        atomic.write_records(beside / build_folder.REJECTED, rejected)
        atomic.write(output / benchmark_folder.CARD, toml.of_card(planned.card))
        name = planned.spec.filter.blind
        blind = sieve.blind(whole, name) if name else None
        sha256 = sha256_of(output / benchmark_folder.METADATA)
        info = replace(_info(planned, whole, rejected), filtered=tuple(told), blind=blind, metadata_sha256=sha256)
        atomic.write_document(beside / build_folder.INFO, info)
        described = croissant.document(planned.spec, info, sha256, whole)
        atomic.write(output / croissant.FILE, described)
    journal.path.unlink()
    shutil.rmtree(beside / build_folder.MIXED, ignore_errors=True)
    if not whole:
        return Built(output, planned, rejected, info, None, None)
    found = check(output, progress=_counting(progress, "clips checked"))
    of = {one.file_name: one.provenance.get("file", "") for one in whole}
    named = (replace(f, where=f"{f.where} (of {shown(of[f.where])})") if of.get(f.where) else f for f in found.findings)
    found = replace(found, findings=tuple(named))
    lengths = {one.clip.key: one.clip.duration_s for one in planned.made}
    return Built(output, planned, rejected, info, found, statistics(output, whole, lengths.values(), planned.spec.seed))


def _counting(progress: Progress | None, what: str) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, whole: progress(what, done, whole)


def _task(task: TaskSpec, kind: KindOfTask) -> Task:
    its = {name: getattr(task, name) for name in ("name", "title", "category", "pool", "measure", "note")}
    return Task(kind=kind, **its)


def _of_licence(found: Spec) -> Iterator[str]:
    for source in found.source if not found.benchmark.licence else ():
        if not source.licence and not source.columns.licence:
            do = "write it in the [[source]], or under [benchmark], before the clips are given to anybody"
            yield f"{shown(source.called)}: no licence is stated; {do}"


def _of_splits(gathered: Gathered, used: Sequence[str]) -> Iterator[str]:
    others = Counter((one.source, one.split) for one in gathered.clips if one.split and one.split not in used)
    for (source, split), n in others.items():
        yield f"{shown(source)}: {counted(n, 'clip')} of the split {shown(split, 40)}: not used, {', '.join(used)} are"


def _why(left: Sequence[Rejected], n: int) -> str:
    rules = ", ".join(f"{rule} {n:,}" for rule, n in Counter(one.rule for one in left).most_common(3))
    return f"all {counted(n, 'clip')} are rejected ({rules})" if n else "no clip is left for it"


def _files(
    planned: Plan, output: Path, journal: Journal, progress: Callable[[int, int], None] | None
) -> dict[str, KeptClip | AudioError]:
    """The file of each clip, by its key; those that an earlier start has written are not written again."""
    files: dict[str, KeptClip | AudioError] = {}
    with journal.path.open("rb") as lines:
        files |= {one.key: one for one in foreign.Decoder(KeptClip).lines(lines) if (output / one.name).is_file()}
    by_recording: dict[str, dict[str, SourceClip]] = {}
    keys = {one.clip.key for one in planned.made}
    for one in planned.made:
        if one.clip.key not in files:
            by_recording.setdefault(one.clip.recording.sha256, {})[one.clip.key] = one.clip
    for done in audio_files.written(output, ([*some.values()] for some in by_recording.values())):
        for clip, file in done:
            if isinstance(file, KeptClip):
                journal.append(file)
            files.setdefault(clip.key, file)
        if progress is not None:
            progress(len(files), len(keys))
    return files


def _with_files(planned: Plan, files: Mapping[str, KeptClip | AudioError]) -> tuple[list[Item], list[Rejected]]:
    """The items with their clips as files, the right option first, and those whose clip cannot be had."""
    kept, lost = list[Item](), list[Rejected]()
    for one in planned.made:
        file = files[one.clip.key]
        if isinstance(file, AudioError):
            place = items.where(one.clip)
            why = (
                str(file) if "file" in one.item.provenance else "cannot be read; its name would repeat a private value"
            )
            lost.append(Rejected(rule="unreadable", reason=why, task=one.item.task, where=place, item=one.item))
        else:
            kept.append(replace(one.item, file_name=file.name, sha256=file.sha256))
    return kept, lost


def _filtered(planned: Plan, whole: list[Item], sieve: Sieve) -> tuple[list[Item], list[Rejected], list[Filtered]]:
    """The items without those that a model knows without their clips, and how each model did."""
    own, written = planned.spec.filter, {one.name for one in planned.spec.task if MAKES.named(one.make).written}
    aside, told = sieve.sieve([one for one in whole if one.task in written], own.text, own.audio)
    gone = {one.item.id for one in aside if one.item is not None}
    return [one for one in whole if one.id not in gone], aside, told


def _sweep(output: Path, wanted: set[str]) -> None:
    """Remove clips that an earlier build of another spec left, and halves of files of one that was killed."""
    for folder in (output, output / build_folder.FOLDER, output / audio_files.FOLDER):
        for path in folder.iterdir() if folder.is_dir() else ():
            clip = folder.name == audio_files.FOLDER and len(path.stem) == audio_files.NAMED
            if atomic.is_half(path.name) or (clip and f"{audio_files.FOLDER}/{path.name}" not in wanted):
                path.unlink()


def _info(planned: Plan, whole: Sequence[Item], rejected: Sequence[Rejected]) -> BuildInfo:
    return BuildInfo(
        benchmark=planned.spec.benchmark.name,
        version=planned.spec.benchmark.version,
        seed=planned.spec.seed,
        audiometry=audiometry.__version__,
        spec_sha256=hashlib.sha256(planned.raw).hexdigest(),
        sources=tuple(
            SourceStamp(
                name=one.spec.called,
                source=one.spec.source,
                licence=one.spec.licence or planned.spec.benchmark.licence,
                revision=one.data.revision,
                sha256=one.sha256,
                rows=len(one.data),
                private=one.spec.columns.private,
            )
            for one in planned.sources
        ),
        items=dict(Counter(one.task for one in whole)),
        clips=len({one.file_name for one in whole}),
        wordings={hand.task.name: hand.task.question for hand in planned.worded},
        written={hand.task.name: hand.written for hand in planned.worded},
        rejected=dict(sorted(Counter(one.rule for one in rejected).items())),
    )
