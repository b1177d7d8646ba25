"""Does the model listen? Its score with the items' own clips against the same items without them.

The null hypothesis of each of the conditions ``noise``, ``silence`` and ``other-clip`` is that replacing the clip
changes nothing. Each is tested by flipping the signs of clusters of differences in pairs (real minus replaced, in the
same order of options, averaged as the headline is), one-sided, since only a drop is evidence of listening.

- *listens*: any of them shows a drop, p below `LEVEL` after Holm's correction for as many as were asked. A model that
  does not listen gets this verdict with a probability of at most `LEVEL`.
- *does not listen*: in each of them the 95 % interval of the difference lies within plus and minus a margin: a quarter
  of what the score is above chance, at most 10 points. Models that the paper found to listen lost 29 to 57 % of
  theirs. A score near chance has nothing to lose, so it can never earn this verdict.
- *cannot tell on these items*: all else.

``text-only`` has no part in it: without a clip the prompt is of another form, which alone can change a score. Replies
that failed are never evidence: a verdict has to hold whatever they would have been; items that failed on both sides
are left out.

Source: MuChoMusic (arXiv 2408.01337) §4.4 (noise, or another track; significant under either). The paper names no
test; test, level, margin and the third verdict are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.choices.variant import NOISE, OTHER_CLIP, PLAIN, SILENCE
from audiometry.records import Verdict
from audiometry.score import aggregate
from audiometry.score.aggregate import ItemTable
from audiometry.score.conditions import Column, asked, columns
from audiometry.score.judged import CODE, OpenRun, with_clips, with_options
from audiometry.score.profiles import named
from audiometry.score.result import Scores
from audiometry.stats.multiplicity import holm
from audiometry.stats.paired import Paired, paired

LEVEL = 0.025
"""One-sided: that of a two-sided 95 % interval."""

MARGIN, QUARTER = 0.10, 0.25
"""A difference is nothing if it is below 10 points and below a quarter of what the score is above chance."""

DUST = 1e-9  # above chance by less is what rounding left
RULES = "strict"
TESTED = (NOISE, SILENCE, OTHER_CLIP)
UNREAD = (CODE[Verdict.UNANSWERED], CODE[Verdict.REFUSED])

Answer: TypeAlias = Literal["listens", "does not listen", "cannot tell on these items"]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]


class Replies(msgspec.Struct, frozen=True):
    """What became of the items in one variant.

    Attributes:
        right: ``bool[n]``.
        failed: ``bool[n]``, no reply came.
        unread: ``bool[n]``, the reply declines, or no answer can be read from it.
    """

    right: Bools
    failed: Bools
    unread: Bools


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One condition against the real clips.

    Attributes:
        n_items, n_clusters: items that are compared, and groups of those that are not independent.
        real, without: the scores, failed replies counted as wrong.
        difference: the one minus the other.
        interval: 95 %, from the lowest limit to the highest that failed replies leave possible.
        p: one-sided, that a model which does not listen would lose as much; failed replies taken against it.
        p_corrected: over the conditions that count (Holm); None for one that does not.
        n_failed: items of which one of the two replies failed.
        n_unread, n_unread_real: replies that decline or cannot be read, without the clips and with them.
    """

    n_items: int
    n_clusters: int
    real: float
    without: float
    difference: float
    interval: tuple[float, float]
    p: float
    p_corrected: float | None = None
    n_failed: int
    n_unread: int
    n_unread_real: int


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict, and what it rests on.

    Attributes:
        verdict: one of three.
        reason: why, in a sentence.
        score: with the real clips, in the benchmark's own order of options.
        chance: what guessing gives.
        margin: the difference that would be nothing, for this score; 0 if the score is not above chance.
        level: below which ``p_corrected`` is a drop.
        conditions: by variant, in the order they are asked.
        n_without_clip: items that name no clip and have no part in this.
    """

    verdict: Answer
    reason: str
    score: float
    chance: float
    margin: float
    level: float
    conditions: dict[str, Evidence]
    n_without_clip: int = 0


def listening(run: OpenRun) -> Listening:
    """Whether the model of a run listens, by the house's own reading of its replies.

    A run without variants that replace the clip gets the third verdict, and the reason says what to ask.
    """
    opened = with_options(run)
    run = with_clips(opened)
    found = columns(run, {RULES: named(RULES)})[RULES]
    replies = {name: _replies(column) for name, column in found.items()}
    heard = decide(replies.pop(PLAIN), replies, aggregate.table(run))
    return msgspec.structs.replace(heard, n_without_clip=len(opened.positions) - len(run.positions))


def with_listening(scores: Scores, run: OpenRun) -> Scores:
    """A run's scores with whether its model listens, where it was asked without the clips."""
    return msgspec.structs.replace(scores, listening=listening(run)) if asked(run) else scores


