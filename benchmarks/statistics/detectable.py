"""Measure what `detectable` claims: how often a true difference of just that size is found.

    python benchmarks/statistics/detectable.py --replicates 200

Of two models that are equally good, or `--seen` so far apart, runs are drawn, and what each says would be found four
times in five. Of true differences along that span runs are drawn anew; the share of those with p < .05, at each of the
stated sizes, is averaged over them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeAlias

import numpy as np

from audiometry import seeds
from audiometry.stats.compare import Paired, compare
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import SHARE, Parts, Scale, Value, means, ratio

SEED = 20_242
SWAPS = 399
Pair: TypeAlias = tuple[Parts, Parts, Value, Scale]
Draw: TypeAlias = Callable[[np.random.Generator, float], Pair]
ZIPF = (40, 20, 13, 10, 8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1)


def _rates(middle: float, apart: float, most: float = 1.0) -> tuple[float, float]:
    low, high = middle - apart / 2, middle + apart / 2
    return (most, most - apart) if high > most else (apart, 0.0) if low < 0 else (high, low)


def right(sizes: Iterable[int], rate: float, alike: float = 0.0, shared: float = 0.5, *, whole: bool = False) -> Draw:
    """Right-or-wrong items of clips, with part of their luck in common, as the two models have by item or clip."""
    clip = np.repeat(np.arange(len(tuple(sizes))), tuple(sizes))

    def draw(rng: np.random.Generator, apart: float) -> Pair:
        own, of_clip = rng.random((2, len(clip))), rng.random((2, clip[-1] + 1))[:, clip]
        luck = np.where(rng.random((2, len(clip))) < alike**0.5, of_clip, own)
        same = rng.random(clip[-1] + 1)[clip] if whole else rng.random(len(clip))
        luck[1] = np.where(same < shared, luck[0], luck[1])
        a, b = (luck < np.array(_rates(rate, apart))[:, None]).astype(np.float64)
        return means(a, clip), means(b, clip), ratio, SHARE

    return draw


def words(clips: int, length: int, shape: float, rate: float) -> Draw:
    """Errors of words in clips whose difficulty is gamma, or alike where the shape is 0."""

    def draw(rng: np.random.Generator, apart: float) -> Pair:
        of = rng.poisson(length, clips) + 1
        hard = rng.gamma(shape, 1 / shape, clips) if shape else np.ones(clips)
        a, b = (
            Parts(
                np.stack((rng.poisson(of * one * hard), of), 1)[:, None].astype(np.float64),
                np.arange(clips),
                np.zeros(clips, np.int64),
                of.astype(np.float64),
            )
            for one in _rates(rate, apart, np.inf)
        )
        return a, b, ratio, Scale("log")

    return draw


def labels(items: int, classes: int, rate: float) -> Draw:
    """Labels of even classes, wrong ones drawn evenly, by macro F1, which is then the share of right ones."""

    def draw(rng: np.random.Generator, apart: float) -> Pair:
        gold, row, sides = rng.integers(0, classes, items), np.arange(items), []
        for one in _rates(rate, apart):
            said = (gold + np.where(rng.random(items) < one, 0, rng.integers(1, classes, items))) % classes
            sums = np.zeros((items, 1, 3 * classes))
            sums[row, 0, 3 * gold] = said == gold
            sums[row, 0, 3 * gold + 1] += 1
            sums[row, 0, 3 * said + 2] += 1
            sides.append(Parts(sums, row, np.zeros(items, np.int64), np.ones(items)))
        return sides[0], sides[1], macro_f1, Scale("f1")

    return draw


def judged(items: int) -> Draw:
    """Scores from 1 to 10."""

    def draw(rng: np.random.Generator, apart: float) -> Pair:
        talk = rng.normal(6, 1.1, items)
        a, b = (np.clip(np.round(talk + side * apart / 2 + rng.normal(0, 1.7, items)), 1, 10) for side in (1, -1))
        return means(a, np.arange(items)), means(b, np.arange(items)), ratio, Scale("bounded", 1, 10)

    return draw


SETTINGS: dict[str, Draw] = {
    **{f"{n} items, right in {rate}": right([1] * n, rate) for n, rate in ((12, 0.6), (30, 0.7), (60, 0.65))},
    "60 items, right in 0.6, independent": right([1] * 60, 0.6, shared=0),
    **{f"{n} items, right in {rate}": right([1] * n, rate) for n, rate in ((60, 0.95), (200, 0.97), (300, 0.8))},
    **{
        f"{clips} clips of {each} items, alike {alike}": right([each] * clips, 0.6, alike)
        for clips, each, alike in ((12, 5, 0), (12, 5, 0.3), (20, 5, 0.3), (45, 3, 0.3), (10, 20, 0), (10, 8, 0.5))
    },
    **{
        f"{clips} clips of {each} items, alike 0.2": right([each] * clips, 0.6, 0.2)
        for clips, each in ((7, 20), (8, 10))
    },
    "12 clips of 5 items, half of the clips answered alike": right([5] * 12, 0.6, whole=True),
    "one clip of 12 items, 60 of two": right([12] + [2] * 60, 0.6, 0.3),
    "20 clips of 40, 20, 13 ... 1 items": right(ZIPF, 0.6, 0.2),
    "one clip of 60 items, 20 of one": right([60] + [1] * 20, 0.6, 0.3),
    "one clip of 60 items, 200 of one": right([60] + [1] * 200, 0.6, 0.3),
    "40 labels of 3 classes": labels(40, 3, 0.7),
    "60 labels of 4 classes": labels(60, 4, 0.7),
    "200 labels of 4 classes": labels(200, 4, 0.7),
    **{
        f"word errors, {clips} clips of {length}, gamma {shape:g}" if shape else f"word errors, {clips} clips": words(
            clips, length, shape, rate
        )
        for clips, length, shape, rate in (
            (60, 12, 0, 0.1),
            (12, 20, 1, 0.3),
            (30, 12, 0.3, 0.3),
            (60, 12, 1, 0.1),
            (200, 12, 0.3, 0.1),
            (200, 12, 1, 0.1),
        )
    },
    "12 judged": judged(12),
    "70 judged": judged(70),
}


def _compared(setting: str, apart: float, *of: str, swaps: int = SWAPS) -> Paired:
    a, b, value, scale = SETTINGS[setting](seeds.generator(SEED, setting, *of), apart)
    return compare(a, b, value, np.ones(1), scale, seeds.generator(SEED, "swaps"), swaps=swaps)


def measured(job: tuple[str, float, int]) -> str:
    """A row of the table: how many state one, the median of it, and how often it is found."""
    setting, seen, replicates = job
    every = [_compared(setting, seen, "stated", str(i), swaps=1).detectable for i in range(replicates)]
    stated = [one for one in every if one is not None]
    if not stated:
        return f"| {setting} | 0 | | |"
    sizes = np.quantile(stated, [0.02, 0.2, 0.5, 0.8, 0.98])
    power = [
        np.mean([(_compared(setting, size, "found", str(i)).p or 1.0) < 0.05 for i in range(replicates)])
        for size in sizes
    ]
    found = 100 * np.interp(stated, sizes, power).mean()
    return f"| {setting} | {100 * len(stated) / len(every):.0f} | {np.median(stated):.3f} | {found:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--seen", type=float, default=0.0)
    arguments = parser.parse_args()
    print("| setting | runs that state one, % | median | found, % |\n|---|--:|--:|--:|")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for row in pool.map(measured, [(one, arguments.seen, arguments.replicates) for one in SETTINGS]):
            print(row, flush=True)


if __name__ == "__main__":
    main()
