"""Does the model listen? Its score with the items' own clips against the same items without them.

The null hypothesis of each of the conditions ``noise``, ``silence`` and ``other-clip`` is that replacing the clip
changes nothing. The test is that of `conditions`: number, interval and p are the same wherever they are shown.

- *listens*: one of them shows a drop, p below `LEVEL` after Holm's correction over those that were asked. A
  model that does not listen gets this verdict with a probability of at most `LEVEL` / 2, since only a drop counts.
- *does not listen*: in each of them the 95 % interval of the difference lies within plus and minus a margin: a quarter
  of what the score is above chance, at most 10 points. Models that the paper found to listen lost 29 to 57 % of
  theirs. A score near chance has nothing to lose, so it can never earn this verdict.
- *cannot tell on these items*: all else.

``text-only`` gives no verdict: without a clip the prompt is of another form, which alone can change a score. Replies
that are lost are never evidence: they are in no difference, and a verdict has to hold whatever they would have been.

Beside it stands the attention test of whose rules the replies are read by, where the authors describe one
(`Profile.attention`): passed where the score drops, by the same test and correction, under any of its conditions.

Source: MuChoMusic (arXiv 2408.01337) §4.4 (noise, or another track; significant under either). The paper names no
test; test, level, margin and the third verdict are ours.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from audiometry.choices.variant import PLAIN, SOUNDS, TEXT_ONLY, of_score
from audiometry.errors import counted
from audiometry.records import State
from audiometry.render.numbers import half_up, p_value, percent
from audiometry.score.attention import CANNOT_TELL, Answer, Attention, Evidence, Listening
from audiometry.score.conditions import sides
from audiometry.score.difference import Pairing
from audiometry.score.row import Condition, Difference
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import Table
from audiometry.stats.multiplicity import holm

LEVEL = 0.05
"""Two-sided, as the interval is; only a drop counts, so that half of it is the chance of a wrong verdict."""

MARGIN, QUARTER = 0.10, 0.25
"""A difference is nothing if it is below 10 points and below a quarter of what the score is above chance."""

DUST = 1e-9  # above chance by less is what rounding left
TESTED = SOUNDS
UNREAD = (CODE[State.UNANSWERED], CODE[State.REFUSED], CODE[State.EMPTY])


def listening(sheet: Sheet, found: Mapping[str, Condition], shots: int = 0) -> Listening:
    """Whether the model of a run listens; that it cannot be told where nothing was asked without the clips.

    Args:
        sheet: choices under some rules, with all of the run's variants.
        found: its conditions.
        shots: worked examples that were shown before each item.
    """
    parts = sides(sheet)
    evidence = {
        name: _evidence(parts[PLAIN], parts[name], one.difference)
        for name, one in found.items()
        if one.difference is not None
    }
    family = [name for name in evidence if name != TEXT_ONLY]  # as in `conditions`
    adjusted = dict(zip(family, holm([evidence[name].p_least for name in family]), strict=True))
    own = parts.get(PLAIN, sheet.of(sheet.items.clip, of_score(sheet.variants)[:1]))
    whole = Table(own).whole()
    known = next(iter(evidence.values()), None)
    score = whole.value if whole.value is not None else (known.real if known else 0.0)
    chance = whole.chance or 0.0
    margin = min(MARGIN, QUARTER * (score - chance)) if score - chance > DUST else 0.0
    evidence = {name: _settled(one, adjusted.get(name, one.p_least), margin) for name, one in evidence.items()}
    tested = {name: evidence[name] for name in TESTED if name in evidence}
    never = {name for name in tested if (one := found[name].difference) is not None and one.undetectable == "never"}
    verdict, reason = _verdict(tested, margin, len(family), never)
    if tested and len(of_score(sheet.variants)) > 1:
        reason += "; with the real clips only in the first order of options, the one that the others were asked in"
    return Listening(
        verdict=verdict,
        reason=reason,
        score=score,
        chance=chance,
        margin=margin,
        level=LEVEL,
        conditions=evidence,
        n_without_clip=int((~sheet.items.clip).sum()),
        profile=sheet.profile.name,
        attention=_attention(sheet.profile.attention, tested),
        shots=shots,
    )


def _settled(one: Evidence, p_least: float, margin: float) -> Evidence:
    """With p in the worst case corrected, and what is told by it."""
    verdict: Literal["drops", "stays", "cannot tell"] = "cannot tell"
    if p_least < LEVEL and one.difference > 0:
        verdict = "drops"
    elif -margin < one.limits[0] and one.limits[1] < margin:
        verdict = "stays"
    return msgspec.structs.replace(one, p_least=p_least, verdict=verdict)


def _attention(wanted: Sequence[str], tested: Mapping[str, Evidence]) -> Attention | None:
    """Whether a model passes the test of these conditions; None of none."""
    if not wanted:
        return None
    drops = tuple(name for name in wanted if name in tested and tested[name].verdict == "drops")
    missing = tuple(name for name in wanted if name not in tested)
    return Attention(
        passes=True if drops else None if missing else False,
        drops=drops,
        not_shown=tuple(name for name in wanted if name not in {*drops, *missing}),
        without_number=missing,
    )


def _evidence(real: Sheet, other: Sheet, found: Difference) -> Evidence:
    lost = np.asarray((real.lost | other.lost).any(axis=1), np.bool_)
    least = most = found
    if lost.any():
        least, most = (_filled(real, other, found, listens=listens) for listens in (False, True))
    there = ~(real.lost | other.lost)
    return Evidence(
        n_items=found.n_items,
        n_clusters=found.n_clusters,
        real=found.score_a,
        without=found.score_b,
        difference=found.difference,
        interval=found.interval,
        p=found.p,
        p_corrected=found.p if found.p_corrected is None else found.p_corrected,
        n_lost=int(lost.sum()),
        limits=(least.interval[0], most.interval[1]),
        p_least=least.p if least.difference > 0 else 1.0,
        n_unread=int((np.isin(other.state, UNREAD) & there).sum()),
        n_unread_real=int((np.isin(real.state, UNREAD) & there).sum()),
    )


def _filled(real: Sheet, other: Sheet, found: Difference, *, listens: bool) -> Difference:
    """The difference had the lost replies been those of a model that listens, or of one that does not.

    Items of which both replies are lost say nothing either way and are left out.
    """
    sides = []
    for sheet, good in ((real, listens), (other, not listens)):
        ends = sheet.best if good else sheet.worst
        if ends is None:
            return found
        parts, counted = sheet.parts.copy(), sheet.counted | sheet.lost
        parts[sheet.lost] = ends
        none = np.zeros_like(sheet.state)
        filled = {"parts": parts, "counted": counted, "state": none, "worst": None, "best": None, "variants": ("one",)}
        sides.append(msgspec.structs.replace(sheet, **filled))
    known = np.asarray(~(real.lost & other.lost).any(axis=1), np.bool_)
    return Pairing(*(side.of(known) for side in sides)).whole() or found


def _verdict(
    tested: Mapping[str, Evidence], margin: float, n_corrected: int, never: Container[str]
) -> tuple[Answer, str]:
    if not tested:
        asked = " or ".join(f"--variant {name}" for name in TESTED)
        return CANNOT_TELL, f"no other sound was put in the place of the clips; run it again with {asked}"
    drops = {name: one for name, one in tested.items() if one.verdict == "drops"}
    if drops:
        best = min(drops, key=lambda name: (drops[name].p_least, -drops[name].difference))
        several = f" corrected for {n_corrected}" if n_corrected > 1 else ""
        p = f"; p {p_value(tested[best].p_corrected, '= ')}{several}"
        return "listens", _said(best, tested[best], p) + _hint(tested[best])
    worst = max(tested, key=lambda name: max(map(abs, tested[name].limits)))
    if not margin:
        return CANNOT_TELL, "its score with the real clips is not above chance, so there is nothing to lose"
    if all(one.verdict == "stays" for one in tested.values()):
        return (
            "does not listen",
            f"{_said(worst, tested[worst])}; less than {percent(margin)} points either way is nothing",
        )
    p = p_value(tested[worst].p_corrected, "= ")
    return CANNOT_TELL, (
        f"{_said(worst, tested[worst])}, which is neither a drop (p {p} corrected) "
        f"nor within {percent(margin)} points of nothing{_lost(tested)}; {_wanted(tested[worst], few=worst in never)}"
    )


def _wanted(one: Evidence, *, few: bool) -> str:
    """What would have to be asked; further items of the same clips tell nothing where these are too few."""
    if not few or one.n_clusters == one.n_items:
        return "ask more items"
    return f"so few clips (or groups) can show no drop: {one.n_clusters:,}; ask items of more clips"


def _said(name: str, one: Evidence, p: str = "") -> str:
    low, high = one.interval
    return (
        f"{percent(one.real)} % correct with the real clips, {percent(one.without)} % under {name}: "
        f"{_points(one.difference)} points (95 %: {_points(low)} to {_points(high)}{p})"
    )


def _points(share: float) -> str:
    return f"{half_up(100 * share):+}"


def _hint(one: Evidence) -> str:
    """What else a drop may come from: a model that notices noise and declines has heard it, but no more than that."""
    more = (one.n_unread - one.n_unread_real) / one.n_items
    if more <= MARGIN:
        return ""
    return (
        f"; {one.n_unread:,} of its replies there decline or cannot be read, {one.n_unread_real:,} with the real clips"
    )


def _lost(tested: Mapping[str, Evidence]) -> str:
    lost = sum(one.n_lost for one in tested.values())
    return f"; {counted(lost, 'reply')} did not come, and whatever would have been said is left open" if lost else ""
