"""The released layout of AIR-Bench, which its two parts share.

``<Part>/<Part>_meta.json`` is one JSON array; the clip of a row is ``<Part>/<task_name>_<dataset_name>/<path>``.
Endings in the metadata are not always those on disk (``.wav`` that is ``.flac``), so clips are found by their
stem. Rows that cannot be asked are left out and counted by folder and reason.

Source: AIR-Bench (arXiv 2402.07729) and the layout of its published data.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from audiometry.bench import left_out, rules, table
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.coverage import Counter
from audiometry.bench.left_out import CLIP, Problem
from audiometry.bench.store import ItemList, digest
from audiometry.errors import BenchmarkError, UndecodableError, UsageError, shown, suggestion
from audiometry.files import foreign
from audiometry.files.benchmark_folder import read_card_file
from audiometry.records import Card, Item, Task

CARDS = Path(__file__).parent / "cards"
LICENCE = "CC-BY-NC-4.0"


class Row(msgspec.Struct):
    """What a row of either part has."""

    path: str
    question: str
    answer_gt: str
    task_name: str
    dataset_name: str
    uniq_id: int | str

    @property
    def folder(self) -> str:
        """Where its clip is, below the part's folder."""
        return f"{self.task_name}_{self.dataset_name}"

    @property
    def name(self) -> str:
        """Its id: ``uniq_id`` alone is unique within a folder only."""
        return f"{self.folder}/{self.uniq_id}"


R = TypeVar("R", bound=Row)


