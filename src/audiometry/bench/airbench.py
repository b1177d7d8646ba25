"""AIR-Bench foundation: 19 single-choice tasks, in the layout of their release.

Source: AIR-Bench (arXiv 2402.07729) and the layout of its published data.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from audiometry.bench import airbench_layout as layout
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import ItemList, digest
from audiometry.errors import BenchmarkError, shown
from audiometry.records import Card, Item, Task


class _Row(layout.Row):
    choice_a: str | None = None
    choice_b: str | None = None
    choice_c: str | None = None
    choice_d: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The choices that are there; absent and null ones are not options."""
        choices = (self.choice_a, self.choice_b, self.choice_c, self.choice_d)
        return tuple(c for c in choices if c is not None and c.strip())


def load(data: Path | None) -> Benchmark:
    """The foundation part of AIR-Bench, from a folder in its released layout.

    Reads the metadata and lists the folders; reads no audio.

    Args:
        data: the folder that holds ``Foundation/``, or that folder itself; parquet copies in it are read as well.

    Raises:
        UsageError: no folder was given.
        BenchmarkError: the folder is not the release, or its metadata are not a JSON array.
    """
    return layout.load(FOUNDATION, data)


def load_task(path: Path, card: Card, data: Path | None, source: str) -> Benchmark:
    """One task of the foundation part, as the only task of another card.

    Args:
        path: of the card.
        card: its content; ``[data] path`` names the task as the release does.
        data: as for `load`.
        source: how the user named the benchmark.

    Raises:
        UsageError: no folder was given.
        BenchmarkError: the folder is not the release, or the task is not in it.
    """
    whole = load(data)
    items = [replace(item, task=card.task[0].name) for item in whole if item.task == card.data.path]
    if not items:
        raise BenchmarkError(f"{path}: the release in {data} has no items of the task {shown(card.data.path)}")
    return Benchmark(
        source=source,
        card=card,
        root=whole.root,
        items=ItemList(items),
        sha256=digest(path, whole.sha256.encode()),
        data=whole.data,
        counts=tuple(one for one in whole.counts if one.folder.startswith(card.data.path)),
        clips=whole.fetch,
        problems=[problem for problem in whole.problems if problem.task == card.data.path],
        notes=whole.notes,
    )


def _flaw(row: _Row) -> str:
    options = row.options
    if options.count(row.answer_gt) == 1:
        return ""
    return "answer matches no option" if row.answer_gt not in options else "answer matches two options"


def _item(row: _Row, clip: str) -> Item:
    return Item(
        id=row.name,
        task=row.task_name,
        question=row.question,
        file_name=clip,
        options=row.options,
        answer=row.answer_gt,
        tags={"folder": row.folder, "dataset": row.dataset_name},
        source=f"AIR-Bench, {row.dataset_name}",
        licence=layout.LICENCE,
    )


FOUNDATION = layout.Part(
    id="airbench/foundation", root="Foundation", row=_Row, task=Task(name="any"), flaw=_flaw, item=_item
)
BENCHMARKS = {FOUNDATION.id: load}
