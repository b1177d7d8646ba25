"""A copy of published data that a person has: a folder or a table, under the card of these data.

It holds the files as they were published, or ``metadata.csv`` (``.tsv``, ``.jsonl``, ``.parquet``) or a single table of
any name, with columns called as in the published data or plainly (``audio``, ``answer``, ``question``, ``options``,
``id``), or clips in folders called after their labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from string import digits
from typing import Final

from msgspec.structs import replace

from audiometry.bench import (
    airbench,
    arrived,
    class_folders,
    folder_table,
    hub,
    left_out,
    muchomusic,
    table,
    table_rows,
)
from audiometry.bench.airbench import FOUNDATION
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import MetadataFile, digest
from audiometry.bench.table_reader import TableReader
from audiometry.bench.wordings import settled, stands_alone
from audiometry.errors import BenchmarkError, counted, leads_out, shown
from audiometry.files import presence
from audiometry.records import Card, Columns, DataSource

METADATA: Final = ("metadata.jsonl", "metadata.csv", "metadata.tsv", "metadata.parquet")
LISTED: Final = 8  # names in a message
PLAIN: Final = Columns()
CLIPS: Final = ("file_name", PLAIN.audio)


def load(path: Path, card: Card, data: Path, source: str) -> Benchmark:
    """The benchmark of a card with a person's own copy of its data.

    Args:
        path: of the card.
        card: its content.
        data: the folder, or the table.
        source: how the user named the benchmark.

    Raises:
        BenchmarkError: nothing in it can be read; says what is there and what is wanted.
    """
    if card.data.source == "muchomusic" and data.name == card.data.path and presence.is_file(data):
        data = data.parent
    if presence.is_file(data):
        if data.suffix not in hub.KINDS:
            raise BenchmarkError(f"{data} is no table and no folder; give a folder, or a {', '.join(hub.KINDS)}")
        return _of_tables(path, card, [data], data.parent, source, data=data)
    if not presence.is_folder(data):
        raise BenchmarkError(f"{data} is not there; give the folder that holds the data of {shown(source)}")
    if own := [data / name for name in METADATA if presence.is_file(data / name)]:
        if own[0].name == METADATA[0] and _is_plain(card, own[0]):
            return _of_lines(path, card, own[0], source)
        return _of_tables(path, card, own[:1], data, source, data=data)
    if (by_code := _by_code(path, card, data, source)) is not None:
        return by_code
    if tables := _released(path, card, data) or _others(card, data):
        return _of_tables(path, card, tables, data, source, data=data)
    clips = class_folders.clips_below(data, card.data.split)
    found = class_folders.load(path, card, data, clips, data=data, source=source)
    if found is not None:
        return found
    raise BenchmarkError(f"{data}: {_there(path, card, data, clips)}; wanted is {wanted(card)}")


def of_set(path: Path, card: Card, data: Path) -> Path:
    """The folder of a card's set in one of several, which holds no table itself; else what was given."""
    own, labels = data / path.stem, {label for task in card.task for label in task.labels}
    return own if presence.is_folder(own) and path.stem not in labels and not _tables(data) else data


def _by_code(path: Path, card: Card, data: Path, source: str) -> Benchmark | None:
    """The benchmark of a release that a module reads; None for others, or if this is none."""
    if card.data.source == "muchomusic":
        return muchomusic.load(path, card, data, source)
    released = presence.exists(data / FOUNDATION.root) or presence.exists(data / FOUNDATION.metadata)
    if card.data.source == "airbench-foundation" and released:
        return airbench.load_task(path, card, data, source)
    return None


def _is_plain(card: Card, lines: Path) -> bool:
    """Whether lines are those of a benchmark folder, with all that an item may have, and mean what they say."""
    columns, header = card.data.columns, _header(lines, "json")
    told = columns.answer in {*card.data.values, *card.data.where}
    return not told and "id" in header and not {"file_name", "file_names"}.isdisjoint(header)


def _of_lines(path: Path, card: Card, lines: Path, source: str) -> Benchmark:
    was = card.data.columns
    columns = Columns(
        id=(),
        options_are=was.options_are,
        answer_is="either" if was.answer_is == "text" else was.answer_is,
        drawn=was.drawn,
    )
    own = settled(replace(card, data=DataSource(corpus=card.data.corpus, columns=columns)), {})
    items = MetadataFile(lines, own)
    return Benchmark(
        source=source,
        card=own,
        root=lines.parent,
        items=items,
        sha256=digest(path, lines, left_out.stamp(items.problems)),
        data=str(lines.parent),
        problems=items.problems,
        notes=items.notes,
    )


