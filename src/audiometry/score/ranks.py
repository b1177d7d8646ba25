"""Places of several runs under each profile, and how others' rules move them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec

from audiometry.errors import counted
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Rank, Scored, Scores
from audiometry.score.table import MOST_FAILED

_PLACES = 12  # decimal places of a headline beyond which there is only what rounding left


def ranked(scores: Sequence[Scores], runs: Sequence[OpenedRun]) -> list[Scores]:
    """The scores with their ranks, in the same order; nothing is added where there is nothing to rank against.

    Only runs that were asked the same items are ranked against each other; one beside them says why it has no rank.
    Under ``strict`` a run with more than 1 % of its replies failed has no rank; under others' rules it has, since they
    do not look. Equal headlines share a place, and the place after them is left out (1, 2, 2, 4).

    Args:
        scores: under the same profiles.
        runs: what they are scores of.
    """
    by_itself = "no other of these runs was asked the same items"
    asked: dict[Hashable, list[int]] = {}
    for number, run in enumerate(runs):
        asked.setdefault((run.info.benchmark.sha256, tuple(run.positions)), []).append(number)
    out = list(scores)
    for group in asked.values() if len(asked) < len(runs) else ():
        alone = len(group) == 1
        each = [dict.fromkeys(scores[group[0]].scores, Rank(rank=None, of=0, why=by_itself))] if alone else None
        for number, ranks in zip(group, each or _ranks([scores[n] for n in group]), strict=True):
            out[number] = msgspec.structs.replace(scores[number], ranks=ranks)
    return out


def why_unranked(runs: Sequence[OpenedRun]) -> str:
    """Why none of several runs has a rank; empty for one run, and where some were asked the same items."""
    stamps = {run.info.benchmark.sha256 for run in runs}
    if len(runs) == 1 or len({(run.info.benchmark.sha256, tuple(run.positions)) for run in runs}) < len(runs):
        return ""
    if len(stamps) == len(runs):
        return "these are runs of different benchmarks, or of different versions of one"
    which = "no two of these runs were asked just the same items (--task, --category and --limit say which)"
    shared = len(runs) == 2 and set(runs[0].positions) & set(runs[1].positions)  # noqa: PLR2004  what compare takes
    return f"{which}; audiometry compare takes those that both were asked" if shared else which


def _ranks(scores: Sequence[Scores]) -> list[dict[str, Rank]]:
    out: list[dict[str, Rank]] = [{} for _ in scores]
    profiles = [name for name in scores[0].scores if all(name in score.scores for score in scores)]
    for profile in profiles:
        rows = [score.scores[profile] for score in scores]
        whys = [_why_not(row) for row in rows]
        values = [None if why else _worth(row) for row, why in zip(rows, whys, strict=True)]
        known = [value for value in values if value is not None]
        for ranks, value, why in zip(out, values, whys, strict=True):
            rank = None if value is None else 1 + sum(other > value for other in known)
            tied = 0 if value is None else known.count(value) - 1
            ranks[profile] = Rank(rank=rank, of=len(known), tied=tied, why=why)
    if DEFAULT not in profiles:
        return out
    kinds = {name: scores[0].scores[name].kinds for name in profiles}  # of other tasks a place is another one
    return [
        {
            name: _changed(rank, ranks[DEFAULT]) if kinds[name] == kinds[DEFAULT] else rank
            for name, rank in ranks.items()
        }
        for ranks in out
    ]


def _worth(row: Scored) -> float:
    """More is better."""
    return round((1 if row.direction == "up" else -1) * (row.value or 0.0), _PLACES)


def _why_not(row: Scored) -> str:
    if not row.replied:
        return "no reply came"
    if row.n_not_asked:
        return f"{counted(row.n_not_asked, 'reply')} not asked for yet"
    if not row.whole:
        return "not every category was asked in full"
    if row.value is None:
        return "no reply counts under these rules"
    if row.profile == DEFAULT and not row.rankable:
        return f"more than {100 * MOST_FAILED:g} % of the replies failed"
    return ""


def _changed(rank: Rank, strict: Rank) -> Rank:
    if rank.rank is None or strict.rank is None:
        return rank
    return msgspec.structs.replace(rank, change=strict.rank - rank.rank)