def decide(real: Replies, without: Mapping[str, Replies], items: ItemTable) -> Listening:
    """The verdict from marks alone.

    Args:
        real: with the items' own clips.
        without: without them, by variant.
        items: who belongs together and who counts how much, as for a score.
    """
    compared = {name: _compared(name, real, other, items) for name, other in without.items()}
    evidence = {name: one for name, one in compared.items() if one is not None}
    tested = [name for name in TESTED if name in evidence]
    for name, p in zip(tested, holm([evidence[name].p for name in tested]), strict=True):
        evidence[name] = msgspec.structs.replace(evidence[name], p_corrected=p)
    weights = aggregate.item_weights(items)
    score, chance = _mean(weights, real.right), float(weights @ items.chance)
    margin = min(MARGIN, QUARTER * (score - chance)) if score - chance > DUST else 0.0
    verdict, reason = _verdict({name: evidence[name] for name in tested}, margin)
    return Listening(
        verdict=verdict,
        reason=reason,
        score=score,
        chance=chance,
        margin=margin,
        level=LEVEL,
        conditions=evidence,
    )


def _replies(column: Column) -> Replies:
    verdict = column.judged.verdict[:, 0]
    return Replies(
        verdict == CODE[Verdict.CORRECT],
        verdict == CODE[Verdict.FAILED],
        np.asarray(np.isin(verdict, UNREAD), np.bool_),
    )


def _compared(name: str, real: Replies, other: Replies, items: ItemTable) -> Evidence | None:
    """The difference, its limits and its p; None if no item has a reply on either side."""
    there = ~(real.failed & other.failed)
    if not there.any():
        return None
    weights = aggregate.item_weights(items, there)

    def difference(with_clip: Bools, without: Bools) -> Paired:
        return paired(
            with_clip[there],
            without[there],
            items.cluster[there],
            weights=weights,
            strata=items.task[there],
            rng=seeds.generator(0, "conditions", name),
        )

    found = least = most = difference(real.right, other.right)
    if (real.failed | other.failed)[there].any():
        least = difference(real.right, other.right | other.failed)
        most = difference(real.right | real.failed, other.right)
    return Evidence(
        n_items=found.n,
        n_clusters=found.n_clusters,
        real=_mean(weights, real.right[there]),
        without=_mean(weights, other.right[there]),
        difference=found.difference,
        interval=(least.low, most.high),
        p=least.p / 2 if least.difference > 0 else 1.0,
        n_failed=int((real.failed ^ other.failed).sum()),
        n_unread=int(other.unread[there].sum()),
        n_unread_real=int(real.unread[there].sum()),
    )


def _mean(weights: Floats, right: Bools) -> float:
    return float((weights * right).sum() / weights.sum())


def _verdict(tested: Mapping[str, Evidence], margin: float) -> tuple[Answer, str]:
    if not tested:
        asked = " or ".join(f"--variant {name}" for name in TESTED)
        return (
            "cannot tell on these items",
            f"no other sound was put in the place of the clips; run it again with {asked}",
        )
    best = min(tested, key=lambda name: (tested[name].p_corrected, -tested[name].difference))
    if (tested[best].p_corrected or 0.0) < LEVEL:
        return (
            "listens",
            f"{_said(best, tested[best])} (p {_p(tested[best])} corrected for {len(tested)}){_hint(tested[best])}",
        )
    worst = max(tested, key=lambda name: max(map(abs, tested[name].interval)))
    if not margin:
        return (
            "cannot tell on these items",
            "its score with the real clips is not above chance, so there is nothing to lose",
        )
    if all(-margin < one.interval[0] and one.interval[1] < margin for one in tested.values()):
        return (
            "does not listen",
            f"{_said(worst, tested[worst])}; less than {100 * margin:.1f} points either way is nothing",
        )
    neither = (
        f"{_said(worst, tested[worst])}, which is neither a drop (p {_p(tested[worst])} corrected) "
        f"nor within {100 * margin:.1f} points of nothing{_failures(tested)}; ask more items"
    )
    return "cannot tell on these items", neither


def _said(name: str, one: Evidence) -> str:
    low, high = one.interval
    return (
        f"{100 * one.real:.1f} % correct with the real clips, {100 * one.without:.1f} % under {name}: "
        f"{100 * one.difference:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f})"
    )


def _p(one: Evidence) -> str:
    p = one.p_corrected or 0.0
    return f"= {p:.4f}" if p >= 0.0001 else "< 0.0001"  # noqa: PLR2004  as many places as are printed


def _hint(one: Evidence) -> str:
    """What else a drop may come from: a model that notices noise and declines has heard it, but no more than that."""
    more = (one.n_unread - one.n_unread_real) / one.n_items
    if more <= MARGIN:
        return ""
    return (
        f"; {one.n_unread:,} of its replies there decline or cannot be read, {one.n_unread_real:,} with the real clips"
    )


def _failures(tested: Mapping[str, Evidence]) -> str:
    failed = sum(one.n_failed for one in tested.values())
    return f"; {failed:,} replies failed, and whatever they would have been is left open" if failed else ""