def wanted(card: Card) -> str:
    """What a copy may hold, in words."""
    columns = ["audio", "answer"]
    columns += ["question"] if not all(map(stands_alone, card.task)) else []
    columns += ["options"] if any(task.kind == "choice" for task in card.task) else []
    its = {
        "hub": f"the files of {card.data.repository}",
        "airbench-foundation": f"the release ({FOUNDATION.root}/)",
    }.get(card.data.source, f"the release ({card.data.path}{f' and {at}/' if (at := card.data.clips_in) else ''})")
    folders = ", or clips in folders named after their labels" if _labels(card) else ""
    return f"{METADATA[1]} with the columns {', '.join(columns)} beside the clips, or {its}{folders}"


def _labels(card: Card) -> bool:
    return bool(card.only_task) and card.task[0].kind == "label"


def _released(path: Path, card: Card, data: Path) -> Sequence[Path]:
    """The tables that the card names, as they lie in a copy; none if there are none."""
    if card.data.source != "hub":
        return () if card.data.source == "airbench-foundation" else table.found(path, card, data)
    try:
        return hub.tables_in(path, card.data, data)
    except hub.NoTableError:
        return ()


def _tables(data: Path) -> list[Path]:
    return sorted(file for file in data.iterdir() if file.suffix in hub.KINDS and file.is_file())


def _split(card: Card, name: str) -> tuple[str, bool]:
    """Which split a table is of, by its name, and whether that is the card's; empty: its name does not say."""
    begins, *parts = (re.split("[^A-Za-z0-9]", part)[0] for part in (name, *PurePosixPath(card.data.path).parts))
    its = card.data.split or next((part for part in parts if part in arrived.SPLITS), "")
    numbered = its.rstrip(digits) not in {its, ""} and begins.rstrip(digits) == its.rstrip(digits)
    return (begins, begins == its) if its and (begins in arrived.SPLITS or numbered or begins == its) else ("", False)


def _others(card: Card, data: Path) -> Sequence[Path]:
    """The only table of a folder, or the only one of the card's split, if it is not said to be of another."""
    splits = {file: _split(card, file.stem) for file in _tables(data)}
    its = [file for file, (_, same) in splits.items() if same]
    free = [file for file, (split, same) in splits.items() if same or not split]
    return next((some for some in (its, free) if len(some) == 1), ())


def _there(path: Path, card: Card, data: Path, clips: Sequence[str]) -> str:
    """What a folder holds instead, and where its table may be."""
    found = sorted(file for name in METADATA for file in data.glob(f"*/{name}"))
    deeper = [file for file in found if not presence.is_file(path.with_name(f"{file.parent.name}.toml"))]
    if len({file.parent for file in deeper}) == 1:
        return f"holds no table, but {shown(deeper[0].parent.name)}/{deeper[0].name}; give {deeper[0].parent}"
    if found:
        names = dict.fromkeys(shown(file.parent.name) for file in deeper or found)
        return f"holds no folder {shown(path.stem)}, but {', '.join([*names][:LISTED])}"
    if any(data.glob("*.arrow")) or any(data.glob("*/*.arrow")):
        return "holds .arrow files, which are not read (write parquet: dataset.to_parquet)"
    tables = [file.name for file in _tables(data)]
    if tables and all(_split(card, PurePosixPath(name).stem)[0] for name in tables):
        return f"holds {', '.join(map(shown, tables[:LISTED]))}, named after another split than is meant"
    if tables:
        of = f"of the split {shown(card.data.split)}" if card.data.split else "meant"
        return f"holds {', '.join(map(shown, tables[:LISTED]))}, and nothing says which is {of}"
    folders = sorted({PurePosixPath(name).parts[0] for name in clips if "/" in name})
    inside = f" in {', '.join(map(shown, folders[:LISTED]))}" if folders else ""
    kinds = Counter(file.suffix or "folders" for file in data.iterdir())
    listed = ", ".join(f"{n} {shown(kind, 20)}" for kind, n in kinds.most_common(3))
    what = f"{counted(len(clips), 'clip')}{inside}" if clips else listed or "nothing"
    return f"holds {what} and no table of them"


