"""A suite: one benchmark of several cards' items, each set with data of its own.

Items are called after their set (``iemocap/00012``), and so are their clips. A set whose data are not to be had is
named with the reason, and the rest is asked; the content hash is that of the sets which are there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.coverage import FolderCount
from audiometry.bench.store import ItemStore, digest
from audiometry.errors import AudiometryError, BenchmarkError, StorageError, counted, shown, suggestion
from audiometry.files import benchmark_folder, foreign, presence
from audiometry.records import Card, Dimension, Example, Item

Opens: TypeAlias = Callable[[Path, Card, Path | None], Benchmark]
"""Opens the set of a card, its data in a folder if one is given."""
FIRST = 3  # sets that are named in one line when nothing is there


class Suite(Benchmark):
    """The sets of a suite that are there, as one benchmark.

    Args:
        source: how the user named it.
        card: of the suite.
        cards: of all its sets, by name, there or not.
        sets: those that are there, by name.
        root: the folder of the data, or of the card.
        data: the folder that was given; empty for none.
        notes: on those that are not there, a line each.
    """

    def __init__(
        self,
        *,
        source: str,
        card: Card,
        cards: dict[str, Card],
        sets: dict[str, Benchmark],
        root: Path,
        data: str,
        notes: Sequence[str],
        stamp: bytes,
    ) -> None:
        self.sets = sets
        super().__init__(
            source=source,
            card=merged(card, {name: sets[name].card if name in sets else one for name, one in cards.items()}),
            root=root,
            items=SuiteItems(sets),
            sha256=digest(stamp, *(f"{name} {one.sha256}".encode() for name, one in sets.items())),
            data=data,
            counts=tuple(_count(name, one.benchmark.size, sets.get(name)) for name, one in cards.items()),
            problems=[
                replace(problem, item=f"{name}/{problem.item}" if problem.item else "")
                for name, one in sets.items()
                for problem in one.problems
            ],
            notes=[*notes, *(f"{name}: {note}" for name, one in sets.items() for note in one.notes)],
        )
        self.revision = " ".join(one.revision for one in sets.values() if one.revision)
        self.found = "; ".join(f"{name}: {one.found}" for name, one in sets.items() if one.found)

    def file_of(self, name: str) -> str:
        """See `Benchmark.file_of`."""
        part, _, rest = name.partition("/")
        return self.sets[part].file_of(rest) if part in self.sets else super().file_of(name)

    def clip_path(self, name: str, *, fetch: bool = True) -> Path:
        """See `Benchmark.clip_path`."""
        part, _, rest = name.partition("/")
        return self.sets[part].clip_path(rest, fetch=fetch) if part in self.sets else super().clip_path(name)


class SuiteItems:
    """The items of several sets, one after the other.

    Args:
        sets: by name.
    """

    def __init__(self, sets: dict[str, Benchmark]) -> None:
        self._sets: list[tuple[str, ItemStore, int]] = []
        self._corpora = {name: one.card.data.corpus for name, one in sets.items()}
        n = 0
        for name, one in sets.items():
            self._sets.append((name, one.items, n))
            n += len(one)
        self._n, self._first = n, {name: start for name, _, start in self._sets}

    def __len__(self) -> int:
        return self._n

    def at(self, position: int) -> Item:
        """See `store.ItemStore`."""
        name, items, start = self._holder(position)
        item, corpus = items.at(position - start), self._corpora[name]
        return replace(
            item,
            id=f"{name}/{item.id}",
            file_name=f"{name}/{item.file_name}" if item.file_name else "",
            file_names=tuple(f"{name}/{clip}" for clip in item.file_names),
            group=f"{corpus or name}/{item.cluster}" if corpus or item.group else "",
        )

    def position(self, item: str) -> int | None:
        """See `store.ItemStore`."""
        part, _, rest = item.partition("/")
        found = next((one for one in self._sets if one[0] == part), None)
        at = None if found is None else found[1].position(rest)
        return None if found is None or at is None else found[2] + at

    def task_of(self, position: int) -> str:
        """See `store.ItemStore`."""
        _, items, start = self._holder(position)
        return items.task_of(position - start)

    def has_clip(self, position: int) -> bool:
        """See `store.ItemStore`."""
        _, items, start = self._holder(position)
        return items.has_clip(position - start)

    def _holder(self, position: int) -> tuple[str, ItemStore, int]:
        return next(one for one in reversed(self._sets) if one[2] <= position)


def load(path: Path, card: Card, data: Path | None, source: str, opens: Opens) -> Benchmark:
    """The benchmark of a suite's card.

    Args:
        path: of the card.
        card: its content.
        data: a folder with one of each set's name in it; None: the sets' own data.
        source: how the user named it.
        opens: opens a set.

    Raises:
        BenchmarkError: a card cannot be used, two have the same task, or not one set is there.
        StorageError: the disk refused.
    """
    cards = cards_of(path, card)
    if data is not None and not presence.is_folder(data):
        raise BenchmarkError(f"{data} is no folder that is there; give one that holds a folder for each set")
    _refuse_twins(path, cards)
    sets: dict[str, Benchmark] = {}
    lost: dict[str, str] = {}
    absent = [] if data is None else [name for name in cards if not presence.is_folder(data / name)]
    for name, one in cards.items():
        if name in absent:
            continue
        try:
            sets[name] = opens(path.parent / f"{name}.toml", one, None if data is None else data / name)
        except StorageError:
            raise
        except AudiometryError as problem:
            lost[name] = str(problem)
    why = [f"{name}: {reason}" for name, reason in lost.items()]
    if absent and data is not None:
        why.append(f"{data} has no folder {', '.join(absent)}{_nearly(data, absent)}")
    if not sets:
        how = "give them with --data FOLDER, a folder of its name for each"
        looked = "" if data is None else _level(source, cards, data) or f"{data} has no folder {absent[0]}, …; {how}"
        said = looked if len(absent) == len(cards) else f"{how}: {'; '.join(why[:FIRST])}"
        raise BenchmarkError(f"{source}: none of its {counted(len(cards), 'set')} is there; {said}")
    n = f"{len(sets)} of {counted(len(cards), 'set')}"
    notes = [f"{shown(source)}: {n} are there; not asked:", *(f"  {line}" for line in why)]
    return Suite(
        source=source,
        card=card,
        cards=cards,
        sets=sets,
        root=path.parent if data is None else data,
        data="" if data is None else str(data),
        notes=notes if why else [],
        stamp=foreign.read_file(path),
    )


def _nearly(data: Path, absent: Collection[str]) -> str:
    """Which folders may be those of sets that are not there, under another name; empty for none."""
    folded = {re.sub("[^a-z0-9]", "", name): name for name in absent}
    near = {one.name: folded.get(re.sub("[^a-z0-9]", "", one.name.casefold())) for one in data.iterdir()}
    said = ", ".join(f"'{shown(name, 40)}' to {name_of}" for name, name_of in sorted(near.items()) if name_of)
    return said and f"; rename {said}"


def _level(source: str, cards: Collection[str], data: Path) -> str:
    """What to do about a folder that lies above those of the sets, or is one of them; empty if it is neither."""
    if data.resolve().name in cards:
        its = f"{source}/{data.resolve().name}"
        return f"{data} is the folder of one set: give the one above it, or ask {shown(its)} alone"
    below = next((folder for name in cards for folder in data.glob(f"*/{name}") if presence.is_folder(folder)), None)
    return "" if below is None else f"sets are in {below.parent}: give that folder"


def cards_of(path: Path, card: Card) -> dict[str, Card]:
    """The cards of a suite's sets, by name.

    Raises:
        BenchmarkError: one is not a file beside the suite's, or cannot be used.
    """
    found: dict[str, Card] = {}
    if not card.data.cards:
        raise BenchmarkError(f'{path}: [data] cards names none; write cards = ["one.toml", …]')
    for name in card.data.cards:
        beside = path.parent / name
        if Path(name).name != name or not presence.is_file(beside):
            near = suggestion(name, (one.name for one in path.parent.glob("*.toml") if one != path))
            raise BenchmarkError(
                f"{path}: [data] cards names '{shown(name)}', which is no card beside it; {near or 'correct it'}"
            )
        if beside.stem in found:
            raise BenchmarkError(f"{path}: [data] cards names '{shown(name)}' twice; keep one")
        found[beside.stem] = benchmark_folder.read_card_file(beside)
        if found[beside.stem].data.source == "cards":
            raise BenchmarkError(f"{path}: [data] cards names '{shown(name)}', a suite; name the cards of its sets")
    return found


def merged(card: Card, cards: dict[str, Card]) -> Card:
    """A suite's card with what its sets' cards say: tasks with sizes, defects, examples, what is not known.

    Of two sets that name a dimension or a kind of option alike, what the first says of it counts.

    Args:
        card: of the suite.
        cards: of its sets, by name.
    """
    tasks = (replace(task, size=one.size_of(task.name)) for one in cards.values() for task in one.task)
    infos, own = {name: one.benchmark for name, one in cards.items()}, card.benchmark
    unknown = _of_sets({name: info.unknown for name, info in infos.items()})
    known = _of_sets({name: info.known for name, info in infos.items()})
    dimensions: dict[str, Dimension] = {}
    kinds: dict[str, str] = {}
    for one in (card, *cards.values()):
        dimensions = {dimension.tag: dimension for dimension in one.dimension} | dimensions
        kinds = one.distractors | kinds
    examples = (replace(example, task=to) for one in cards.values() for to, example in _examples(one))
    return replace(
        card,
        task=tuple(tasks),
        benchmark=replace(own, unknown=(*own.unknown, *unknown), known=(*own.known, *known)),
        dimension=tuple(dimensions.values()),
        distractors=kinds,
        example=(*card.example, *examples),
    )


def _examples(card: Card) -> Iterator[tuple[str, Example]]:
    """Worked examples of a set, each with the name of a task that it is like."""
    for example in card.example:
        yield from ((task.name, example) for task in card.task if example.task in {"", task.name})


def _of_sets(facts: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """What is said of sets, each with the names of all of which it is said, or of those of which it is not."""
    whose: dict[str, list[str]] = {}
    for name, said in facts.items():
        for fact in said:
            whose.setdefault(fact, []).append(name)
    for fact, names in whose.items():
        others = [name for name in facts if name not in names]
        most = f"all but {' and '.join(others)}" if others else "all sets"
        yield f"{most if len(others) < len(names) > 1 else ', '.join(names)}: {fact}"


def _refuse_twins(path: Path, cards: dict[str, Card]) -> None:
    whose: dict[str, str] = {}
    for name, one in cards.items():
        for task in one.task:
            if other := whose.get(task.name):
                raise BenchmarkError(f"{path}: both {other} and {name} have a task {shown(task.name)}; rename one")
            whose[task.name] = name


def _count(name: str, size: int, one: Benchmark | None) -> FolderCount:
    """What is there of a set, in one line; of one that is not, how many items were published."""
    if one is None:
        return FolderCount(folder=name, rows=size, with_audio=0, kept=0, dropped={"set not there": size})
    left = one.n_left_out
    dropped = {"left out": left} if left else {}
    return FolderCount(folder=name, rows=len(one) + left, with_audio=len(one), kept=len(one), dropped=dropped)
