"""Published and home-made data, turned into items.

``load("mini")`` or ``load("my-benchmark/")`` gives a `Benchmark`.
"""

from __future__ import annotations

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import Problem
from audiometry.bench.registry import asked, benchmarks, load, locate, opened, published_cards

__all__ = ["Benchmark", "Problem", "asked", "benchmarks", "load", "locate", "opened", "published_cards"]
