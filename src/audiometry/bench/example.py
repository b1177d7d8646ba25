"""What shows what a task is like: one of its items, and the worked examples of its card."""

from __future__ import annotations

from audiometry import seeds
from audiometry.bench.benchmark import Benchmark
from audiometry.records import Card, Example, Item


def example(benchmark: Benchmark, task: str) -> Item:
    """An item of a task, drawn by the names of both: the same each time.

    Args:
        benchmark: that has items of it.
        task: name.
    """
    task_of = benchmark.items.task_of
    of_task = [position for position in range(len(benchmark)) if task_of(position) == task]
    return benchmark.items.at(seeds.stream(0, "example", benchmark.name, task).pick(of_task))


def fitting(card: Card, task: str, *, options: bool) -> list[Example]:
    """The worked examples of a card for a task, those of the task itself first.

    Args:
        card: of the benchmark.
        task: name.
        options: whether its items have options.
    """
    those = [one for one in card.example if one.task in {"", task} and bool(one.options) == options]
    return sorted(those, key=lambda one: one.task != task)
