"""What there is to review, as units."""

from __future__ import annotations

from audiometry.bench import Benchmark
from audiometry.review.unit import Unit


def items(benchmark: Benchmark) -> list[Unit]:
    """The items of a benchmark."""
    titles = {name: benchmark.card.title_of(name) for name in benchmark.tasks()}
    return [Unit(item=item, title=titles.get(item.task, item.task), options=item.options) for item in benchmark]
