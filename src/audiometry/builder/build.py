"""Builds a benchmark folder from a spec: the one door of the builder."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

import audiometry
from audiometry.bench.check import check
from audiometry.bench.findings import CheckReport
from audiometry.builder import audio_files, croissant, items, shortfall, toml
from audiometry.builder.clip import SourceClip
from audiometry.builder.filter import Sieve
from audiometry.builder.items import Made
from audiometry.builder.make import MAKES, Unfit
from audiometry.builder.planning import Plan, Planning, Progress, counting, plan, planning
from audiometry.builder.statistics import Statistics, statistics
from audiometry.builder.units import clusters
from audiometry.builder.writer import HowAsked
from audiometry.errors import AudioError, shown
from audiometry.files import atomic, benchmark_folder, build_folder, foreign, secrets
from audiometry.files.build_folder import BuildInfo, KeptClip, Rejected, SourceStamp
from audiometry.files.journal import Journal
from audiometry.files.stamp import sha256_of
from audiometry.records import Item

__all__ = ["Built", "Plan", "build", "checked", "plan"]


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
    asked = asked or HowAsked()
    beside = output / build_folder.FOLDER
    with planning(path, progress, asked, beside) as work, Journal(beside / build_folder.CLIPS) as journal:
        atomic.write(beside / build_folder.SPEC, secrets.known().raw(work.plan(asked).raw))
        sieve = Sieve(output, work.plan(asked).card, work.spec.seed, asked)
        kept = _Kept(output, journal, counting(progress, "clips"))
        while kept.look_at(work, sieve):
            work.again(kept.gone)
        planned = work.plan(asked)
        rejected = [*planned.rejected, *kept.rejected]
        planned.notes.extend(shortfall.notes(work.own, rejected, whole=True))
        groups = clusters(planned.made)
        whole = [replace(kept.items[one.item.id], group=groups[one.item.id]) for one in planned.made]
        whole = items.lettered(whole, planned.spec.seed)
        _sweep(output, {one.file_name for one in whole})
        atomic.write_records(output / benchmark_folder.METADATA, whole)
        atomic.write_records(beside / build_folder.REJECTED, rejected)
        atomic.write(output / benchmark_folder.CARD, toml.of_card(planned.card))
        name = planned.spec.filter.blind
        blind = sieve.blind(whole, name) if name else None
        sha256 = sha256_of(output / benchmark_folder.METADATA)
        info = replace(_info(planned, whole, rejected), filtered=sieve.told, blind=blind, metadata_sha256=sha256)
        atomic.write_document(beside / build_folder.INFO, info)
        described = croissant.document(planned.spec, info, sha256, whole)
        atomic.write(output / croissant.FILE, described)
    journal.path.unlink()
    shutil.rmtree(beside / build_folder.MIXED, ignore_errors=True)
    if not whole:
        return Built(output, planned, rejected, info, None, None)
    found = checked(output, whole, counting(progress, "clips checked"))
    lengths = {one.clip.key: one.clip.duration_s for one in planned.made}
    return Built(output, planned, rejected, info, found, statistics(output, whole, lengths.values(), planned.spec.seed))


def checked(folder: Path, whole: Sequence[Item], progress: Callable[[int, int], None] | None = None) -> CheckReport:
    """What `audiometry.bench.check` finds in a built benchmark, clips called as their source calls them too.

    Args:
        folder: of it.
        whole: its items.
        progress: called with the number of clips checked and of all.
    """
    found = check(folder, progress=progress)
    of = {one.file_name: one.provenance.get("file", "") for one in whole}
    named = (replace(f, where=f"{f.where} (of {shown(of[f.where])})") if of.get(f.where) else f for f in found.findings)
    return replace(found, findings=tuple(named))


class _Kept:
    """The items of a build with their clips as files, the right option first, and those that were lost on the way.

    Attributes:
        items: by id; some may be made no more.
        rejected: lost: their clip has no sound or cannot be had, or a model knows them without it.
        gone: their ids by task.
    """

    def __init__(self, output: Path, journal: Journal, progress: Callable[[int, int], None] | None) -> None:
        self._output, self._journal, self._progress = output, journal, progress
        self._files: dict[str, KeptClip | AudioError] = {}
        with journal.path.open("rb") as lines:
            there = foreign.Decoder(KeptClip).lines(lines)
            self._files |= {one.key: one for one in there if (output / one.name).is_file()}
        self.items: dict[str, Item] = {}
        self.rejected: list[Rejected] = []
        self.gone: dict[str, set[str]] = {}

    def look_at(self, work: Planning, sieve: Sieve) -> bool:
        """Look at the items that are new; whether any of them is lost."""
        lost = {name for some in self.gone.values() for name in some}
        new = [one for one in work.made if one.item.id not in self.items and one.item.id not in lost]
        silence = {task.name: task.silence for task in work.spec.task}
        left = list[Rejected]()
        heard = list[Made]()
        for task, quiet in silence.items():
            own = [one for one in new if one.item.task == task]
            unfit = work.maker.sounds.unfit((one.clip for one in own), silence=quiet)
            left += (_unheard(one, unfit[one.clip.key]) for one in own if one.clip.key in unfit)
            heard += (one for one in own if one.clip.key not in unfit)
        self._write([one.clip for one in heard])
        whole, lost_clips = _with_files(heard, self._files)
        written = {one.name for one in work.spec.task if MAKES.named(one.make).written}
        own_filter = work.spec.filter
        aside = sieve.sieve(
            [one for one in whole if one.task in written], own_filter.text, own_filter.audio, [*self.items.values()]
        )
        left += [*lost_clips, *aside]
        for one in left:
            if one.item is not None:
                self.gone.setdefault(one.task, set()).add(one.item.id)
        self.rejected += left
        out = {one.item.id for one in aside if one.item is not None}
        self.items |= {one.id: one for one in whole if one.id not in out}
        return bool(left)

    def _write(self, clips: Sequence[SourceClip]) -> None:
        """The files of clips; those that are there are not written again."""
        by_recording: dict[str, dict[str, SourceClip]] = {}
        for clip in clips:
            if clip.key not in self._files:
                by_recording.setdefault(clip.recording.sha256, {})[clip.key] = clip
        keys = self._files.keys() | {clip.key for clip in clips}
        for done in audio_files.written(self._output, ([*some.values()] for some in by_recording.values())):
            for clip, file in done:
                if isinstance(file, KeptClip):
                    self._journal.append(file)
                self._files.setdefault(clip.key, file)
            if self._progress is not None:
                self._progress(len(self._files), len(keys))


def _with_files(made: Sequence[Made], files: Mapping[str, KeptClip | AudioError]) -> tuple[list[Item], list[Rejected]]:
    """The items with their clips as files, the right option first, and those whose clip cannot be had."""
    kept, lost = list[Item](), list[Rejected]()
    for one in made:
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


def _unheard(made: Made, unfit: Unfit) -> Rejected:
    why = unfit.reason if "file" in made.item.provenance else "cannot be heard; its name would repeat a private value"
    return Rejected(rule=unfit.rule, reason=why, task=made.item.task, where=items.where(made.clip), item=made.item)


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
        wordings={own.task.name: own.task.question for own in planned.worded},
        written={own.task.name: own.written for own in planned.worded},
        rejected=dict(sorted(Counter(one.rule for one in rejected).items())),
    )
