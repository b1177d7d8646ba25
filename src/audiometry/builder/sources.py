"""The sources of a build, read as any benchmark's data are: each row is an item that nobody is asked."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from audiometry.bench import Benchmark, class_folders, hub, local_copy, table
from audiometry.bench.cells import options_of, text_of
from audiometry.bench.dimensions import listed
from audiometry.bench.rules import with_text
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.builder.clip import Asked
from audiometry.builder.spec import Fact, Source, SourceColumns
from audiometry.errors import BenchmarkError, shown
from audiometry.files import presence
from audiometry.records import BenchmarkInfo, Card, Columns, DataSource, Item, Task

FILE, LABEL = "file_name", "label"
"""Columns of clips that no table names: their path, and the folder they lie in, as the hub's AudioFolder has them."""
_SHARED: Final = ("source", "path", "repository", "revision", "split", "clips", "keyed", "clips_in", "values", "where")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a source.

    Attributes:
        number: of its line in the table as spreadsheets count them, with the table's name where there are several.
        name: of its recording.
        cells: by column; those without a value are missing.
        group: the values that it shares with rows that are not independent of it.
    """

    number: str
    name: str
    cells: dict[str, Any]
    group: str

    def cell(self, column: str) -> Any:
        """A cell; of ``tags.genre`` the key ``genre`` of the object in the column ``tags``; None if there is none."""
        found = self.cells.get(column)
        outer, _, inner = column.partition(".")
        within = self.cells.get(outer) if inner and found is None else None
        return within.get(inner) if isinstance(within, dict) else found


class Opened(msgspec.Struct, frozen=True):
    """A source that was read.

    Attributes:
        spec: what the spec says of it.
        data: its rows, as items of a benchmark.
        tables: how many there are.
        sha256: of them.
    """

    spec: Source
    data: Benchmark
    tables: int
    sha256: str

    def number(self, place: str) -> str:
        """The number of a row, by where it stands: ``rows.csv, line 3``."""
        table, _, line = place.rpartition(", " if self.tables else "/")
        line = line.removeprefix("line ").removeprefix("row ")
        return f"{line} of {table.rpartition('/')[2]}" if self.tables > 1 else line

    def rows(self) -> Iterator[Row]:
        """Its rows; those whose recording is not there, or that cannot be read, stand in ``data.problems``."""
        for item in self.data:
            yield Row(
                number=self.number(self.data.places[item.id]) if self.tables else str(int(item.id)),
                name=item.file_name,
                cells=dict(item.tags),
                group=item.group.strip("_") and item.group,
            )

    def facts(self, row: Row) -> dict[str, tuple[str, ...]]:
        """The facts of a row that have a value."""
        found = {name: values(row, fact) for name in self.spec.facts if (fact := self.spec.fact(name)) is not None}
        return {name: some for name, some in found.items() if some}

    def asked(self, row: Row) -> Asked | None:
        """The question that a row has of its own; None if it has none."""
        c = self.spec.columns
        if not c.answer and not c.question:
            return None
        columns = Columns(options=c.options, kinds=c.kinds, options_are=c.options_are, answer_is=c.answer_is)
        given = options_of(row.cells, columns)
        answer = text_of(row.cells.get(c.answer)) if c.answer else ""
        item = with_text(Item(id="x", options=given.texts, answer=answer or None), c.answer_is)
        question = text_of(row.cells.get(c.question)) if c.question else ""
        task = text_of(row.cells.get(c.task)) if c.task else ""
        return Asked(task, question, given.texts, given.kinds, item.answer)


def values(row: Row, fact: Fact) -> tuple[str, ...]:
    """The values of a fact in a row, each once, in their order."""
    cell = row.cell(fact.column)
    several: Sequence[Any] | None = cell if isinstance(cell, list | tuple) else None
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        several = listed(cell)
    if several is None:
        text = text_of(cell)
        several = text.split(fact.separator) if fact.separator else [text]
    return tuple(dict.fromkeys(text for one in several if (text := " ".join(text_of(one).split()))))


def refuse_within(folder: Path, read: Iterable[Opened]) -> None:
    """Refuse a folder to write to in which recordings of a source lie: they would be written over or removed.

    Args:
        folder: that is to be written to.
        read: the sources.

    Raises:
        BenchmarkError: it holds a source's recordings, is a source, or lies where one without a table looks for clips.
    """
    own = Path(os.path.realpath(folder))
    for one in read:
        folders = {(one.data.root / item.file_name).parent for item in one.data}
        if one.spec.source == "folder":
            folders.add(one.data.root)
            if not one.sha256 and own.is_relative_to(os.path.realpath(one.data.root)):
                what = f"{folder} lies in the source {shown(one.spec.called)}"
                raise BenchmarkError(f"{what}, whose recordings its clips would become; give another folder with -o")
        if any(Path(os.path.realpath(path)).is_relative_to(own) for path in folders):
            what = f"the recordings of the source {shown(one.spec.called)}"
            raise BenchmarkError(f"{folder} holds {what}, which are never written over; give another folder with -o")


def read(path: Path, source: Source) -> Opened:
    """The rows of a source.

    Args:
        path: of the spec.
        source: what the spec says of it.

    Raises:
        BenchmarkError: it is not there or cannot be read; says where and what to do.
    """
    try:
        return _read(path, source)
    except BenchmarkError as problem:
        said = str(problem)
        for theirs in ("under [data.columns] of the card", "under [data.columns]", "[data.columns]"):
            said = said.replace(theirs, f"in columns of the [[source]] {shown(source.called)}")
        said = said.replace("[data] ", "").replace("give the folder that holds them with --data", "correct the path")
        raise BenchmarkError(said) from problem


def _read(path: Path, source: Source) -> Opened:
    base, pattern = _based(path.parent, source)
    card, revision = _card(source, pattern), ""
    clips_at: Path | None = None
    if _leads_out(source.clips_in):
        clips_at, source = path.parent / source.clips_in, replace(source, clips_in="")
    files: list[Path] = []
    clips: Sequence[str] = ()
    if source.source == "hub":
        copy = hub.fetch(path, card.data)
        base, clips, revision = Path(copy.folder), copy.clips, f"{source.repository}@{copy.commit}"
        files = [base / name for name in copy.tables]
    elif source.source == "folder":
        if not presence.is_folder(base):
            raise BenchmarkError(f"{base} is no folder; correct the path")
        files = [base / name for name in local_copy.METADATA if presence.is_file(base / name)][:1]
        clips = () if files else class_folders.clips_below(base, source.split)
    else:
        files = table.find_files(path, card, base)
    if files:
        kind = hub.KINDS.get(files[0].suffix, "csv") if source.source in {"hub", "folder"} else source.source
        nested = kind in {"json", "parquet"}
        own = FILE if files[0].name in local_copy.METADATA and source.columns.audio == SourceColumns().audio else ""
        card = _card(source, pattern, nested=nested, audio=own)
        data = table.read(path, card, kind, files, clips_at or base, data=None, source=source.called, lenient=True)
    elif clips:
        data = _of_clips(path, _card(source, pattern, audio=FILE), base, clips)
    else:
        raise BenchmarkError(f"{base} holds no table and no clips; correct the path")
    data.revision = revision
    return Opened(source, data, len(files), digest(*files) if files else "")


def _of_clips(path: Path, card: Card, folder: Path, names: Sequence[str]) -> Benchmark:
    """Clips without a table: the name of the folder that each lies in is its ``label``."""
    reader = TableReader(path, card, folder)
    for name in names:
        reader.add(str(folder / name), {FILE: name, LABEL: PurePosixPath(name).parent.name}, folder)
    return reader.benchmark(folder, "", data=None, source=card.benchmark.name)


def _based(folder: Path, source: Source) -> tuple[Path, str]:
    """The folder that a source's paths are relative to, and its pattern below that; a spec may lead anywhere."""
    if source.source == "hub":
        return folder, source.path
    if source.source == "folder":
        return folder / source.path, ""
    if not _leads_out(source.path):
        return folder, source.path
    parts = PurePosixPath(source.path).parts
    fixed = next((place for place, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    return folder.joinpath(*parts[:fixed]), str(PurePosixPath(*parts[fixed:]))


def _leads_out(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts


def _card(source: Source, pattern: str, *, nested: bool = False, audio: str = "") -> Card:
    """The card by which a source is read: every column that the spec names is kept as a tag."""
    c = source.columns
    facts = [fact.column for name in source.facts if (fact := source.fact(name)) is not None]
    options = (c.options,) if isinstance(c.options, str) else c.options
    kinds = (c.kinds,) if isinstance(c.kinds, str) else ()
    named = [
        *facts,
        c.start,
        c.end,
        c.channel,
        c.split,
        c.licence,
        c.question,
        *options,
        *kinds,
        c.answer,
        c.task,
        *c.private,
    ]
    tags = dict.fromkeys(name.partition(".")[0] if nested else name for name in named if name)
    columns = Columns(
        id=(), task="", question="", options="", answer="", audio=audio or c.audio, group=c.group, tags=tuple(tags)
    )
    data = DataSource(**{name: getattr(source, name) for name in _SHARED} | {"path": pattern, "columns": columns})
    task = Task(name="clips", kind="open", wordings=("-",))
    return Card(benchmark=BenchmarkInfo(name=source.called), data=data, task=(task,))
