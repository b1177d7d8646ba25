"""All that is said of one run, put together: its scores of whatever kind, and which items they are about."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from audiometry.score.cut import n_clips_cut
from audiometry.score.judged import OpenRun, with_own_clips
from audiometry.score.result import Scored, Scores


def scores_of(run: OpenRun, part: OpenRun, found: Mapping[str, Scored]) -> Scores:
    """The scores of a run.

    Args:
        run: the run.
        part: the run with those of its items that the scores have a part in.
        found: the scores, by name.
    """
    return Scores(
        run=str(run.folder.path),
        benchmark=run.info.benchmark.name,
        model=run.info.model,
        asked=run.info.called,
        scores=dict(found),
        n_items=len(run.positions),
        n_unscored=len(run.positions) - len(part.positions) if found else len(run.positions),
        n_without_clip=part.n_without_clip,
        n_left_out=run.info.benchmark.left_out,
        n_clips_cut=n_clips_cut(with_own_clips(part)),
        left_out=run.benchmark.left_out(run.info.tasks),
    )


def joined(one: Scores, other: Scores) -> Scores:
    """Two kinds of scores of one run as one document; those of one kind of task are about the same items."""
    if not one.scores or not other.scores:
        return other if other.scores else one
    kinds = [{kind for scored in scores.scores.values() for kind in scored.kinds} for scores in (one, other)]
    put = max if kinds[0] & kinds[1] else _sum
    return msgspec.structs.replace(
        one,
        scores={**one.scores, **other.scores},
        n_unscored=one.n_items - put(one.n_items - one.n_unscored, other.n_items - other.n_unscored),
        n_without_clip=put(one.n_without_clip, other.n_without_clip),
        n_clips_cut=put(one.n_clips_cut, other.n_clips_cut),
    )


def _sum(one: int, other: int) -> int:
    return one + other
