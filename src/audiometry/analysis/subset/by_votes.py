"""The few items of a benchmark that foretell people's votes best, and what they are worth on systems left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from audiometry import seeds
from audiometry.analysis.gap.items import correlations
from audiometry.analysis.gap.preferred import Preferred, Ties
from audiometry.analysis.gap.preferred import by_votes as ranked
from audiometry.analysis.gap.result import LEVEL
from audiometry.analysis.gap.runs import ItemScores, of_runs
from audiometry.analysis.gap.scores import Floats
from audiometry.errors import UsageError, counted, shown, suggestion
from audiometry.render.numbers import p_value
from audiometry.score import profiles as known
from audiometry.score.opened import OpenedRun
from audiometry.stats.preference.contests import Contests
from audiometry.stats.preference.few_items import by_few_items, by_items, few_items
from audiometry.stats.preference.left_out import FEWEST, Foretold, LeftOut
from audiometry.stats.ranking import Votes

DRAWS: Final = 20  # random subsets of the same size
_FEWEST_DRAWS, _MOST_DRAWS = 19, 199  # orders of labels for p
_WORK: Final = 100_000_000  # numbers looked at for each order of labels and system, all together some seconds
_NAMED: Final = 6


class Worth(msgspec.Struct, frozen=True, kw_only=True):
    """How well a system that is left out is foretold; see `Foretold`.

    Attributes:
        q2: 1: exactly; 0: as well as saying that it is like the mean of the others.
        p: of the chosen items, how often labels of systems in other orders have as high a Q²; None of others.
        log_loss: of its votes.
    """

    q2: float
    log_loss: float
    p: float | None = None


class Subset(msgspec.Struct, frozen=True, kw_only=True):
    """A few items of a benchmark.

    Attributes:
        benchmark: its name.
        n_systems, systems: that were asked and rated.
        n_votes: between them.
        n_items, n_of: how many are chosen of how many that all systems have a score on.
        items: ids, in the order in which they were chosen; ``tasks``: how many of each task.
        correlation: of the mean of the chosen items with the ratings, on the systems that they were chosen by: it says
            little, as it is high whatever the items hold.
        chosen: worth of so many items, chosen anew without each system that is foretold.
        whole: of all items.
        at_random: of as many random ones, mean of 20 draws.
        log_loss_of_none: of saying that each system is like the mean of the others.
        signature: how it was made.
        folder: where it was written; empty: it was not.
        warnings: what is to be minded.
    """

    benchmark: str
    n_systems: int
    systems: tuple[str, ...]
    n_votes: int
    n_items: int
    n_of: int
    items: tuple[str, ...]
    tasks: dict[str, int]
    correlation: float
    chosen: Worth
    whole: Worth
    at_random: Worth
    log_loss_of_none: float
    signature: str
    folder: str = ""
    warnings: tuple[str, ...] = ()


def by_votes(
    runs: Sequence[Path | OpenedRun],
    votes: Votes,
    n: int,
    *,
    same: Mapping[str, str] | None = None,
    profile: str = known.DEFAULT,
    bench: str = "",
    ties: Ties = "half",
    seed: int = 0,
) -> Subset:
    """Choose the items.

    Args:
        runs: of one benchmark, each of another model.
        votes: between these models.
        n: how many items.
        same: names of models in votes, by those in runs, where they differ.
        profile: whose rules score the items.
        bench: where the benchmark is now, if it moved.
        ties: whether they count half for either side or are left out.
        seed: of what is drawn.

    Raises:
        UsageError: runs of several benchmarks, fewer than 8 systems with runs and a rating, not so many items.
        RunFolderError: a run folder is damaged.
    """
    table, scores = of_runs(runs, profile=profile, bench=bench)
    if len(table.benchmarks) > 1:
        raise UsageError(
            f"the runs are of {counted(len(table.benchmarks), 'benchmark')} or measures "
            f"({', '.join(shown(name, 40) for name in table.benchmarks[:_NAMED])}); give runs of one"
        )
    said, met = ranked(votes, ties)
    one = _named(scores, same or {})
    rows = [row for row, name in enumerate(one.systems) if name in said.systems] if one is not None else []
    if one is None or len(rows) < FEWEST:
        raise UsageError(
            f"{counted(len(rows), 'system')} with runs of the same items and a rating by votes: too few to choose "
            f"items by, as any few would fit; from {FEWEST} on (names are matched exactly; --same NAME=VOTES)"
        )
    return _chosen(one, rows, said, met, n, seed, table.notes)


def _named(scores: Sequence[ItemScores], same: Mapping[str, str]) -> ItemScores | None:
    if not scores:
        return None
    one = scores[0]
    for name in same:
        if name not in one.systems:
            raise UsageError(f"no run of '{shown(name)}'; {suggestion(name, one.systems)}")
    return msgspec.structs.replace(one, systems=tuple(same.get(name, name) for name in one.systems))


def _chosen(
    one: ItemScores, rows: list[int], said: Preferred, met: Contests, n: int, seed: int, notes: tuple[str, ...]
) -> Subset:
    names = [one.systems[row] for row in rows]
    places = np.array([said.systems.index(name) for name in names], np.int64)
    votes, x = met.among(places), one.values[rows]
    apart = int(np.isfinite(correlations(x, said.strengths[places])).sum())
    order = np.array(seeds.stream(seed, "subset", one.benchmark).shuffled(range(len(one.items))), np.int64)
    columns = few_items(x, said.strengths[places], n, order)
    out, how = LeftOut(votes), by_few_items(n, order)
    best = out.foretell(x, how)
    p = out.p(x, how, max(_FEWEST_DRAWS, min(_MOST_DRAWS, _WORK // (n * x.size))), seed)
    warnings = (
        []
        if n <= apart
        else [
            f"only {counted(apart, 'item')} of {len(one.items):,} tell these systems apart; others make up the number"
        ]
    )
    made = Subset(
        benchmark=one.benchmark,
        n_systems=len(names),
        systems=tuple(names),
        n_votes=round(votes.n_votes),
        n_items=n,
        n_of=len(one.items),
        items=tuple(one.items[at] for at in columns),
        tasks={task: sum(one.tasks[at] == task for at in columns) for task in dict.fromkeys(one.tasks)},
        correlation=float(correlations(x[:, columns].mean(axis=1)[:, None], said.strengths[places])[0]),
        chosen=msgspec.structs.replace(_worth([best]), p=p),
        whole=_worth([out.foretell(x, by_items(np.arange(len(one.items))))]),
        at_random=_worth([out.foretell(x, by_items(drawn)) for drawn in _drawn(x, n, seed)]),
        log_loss_of_none=best.log_loss_of_none or 0.0,
        signature=f"forward selection by correlation of the items' mean with ratings; systems left out | seed {seed}",
        warnings=(*warnings, *notes),
    )
    told = []
    if p >= LEVEL:
        told.append(f"as high a Q² comes about by chance (p {p_value(p, '= ')}): these items may be worth nothing")
    if made.chosen.q2 <= made.whole.q2:
        told.append("systems left out are foretold no better by these items than by the whole benchmark")
    return msgspec.structs.replace(made, warnings=(*told, *made.warnings))


def _drawn(x: Floats, n: int, seed: int) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    rng = seeds.generator(seed, "subset", "at random")
    return [np.sort(rng.choice(x.shape[1], n, replace=False)) for _ in range(DRAWS)]


def _worth(found: Sequence[Foretold]) -> Worth:
    return Worth(
        q2=float(np.mean([each.q2 for each in found])),
        log_loss=float(np.mean([each.log_loss for each in found if each.log_loss is not None])),
    )
