"""Rows of all sources to clips: what several rows say of one clip is put together."""

from __future__ import annotations

import hashlib
import math
import mmap
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from audiometry.audio.clip_file import called, opened, read_file
from audiometry.audio.inspect import inspect
from audiometry.bench import Benchmark
from audiometry.bench.cells import text_of
from audiometry.bench.left_out import Problem
from audiometry.bench.rules import NOT_RELATIVE
from audiometry.builder.clip import Recording, SourceClip
from audiometry.builder.private import Private
from audiometry.builder.sources import Opened, Row
from audiometry.errors import AudioError, counted, shown
from audiometry.files.build_folder import Rejected
from audiometry.files.stamp import stat_of

ROUNDED_S: Final = 0.01
"""Seconds by which a stated end may pass the end of its recording: tables round."""
NO_SPLIT: Final = "none"
"""The split of a row whose cell is empty, so that it is used only where it is asked for."""
_CHANNELS: Final = {"left": 1, "right": 2, "l": 1, "r": 2, "a": 1, "b": 2}

_UNTOLD: Final = {
    "missing": "names a clip that is not there; fetch it, correct the name or remove the row",
    "empty": "names a clip that is empty (0 bytes); replace the file",
}
_ELSEWHERE: Final = (
    "names its recording by an absolute path; say in clips_in of the source below which folder all of them lie "
    '(clips_in = "/data")'
)


class Gathered(msgspec.Struct, frozen=True):
    """What the sources of a build hold.

    Attributes:
        clips: in the order of the sources and their rows.
        rejected: rows that cannot be used.
        sometime: recordings of which such rows say something, nobody knows of which time: it may be true of any span,
            and nothing is asked of it.
        private: values that nobody is told.
        notes: what a person should know, a line each.
        shared: groups of one clip, which so are one.
    """

    clips: list[SourceClip]
    rejected: list[Rejected]
    sometime: list[SourceClip]
    private: Private
    notes: list[str]
    shared: list[tuple[str, ...]] = []


class _Unusable(Exception):  # noqa: N818  of a row, never of the program
    """A row that cannot be used: its rule and the reason."""


def gather(sources: list[Opened], progress: Callable[[int, int], None] | None = None) -> Gathered:
    """The clips of all sources.

    Args:
        sources: as they were read.
        progress: called with the number of rows done and of all.
    """
    found: dict[tuple[str, str], list[SourceClip]] = {}
    rejected, sometime, private, notes = list[Rejected](), list[SourceClip](), Private(), list[str]()
    done, whole = 0, sum(len(one.data) for one in sources)
    for source in sources:
        reader = _Reader(source)
        rejected += (_of_problem(source, one) for one in source.data.problems)
        said = (note.partition(": ")[2] for note in source.data.notes)
        notes += (f"{shown(source.spec.called)}: {what}" for what in said if "[data.where]" not in what)  # as was meant
        held = set[str]()
        for row in source.rows():
            for column in source.spec.columns.private:
                if (cell := row.cell(column)) is not None:
                    private.add(column, cell)
                    held.add(column)
            try:
                clip = reader.clip(row)
            except _Unusable as problem:
                rule, reason = problem.args
                rejected.append(Rejected(rule=rule, reason=reason, where=f"{source.spec.called}, row {row.number}"))
                sometime += reader.recording(row)
            else:
                found.setdefault((clip.key, clip.split), []).append(clip)
            done += 1
            if progress is not None:
                progress(done, whole)
        notes += reader.notes()
        empty = (shown(one, 40) for one in source.spec.columns.private if one not in held)
        notes += (f"{shown(source.spec.called)}: no row has a value in {one}, which is private" for one in empty)
    rejected = [replace(one, reason=private.hidden(one.reason)) for one in rejected]
    clips = _grouped([one for some in found.values() for one in some], sources, private)
    named = iter(clips)
    together = [[next(named) for _ in some] for some in found.values()]
    shared = [tuple(dict.fromkeys(one.group for one in some if one.group)) for some in together]
    return Gathered(
        [*map(_together, together)], rejected, sometime, private, notes, [one for one in shared if len(one) > 1]
    )


def _grouped(clips: list[SourceClip], sources: list[Opened], private: Private) -> list[SourceClip]:
    """The clips with groups of which no two sources have one in common, unless they share theirs.

    Where several have groups, each begins with what it is of. In place of one that would tell a private value stands a
    number.
    """
    specs = {one.spec.called: one.spec for one in sources}
    spaces = {one.groups or one.called for one in specs.values() if one.columns.group}
    names = dict[tuple[str, str], str]()
    numbered = 0
    for clip in clips:
        own = specs[clip.source]
        space = own.groups or own.called
        if not clip.group or (space, clip.group) in names:
            continue
        hidden = not {*own.columns.group}.isdisjoint(own.columns.private) or private.told([clip.group])
        numbered += bool(hidden)
        several = f"{space}: {clip.group}" if len(spaces) > 1 else clip.group
        names[space, clip.group] = f"{space}-{numbered}" if hidden else several
    spaced = ((one, (specs[one.source].groups or one.source, one.group)) for one in clips)
    return [replace(one, group=names[key]) if one.group else one for one, key in spaced]


