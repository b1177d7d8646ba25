"""One measurement of ranking in a process of its own: ``bare_ranking.py WHAT`` prints seconds as JSON.

1,000,000 votes over 40 models by 20,000 voters, as label strings in memory. ``WHAT``: ``fit`` (coding, one fit,
sandwich by vote), ``votes`` (100 resamples of votes more), ``by voter`` (the fit with voters), ``voters``
(100 resamples of voters more), ``evalica`` and ``choix`` (one fit of the same, from strings and from a matrix of wins).
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

VOTES, MODELS, VOTERS, RESAMPLES = 1_000_000, 40, 20_000, 100
LABELS = ("model_a", "model_b", "tie")


def made() -> tuple[list[str], list[str], list[str], list[str]]:
    """Label strings, as a reader of a file would have them: each an object of its own."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, MODELS, VOTES)
    b = (a + rng.integers(1, MODELS, VOTES)) % MODELS
    strength = np.linspace(1, -1, MODELS)
    won = rng.random(VOTES) < 1 / (1 + np.exp(strength[b] - strength[a]))
    said = np.where(rng.random(VOTES) < 0.15, 2, np.where(won, 0, 1))
    who = rng.integers(0, VOTERS, VOTES)
    labels = [np.array([f"model-{n}" for n in range(MODELS)]), np.array(LABELS)]
    return (
        labels[0][a].tolist(),
        labels[0][b].tolist(),
        labels[1][said].tolist(),
        [f"voter-{n}" for n in who.tolist()],
    )


def ours(columns: tuple[list[str], ...], *, resamples: int, voters: bool) -> None:
    """From labels to a ranking."""
    from audiometry.stats.ranking import bradley_terry, coded

    a, b, winner, who = columns
    bradley_terry(coded(a, b, winner, voter=who if voters else None), bootstrap=resamples)


def by_evalica(columns: tuple[list[str], ...]) -> None:
    """Its Bradley and Terry, a row a vote."""
    import evalica

    outcome = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    evalica.bradley_terry(columns[0], columns[1], [outcome[one] for one in columns[2]])


def by_choix(columns: tuple[list[str], ...]) -> None:
    """Its fit of a matrix of wins, counted by dictionary and numpy as ours are."""
    import choix

    code = {name: n for n, name in enumerate(sorted(set(columns[0])))}
    a, b = (np.fromiter(map(code.__getitem__, one), np.int64, VOTES) for one in columns[:2])
    won = np.fromiter(map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}.__getitem__, columns[2]), np.float64, VOTES)
    wins = np.bincount(a * MODELS + b, won, MODELS**2) + np.bincount(b * MODELS + a, 1 - won, MODELS**2)
    choix.ilsr_pairwise_dense(wins.reshape(MODELS, MODELS))


WORK = {
    "fit": lambda columns: ours(columns, resamples=0, voters=False),
    "votes": lambda columns: ours(columns, resamples=RESAMPLES, voters=False),
    "by voter": lambda columns: ours(columns, resamples=0, voters=True),
    "voters": lambda columns: ours(columns, resamples=RESAMPLES, voters=True),
    "evalica": by_evalica,
    "choix": by_choix,
}


def main() -> None:
    """Measure one of them, the first call apart, which loads libraries."""
    what, repeats = sys.argv[1], int(sys.argv[2])
    columns = made()
    taken = []
    for _ in range(repeats + 1):
        began = time.process_time()
        WORK[what](columns)
        taken.append(time.process_time() - began)
    print(json.dumps(taken[1:]))


if __name__ == "__main__":
    main()
