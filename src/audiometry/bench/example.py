"""An item of a task to show what it is like."""

from __future__ import annotations

from audiometry import seeds
from audiometry.bench.benchmark import Benchmark
from audiometry.records import Item


def example(benchmark: Benchmark, task: str) -> Item:
    """An item of a task, drawn by the names of both: the same each time.

    Args:
        benchmark: that has items of it.
        task: name.
    """
    task_of = benchmark.items.task_of
    of_task = [position for position in range(len(benchmark)) if task_of(position) == task]
    return benchmark.items.at(seeds.stream(0, "example", benchmark.name, task).pick(of_task))
