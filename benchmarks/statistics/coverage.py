"""Measure what the statistics claim: coverage of the intervals and false positives of the comparison.

    python benchmarks/statistics/coverage.py                 every world, printed as tables
    python benchmarks/statistics/coverage.py --write         the same, written into docs/statistics.md
    python benchmarks/statistics/coverage.py --replicates 200

Every world has a seed of its own, so it gives the same figures whatever else is run.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from scipy.stats import binom
from worlds import World, draw

from audiometry import seeds
from audiometry.stats.compare import FEW_DIFFER, compare
from audiometry.stats.estimate import FEW_HOLD, estimate
from audiometry.stats.wilson import wilson

SEED = 20_240
SWAPS = 499
MANY = 600  # items of a task from which a comparison of equal models is simulated four times as often
MARK = "<!-- measured -->"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
_DUST = 1e-12
R = TypeVar("R")


class Covered(msgspec.Struct, frozen=True):
    """Shares of replicates: the interval holds the truth; the truth lies below, above it; and its mean width.

    ``rests``: at most five clips hold half of the errors.
    """

    holds: float
    below: float
    above: float
    width: float
    rests: float


class Compared(msgspec.Struct, frozen=True):
    """Shares of replicates: the interval holds the true difference; p < .05; and the median of Kish's number."""

    holds: float
    rejects: float
    differing: float


def covered(world: World, replicates: int) -> Covered:
    """How often the 95 % interval of one model's value holds the truth."""
    rng = seeds.generator(SEED, "interval", repr(world))
    found = np.zeros((replicates, 4))
    for row in found:
        run = draw(world, rng)
        e = estimate(run.a, world.value, world.tree, world.scale)
        low, high = e.interval or (-np.inf, np.inf)
        row[:] = run.truth < low - _DUST, run.truth > high + _DUST, high - low, (e.half_in or 99) <= FEW_HOLD
    below, above, width, rests = found.mean(axis=0)
    return Covered(1 - below - above, below, above, width, rests)


def compared(world: World, replicates: int, swaps: int = SWAPS) -> Compared:
    """How often two models differ at p < .05, and how often the 95 % interval holds the true difference."""
    rng = seeds.generator(SEED, "comparison", repr(world))
    found = np.zeros((replicates, 3))
    for row in found:
        run = draw(world, rng)
        e = compare(run.a, run.b, world.value, world.tree, world.scale, rng, swaps=swaps)
        low, high = e.interval or (-np.inf, np.inf)
        row[:] = low - _DUST <= run.difference <= high + _DUST, (e.p or 1.0) < 0.05, e.n_differing
    return Compared(found[:, 0].mean(), found[:, 1].mean(), float(np.median(found[:, 2])))


def exact_coverage(n: int, rate: float) -> float:
    """How often the Wilson interval of n single items holds the rate: a binomial sum, nothing simulated."""
    ends = np.array([wilson(k / n, n) for k in range(n + 1)])
    return float(binom.pmf(np.arange(n + 1), n, rate)[(ends[:, 0] <= rate) & (rate <= ends[:, 1])].sum())


UNEQUAL = (
    ((20, 100, 500), ()),
    ((30, 300, 300), ()),
    ((50, 500, 500), ()),
    ((15, *(200,) * 8), (8, *(1,) * 8)),
    ((15,) * 12, ()),
    ((10, 10), ()),
    ((*(1,) * 20, 500), ()),
    ((*(1,) * 10, *(5,) * 10), ()),
)
TOGETHER = (
    ((20,) * 5, "shared"),
    ((20, 60, 100), "shared"),
    ((390, 390), "ten"),
    ((390, 39, 39), "ten"),
    ((200, 200, 200), "few 10"),
    ((100, 30, 300), "few 5"),
    ((100, 30, 300), "over 30"),
)
ALONE = ((390, "ten"), (780, "ten"), (600, "few 30"), (200, "few 10"), (300, "few 3"))


def headlines() -> list[World]:
    """Accuracy over tasks: unequal, sharing clips, of unequal clips."""
    apart = [World("accuracy", s, rate=r, weights=w) for (s, w), r in itertools.product(UNEQUAL, (0.9, 0.95, 0.97))]
    return apart + [
        World("accuracy", sizes, clips, rho, rate, alike=alike)
        for (sizes, clips), (rho, alike), rate in itertools.product(
            TOGETHER, ((0.8, "luck"), (0.8, "beta")), (0.5, 0.8, 0.9, 0.97)
        )
        if alike == "luck" or rate < 0.95  # a beta of .97 has nearly all clips at 1
    ]


def alone() -> list[World]:
    """Accuracy of one task whose clips have several items."""
    return [
        World("accuracy", (n,), clips, rho, rate)
        for (n, clips), rho, rate in itertools.product(ALONE, (0.0, 0.8), (0.5, 0.8, 0.9, 0.97))
    ]


