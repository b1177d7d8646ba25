"""What the gap says, as it is printed and exchanged."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Interval = tuple[float, float]
LEVEL: Final = 0.05  # of p


class Plainly(msgspec.Struct, frozen=True, kw_only=True):
    """The plain specification of the literature: systems have no merit of their own, so it is too sure.

    Attributes:
        effect: log odds of a vote per standard deviation of the score.
        interval, p: with every vote independent.
        p_by_pair: with errors clustered by pair; None of fewer than three pairs.
    """

    effect: float
    interval: Interval
    p: float
    p_by_pair: float | None


class BenchmarkGap(msgspec.Struct, frozen=True, kw_only=True):
    """How far one benchmark goes along with votes.

    Attributes:
        n_systems: with a score on it and a rating.
        systems: their names.
        scores, errors: of these, in that order, as they were given, and their standard errors where known.
        n_items: items of the benchmark; None where not known.
        category: of it; empty: not known.
        lower_is_better: whether less is better; then signs are turned, so that above 0 always means that the better
            score goes with preference.
        tau_b, p_exact: Kendall's, of scores and ratings, and p over all orders; ``exact``: all were looked at.
        interval: of tau-b, 95 %, over what the votes (and the scores' own errors) leave open; of other systems it says
            nothing.
        rho, rho_p, rho_interval: Spearman's.
        top_distance, top_p: distance of the first three, 0 to 1, and how often other orders are as near; None of fewer
            than four systems.
        sd: standard deviation of the scores.
        effect: log odds of a vote per ``sd`` of the score, systems being random (of ratings, points of these);
            ``effect_interval``, ``effect_p``: by Student's t; ``effect_per_unit``: the same per unit of the score.
        p_permutation: of |correlation of the score with the systems' merits|, labels in every order.
        p_corrected: the same over all benchmarks (Holm).
        least_p: the smallest p that so many systems can give.
        sigma: spread of what the score leaves of the systems' merits, log odds.
        tau_voters: spread of how much voters differ in going by it; None where voters are not known.
        r2_marginal, r2_conditional: share of a vote's variance that the score explains; and with the systems' merits.
            Of ratings, the share of their variance; None.
        reliability: share of the scores' variance that is not their own error; None where errors are not known.
        plain: the specification of the literature, to be held against the effect; None of ratings.
        converged: whether the searches ended.
        why: why there are no numbers, or only some; empty: all are there.
    """

    n_systems: int
    systems: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    errors: tuple[float | None, ...] = ()
    n_items: int | None = None
    category: str = ""
    lower_is_better: bool = False
    tau_b: float | None = None
    p_exact: float | None = None
    exact: bool = True
    interval: Interval | None = None
    rho: float | None = None
    rho_p: float | None = None
    rho_interval: Interval | None = None
    top_distance: float | None = None
    top_p: float | None = None
    sd: float | None = None
    effect: float | None = None
    effect_interval: Interval | None = None
    effect_p: float | None = None
    effect_per_unit: float | None = None
    p_permutation: float | None = None
    p_corrected: float | None = None
    least_p: float | None = None
    sigma: float | None = None
    tau_voters: float | None = None
    r2_marginal: float | None = None
    r2_conditional: float | None = None
    reliability: float | None = None
    plain: Plainly | None = None
    converged: bool = True
    why: str = ""


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """A system that the votes place.

    Attributes:
        system: its name.
        rating, interval: on the Elo scale, placed systems averaging 1000.
        battles: its votes, or ratings; 0 where their number is not known.
        n_benchmarks: on how many it has a score.
    """

    system: str
    rating: float
    interval: tuple[float | None, float | None] | None
    battles: int
    n_benchmarks: int = 0


class Correlated(msgspec.Struct, frozen=True, kw_only=True):
    """How benchmarks go along with one another.

    Attributes:
        benchmarks: names, in the order in which clustering puts alike ones side by side.
        rho: Spearman's of each two, in that order, over the systems that have both; None of fewer than four.
        n_systems: of each two.
        groups: number of the group of each, from 1: within one their mean correlation is .7 or more (average linkage).
    """

    benchmarks: tuple[str, ...]
    rho: tuple[tuple[float | None, ...], ...]
    n_systems: tuple[tuple[int, ...], ...]
    groups: tuple[int, ...]


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One of several effects in one fit.

    Attributes:
        name: of the benchmark, the category or the component.
        effect, interval, p: log odds per standard deviation, and by Student's t.
        share: of a component, of the variance of all benchmarks.
        made_of: of a component, the benchmarks that go along with it most, with their correlation.
    """

    name: str
    effect: float
    interval: Interval | None
    p: float | None
    share: float | None = None
    made_of: dict[str, float] = {}


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """Several benchmarks in one fit.

    Attributes:
        of: what stands in it: the benchmarks, means of their categories, or principal components.
        n_systems, n_columns, rank, contrasts: systems with all scores, benchmarks (or categories), directions in which
            these vary, and contrasts that the systems give.
        terms: the effects.
        df: degrees of freedom of their limits.
        r2_marginal, r2_conditional: as `BenchmarkGap`.
        converged: whether the search ended.
    """

    of: Literal["benchmarks", "categories", "components"]
    n_systems: int
    n_columns: int
    rank: int
    contrasts: int
    terms: tuple[Term, ...]
    df: int
    r2_marginal: float
    r2_conditional: float | None
    converged: bool


class Foretelling(msgspec.Struct, frozen=True, kw_only=True):
    """How well a system that is left out is foretold.

    Attributes:
        by: what from: a benchmark, ``best`` (chosen anew without the system), or ``weighted`` (ridge regression of
            all).
        q2: 1 less the squared errors over those of saying that each is like the mean of the others; below 0: worse.
        log_loss, log_loss_of_none: of its votes, and of saying that; None of ratings.
        chosen: of ``best``, how often each benchmark was.
        weights: of ``weighted``, learnt on all systems: by benchmark, log odds (of ratings, points) per standard
            deviation.
        p: of ``best``, how often labels of systems in other orders (199 of them) have as high a Q².
    """

    by: str
    q2: float
    log_loss: float | None
    log_loss_of_none: float | None
    chosen: dict[str, int] = {}
    weights: dict[str, float] = {}
    p: float | None = None


class ItemGap(msgspec.Struct, frozen=True, kw_only=True):
    """One item, and Pearson's correlation of its scores with the systems' ratings."""

    item: str
    task: str
    correlation: float


class ItemsGap(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a benchmark, held against preference one by one.

    Attributes:
        n_systems, n_items: that were asked, and items that all of these have a score on.
        n_along, n_against, n_alike: items whose scores go along with ratings, against them, and tell no systems apart.
        mean: correlation over the items that tell systems apart; None where none does.
        against, along: the ten that go against ratings most, and along with them.
    """

    n_systems: int
    n_items: int
    n_along: int
    n_against: int
    n_alike: int
    mean: float | None
    against: tuple[ItemGap, ...]
    along: tuple[ItemGap, ...]


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Static scores against votes.

    Attributes:
        of: what scores are held against: people's votes, or their ratings.
        n_systems: that have scores and a rating.
        systems: these, best first.
        n_votes: between them, without those that found both bad, and without ties where these are left out; or how many
            ratings there are of them, 0 where that is not known.
        n_ties, n_both_bad: votes between rated systems that said so.
        n_voters: people who voted or rated; None where they are not known.
        ties: whether ties count half or are left out.
        benchmarks: by name, in the order of the scores.
        mean_tau_b: over benchmarks; ``least_p_exact``: the smallest p_exact there is.
        sigma: spread of the systems' merits where no score is known, log odds; of ratings, of these.
        correlated: benchmarks with one another, over all systems that have scores; None of fewer than two.
        together: fits of several; ``refused``: what could not be fitted or foretold, and why.
        foretold: leave-one-system-out; none of fewer than 8.
        items: by benchmark, of scores from run folders with at least 4 systems.
        unplaced: systems that have scores and votes, and no rating: by name, why.
        only_votes, only_scores: systems in one of both.
        signature: how the numbers were made.
        warnings: what is to be minded, a line each.
        n_unread: rows of scores or votes that could not be used.
    """

    of: Literal["votes", "ratings"]
    n_systems: int
    systems: tuple[Rated, ...]
    n_votes: int
    n_ties: int
    n_both_bad: int
    n_voters: int | None
    ties: Literal["half", "drop"]
    benchmarks: dict[str, BenchmarkGap]
    mean_tau_b: float | None
    least_p_exact: float | None
    sigma: float | None
    correlated: Correlated | None = None
    together: tuple[Together, ...] = ()
    foretold: tuple[Foretelling, ...] = ()
    items: dict[str, ItemsGap] = {}
    refused: tuple[str, ...] = ()
    unplaced: dict[str, str] = {}
    only_votes: tuple[str, ...] = ()
    only_scores: tuple[str, ...] = ()
    signature: str = ""
    warnings: tuple[str, ...] = ()
    n_unread: int = 0
