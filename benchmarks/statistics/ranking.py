"""Measure how often ratings' intervals hold, rank ranges are right, and the fit by pair doubts what is true.

    python benchmarks/statistics/ranking.py                 every setting, printed as a table
    python benchmarks/statistics/ranking.py --replicates 200

Every setting has a seed of its own, so it gives the same figures whatever else is run.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiometry.seeds import generator
from audiometry.stats.ranking import Ranking, bradley_terry
from audiometry.stats.ranking.prepared import Ties
from audiometry.stats.ranking.votes import Votes, of_codes

Floats = NDArray[np.float64]


class World(NamedTuple):
    """Where votes come from."""

    models: int
    votes: int
    voters: int = 0  # 0: each vote is somebody else's
    taste: float = 0.0  # standard deviation of a voter's liking for a model
    spread: float = 0.5  # from one model to the next, over all of them
    tied: float = 0.2  # of halved ties: share of 2 min(p, 1 - p); of Davidson's: v
    ties: Ties = "half"
    told: bool = True  # who voted
    bootstrap: int = 0
    heavy: float = 0.0  # the k-th voter votes as often as 1 / k to this power


def chances(difference: Floats, world: World) -> tuple[Floats, Floats]:
    """Of a win and of a tie, of models so far apart; with halved ties the expected score is exactly logistic."""
    if world.ties == "davidson":
        whole = np.exp(difference / 2) + np.exp(-difference / 2) + world.tied
        return np.exp(difference / 2) / whole, world.tied / whole
    p = 1 / (1 + np.exp(-difference))
    tie = world.tied * 2 * np.minimum(p, 1 - p)
    return p - tie / 2, tie


def strengths(world: World) -> Floats:
    """Evenly spaced, averaging 0."""
    return np.linspace(1, -1, world.models) * world.spread


def drawn(world: World, rng: np.random.Generator) -> Votes:
    """Votes of random pairs by random voters."""
    a = rng.integers(0, world.models, world.votes)
    b = (a + rng.integers(1, world.models, world.votes)) % world.models
    strength, voter = strengths(world), None
    difference = strength[a] - strength[b]
    if world.voters:
        voter = rng.integers(0, world.voters, world.votes)
        if world.heavy:
            often = (1 / np.arange(1, world.voters + 1)) ** world.heavy
            voter = rng.choice(world.voters, world.votes, p=often / often.sum())
        taste = rng.normal(0, world.taste, (world.voters, world.models))
        difference += taste[voter, a] - taste[voter, b]
    win, tie = chances(difference, world)
    dice = rng.random(world.votes)
    outcome = np.where(dice < win, 0, np.where(dice < win + tie, 2, 1)).astype(np.int8)
    names = [f"m{i:03}" for i in range(world.models)]
    codes = None if voter is None or not world.told else voter.astype(np.int32)
    return of_codes(names, a.astype(np.int32), b.astype(np.int32), outcome, voter=codes)


def truth(world: World) -> Floats:
    """What endless votes would give: the voters' tastes flatten the scale, and not everywhere alike."""
    strength = strengths(world)
    if not world.taste or not world.voters:
        return strength
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    apart = (strength[:, None] - strength)[..., None] + np.sqrt(2) * world.taste * nodes
    win, tie = chances(apart, world)
    share = (win + tie / 2) @ weights / weights.sum()
    np.fill_diagonal(share, 0.5)
    found = strength.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(found - found[:, None]))
        curve = p * (1 - p)
        found += np.linalg.solve(np.diag(curve.sum(axis=1)) - curve + 1 / len(found), (share - p).sum(axis=1))
    return found - found.mean()


class Found(NamedTuple):
    """Rates over many samples."""

    holds: float  # intervals that hold the true rating
    ranked: float  # samples in which every true rank is in its range
    misfit: float  # samples in which the fit by pair has p < .05


