"""A folder's metadata as a table: ``metadata.csv`` or ``metadata.tsv`` in place of ``metadata.jsonl``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from audiometry.bench import table_rows
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.keys import nearest
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.bench.wordings import stands_alone
from audiometry.errors import BenchmarkError, leads_out, shown
from audiometry.records import Card, Columns

FOLDER_COLUMNS: Final = ("id", "task", "question", "options", "kinds", "answer", "file_name", "group", "meta")
_KINDS: Final = {".csv": "csv", ".tsv": "tsv"}


def load(
    card_path: Path,
    card: Card,
    file: Path,
    source: str,
    absent: Collection[str] | None = None,
    data: str = "",
) -> Benchmark:
    """A benchmark from the ``metadata.csv`` of a folder, with the keys of ``metadata.jsonl`` as columns.

    Args:
        card_path: of the card, which need not be there.
        card: its content; its ``[data.columns]`` may name others.
        file: the table.
        source: how the user named the benchmark.
        absent: as for `audiometry.bench.load`.
        data: the folder, if it was given with ``--data``; empty otherwise.

    Raises:
        BenchmarkError: it cannot be read, or a column is missing or nearly a known one.
    """
    columns = card.data.columns
    usual = columns.audio == Columns().audio
    if usual:
        columns = replace(columns, audio="file_name")
    named = TableReader(file, _with_columns(card, columns), file.parent)
    notes: list[str] = []
    wanted = [*dict.fromkeys((*named.wanted, *FOLDER_COLUMNS, Columns().audio))]
    rows = list(table_rows.read(file, _KINDS.get(file.suffix, "json"), wanted, notes))
    header = dict.fromkeys(name for _, row in rows[:1] for name in row if name)
    given = {name: name for name in FOLDER_COLUMNS if name in header}
    by_name = Columns().audio
    asks = all(map(stands_alone, card.task)) and bool(card.task)
    columns = replace(
        columns,
        id=columns.id or (("id",) if "id" in given else ()),
        audio=by_name if usual and by_name in header and "file_name" not in given else columns.audio,
        question="" if asks and columns.question not in header else columns.question,
        task=columns.task if columns.task in header else "",
        answer=columns.answer if columns.answer in header else "",
        options=() if columns.options == Columns().options and columns.options not in header else columns.options,
        kinds=columns.kinds or given.get("kinds", ()),
        group=columns.group or (("group",) if "group" in given else ()),
        meta=columns.meta or given.get("meta", ""),
    )
    reader = TableReader(file, _with_columns(card, columns), file.parent, absent)
    unused = [name for name in header if name not in reader.wanted]
    for name in unused:
        if near := nearest(name, header):
            raise BenchmarkError(f"{file}: has the column '{shown(name)}'; did you mean '{near}'?")
    reader.notes += notes
    if unused and not leads_out(file):
        listed = ", ".join(shown(name, 40) for name in unused)
        do = "`tags` (or `group`, of speakers) in [data.columns] keeps them"
        reader.notes.append(f"{file.name}: columns that are not used: {listed}; {do}")
    for where, row in rows:
        reader.add(where, row, file.parent)
    stamps = [card_path] if card_path.is_file() else []
    return reader.benchmark(
        file.parent, digest(*stamps, file, reader.stamp), data=Path(data) if data else None, source=source
    )


def _with_columns(card: Card, columns: Columns) -> Card:
    return replace(card, data=replace(card.data, columns=columns))