def _of_tables(path: Path, card: Card, files: Sequence[Path], base: Path, source: str, *, data: Path) -> Benchmark:
    """A benchmark from tables whose columns are called as the card says, or plainly."""
    kinds = sorted({hub.KINDS[file.suffix] for file in files})
    if len(kinds) > 1:
        raise BenchmarkError(f"{data}: holds tables of several kinds ({', '.join(kinds)}); leave those that are meant")
    if files[0].name in METADATA:
        card = replace(card, data=replace(card.data, keyed=""))
    header = _header(files[0], kinds[0], card.data.keyed)
    if not header:
        raise BenchmarkError(f"{files[0]}: holds no rows; write a header, and a line for each clip")
    own = _with_columns(card, files[0], header)
    if own is card or kinds[0] == "parquet" or len(files) > 1:
        return table.read(path, own, kinds[0], files, base, data=data, source=source)
    return folder_table.load(path, own, files[0], source, data=str(data))


def _header(file: Path, kind: str, keyed: str = "") -> list[str]:
    if kind == "parquet":
        from audiometry.bench import parquet

        return parquet.columns_of(file)
    first = next(iter(table_rows.read(file, kind, (), [], keyed)), ("", {}))[1]
    return [name.strip() for name in first if name]


def _with_columns(card: Card, file: Path, header: Sequence[str]) -> Card:
    """The card for a table: as it is if all its columns are there, else with each as it is called there.

    Raises:
        BenchmarkError: one that is needed is there under neither name.
    """
    if card.data.source != "airbench-foundation" and {*TableReader(file, card, file.parent).wanted} <= {*header}:
        return card
    was, task = card.data.columns, card.task[0] if card.task else None
    asks = bool(card.task) and all(map(stands_alone, card.task))
    judged = task is not None and task.kind == "open" and not task.measure
    chooses = task is None or task.kind == "choice"
    answer = _column(file, header, "answer", (PLAIN.answer, was.answer), needed=not judged)
    options = _options(file, header, was, needed=chooses)
    columns = replace(
        was,
        id=("id",) if "id" in header else was.id if {*was.id} <= {*header} else (),
        task=next((name for name in (was.task, PLAIN.task) if name and name in header), ""),
        audio=_column(file, header, "clips", (*CLIPS, was.audio)),
        answer=answer,
        answer_is="either" if was.answer_is == "text" else was.answer_is,
        question=_column(file, header, "question", (PLAIN.question, was.question), needed=not asks),
        options=options,
        folder=was.folder if {*was.folder} <= {*header} else (),
        group=("group",) if "group" in header else was.group if {*was.group} <= {*header} else (),
        tags=tuple(name for name in was.tags if name in header),
        lists=tuple(name for name in was.lists if name in header),
        meta=next((name for name in (was.meta, "meta") if name and name in header), ""),
        kinds="kinds" if "kinds" in header else was.kinds if options == was.options else (),
    )
    values = {name: meant for name, meant in card.data.values.items() if name in header}
    where = {name: kept for name, kept in card.data.where.items() if name in header}
    if was.answer in card.data.values:
        values[answer] = card.data.values[was.answer]
    if was.answer in card.data.where:
        where[answer] = card.data.where[was.answer]
    if card.data.split and "split" in header:
        where = {"split": (card.data.split,)} | where
    dimensions = tuple(one for one in card.dimension if (one.column or one.tag) in header)
    in_folder = card.data.clips_in if columns.audio == was.audio and was.audio not in CLIPS else ""
    data = replace(card.data, columns=columns, values=values, where=where, clips_in=in_folder)
    return replace(card, data=data, dimension=dimensions)


def _options(file: Path, header: Sequence[str], was: Columns, *, needed: bool) -> str | tuple[str, ...]:
    if PLAIN.options not in header and not isinstance(was.options, str):
        some = tuple(name for name in was.options if name in header)
        if some:
            return some
    own = was.options if isinstance(was.options, str) else ""
    return _column(file, header, "options", ("options", own), needed=needed)


def _column(file: Path, header: Sequence[str], what: str, names: Sequence[str], *, needed: bool = True) -> str:
    """What a column is called in a table.

    Raises:
        BenchmarkError: it is needed and is not there.
    """
    known = [name for name in dict.fromkeys(names) if name]
    folded = {name.casefold(): name for name in header}
    for name in known:
        if name in header or name.casefold() in folded:
            return name
    if not needed:
        return ""
    told = () if leads_out(file) else header
    listed = ", ".join(shown(name, 40) for name in told[:LISTED]) + (", …" if len(told) > LISTED else "")
    either = " or ".join(f"'{shown(name)}'" for name in known)
    raise BenchmarkError(f"{file}: has no column of the {what}, {either}{listed and f'; it has {listed}'}: rename one")