def _of_problem(source: Opened, problem: Problem) -> Rejected:
    where = f"{source.spec.called}, row {source.number(problem.where)}"
    if problem.what.endswith(NOT_RELATIVE):
        return Rejected(rule="unreadable-row", reason=_ELSEWHERE, where=where)
    rule = problem.code if problem.code != "metadata" else "unreadable-row"
    what = problem.what if rule != "no-clip" else "names no recording; fill the cell, or remove the row"
    if source.spec.columns.private:  # of a row that is not read nobody knows what may not be told
        what = _UNTOLD.get(rule, "cannot be read; correct the row")
    return Rejected(rule=rule, reason=what, where=where)


def _together(some: list[SourceClip]) -> SourceClip:
    """What several rows say of one clip."""
    if len(some) == 1:
        return some[0]
    facts: dict[str, dict[str, None]] = {}
    for one in some:
        for name, values in one.facts.items():
            facts.setdefault(name, {}).update(dict.fromkeys(values))
    rows = ", ".join(one.rows for one in some)
    asked = tuple(question for one in some for question in one.asked)
    group = next((one.group for one in some if one.group), "")
    return replace(
        some[0], rows=rows, group=group, facts={name: tuple(values) for name, values in facts.items()}, asked=asked
    )


class _Reader:
    """Makes clips of the rows of a source."""

    def __init__(self, source: Opened) -> None:
        self._source = source
        self._recordings: dict[str, Recording | AudioError] = {}
        self._unlicensed = 0

    def notes(self) -> Iterator[str]:
        """Lines on what is not known of the rows."""
        spec, c = self._source.spec, self._source.spec.columns
        if self._unlicensed:
            rows = counted(self._unlicensed, "row")
            do = "theirs is taken for that of the source or the benchmark; fill the cells, or leave the rows out"
            yield f"{shown(spec.called)}: {rows} without a licence in {shown(c.licence, 40)}: {do}"
        what = f"{shown(spec.called)}: no columns.group, so clips of one speaker, station or day count as independent"
        if not c.group:
            yield f"{what}, and may stand in two splits; name the columns that tell them"

    def clip(self, row: Row) -> SourceClip:
        """The clip that a row is about.

        Raises:
            _Unusable: there is none.
        """
        spec = self._source.spec
        c = spec.columns
        recording = self._recording(row.name)
        span = self._span(row, recording)
        asked, licence = self._source.asked(row), text_of(row.cells.get(c.licence)).strip() if c.licence else ""
        self._unlicensed += bool(c.licence and not licence)
        return SourceClip(
            recording=recording,
            span=span,
            channel=_channel(row.cells.get(c.channel), recording) if c.channel else 0,
            source=spec.called,
            rows=row.number,
            group=row.group,
            split=(text_of(row.cells.get(c.split)).strip() or NO_SPLIT) if c.split else "",
            facts=self._source.facts(row),
            asked=(asked,) if asked is not None else (),
            licence=licence or spec.licence,
        )

    def recording(self, row: Row) -> list[SourceClip]:
        """The whole recording with what an unusable row says of it; none if it cannot be read."""
        found = self._recordings.get(row.name)
        if not isinstance(found, Recording):
            return []
        return [SourceClip(recording=found, source=self._source.spec.called, facts=self._source.facts(row))]

    def _recording(self, name: str) -> Recording:
        if name not in self._recordings:
            try:
                self._recordings[name] = recording_of(self._source.data, name)
            except AudioError as problem:
                self._recordings[name] = problem
        found = self._recordings[name]
        if isinstance(found, AudioError):
            raise _Unusable("unreadable", str(found))
        return found

    def _span(self, row: Row, recording: Recording) -> tuple[float, float] | None:
        c = self._source.spec.columns
        if not c.start:
            return None
        begin, end = (_seconds(row.cells.get(name), name) if name else None for name in (c.start, c.end))
        if begin is None and end is None:
            return None
        begin, end = begin or 0.0, recording.duration_s if end is None else end
        if not 0 <= begin < end:
            raise _Unusable("times", f"starts at {begin:g} s and ends at {end:g} s; correct the times")
        if end > recording.duration_s + ROUNDED_S:
            long = f"{shown(recording.name)} is {recording.duration_s:.2f} s long"
            raise _Unusable("times", f"ends at {end:g} s, but {long}; correct the times or the file")
        return begin, min(end, recording.duration_s)


def recording_of(source: Benchmark, name: str) -> Recording:
    """What a recording's file is, by its header, and its hash.

    Raises:
        AudioError: it cannot be had or read.
    """
    path = source.clip_path(name)
    with opened(path, called(name)) as (file, size):
        if not size:
            read_file(path, where=name)  # which says so
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
            stat, sha256 = stat_of(file), hashlib.sha256(data).hexdigest()
            info = inspect(data, name, to_end=False)  # type: ignore[arg-type]  # read like bytes
            return Recording(name, source, stat, sha256, info.format, info.rate, info.channels, info.frames)


def _seconds(cell: Any, column: str) -> float | None:
    """Seconds in a cell; None if it is empty."""
    text = text_of(cell).strip()
    if not text or text.lower() == "nan":
        return None
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise _Unusable("times", f"has '{shown(text, 40)}' in {shown(column, 40)}; seconds are meant, 12.5")
    return found


def _channel(cell: Any, recording: Recording) -> int:
    text = text_of(cell).strip().casefold().removesuffix(".0")
    if not text:
        return 0
    number = _CHANNELS.get(text, int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0)  # noqa: PLR2004  digits
    if not 1 <= number <= recording.channels:
        has = counted(recording.channels, "channel")
        raise _Unusable("channel", f"names the channel '{shown(text, 40)}' of a clip that has {has}; 1 is the first")
    return 0 if recording.channels == 1 else number
