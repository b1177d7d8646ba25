"""Bradley and Terry's ranking from votes: the one door.

Sources: Bradley and Terry 1952, Biometrika 39, 324-345; Davidson 1970, Journal of the American Statistical Association
65, 317-328; Chiang et al. 2024, arXiv 2403.04132 (arenas of models).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry.errors import UsageError, shown, suggestion
from audiometry.seeds import generator
from audiometry.stats.quantile import check_confidence
from audiometry.stats.ranking.design import FIRST
from audiometry.stats.ranking.estimates import estimated
from audiometry.stats.ranking.fitted import fitted
from audiometry.stats.ranking.goodness import goodness
from audiometry.stats.ranking.newton import Solution
from audiometry.stats.ranking.prepared import Prepared, Ties, prepared
from audiometry.stats.ranking.result import Ranking
from audiometry.stats.ranking.standings import records, standings, terms
from audiometry.stats.ranking.votes import Outcome, Votes


def bradley_terry(
    votes: Votes,
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    anchor: tuple[str, float] | None = None,
    first: bool = False,
    contrasts: Sequence[str] = (),
    bootstrap: int = 0,
    by_voter: bool = True,
    seed: int = 0,
    confidence: float = 0.95,
) -> Ranking:
    """Rank models by who was preferred to whom.

    Args:
        votes: as columns.
        ties: ``half``, a tie is half a vote for each; ``davidson``, how often equals tie is estimated.
        prior: rank all models, each with this many virtual votes against one of average strength, half won and half
            lost; 0: none, and models that the votes can not place are listed apart.
        anchor: a model and the rating it is to have; None: ratings average 1000.
        first: estimate what being shown first is worth.
        contrasts: covariates held constant, by name.
        bootstrap: resamples for the intervals; 0: the sandwich makes them.
        by_voter: a voter's votes belong together; else each vote stands by itself.
        seed: of the resamples.
        confidence: of each interval, and of all rank ranges together.

    Raises:
        UsageError: there are no votes, a setting is impossible, a term has no estimate, or the anchor no place.

    >>> from audiometry.stats.ranking.votes import coded
    >>> board = bradley_terry(coded(["x"] * 4, ["y"] * 4, ["model_a", "model_a", "model_a", "model_b"]))
    >>> [(one.model, round(one.rating)) for one in board.models]
    [('x', 1095), ('y', 905)]
    """
    check_confidence(confidence)
    if bootstrap < 0:
        raise UsageError(f"resamples are 0 or more, got {bootstrap}")
    ready = prepared(votes, ties=ties, prior=prior, first=first, contrasts=contrasts, by_voter=by_voter)
    _check_anchor(ready, anchor)
    found = fitted(ready)
    rng = generator(seed, "ranking", "bootstrap")
    made = None if found is None else estimated(ready, found, bootstrap, rng, confidence)
    own = [] if made is None else terms(ready, made)
    n = len(ready.design.vote)
    side = votes.first if first else None
    return Ranking(
        models=() if made is None else standings(ready, made, anchor, confidence),
        unplaced=records(ready),
        ties=ties,
        prior=prior,
        anchor=anchor and anchor[0],
        confidence=confidence,
        votes=n,
        set_aside=int((votes.outcome != Outcome.BOTH_BAD).sum()) - n,
        both_bad=int((votes.outcome == Outcome.BOTH_BAD).sum()),
        both_bad_share=float((votes.outcome == Outcome.BOTH_BAD).mean()),
        clusters=ready.where.kind,
        n_clusters=ready.where.size,
        kish_clusters=ready.worth,
        intervals="bootstrap" if bootstrap else "sandwich",
        resamples=bootstrap,
        weighted=ready.weight is not None,
        no_propensity=ready.no_propensity,
        kish_n=float(n if ready.weight is None else ready.weight.sum() ** 2 / (ready.weight**2).sum()),
        nu=_nu(ties, found),
        first=next((term for term in own if term.name == FIRST), None),
        side_unknown=0 if side is None else int((side[ready.design.vote] < 0).sum()),
        contrasts=tuple(term for term in own if term.name != FIRST),
        fit=None if found is None else goodness(ready, found),
        converged=found is not None and bool(found.converged[0]),
        iterations=0 if found is None else found.steps,
        matrix=ready.matrix,
        names=ready.names if found is not None else (),
        strengths=np.zeros(0) if made is None else made.strength,
        covariance=None if made is None else made.strengths_covariance,
    )


def _check_anchor(ready: Prepared, anchor: tuple[str, float] | None) -> None:
    """Let through only an anchor that is ranked."""
    if anchor is None or anchor[0] in ready.names:
        return
    name, models = anchor[0], ready.matrix.models
    if name not in models:
        raise UsageError(f"the anchor '{shown(name)}' has no vote; {suggestion(name, models)}")
    why = next(reason for code, reason, _ in ready.placing.unplaced if models[code] == name)
    raise UsageError(f"the anchor '{shown(name)}' can not be placed ({why}); choose a model that is ranked, or a prior")


def _nu(ties: Ties, found: Solution | None) -> float | None:
    if ties == "half" or found is None:
        return None
    return float(np.exp(found.at.log_nu[0]))
