"""What a built benchmark is like, in numbers: lengths, loudness, labels, letters, questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from audiometry import seeds
from audiometry.errors import AudioError, SilentAudioError
from audiometry.programs.parallel import mapped
from audiometry.records import Item

MEASURED: Final = 500
"""Clips whose loudness is measured at most; of more, so many are drawn."""
LENGTHS_S: Final = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
LOUDNESS_LUFS: Final = (-70.0, -50.0, -40.0, -35.0, -30.0, -25.0, -20.0, -15.0, -10.0)
WORDS: Final = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)


class Histogram(msgspec.Struct, frozen=True):
    """How many values lie between bounds.

    Attributes:
        bounds: the lowest value of each bin; the last has no upper bound, and the first holds what is below it too.
        counts: of each bin.
        least, median, most: of the values; 0 where there are none.
    """

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    least: float
    median: float
    most: float


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark in numbers.

    Attributes:
        seconds: of its clips.
        lufs: integrated loudness of its clips, or of as many as were drawn.
        silent: clips among these that have no loudness, or cannot be measured.
        words: of its questions.
        labels: by task, how often each answer is right.
        letters: by task, how often each place holds the right option.
    """

    seconds: Histogram
    lufs: Histogram
    silent: int
    words: Histogram
    labels: dict[str, dict[str, int]]
    letters: dict[str, dict[str, int]]


def statistics(folder: Path, items: Sequence[Item], seconds: Iterable[float], seed: int) -> Statistics:
    """The statistics of a benchmark.

    Args:
        folder: of it.
        items: its items.
        seconds: length of each of its clips.
        seed: by which clips are drawn to be measured.
    """
    names = sorted({item.file_name for item in items})
    drawn = sorted(seeds.stream(seed, "build", "loudness").shuffled(names)[:MEASURED])
    levels = list(mapped(_loudness, [str(folder / name) for name in drawn], chunk=8))
    labels: dict[str, Counter[str]] = {}
    letters: dict[str, Counter[str]] = {}
    for item in items:
        labels.setdefault(item.task, Counter())[item.answer or ""] += 1
        if item.options and item.answer is not None:
            own = letters.setdefault(item.task, Counter())
            for place, option in enumerate(item.options):
                own[chr(ord("A") + place)] += option == item.answer
    return Statistics(
        seconds=_histogram(seconds, LENGTHS_S),
        lufs=_histogram([one for one in levels if one is not None], LOUDNESS_LUFS),
        silent=levels.count(None),
        words=_histogram([len(item.question.split()) for item in items], WORDS),
        labels={task: dict(counts.most_common()) for task, counts in labels.items()},
        letters={task: dict(sorted(counts.items())) for task, counts in letters.items()},
    )


def _loudness(path: str) -> float | None:
    from audiometry.audio.clip import read
    from audiometry.audio.loudness import loudness

    try:
        return loudness(read(path), where=path)
    except (SilentAudioError, AudioError):
        return None


def _histogram(values: Iterable[float], bounds: tuple[float, ...]) -> Histogram:
    some = sorted(values)
    if not some:
        return Histogram(bounds, (0,) * len(bounds), 0.0, 0.0, 0.0)
    between = [sum(low <= one < high for one in some) for low, high in pairwise(bounds)]
    counts = (between[0] + sum(one < bounds[0] for one in some), *between[1:], sum(one >= bounds[-1] for one in some))
    return Histogram(bounds, counts, some[0], median(some), some[-1])
