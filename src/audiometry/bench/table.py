"""Benchmarks whose items are rows of a table, described by a card alone.

The card's ``[data.columns]`` says which column is which field. Rows that cannot be asked are left out and
counted by folder and reason, as for all published data.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from audiometry.bench import rules
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.coverage import Counter
from audiometry.bench.store import ItemList, digest
from audiometry.errors import BenchmarkError, UnknownNameError, shown
from audiometry.files import presence
from audiometry.records import Card, Columns, Item

Row = dict[str, Any]
DELIMITERS = {"csv": ",", "tsv": "\t"}


def load(path: Path, card: Card, data: Path | None, source: str = "") -> Benchmark:
    """A benchmark from a card that points at tables.

    Args:
        path: of the card.
        card: its content.
        data: the folder that ``[data] path`` is relative to; None: the card's own.
        source: how the user named the benchmark; empty: the card's path.

    Raises:
        BenchmarkError: no table is there, a column is missing, or no row can be asked.
    """
    base = data or path.parent
    files = find_files(path, card, base)
    return read(path, card, card.data.source, files, base, data=data, source=source or str(path))


def read(
    path: Path, card: Card, kind: str, files: Sequence[Path], base: Path, *, data: Path | None, source: str
) -> Benchmark:
    """A benchmark from these tables.

    Args:
        path: of the card.
        card: its content.
        kind: of the tables: ``parquet``, ``csv``, ``tsv`` or ``json`` (an array, or lines).
        files: the tables.
        base: the folder that paths of clips are relative to; the folder of their table is looked into next.
        data: the folder that was given with ``--data``.
        source: how the user named the benchmark.

    Raises:
        BenchmarkError: a column is missing, or no row can be asked.
    """
    if kind == "parquet":
        from audiometry.bench import parquet

        return parquet.load(path, card, files, data, source)
    reader = TableReader(path, card)
    for file in files:
        for row in _rows(file, kind):
            reader.add(row, _clip(str(row.get(card.data.columns.audio) or ""), file, base))
    return reader.benchmark(base, digest(path.read_bytes(), *files, reader.left_out), data=data, source=source)


def find_files(path: Path, card: Card, base: Path) -> list[Path]:
    """The tables that a card names, in the order of their names.

    Raises:
        BenchmarkError: there are none.
    """
    pattern = card.data.path
    if not pattern or PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
        raise BenchmarkError(f"{path}: [data] path '{shown(pattern)}' is not a path below the card; correct it")
    files = sorted(file for file in base.glob(pattern) if file.is_file())
    if not files:
        raise BenchmarkError(
            f"{path}: no file matches {pattern} in {base}; give the folder that holds them with --data"
        )
    return files


class TableReader:
    """Turns rows into items and keeps account of those it cannot.

    Args:
        path: of the card, for messages.
        card: names columns and tasks.
    """

    def __init__(self, path: Path, card: Card) -> None:
        self._path, self._card, self._columns = path, card, card.data.columns
        self._tasks = {task.name: task for task in card.task}
        self._items: list[Item] = []
        self._counters: dict[str, Counter] = {}
        self._seen: set[str] = set()
        self._left_out: list[str] = []
        self._checked = False

    def add(self, row: Row, clip: str | None) -> None:
        """One row; ``clip`` is the path of its clip, None if it has none.

        Raises:
            BenchmarkError: a column that the card names is not there.
        """
        if not self._checked:
            self._check(row)
        columns = self._columns
        task = str(row[columns.task]) if columns.task else self._card.benchmark.name
        name = _joined(row, columns.id)
        counter = self._counters.setdefault(
            _joined(row, columns.folder) if columns.folder else task, Counter(_joined(row, columns.folder) or task)
        )
        counter.rows += 1
        counter.with_audio += clip is not None
        item = _item(row, columns, name, task, clip or "")
        reason = self._reason(item, clip)
        self._seen.add(name)
        if reason:
            counter.drop(reason)
            self._left_out.append(f"{name} {reason}")
        else:
            counter.kept += 1
            if columns.meta and not item.meta:
                counter.note(f"without {columns.meta}")
            self._items.append(item)

    @property
    def left_out(self) -> bytes:
        """Ids and reasons of rows left out, for the digest."""
        return "\n".join(sorted(self._left_out)).encode()

    @property
    def items(self) -> list[Item]:
        """The items so far."""
        return self._items

    def benchmark(self, root: Path, stamp: str, *, data: Path | None, source: str, clips: Any = None) -> Benchmark:
        """The benchmark of all rows added.

        Raises:
            BenchmarkError: none could be asked.
        """
        if not self._items:
            why = self._left_out[0] if self._left_out else "the tables are empty"
            raise BenchmarkError(f"{self._path}: no row can be asked ({shown(why, 160)}); correct [data.columns]")
        return Benchmark(
            source=source,
            card=self._card,
            root=root,
            items=ItemList(self._items),
            sha256=stamp,
            data=str(data) if data else "",
            counts=tuple(counter.count() for counter in self._counters.values()),
            clips=clips,
        )

    def _reason(self, item: Item, clip: str | None) -> str:
        if item.id in self._seen:
            return "id twice"
        if self._tasks and item.task not in self._tasks:
            return str(UnknownNameError("task", item.task, self._tasks))
        if clip is None:
            return "clip missing"
        found = rules.problems(item, self._tasks.get(item.task, self._card.task_named(item.task)))
        return found[0].partition("; ")[0] if found else ""

    def _check(self, row: Row) -> None:
        c = self._columns
        options = (c.options,) if isinstance(c.options, str) else c.options
        wanted = [*c.id, *filter(None, [c.task]), c.question, c.answer, *options, *c.folder, *c.group, *c.tags]
        wanted += filter(None, [c.meta])
        for name in wanted:
            if name not in row:
                raise BenchmarkError(
                    f"{self._path}: {UnknownNameError('column', name, map(str, row))}; correct [data.columns]"
                )
        self._checked = True


def _item(row: Row, columns: Columns, name: str, task: str, clip: str) -> Item:
    given = row[columns.options] if isinstance(columns.options, str) else [row[c] for c in columns.options]
    options = tuple(str(o) for o in (given or ()) if o is not None and str(o).strip())
    answer = row[columns.answer]
    tags = {tag: row[tag] for tag in columns.tags if row[tag] is not None}
    if columns.folder:
        tags["folder"] = _joined(row, columns.folder)
    return Item(
        id=name,
        task=task,
        question=str(row[columns.question] or ""),
        file_name=clip,
        options=options,
        answer=None if answer is None else str(answer),
        tags=tags,
        meta=str(row[columns.meta] or "").strip() if columns.meta else "",
        group=_joined(row, columns.group),
    )


def _clip(name: str, table: Path, base: Path) -> str | None:
    """Where a clip is, relative to ``base``; None if it is not there or the name leads out of the folder."""
    if not name or rules.problems(_probe(name), rules.ANY):
        return None
    found = next((folder / name for folder in (base, table.parent) if presence.is_file(folder / name)), None)
    return found.relative_to(base).as_posix() if found is not None else None


def _joined(row: Row, names: tuple[str, ...]) -> str:
    return "_".join(str(row.get(name, "")) for name in names)


def _probe(name: str) -> Item:
    return Item(id="x", task="x", question="x", file_name=name)


def _rows(path: Path, source: str) -> Iterator[Row]:
    if source == "json":
        yield from _json_rows(path)
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file, delimiter=DELIMITERS[source])


def _json_rows(path: Path) -> Iterator[Row]:
    """The objects of one JSON array, or of JSON lines."""
    raw = path.read_bytes()
    try:
        if raw.lstrip()[:1] == b"[":
            yield from msgspec.json.decode(raw, type=list[Row])
        else:
            yield from msgspec.json.Decoder(Row).decode_lines(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise BenchmarkError(
            f"{path}: {shown(str(problem), 200)}; a JSON array or JSON lines of objects is needed"
        ) from problem