def simulated(world: World, samples: int, seed: int = 0) -> Found:
    """Rank as many samples of votes."""
    rng = generator(seed, "ranking", str(world))
    true = 1000 + 400 / np.log(10) * truth(world)
    least = 1 + (true > true[:, None] + 1e-6).sum(axis=1)
    most = world.models - (true < true[:, None] - 1e-6).sum(axis=1)
    held, right, misfit = [], [], []
    for _ in range(samples):
        board = bradley_terry(drawn(world, rng), ties=world.ties, bootstrap=world.bootstrap)
        held.append(np.mean([_holds(one.interval, true[int(one.model[1:])]) for one in board.models]))
        right.append(_right(board, least, most))
        misfit.append(board.fit is not None and board.fit.p is not None and board.fit.p < 0.05)
    return Found(float(np.mean(held)), float(np.mean(right)), float(np.mean(misfit)))


def _holds(interval: tuple[float | None, float | None] | None, true: float) -> bool:
    low, high = interval or (None, None)
    return (low is None or low <= true) and (high is None or true <= high)


def _right(board: Ranking, least: NDArray[np.int64], most: NDArray[np.int64]) -> bool:
    """Whether no model is called surely better than one that is not worse."""
    placed = {int(one.model[1:]): one.rank_range for one in board.models}
    return len(placed) < len(least) or all(low <= least[i] and high >= most[i] for i, (low, high) in placed.items())


WORLDS = {
    "5 models, 5,000 votes, ties halved": World(5, 5_000),
    "the same, Davidson's ties": World(5, 5_000, ties="davidson", tied=0.36),
    "8 models, 2,000 votes of 100 voters with tastes": World(8, 2_000, 100, 0.7),
    "the same, voters not known": World(8, 2_000, 100, 0.7, told=False),
    "the same, bootstrap of 200 by voter": World(8, 2_000, 100, 0.7, bootstrap=200),
    "8 models, 2,000 votes of 20 voters": World(8, 2_000, 20, 0.7),
    "8 models, 2,000 votes of 10 voters": World(8, 2_000, 10, 0.7),
    "8 models, 2,000 votes of 5 voters": World(8, 2_000, 5, 0.7),
    "8 equal models, 2,000 votes of 100 voters": World(8, 2_000, 100, 0.7, spread=0),
    "30 equal models, 20,000 votes of 500 voters": World(30, 20_000, 500, 0.7, spread=0),
    "20 equal models, 4,000 votes of 12 voters": World(20, 4_000, 12, 0.7, spread=0),
    "12 equal models, 1,200 votes of 5 voters": World(12, 1_200, 5, 0.7, spread=0),
    "6 models, 1,000 votes of 100 voters, the first with a fifth of them": World(6, 1_000, 100, 0.7, heavy=1),
    "6 equal models, the same voters": World(6, 1_000, 100, 0.7, heavy=1, spread=0),
    "the same, bootstrap of 200 by voter ": World(6, 1_000, 100, 0.7, heavy=1, spread=0, bootstrap=200),
    "6 models, 1,000 votes of 30 voters of strong tastes (2)": World(6, 1_000, 30, 2.0),
    "6 models far apart (chances to 150 to 1), 1,000 votes": World(6, 1_000, spread=2.5),
    "the same, Davidson's ties ": World(6, 1_000, spread=2.5, ties="davidson"),
    "5 models, 500 votes, 4 of 5 close ones are ties": World(5, 500, tied=0.8),
    "3 models, 60 votes": World(3, 60),
    "5 models, 300 votes": World(5, 300),
    "5 equal models, 100 votes": World(5, 100, spread=0),
    "5 models, 100 votes": World(5, 100),
    "5 models, 50 votes": World(5, 50),
    "the same, bootstrap of 200 ": World(5, 50, bootstrap=200),
    "12 models, 200 votes (3 a pair)": World(12, 200),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1_000)
    replicates = parser.parse_args().replicates
    print("| votes | intervals hold | rank ranges right | fit below .05 |\n|---|---|---|---|")
    for name, world in WORLDS.items():
        found = simulated(world, replicates)
        print(
            f"| {name.strip()} | {100 * found.holds:.1f} | {100 * found.ranked:.1f} | {100 * found.misfit:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
