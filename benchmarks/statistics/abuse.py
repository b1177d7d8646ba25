"""Measure how many voters who click at random are found, and how many honest ones are taken for them.

python benchmarks/statistics/abuse.py                   every setting, printed as a table
python benchmarks/statistics/abuse.py --replicates 10
"""

from __future__ import annotations

import argparse
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiometry.arena.abuse.chance import chance
from audiometry.seeds import generator
from audiometry.stats.ranking.votes import Votes, of_codes

RATINGS = np.array([1143.0, 1074, 1054, 985, 744])  # of Talk Arena's five systems, from its published pair counts
TIES = 0.127

Kind = Literal["coin", "three buttons", "contrary", "own order", "orders of each", "ring"]


class World(NamedTuple):
    """Where votes come from: voters who vote equally often, some of them not as the others.

    These vote at random (coin; three buttons alike), for the worse model (contrary), by an order of the systems of
    their own (one of all of them, or one of each), or always for the last of the systems (ring).
    """

    voters: int
    each: int
    bad: float = 0.0
    kind: Kind = "coin"
    taste: float = 0.0  # standard deviation of a voter's own liking for a model, log odds
    scale: float = 1.0  # of the differences between the systems
    models: int = 0  # systems, drawn 100 points apart (standard deviation); 0: the published five


def cast(rng: np.random.Generator, world: World) -> tuple[Votes, NDArray[np.bool_]]:
    """Votes in the order of time, and who is not honest."""
    ratings = rng.normal(1000, 100, world.models) if world.models else RATINGS
    n, models = world.voters * world.each, len(ratings)
    who = np.tile(np.arange(world.voters), world.each)
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    merit = ratings * np.log(10) / 400 * world.scale
    own = rng.normal(0, world.taste, (world.voters, models))
    likes_a = 1 / (1 + np.exp(-(merit[a] - merit[b] + own[who, a] - own[who, b])))
    is_bad = np.arange(world.voters) < round(world.bad * world.voters)
    of_bad = is_bad[who]
    likes_a = np.where(of_bad, _of_bad(rng, world, merit, likes_a, who, a, b), likes_a)
    ties = np.where(of_bad & (world.kind == "three buttons"), 1 / 3, TIES)
    said = np.where(rng.random(n) < ties, 2, np.where(rng.random(n) < likes_a, 0, 1)).astype(np.int8)
    names = [f"m{i}" for i in range(models)]
    return of_codes(names, a.astype(np.int32), b.astype(np.int32), said, voter=who.astype(np.int32)), is_bad


def _of_bad(
    rng: np.random.Generator,
    world: World,
    merit: NDArray[np.float64],
    likes_a: NDArray[np.float64],
    who: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How likely each vote would prefer its first system, were it not of one who votes as the others do."""
    last = len(merit) - 1
    if world.kind == "contrary":
        return 1 - likes_a
    if world.kind == "ring":
        return np.where(a == last, 1.0, np.where(b == last, 0.0, likes_a))
    if world.kind in ("own order", "orders of each"):
        orders = [rng.permutation(merit) for _ in range(world.voters)]
        own = np.array(orders if world.kind == "orders of each" else orders[:1] * world.voters)
        return 1 / (1 + np.exp(own[who, b] - own[who, a]))
    return np.full(len(a), 0.5)


def found(world: World, replicates: int, seed: int = 0) -> tuple[float, float, float]:
    """Shares of others found, of honest voters taken for them, and of those of whom it cannot be told yet."""
    bad: list[bool] = []
    honest: list[bool] = []
    open_: list[bool] = []
    for replicate in range(replicates):
        votes, is_bad = cast(generator(seed, "abuse", *map(str, world), str(replicate)), world)
        its = chance(votes)
        bad += its.at_random[is_bad].tolist()
        honest += its.at_random[~is_bad].tolist()
        open_ += (~its.at_random & ~its.of_their_own & ~its.like_others).tolist()
    return float(np.mean(bad)) if bad else float("nan"), float(np.mean(honest)), float(np.mean(open_))


WORLDS = (
    *(World(100, 50, share, kind) for kind in ("coin", "three buttons", "contrary") for share in (0.05, 0.2)),
    *(
        World(voters, each, taste=taste)
        for voters, each in ((12, 50), (100, 50), (60, 200))
        for taste in (0.0, 0.3, 0.5)
    ),
    World(500, 30, taste=0.3),
    *(World(100, 50, share, "own order") for share in (0.05, 0.1, 0.2)),
    World(100, 50, 0.1, "orders of each"),
    World(100, 50, 0.1, "ring"),
    World(100, 50, 0.1, scale=0.03),
    *(World(*who, scale=scale, models=20) for who in ((100, 50), (20, 50), (10, 100)) for scale in (1.0, 0.0)),
    World(100, 200, 0.1, models=20),
    World(5, 100, scale=0.0),
)


def main() -> None:
    """Print a row a setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=40)
    given = parser.parse_args()
    print("| voters, votes each | not honest | tastes | systems | found | honest taken for it | cannot be told |")
    print("|---|---|---|---|---|---|---|")
    for world in WORLDS:
        of_bad, of_honest, untold = found(world, given.replicates)
        who = f"{100 * world.bad:g} %, {world.kind}" if world.bad else "none"
        caught = f"{100 * of_bad:.0f} %" if world.bad else ""
        apart = f"{world.models} drawn" if world.models else "published"
        apart += f", {world.scale:g} as far apart" if world.scale != 1 else ""
        row = (f"{world.voters}, {world.each}", who, f"{world.taste:g}", apart, caught)
        print(f"| {' | '.join(row)} | {100 * of_honest:.1f} % | {100 * untold:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
