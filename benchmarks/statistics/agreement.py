"""Measure what the intervals of agreement claim: how often they hold the truth.

    python benchmarks/statistics/agreement.py                 the whole grid, printed as tables
    python benchmarks/statistics/agreement.py --write         the same, written into docs/agree.md
    python benchmarks/statistics/agreement.py --replicates 200

Raters are simulated whose true agreement is known, or is taken from a sample of 400,000 items. Every cell has a
seed of its own.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.stats.agreement import cohen_kappa, quadratic_kappa
from audiometry.stats.bootstrap import Coefficient, How
from audiometry.stats.concordance import kendall_tau_b, spearman_rho
from audiometry.stats.estimate import estimate
from audiometry.stats.krippendorff import alpha
from audiometry.stats.parts import SHARE, means, ratio

SEED = 20_241
RESAMPLES = 500
LARGE = 400_000  # items of the sample that stands for the truth
MARK = "<!-- measured -->"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "agree.md"

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Setting(msgspec.Struct, frozen=True):
    """One kind of study.

    Attributes:
        what: ``choices`` (four options) or ``scores`` (1 to 10).
        items: how many.
        per_item: rated replies of an item; those of one item are alike.
        right: for choices, how often each of three raters follows the truth, else guesses.
        noise: for scores, the standard deviation of a rater's error; that of the truth is 2.
    """

    what: str
    items: int
    per_item: int = 1
    right: float = 0.0
    noise: float = 0.0


class Study(msgspec.Struct, frozen=True):
    """Ratings of three raters, ``float64[3, n]``, and the item of each of the n replies."""

    ratings: Floats
    item: Codes


def simulate(setting: Setting, items: int, rng: np.random.Generator) -> Study:
    """Draw items, replies and what three raters say of them.

    Replies of an item share half of the variance of their worth, and the raters' errors half of theirs.
    """
    item = np.repeat(np.arange(items), setting.per_item)
    n = len(item)
    if setting.what == "choices":
        truth = rng.integers(0, 4, n)
        # whether an item is hard is shared by its replies: then all three guess more often
        hard = rng.beta(4, 4, items)[item] if setting.per_item > 1 else np.full(n, 0.5)
        follow = rng.random((3, n)) < 1 - (1 - setting.right) * 2 * hard
        return Study(np.where(follow, truth, rng.integers(0, 4, (3, n))).astype(np.float64), item)
    shared = rng.normal(0, 1, (4, items))[:, item]
    own = rng.normal(0, 1, (4, n))
    parts = (shared + own) / np.sqrt(2) if setting.per_item > 1 else own
    scores = 5.5 + 2 * parts[3] + setting.noise * parts[:3]
    return Study(np.clip(np.round(scores), 1, 10), item)


def _share(study: Study, _how: How) -> Coefficient:
    found = estimate(means(study.ratings[0] == study.ratings[1], study.item), ratio, [1], SHARE)
    return Coefficient(
        value=found.value, low=found.low, high=found.high, n=len(study.item), n_clusters=found.n_clusters
    )


def _kappa(study: Study, how: How) -> Coefficient:
    return cohen_kappa(study.ratings[0], study.ratings[1], study.item, **how)


def _quadratic(study: Study, how: How) -> Coefficient:
    return quadratic_kappa(study.ratings[0], study.ratings[1], study.item, **how)


def _tau(study: Study, _how: How) -> Coefficient:
    return kendall_tau_b(study.ratings[0], study.ratings[1:].mean(axis=0), study.item)


def _rho(study: Study, _how: How) -> Coefficient:
    return spearman_rho(study.ratings[0], study.ratings[1:].mean(axis=0), study.item)


def _alpha(level: str) -> Callable[[Study, How], Coefficient]:
    def measured(study: Study, how: How) -> Coefficient:
        unit = np.tile(np.arange(len(study.item)), 3)
        return alpha(study.ratings.ravel(), unit, np.tile(study.item, 3), level, **how)  # type: ignore[arg-type]

    return measured


STATISTICS: dict[str, dict[str, Callable[[Study, How], Coefficient]]] = {
    "choices": {"share": _share, "kappa": _kappa, "alpha, nominal": _alpha("nominal")},
    "scores": {
        "tau-b": _tau,
        "rho": _rho,
        "kappa, quadratic": _quadratic,
        "alpha, interval": _alpha("interval"),
        "alpha, ordinal": _alpha("ordinal"),
    },
}


@lru_cache(maxsize=64)
def truth(setting: Setting, name: str) -> float:
    """The value in a very large sample."""
    study = simulate(setting, LARGE // setting.per_item, seeds.generator(SEED, "truth", str(setting)))
    how = How(rng=seeds.generator(SEED, "truth"), resamples=1, confidence=0.95)
    value = STATISTICS[setting.what][name](study, how).value
    if value is None:
        raise SystemExit(f"no truth for {name} in {setting}")
    return value


def coverage(setting: Setting, name: str, replicates: int) -> float:
    """How often the 95 % interval holds the truth; one that is not there does not."""
    known, hits = truth(setting, name), 0
    for i in range(replicates):
        rng = seeds.generator(SEED, "coverage", str(setting), str(i))
        how = How(rng=rng, resamples=RESAMPLES, confidence=0.95)
        found = STATISTICS[setting.what][name](simulate(setting, setting.items, rng), how)
        hits += found.low is not None and found.high is not None and found.low <= known <= found.high
    return hits / replicates


def grid() -> Iterator[Setting]:
    """The settings of the tables."""
    for items, per_item in ((20, 1), (50, 1), (200, 1), (400, 1), (50, 4), (200, 4)):
        for right in (0.99, 0.9, 0.6):
            yield Setting("choices", items, per_item, right=right)
        for noise in (0.5, 1.0, 2.0):
            yield Setting("scores", items, per_item, noise=noise)


def _row(job: tuple[Setting, int]) -> list[float]:
    setting, replicates = job
    return [coverage(setting, name, replicates) for name in STATISTICS[setting.what]]


def tables(replicates: int) -> str:
    """Both tables as Markdown."""
    settings = list(grid())
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(_row, [(setting, replicates) for setting in settings]))
    out = []
    for what, about in (("choices", "rater follows the truth"), ("scores", "error of a rater, points")):
        names = list(STATISTICS[what])
        out += [f"| items | replies an item | {about} | {' | '.join(names)} |", "|--:" * (3 + len(names)) + "|"]
        for setting, row in zip(settings, rows, strict=True):
            if setting.what == what:
                size = f"{100 * setting.right:g} %" if what == "choices" else f"{setting.noise:g}"
                cells = " | ".join(f"{100 * share:.1f}" for share in row)
                out.append(f"| {setting.items} | {setting.per_item} | {size} | {cells} |")
        out.append("")
    return "\n".join(out)


def main() -> None:
    """Print the tables, or write them into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = tables(arguments.replicates)
    if arguments.write:
        before, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
        error = 100 * (0.95 * 0.05 / arguments.replicates) ** 0.5
        intro = (
            f"Share of 95 % intervals that hold the truth, in percent; {arguments.replicates:,} studies a cell "
            f"(standard error about {error:.0f})."
        )
        PAGE.write_text(f"{before}{MARK}\n\n{intro}\n\n{text}", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
