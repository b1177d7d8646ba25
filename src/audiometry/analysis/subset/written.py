"""A subset as a benchmark folder of its own, which runs and is scored as any other."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import msgspec

from audiometry.analysis.subset.by_votes import Subset
from audiometry.bench import Benchmark
from audiometry.builder import toml
from audiometry.errors import StorageError, UsageError, counted, shown
from audiometry.files import atomic, linked
from audiometry.files.benchmark_folder import CARD, METADATA
from audiometry.records import Card, Columns, DataSource, Item


def write(subset: Subset, benchmark: Benchmark, to: Path) -> Subset:
    """Write card, items and clips; clips are linked where the disk can.

    Args:
        subset: which items.
        benchmark: that they are of.
        to: the folder, which is not there yet.

    Raises:
        UsageError: ``to`` is there, or an item of the subset is not in the benchmark.
        StorageError: the disk refused; what was written is removed.
    """
    if to.exists() or to.is_symlink():
        raise UsageError(f"{shown(str(to), 200)} is there already; give a folder that is not there yet")
    items = [benchmark.item(name) for name in subset.items]
    there = [item for item in items if item is not None]
    if len(there) < len(items):
        raise UsageError(f"{counted(len(items) - len(there), 'item')} of the subset not in {shown(benchmark.source)}")
    there.sort(key=lambda item: benchmark.items.position(item.id) or 0)
    half = to.with_name(f".{to.name}.half")  # so that what is there is whole, whatever ends this
    with ExitStack() as left:
        left.callback(shutil.rmtree, half, ignore_errors=True)
        shutil.rmtree(half, ignore_errors=True)
        atomic.write(half / CARD, toml.of_card(_card(subset, benchmark.card)))
        atomic.write_records(half / METADATA, there)
        _clips(benchmark, there, half)
        try:
            half.replace(to)
        except OSError as problem:
            raise StorageError(f"cannot write {to}: {problem.strerror}; choose another folder") from problem
    return msgspec.structs.replace(subset, folder=str(to))


def _card(subset: Subset, card: Card) -> Card:
    """The benchmark's own card, which says what it is a part of and that its score is another one."""
    left = {name for name, n in subset.tasks.items() if n}
    told = (
        f"{counted(subset.n_items, 'item')} of {subset.n_of:,}, chosen since their mean goes along with votes on "
        f"{counted(subset.n_systems, 'system')}: a score of them is no score of {card.benchmark.name}, and compares "
        "with scores of these items alone"
    )
    info = msgspec.structs.replace(
        card.benchmark,
        name=f"{card.benchmark.name}-by-votes-{subset.n_items}",
        title=f"{card.benchmark.title or card.benchmark.name}, {counted(subset.n_items, 'item')} by votes",
        size=0,
        cannot_show=(told, *card.benchmark.cannot_show),
    )
    return msgspec.structs.replace(
        card,
        benchmark=info,
        data=DataSource(columns=Columns(drawn=card.data.columns.drawn)),
        task=tuple(msgspec.structs.replace(task, size=0) for task in card.task if task.name in left),
    )


def _clips(benchmark: Benchmark, items: list[Item], to: Path) -> None:
    for name in sorted({name for item in items for name in item.clips}):
        path = benchmark.clip_path(name)
        if not path.is_file():
            raise UsageError(f"{shown(str(path), 200)} is missing; put the clip there, then write the subset again")
        linked.link_or_copy(path.resolve(), to / name)