def judged() -> list[World]:
    """Means of judges' scores."""
    places = (((50,), "own", 0.0), ((20, 100, 500), "own", 0.0), ((20,) * 5, "shared", 0.8), ((390, 390), "ten", 0.8))
    return [
        World("judged", sizes, clips, rho, shape=shape)
        for (sizes, clips, rho), shape in itertools.product(places, ("middle", "high", "top", "ends"))
    ] + [
        World("judged", sizes, shape=shape)
        for shape, tasks in (
            ("five", ((60,), (100,))),
            ("seven", ((60,), (100,), (200,))),
            ("eight", ((20,), (60,), (15, 100, 300), (20, 100, 500))),
        )
        for sizes in tasks
    ]


def labelled(sizes: Iterable[int] = (60, 200)) -> list[World]:
    """Macro F1."""
    return [
        World("macro F1", (n,), clips, rho, rate, shape=f"{classes} {how}")
        for n, classes, how, rate, (clips, rho) in itertools.product(
            sizes, (2, 4, 7), ("even", "halved"), (0.6, 0.9), (("own", 0.0), ("few 3", 0.8))
        )
        if (n, how, clips) != (60, "halved", "few 3") or classes < 7  # 20 clips, 1 of them with a class
    ]


def balanced() -> list[World]:
    """Balanced accuracy."""
    return [
        World("balanced accuracy", (n,), clips, rho, rate, shape=shape)
        for (n, shape), rate, (clips, rho) in itertools.product(
            ((60, "4 even"), (60, "2 tenths"), (200, "4 halved"), (525, "3 tenths"), (1010, "3 tenths")),
            (0.6, 0.87),
            (("own", 0.0), ("few 3", 0.8)),
        )
        if n > 60 or clips == "own"  # 20 clips, 2 of them with a class
    ]


def transcribed() -> list[World]:
    """Word error rates."""
    one = [
        World("WER", (n,), rate=rate, shape=shape)
        for n, rate, shape in itertools.product((60, 200), (0.02, 0.1, 0.3), ("gamma 0.5", "gamma 2", "bursts 0.1"))
    ]
    return [
        *one,
        World("WER", (300,), rate=0.1, shape="bursts 0.02"),
        World("WER", (60,) * 3, rate=0.1, shape="gamma 1"),
    ]


def fresh() -> list[World]:
    """Settings that had no part in choosing a form or a constant: added when all of them were chosen."""
    places = (
        ((25, 70, 140, 33), "own", 0.0),
        ((12, 45, 260), "own", 0.0),
        ((7,) * 9, "own", 0.0),
        ((1000, 30), "own", 0.0),
        ((22,) * 7, "shared", 0.4),
        ((120, 80, 240), "few 4", 0.5),
        ((60, 60), "few 6", 0.7),
        ((300, 150), "zipf 40", 0.3),
        ((500,), "zipf 60", 0.5),
    )
    return [
        *(
            World("accuracy", *place, rate, alike="beta")
            for place, rate in itertools.product(places, (0.6, 0.85, 0.93))
        ),
        *(World("judged", *place, shape=shape) for place, shape in itertools.product(places, ("six", "nine"))),
        *(
            World(measure, sizes, rate=rate, shape=shape)
            for measure, sizes, rate, shape in itertools.product(
                ("macro F1", "balanced accuracy"), ((75,), (130,)), (0.7, 0.85), ("3 halved", "5 even", "6 even")
            )
        ),
        *(World("WER", sizes, rate=rate, shape="gamma 3") for sizes in ((120,), (80, 150)) for rate in (0.06, 0.4)),
    ]


def pairs() -> list[World]:
    """Worlds of two equal models, and of the same with a difference where one can be set."""
    worlds = [w for w in headlines() if w.rate in {0.9, 0.97} and w.alike == "luck"]
    worlds += [World("accuracy", (n,), clips, rho, 0.6) for n, clips, rho in ((600, "own", 0.0), (3000, "few 5", 0.8))]
    worlds += [w for w in judged() if w.shape in {"high", "top"}]
    both = [msgspec.structs.replace(w, gain=0.03) for w in worlds]
    wers = [
        World("WER", (n,), rate=0.1, shape=shape)
        for n, shape in itertools.product((200, 600), ("gamma 0.5", "gamma 2"))
    ]
    classes = [w for w in (*labelled((60, 600)), *balanced()) if w.rate == 0.6]
    return [*worlds, *both, *classes, *wers]


def _words(world: World) -> list[str]:
    sizes = (
        "/".join(map(str, world.sizes))
        if len(world.sizes) < 6
        else f"{world.sizes[0]} + {len(world.sizes) - 1} × {world.sizes[-1]}"
    )
    rate = f"{world.rate:g}" if world.rate else ""
    return [world.measure, world.shape, sizes, world.clips, f"{world.rho:g}", world.alike, rate]