class Part(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """What tells one part of the release from the other.

    Attributes:
        id: of the benchmark, ``airbench/foundation``; its cards are named after it.
        root: the part's folder, ``Foundation``.
        row: how a row of its metadata reads.
        task: stands for all its tasks where an item is looked at.
        flaw: what keeps a row from being asked, its clip apart; empty for nothing.
        item: makes an item of a row and the path of its clip below ``root``, empty if it has none.
        lacks: what is missing from a row that can be asked all the same; empty for nothing.
        named: so many rows of each folder and reason are named beside their count.
    """

    id: str
    root: str
    row: type[R]
    task: Task
    flaw: Callable[[R], str]
    item: Callable[[R, str], Item]
    lacks: Callable[[R], str] = lambda _: ""
    named: int = 0

    @property
    def metadata(self) -> str:
        """Name of the file that holds its rows."""
        return f"{self.root}_meta.json"

    @property
    def card(self) -> Path:
        """Its card."""
        return CARDS / f"{self.id.replace('/', '-')}.toml"

    @property
    def parquet_card(self) -> Path:
        """The card of its parquet copy."""
        return self.card.with_stem(f"{self.card.stem}-parquet")

    @property
    def how_to_get(self) -> str:
        """What a person without the data has to do."""
        return f"download qyang1021/AIR-Bench-Dataset and give --data FOLDER, the folder that holds {self.root}/"


def load(part: Part[R], data: Path | None) -> Benchmark:
    """One part of AIR-Bench, from a folder in its released layout.

    Reads the metadata and lists the folders; reads no audio.

    Args:
        part: which.
        data: the folder that holds the part's, or that folder itself; parquet copies in it are read as well.

    Raises:
        UsageError: no folder was given.
        BenchmarkError: the folder is not the release, or its metadata are not a JSON array.
    """
    if data is None:
        raise UsageError(f"{part.id} does not come with audiometry: {part.how_to_get}")
    if any((data / part.root).glob("*.parquet")) and not (data / part.root / part.metadata).is_file():
        return table.load(part.parquet_card, read_card_file(part.parquet_card), data, source=part.id)
    root = _root(part, data)
    card = read_card_file(part.card)
    reader = _Reader(part, root, card)
    for raw in _rows(root / part.metadata):
        reader.add(raw)
    return Benchmark(
        source=part.id,
        card=card,
        root=root,
        items=ItemList(reader.items),
        sha256=digest(foreign.read_file(part.card), root / part.metadata, left_out.stamp(reader.problems)),
        data=str(data),
        counts=tuple(counter.count() for counter in reader.counters.values()),
        problems=reader.problems,
    )


class _Folder(msgspec.Struct):
    task_name: str = "unnamed"
    dataset_name: str = "unnamed"


class _Reader(Generic[R]):
    """Turns rows into items and keeps account of those it cannot."""

    def __init__(self, part: Part[R], root: Path, card: Card) -> None:
        self._part, self._root, self._tasks = part, root, {task.name for task in card.task}
        self._clips: dict[str, dict[str, str]] = {}
        self._decode = foreign.Decoder(part.row).decode
        self.items: list[Item] = []
        self.counters: dict[str, Counter] = {}
        self.n_rows = 0
        self._seen: set[str] = set()
        self.problems: list[Problem] = []

    def add(self, raw: msgspec.Raw) -> None:
        """One row of the metadata."""
        self.n_rows += 1
        try:
            row = self._decode(raw)
        except UndecodableError as problem:
            counter = self._counter(_folder_of(raw))
            counter.rows += 1
            self._drop(counter, None, f"{problem.short}; correct the row")
            return
        folder = row.folder
        counter = self._counter(folder)
        counter.rows += 1
        clip = self._clip(folder, row.path)
        counter.with_audio += bool(clip)
        item = self._part.item(row, f"{folder}/{clip}" if clip else "")
        code, what = self._reason(row, item, clip)
        self._seen.add(item.id)
        if code:
            self._drop(counter, item, what, code=code, clip=row.path)
            return
        counter.kept += 1
        if lack := self._part.lacks(row):
            counter.note(lack, row.path)
        self.items.append(item)

    def _drop(self, counter: Counter, item: Item | None, what: str, *, code: str = "metadata", clip: str = "") -> None:
        where = f"{self._root / self._part.metadata}, row {self.n_rows}"
        name = item.id if item is not None else ""
        counter.drop(f"clip {code}" if code in CLIP else what.partition("; ")[0], clip or name or where)
        self.problems.append(Problem(where, name, what, code, item.task if item is not None else ""))

    def _reason(self, row: R, item: Item, clip: str | None) -> tuple[str, str]:
        """A code and what keeps a row from being asked, both empty if nothing does."""
        if row.task_name not in self._tasks:
            near = suggestion(row.task_name, self._tasks)
            return "metadata", f"has the task '{shown(row.task_name)}', which the release has not ({near}); correct it"
        if item.id in self._seen:
            return "metadata", "uniq_id twice in one folder; download the metadata again"
        if flaw := self._part.flaw(row):
            return "metadata", f"{flaw}; nothing can be done, it is so in the release"
        if not clip:
            code = "missing" if clip is None else "empty"
            return code, f"clip {code}: '{shown(row.folder)}/{shown(row.path)}'; download it again"
        found = rules.problems(item, self._part.task)
        return ("metadata", found[0]) if found else ("", "")

    def _counter(self, folder: str) -> Counter:
        return self.counters.setdefault(folder, Counter(folder, self._part.named))

    def _clip(self, folder: str, path: str) -> str | None:
        """The name on disk; empty for an empty file, None for none."""
        if folder not in self._clips:
            self._clips[folder] = _listing(self._root / folder) if _is_name(folder) else {}
        listed = self._clips[folder]
        return listed.get(path) if path in listed else listed.get(os.path.splitext(path)[0])  # noqa: PTH122  a string is enough


def _root(part: Part[R], data: Path) -> Path:
    for root in (data / part.root, data):
        if (root / part.metadata).is_file():
            return root
    if not data.is_dir():
        raise BenchmarkError(f"{data} is not a folder; {part.how_to_get}")
    if (above := _above(part, data)) is not None:
        raise BenchmarkError(f"{data} lies inside the release; give --data {above}")
    if (data / part.root).is_dir():
        raise BenchmarkError(f"{data / part.root} has no {part.metadata}; download it with the clips")
    raise BenchmarkError(f"{data} holds neither {part.root}/ nor {part.metadata}; {part.how_to_get}")


def _above(part: Part[R], data: Path) -> Path | None:
    """The release in which a folder lies; None if it lies in none."""
    return next((folder for folder in data.absolute().parents if (folder / part.metadata).is_file()), None)


def _rows(path: Path) -> list[msgspec.Raw]:
    raw = b""
    try:
        raw = foreign.read_file(path, foreign.LARGEST_TABLE)
        return foreign.json(raw, list[msgspec.Raw])
    except UndecodableError as problem:
        if raw.lstrip()[:1] == b"{":
            raise BenchmarkError(
                f"{path} is not one JSON array but objects, as JSON lines are; restore the released file, "
                "or put the lines between [ and ] with commas"
            ) from None
        raise BenchmarkError(f"{problem.at(path)}; download it again") from None


def _folder_of(raw: msgspec.Raw) -> str:
    """The folder that a row names which is otherwise of no use."""
    try:
        row = foreign.json(raw, _Folder)
    except UndecodableError:
        row = _Folder()
    return f"{row.task_name}_{row.dataset_name}"


def _listing(folder: Path) -> dict[str, str]:
    """Names on disk by full name and by stem; an empty string stands for an empty file."""
    found: dict[str, str] = {}
    if folder.is_dir():
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_file() and not entry.name.startswith("."):
                    name = entry.name if entry.stat().st_size else ""
                    found[entry.name] = name
                    found.setdefault(os.path.splitext(entry.name)[0], name)  # noqa: PTH122  a string is enough
    return found


def _is_name(folder: str) -> bool:
    return "/" not in folder and "\\" not in folder and folder not in {"", ".", ".."} and "\0" not in folder
