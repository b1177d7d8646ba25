"""Shares of queries with their intervals, and how far the coder of uses can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.analysis.topics import uses
from audiometry.analysis.topics.queries import Queries
from audiometry.analysis.topics.result import Efficiency, Share, Trust
from audiometry.stats.agreement import cohen_kappa
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio
from audiometry.stats.prevalence import corrected_share
from audiometry.stats.wilson import wilson

Bools = NDArray[np.bool_]


def share(has: Bools, among: Queries, known: Bools | None = None) -> Share:
    """The share of queries asked that are so.

    Args:
        has: ``bool[m]``, whether each is.
        among: the queries.
        known: of which it is known; None: of all.
    """
    rows = np.ones(len(has), np.bool_) if known is None else known
    voters = among.person < _first_unknown(among)
    people = len(np.unique(among.person[has & rows & voters]))
    if not rows.any():
        return Share(n=0, value=None, interval=None, people=0)
    found = estimate(means(has[rows].astype(np.float64), among.person[rows]), ratio, [1.0], SHARE)
    return Share(n=int((has & rows).sum()), value=found.value, interval=found.interval, people=people)


def _first_unknown(among: Queries) -> int:
    """The number from which on those who asked are unknown."""
    return int(among.person.max(initial=-1)) + 1 - among.n_unknown


def efficiency(use: Sequence[str], among: Queries, trust: Trust | None) -> Efficiency:
    """The share of queries, and of voters, for efficiency.

    Args:
        use: of each time that a query was asked; empty: not known.
        among: the queries.
        trust: how often the coder errs; None: it is not known.
    """
    known = np.array([one != "" for one in use], np.bool_)
    so = np.array([one in uses.EFFICIENCY for one in use], np.bool_)
    plain = share(so, among, known)
    corrected = None
    if trust is not None and plain.value is not None:
        found = estimate(means(so[known].astype(np.float64), among.person[known]), ratio, [1.0], SHARE)
        n = float(known.sum()) / (found.design_effect or 1.0)
        names = uses.book().names
        told = [sum(one == name for one in use) / int(known.sum()) for name in names]
        labelled = [trust.told[name] for name in names]
        corrected = corrected_share(told, n, labelled, [name in uses.EFFICIENCY for name in names])
    voters = known & (among.person < _first_unknown(among))
    who, code = np.unique(among.person[voters], return_inverse=True)
    of_person = np.bincount(code, minlength=len(who))
    for_it = np.bincount(code, so[voters], minlength=len(who))
    people = float((2 * for_it > of_person).mean()) if len(who) else None
    return Efficiency(
        queries=plain,
        corrected=None if corrected is None else corrected[0],
        corrected_interval=None if corrected is None else corrected[1:],
        people=people,
        n_people=len(who),
        people_interval=None if people is None else wilson(people, len(who)),
    )


def trust(said: Mapping[str, str]) -> Trust | None:
    """How far a coder agrees with the held-out half of the labelled queries.

    Args:
        said: by text of a query, the use that the coder gives; those that it gives none are left out.
    """
    sample = [one for one in uses.labelled() if said.get(one.text)]
    if not sample:
        return None
    rows = [(one.use, said[one.text]) for one in sample]
    names = uses.book().names
    label, coded = (np.array([names.index(one) for one in side]) for side in zip(*rows, strict=True))
    is_so, called = (np.isin(side, [names.index(one) for one in uses.EFFICIENCY]) for side in (label, coded))
    rng = seeds.generator(0, "topics", "kappa")
    return Trust(
        n=len(rows),
        n_languages=len({one.language for one in sample}),
        kappa=cohen_kappa(label, coded, np.arange(len(rows)), rng=rng),
        right={
            name: (int(((label == at) & (coded == at)).sum()), int((label == at).sum()))
            for at, name in enumerate(names)
        },
        told={
            name: tuple(np.bincount(coded[label == at], minlength=len(names)).tolist()) for at, name in enumerate(names)
        },
        sensitivity=(int((is_so & called).sum()), int(is_so.sum())),
        specificity=(int((~is_so & ~called).sum()), int((~is_so).sum())),
    )
