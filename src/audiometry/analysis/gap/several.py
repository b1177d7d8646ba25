"""Several benchmarks against votes at once, and what of it so few systems cannot tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from audiometry.analysis.gap.one import Columns, Nulls
from audiometry.analysis.gap.result import Foretelling, Term, Together
from audiometry.analysis.gap.scores import Floats, ScoreTable
from audiometry.errors import UsageError, counted
from audiometry.stats.preference.fits import Preference
from audiometry.stats.preference.left_out import FEWEST, Foretold, LeftOut, by_one, by_the_best, by_weights, ridge
from audiometry.stats.preference.mixed import Mixed
from audiometry.stats.preference.together import components, plainly, standardised

DRAWS: Final = 199
_FEW: Final = 3  # benchmarks that a component is told by
Of = Literal["benchmarks", "categories", "components"]


class Whole:
    """The systems that have all scores of the benchmarks that vary, and the votes between them."""

    def __init__(self, scores: ScoreTable, columns: Columns, nulls: Nulls) -> None:
        varies = [at for at, column in enumerate(columns.values.T) if _varies(column)]
        there = np.isfinite(columns.values[:, varies]).all(axis=1)
        self.names = [scores.benchmarks[at] for at in varies]
        self.category = [scores.category[at] for at in varies]
        self.x = columns.values[there][:, varies]
        self.n_incomplete = int((~there).sum())
        self._at = columns.at[there]
        self._nulls = nulls

    @property
    def votes(self) -> Preference:
        """The votes between them, or their ratings.

        Raises:
            UsageError: there is none, or they are fewer than two.
        """
        return self._nulls.among(self._at)[0]


def _varies(column: Floats) -> bool:
    there = column[np.isfinite(column)]
    return len(there) > 1 and bool(np.ptp(there))


def together(whole: Whole) -> tuple[list[Together], list[str]]:
    """All benchmarks in one fit if the systems tell them apart, else means of categories, else components.

    Returns:
        The fits, and a line on each that cannot be made.
    """
    n, k = whole.x.shape
    found: list[Together] = []
    refused: list[str] = []
    if k < 2:  # noqa: PLR2004  of one, its own effect says all
        return found, refused
    rank = int(np.linalg.matrix_rank(standardised(whole.x))) if n else 0
    try:
        votes = whole.votes
        try:
            return [_told("benchmarks", plainly(votes, whole.x), whole.names, whole.x, rank)], refused
        except UsageError as problem:
            refused.append(f"all {k} benchmarks in one fit: {problem}")
        means, names = _means(whole)
        if len(names) > 1:
            try:
                of_means = int(np.linalg.matrix_rank(standardised(means)))
                found.append(_told("categories", plainly(votes, means), names, means, of_means))
            except UsageError as problem:
                refused.append(f"the means of {len(names)} categories in one fit: {problem}")
        made = components(whole.x)
        terms = _told("components", plainly(votes, made.scores), [""] * made.scores.shape[1], whole.x, made.rank)
        named = [
            Term(
                name=f"component {at + 1}",
                effect=term.effect,
                interval=term.interval,
                p=term.p,
                share=made.shares[at],
                made_of=_most(whole.names, made.loadings[:, at]),
            )
            for at, term in enumerate(terms.terms)
        ]
        found.append(replace(terms, terms=tuple(named)))
    except UsageError as problem:
        refused.append(f"benchmarks in one fit: {problem}")
    return found, refused


def _told(of: Of, fitted: Mixed, names: Sequence[str], x: Floats, rank: int) -> Together:
    return Together(
        of=of,
        n_systems=len(x),
        n_columns=x.shape[1],
        rank=rank,
        contrasts=len(x) - 1,
        terms=tuple(
            Term(name=name, effect=one.value, interval=one.interval, p=one.p)
            for name, one in zip(names, fitted.effects, strict=True)
        ),
        df=fitted.df,
        r2_marginal=fitted.r2_marginal,
        r2_conditional=fitted.r2_conditional,
        converged=fitted.converged,
    )


def _means(whole: Whole) -> tuple[Floats, list[str]]:
    """Means of the standardised scores of each category; none where a benchmark has no category."""
    names = list(dict.fromkeys(whole.category))
    if not all(names):
        return np.zeros((len(whole.x), 0)), []
    own, codes = standardised(whole.x), np.array([names.index(one) for one in whole.category])
    return np.stack([own[:, codes == at].mean(axis=1) for at in range(len(names))], axis=1), names


def _most(names: Sequence[str], loadings: Floats) -> dict[str, float]:
    order: list[int] = np.argsort(-np.abs(loadings), kind="stable")[:_FEW].tolist()
    return {names[at]: float(loadings[at]) for at in order}


def left_out(whole: Whole, seed: int) -> tuple[list[Foretelling], list[str]]:
    """Each system foretold by the others: from each benchmark, from the best, and from a weighting of all.

    Args:
        whole: the systems.
        seed: of draws.

    Returns:
        What foretells best first of the single ones, after the best chosen anew and the weighting; and why not.
    """
    n, k = whole.x.shape
    if n < FEWEST:
        lacking = f", {whole.n_incomplete} more lack scores" if whole.n_incomplete else ""
        both = f"{counted(n, 'system')} with all scores and votes{lacking}"
        return [], [f"leaving each system out and foretelling it: {both}; from {FEWEST} on"]
    if not k:
        return [], ["leaving each system out and foretelling it: no benchmark varies"]
    try:
        votes = whole.votes
        out, best_of = LeftOut(votes), by_the_best(whole.names)
        best = _said("best", out.foretell(whole.x, best_of))
        found = [replace(best, p=out.p(whole.x, best_of, DRAWS, seed))]
        if k > 1:
            weighted = _said("weighted", out.foretell(whole.x, by_weights(whole.names)))
            weights = ridge(standardised(whole.x), out.merits)[0]
            found.append(replace(weighted, weights=dict(zip(whole.names, weights.tolist(), strict=True))))
        single = [_said(name, out.foretell(whole.x, by_one(at, name))) for at, name in enumerate(whole.names)]
    except UsageError as problem:
        return [], [f"leaving each system out and foretelling it: {problem}"]
    return [*found, *sorted(single, key=lambda each: -each.q2)], []


def _said(by: str, found: Foretold) -> Foretelling:
    chosen = dict(Counter(found.by).most_common()) if by == "best" else {}
    return Foretelling(
        by=by, q2=found.q2, log_loss=found.log_loss, log_loss_of_none=found.log_loss_of_none, chosen=chosen
    )
