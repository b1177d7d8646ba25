"""Items that give themselves away: models that were sent the words alone know the answer, one model after another.

For each item, the number of models that were right without the clip is compared with guessing: exact Poisson-binomial
upper tail over models, Benjamini and Hochberg over items, so that of the items listed at most one in twenty is
expected to be there by chance. A model's probability to guess right is one over the number of options, or, where that
is higher, the share of its own text-only answers that have the right letter. So an item is not listed for having its
answer where all models like to point.

Models that guess alike for another reason (all prefer the longest option) do find the answer without hearing, and
such an item is listed, as it should be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from audiometry.choices.variant import TEXT_ONLY
from audiometry.errors import UsageError
from audiometry.records import State
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import DEFAULT, PROFILES
from audiometry.score.sheet import CODE
from audiometry.stats.chance import above_chance
from audiometry.stats.multiplicity import benjamini_hochberg

LEVEL = 0.05
"""The share of listed items that may be false."""


class Giveaway(msgspec.Struct, frozen=True, kw_only=True):
    """An item that models answer without its clip.

    Attributes:
        item, task, question, answer: which.
        n_models: models that answered it from the words alone.
        n_right: how many of them were right.
        expected: how many would be by guessing.
        p: that guessing would do as well.
        p_corrected: over all items (Benjamini and Hochberg).
    """

    item: str
    task: str
    question: str
    answer: str
    n_models: int
    n_right: int
    expected: float
    p: float
    p_corrected: float


class Giveaways(msgspec.Struct, frozen=True, kw_only=True):
    """What several models' text-only replies say of a benchmark's items.

    Attributes:
        benchmark: its name.
        models: whose replies were looked at, one run each.
        n_items: items that any of them answered.
        level: of the list, see `LEVEL`.
        least_share: so many of all items, 0 to 1, would have to give themselves away before the surest of them could be
            listed; above 1: with these models none can be; None without models.
        items: those that are listed, the surest first.
        reason: what the list can and cannot show, in a sentence.
    """

    benchmark: str
    models: tuple[str, ...]
    n_items: int
    level: float
    least_share: float | None
    items: tuple[Giveaway, ...]
    reason: str


def giveaways(runs: Sequence[OpenedRun]) -> Giveaways:
    """The items of a benchmark that give themselves away.

    Args:
        runs: of one benchmark; those without text-only replies are passed over, and of several runs of one model all
            but the first, since its guesses are no second opinion.

    Raises:
        UsageError: no runs, or runs of different benchmarks.
    """
    if len({run.info.benchmark.sha256 for run in runs}) != 1:
        raise UsageError("giveaways are looked for in runs of one benchmark, in one version; name such runs")
    chosen: dict[str, OpenedRun] = {}
    for run in runs:
        if TEXT_ONLY in run.info.variants:
            chosen.setdefault(run.info.model, run)
    right: dict[int, int] = {}
    chances: dict[int, list[float]] = {}
    for run in chosen.values():
        for position, correct, chance in _guesses(run):
            right[position] = right.get(position, 0) + correct
            chances.setdefault(position, []).append(chance)
    p = {position: above_chance(right[position], several) for position, several in chances.items()}
    corrected = dict(zip(p, benjamini_hochberg(list(p.values())), strict=True))
    items = runs[0].benchmark.items
    found = []
    for position in sorted((q for q in p if corrected[q] <= LEVEL), key=lambda q: (p[q], q)):
        item = items.at(position)
        found.append(
            Giveaway(
                item=item.id,
                task=item.task,
                question=item.question,
                answer=item.answer or "",
                n_models=len(chances[position]),
                n_right=right[position],
                expected=math.fsum(chances[position]),
                p=p[position],
                p_corrected=corrected[position],
            )
        )
    surest = min((math.prod(several) for several in chances.values()), default=None)
    least = None if surest is None else surest / LEVEL
    return Giveaways(
        benchmark=runs[0].info.benchmark.name,
        models=tuple(chosen),
        n_items=len(p),
        level=LEVEL,
        least_share=least,
        items=tuple(found),
        reason=_reason(len(chosen), list(chances.values()), least),
    )


def _guesses(run: OpenedRun) -> list[tuple[int, bool, float]]:
    """Of every item that was answered from the words alone: where it is, whether right, how likely by guessing."""
    profile, measure = PROFILES.named(DEFAULT), MEASURES.named("accuracy")
    whole = fill(run, profile, measure)
    words = whole.of(whole.items.clip, [TEXT_ONLY])
    state, chosen, gold = words.state[:, 0], words.letter[:, 0], words.gold[:, 0]
    positions, stated = words.items.position.tolist(), words.items.chance
    answered = np.flatnonzero((state == CODE[State.ANSWERED]) & (gold >= 0))
    sizes = {int(row): len(run.benchmark.items.at(positions[row]).options) for row in answered}
    liked = Counter((sizes[row], int(chosen[row])) for row in sizes)
    of_size = Counter(sizes.values())
    return [
        (
            positions[row],
            bool(words.parts[row, 0, 0]),
            min(1.0, max(float(stated[row]), liked[size, int(gold[row])] / of_size[size])),
        )
        for row, size in sizes.items()
    ]


def _reason(n_models: int, chances: Sequence[Sequence[float]], least: float | None) -> str:
    if least is None and n_models:
        return f"{_models(n_models)} asked in words alone gave no answer that could be read; see what failed"
    if least is None:
        return "no model has been asked for these items in words alone; run some with --variant text-only"
    if least > 1:
        usual = float(np.median([max(several) for several in chances]))
        needed = f"; about {math.ceil(math.log(LEVEL) / math.log(usual))} models are needed" if usual < 1 else ""
        return f"{_models(n_models)} cannot show it for any item, however many of them are right{needed}"
    if least * len(chances) > 1:
        return (
            f"{_models(n_models)} can show it only if at least {100 * least:.0f} % of the items give themselves away; "
            "more models see single ones"
        )
    return f"{_models(n_models)} can show it for a single item"


def _models(n: int) -> str:
    return "one model" if n == 1 else f"{n} models"