COLUMNS = ["measure", "shape", "items a task", "clips", "rho", "alike", "rate"]


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def _over(work: Callable[[World, int], R], worlds: list[World], replicates: Iterable[int]) -> list[R]:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, worlds, replicates, chunksize=2))


def interval_tables(replicates: int) -> list[str]:
    """A summary by group, then every world."""
    groups = {
        "accuracy, headlines": headlines(),
        "accuracy, one task of clips with several items": alone(),
        "judged means": judged(),
        "macro F1": labelled(),
        "balanced accuracy": balanced(),
        "word error rates": transcribed(),
        "all of these, settings of which none had a part in a choice": fresh(),
    }
    found = {name: _over(covered, worlds, itertools.repeat(replicates)) for name, worlds in groups.items()}
    summary, every = [], []
    for name, worlds in groups.items():
        kept = [(w, c) for w, c in zip(worlds, found[name], strict=True) if c.rests < 0.05]
        holds = 100 * np.array([c.holds for _, c in kept])
        summary.append(
            [
                name,
                str(len(kept)),
                *(f"{v:.1f}" for v in (holds.min(), holds.mean(), holds.max())),
                str((holds < 93).sum()),
            ]
        )
        for w, c in zip(worlds, found[name], strict=True):
            figures = [100 * c.holds, 100 * c.below, 100 * c.above]
            rests = f"{100 * c.rests:.0f}" if w.measure == "WER" else ""
            every.append([*_words(w), *(f"{v:.1f}" for v in figures), f"{c.width:.3f}", rests])
    note = (
        f"Intervals, {replicates} replicates a setting; of word error rates those settings in which five clips hold "
        "half of the errors in fewer than 5 % of the runs:\n"
    )
    return [
        note,
        *_table(["measure", "settings", "lowest", "mean", "highest", "below 93 %"], summary),
        "\n<details><summary>Every setting</summary>\n",
        *_table([*COLUMNS, "holds", "truth below", "truth above", "width", "rests on ≤ 5"], every),
        "\n</details>\n",
    ]


def exact_table() -> list[str]:
    """The Wilson interval of single items, exactly."""
    rates = (0.05, 0.3, 0.5, 0.8, 0.9, 0.95, 0.97, 0.98)
    rows = [
        [str(n), *(f"{100 * exact_coverage(n, rate):.1f}" for rate in rates)] for n in (15, 20, 30, 60, 100, 200, 1000)
    ]
    return [
        "One task of single items, whose interval is Wilson's: the exact binomial coverage at each true rate.\n",
        *_table(["items", *(f"{rate:.2f}" for rate in rates)], rows),
        "",
    ]


def comparison_tables(replicates: int) -> list[str]:
    """False positives where nothing differs; coverage and power where something does."""
    worlds = pairs()
    many = [w.gain == 0 and len(w.sizes) == 1 and w.sizes[0] >= MANY for w in worlds]
    found = _over(compared, worlds, [4 * replicates if most else replicates for most in many])
    rows = [
        [*_words(w), f"{w.gain:g}", f"{100 * c.rejects:.1f}", f"{100 * c.holds:.1f}", f"{c.differing:.0f}"]
        for w, c in zip(worlds, found, strict=True)
    ]
    equal = [c for w, c in zip(worlds, found, strict=True) if w.gain == 0]
    heavy = [c.rejects for c in equal if c.differing >= FEW_DIFFER]
    most, at_100, least = (
        f"{100 * v:.1f} %" for v in (max(c.rejects for c in equal), max(heavy), min(c.holds for c in found))
    )
    note = (
        f"Comparisons, {len(worlds)} settings, {replicates} replicates each, and {4 * replicates} where two equal "
        f"models were asked {MANY} items of one task or more. Where no model is better, p < .05 came up in at most "
        f"{most}, and in at most {at_100} where the clips that differ are worth {FEW_DIFFER} or more (the "
        f"last column); the interval held the true difference in at least {least}.\n"
    )
    return [
        note,
        "<details><summary>Every setting</summary>\n",
        *_table([*COLUMNS, "gain", "p < .05", "holds", "clips that differ"], rows),
        "\n</details>\n",
    ]


def main() -> None:
    """Run every world; print the tables or write them into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=500, help="of each setting; half of that for comparisons")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}, after its mark")
    wanted = parser.parse_args()
    tables = "\n".join(
        [*exact_table(), *interval_tables(wanted.replicates), *comparison_tables(wanted.replicates // 2)]
    )
    if not wanted.write:
        print(tables)
        return
    head = PAGE.read_text(encoding="utf-8").split(MARK)[0]
    PAGE.write_text(f"{head}{MARK}\n\n{tables}", encoding="utf-8")


if __name__ == "__main__":
    main()
