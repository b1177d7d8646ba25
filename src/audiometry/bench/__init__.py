"""Published and home-made data, turned into items.

``load("mini")`` or ``load("my-benchmark/")`` gives a `Benchmark`.
"""

from __future__ import annotations

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.registry import benchmarks, load, locate, published_cards
from audiometry.bench.store import Problem, scan

__all__ = ["Benchmark", "Problem", "benchmarks", "load", "locate", "published_cards", "scan"]
