"""From a table of static scores and votes to what the scores say of the votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from audiometry.analysis.gap.correlated import correlated
from audiometry.analysis.gap.items import by_item
from audiometry.analysis.gap.minded import minded
from audiometry.analysis.gap.one import Columns, Nulls, one
from audiometry.analysis.gap.preferred import Preferred, Ties, preferred
from audiometry.analysis.gap.result import BenchmarkGap, Gap, Rated
from audiometry.analysis.gap.runs import ItemScores
from audiometry.analysis.gap.scores import ScoreTable
from audiometry.analysis.gap.several import Whole, left_out, together
from audiometry.analysis.gap.system_ratings import SystemRatings
from audiometry.errors import UsageError, counted, shown
from audiometry.stats.multiplicity import holm
from audiometry.stats.preference.contests import Contests
from audiometry.stats.ranking import Votes

_NAMED = 5


def gap(
    scores: ScoreTable,
    votes: Votes | SystemRatings,
    *,
    ties: Ties = "half",
    seed: int = 0,
    items: Sequence[ItemScores] = (),
    notes: Sequence[str] = (),
    n_unread: int = 0,
    reached: Callable[[int, int], None] | None = None,
) -> Gap:
    """Hold static scores against votes.

    Args:
        scores: of systems on benchmarks.
        votes: between systems, or ratings of systems; names are matched exactly.
        ties: whether they count half for either side or are left out.
        seed: of draws.
        items: scores item by item, of those from run folders.
        notes: what was found when the votes were read, a line each.
        n_unread: votes that could not be used.
        reached: told after each benchmark how many of how many are done.

    Raises:
        UsageError: fewer than two systems have both scores and a rating.
    """
    said = preferred(votes, ties)
    columns = _columns(scores, said)
    if len(columns.systems) < 2:  # noqa: PLR2004  a difference needs two
        raise UsageError(_too_few(scores, said, columns))
    nulls = Nulls(said.preference)
    each = dict[str, BenchmarkGap]()
    for at, name in enumerate(scores.benchmarks):
        each[name] = one(scores, at, columns, said, nulls, seed)
        if reached is not None:
            reached(at + 1, len(scores.benchmarks))
    found = _corrected(each)
    whole = Whole(scores, columns, nulls)
    fits, not_fitted = together(whole)
    foretold, not_foretold = left_out(whole, seed)
    taus = [each.tau_b for each in found.values() if each.tau_b is not None]
    systems = _rated(columns, said)
    among = said.preference.among(columns.at)
    made = Gap(
        of="votes" if isinstance(among, Contests) else "ratings",
        n_systems=len(columns.systems),
        systems=systems,
        n_votes=round(among.n_votes) if isinstance(among, Contests) else sum(each.battles for each in systems),
        n_ties=said.n_ties,
        n_both_bad=said.n_both_bad,
        n_voters=said.n_voters,
        ties=ties,
        benchmarks=found,
        mean_tau_b=float(np.mean(taus)) if taus else None,
        least_p_exact=min((each.p_exact for each in found.values() if each.p_exact is not None), default=None),
        sigma=_sigma(nulls, columns),
        correlated=correlated(scores),
        together=tuple(fits),
        foretold=tuple(foretold),
        items=by_item(items, said),
        refused=(*not_fitted, *not_foretold),
        unplaced={name: why for name, why in said.unplaced.items() if name in scores.systems},
        only_votes=tuple(name for name in said.named if name not in scores.systems),
        only_scores=tuple(name for name in scores.systems if name not in said.named),
        signature=_signature(ties, said),
        n_unread=scores.n_unread + n_unread,
    )
    return msgspec.structs.replace(made, warnings=(*minded(made), *scores.notes, *notes))


def _columns(scores: ScoreTable, said: Preferred) -> Columns:
    """The systems that have both, by rating from above."""
    place = {name: at for at, name in enumerate(said.systems)}
    rows = [row for row, name in enumerate(scores.systems) if name in place]
    rows.sort(key=lambda row: (-said.strengths[place[scores.systems[row]]], scores.systems[row]))
    turned = scores.values * np.where(scores.lower, -1.0, 1.0)
    return Columns(
        systems=tuple(scores.systems[row] for row in rows),
        at=np.array([place[scores.systems[row]] for row in rows], np.int64),
        values=turned[rows],
        errors=scores.errors[rows],
    )


def _too_few(scores: ScoreTable, said: Preferred, columns: Columns) -> str:
    """Why there is nothing to hold against each other, and what to do."""
    both, what = counted(len(columns.systems), "system"), _what(said)
    why = [f"{shown(name, 60)}: {reason}" for name, reason in said.unplaced.items() if name in scores.systems]
    if why:
        return f"{both} with scores and a rating; the votes do not place {'; '.join(why[:_NAMED])}"
    has, lacks = (", ".join(shown(name, 40) for name in each[:_NAMED]) for each in (scores.systems, said.named))
    return (
        f"{both} with scores and {what}, where at least 2 are needed; names are matched exactly: scores have {has}, "
        f"{what} have {lacks}; give --same NAME=VOTES where a system has two names"
    )


def _corrected(found: Mapping[str, BenchmarkGap]) -> dict[str, BenchmarkGap]:
    """With p over all benchmarks (Holm)."""
    names = [name for name, each in found.items() if each.p_permutation is not None]
    corrected = dict(zip(names, holm([found[name].p_permutation or 0.0 for name in names]), strict=True))
    return {name: msgspec.structs.replace(each, p_corrected=corrected.get(name)) for name, each in found.items()}


def _rated(columns: Columns, said: Preferred) -> tuple[Rated, ...]:
    of = {each.system: each for each in said.rated}
    return tuple(
        msgspec.structs.replace(of[name], n_benchmarks=int(np.isfinite(columns.values[at]).sum()))
        for at, name in enumerate(columns.systems)
    )


def _what(said: Preferred) -> str:
    return "votes" if isinstance(said.preference, Contests) else "ratings"


def _sigma(nulls: Nulls, columns: Columns) -> float | None:
    """How far the systems' merits differ, whatever they score."""
    try:
        return nulls.among(columns.at)[1].sigma
    except UsageError:
        return None


def _signature(ties: Ties, said: Preferred) -> str:
    if not isinstance(said.preference, Contests):
        fit = "least squares of ratings, a system a case"
        return f"tau-b, p over all orders of labels | {fit} | p by permuting systems, Holm"
    halved = "ties half a vote for either" if ties == "half" else "ties left out"
    voters = "random by system" if said.n_voters is None else "random by system and by voter"
    return (
        f"tau-b, p over all orders of labels | logistic Bradley-Terry, {halved}, {voters}, Laplace, restricted | "
        "p by permuting systems, Holm"
    )
