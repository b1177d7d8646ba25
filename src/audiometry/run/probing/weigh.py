"""What right and wrong answers show of each part of a hearing test; numbers in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from audiometry.errors import TooLongAudioError, shown
from audiometry.run.probing.questions import CHANCE, Part
from audiometry.run.probing.result import ALPHA, Aspect, Form, Heard, Kind, Verdict
from audiometry.stats.chance import above_chance

SURE: Final = 0.01
"""Of the sign that audio arrives at all, and of each that a part is not heard."""
MOST_AGAIN: Final = 3
TOO_LONG: Final = TooLongAudioError.kind


def aspects(asked: Sequence[Part], heard: Sequence[Heard], left_out: Mapping[str, str]) -> tuple[Aspect, ...]:
    """Each part with its verdict.

    ``heard``: more right than guessing gives, at `ALPHA`. ``not heard``: fewer right, at `SURE`, than a model gets that
    hears as much as this one does in the part of the same kind in which it hears best. Otherwise ``cannot tell``:
    that model may not know digits, or pitches.

    Args:
        asked: the parts in order.
        heard: what came of each question.
        left_out: parts that were not asked, and why.
    """
    counted = [_counted(part, [h for h in heard if h.aspect == part.name], left_out) for part in asked]
    kinds: set[Kind] = {one.kind for one in counted}
    known = {kind: _reference([one for one in counted if one.kind == kind], len(counted)) for kind in kinds}
    return tuple(_judged(one, known[one.kind]) for one in counted)


def overall(found: Sequence[Aspect], form: Form) -> tuple[bool, float]:
    """Whether there is a sign that audio reaches the model, and the probability of one as strong by guessing.

    The full test takes all answers together, and the clearest part by itself (for a model that knows tones and no
    words), each at half of `SURE`, the second corrected for the number of parts (Bonferroni). The short one, two parts
    of four questions, counts as a sign what is one in either: a model that guesses gives one with probability .0076.
    """
    came = [one for one in found if one.n]
    if not came:
        return False, 1.0
    clearest = min(one.p for one in came)
    if form == "short":
        return clearest <= ALPHA, _either(came, clearest)
    together = above_chance(sum(one.right for one in came), [one.chance for one in came for _ in range(one.n)])
    p = min(1.0, 2 * min(together, clearest * len(found)))
    return p <= SURE, p


def to_ask_again(found: Sequence[Aspect], *, hears: bool) -> list[str]:
    """Parts worth more questions (`AGAIN`), at most `MOST_AGAIN` of them.

    Of a model that hears those not heard, or left open, while another part of their kind is heard, then those heard
    with slips: so that lucky guesses hide no fault and slips make none. Of one that gives no sign over all, those in
    which it seems to hear.
    """
    if not hears:
        return [one.name for one in found if one.verdict == "heard"][:MOST_AGAIN]
    known = {one.kind for one in found if one.verdict == "heard"}
    doubtful = [one for one in found if one.right < one.n and one.kind in known]
    doubtful.sort(key=lambda one: (one.verdict == "heard", one.kind == "pitch"))
    return [one.name for one in doubtful][:MOST_AGAIN]


def without_sign(found: Iterable[Aspect]) -> tuple[Aspect, ...]:
    """The parts where no sign of hearing was found over all: none of them was heard, one of chance included."""
    return tuple(
        msgspec.structs.replace(one, verdict="not heard") if one.verdict in {"heard", "cannot tell"} else one
        for one in found
    )


def expected(found: Iterable[Aspect]) -> float:
    """How many right answers guessing gives."""
    return sum(one.n * one.chance for one in found)


def _counted(part: Part, heard: Sequence[Heard], left_out: Mapping[str, str]) -> Aspect:
    came = [h for h in heard if h.text is not None]
    failed = [h for h in heard if h.error is not None]
    right, chance = sum(h.right for h in came), CHANCE[part.kind]
    verdict: Verdict = "cannot tell"
    note = left_out.get(part.name, "")
    if not came:
        verdict = "failed" if failed else "not asked"
        note = note or "" if failed else note or "it ended before"
    if failed and failed[0].error is not None:
        error = failed[0].error
        note = f"{len(failed)} without a reply ({error.kind}: {shown(error.message, 120)})"
        if not came and all(h.error is not None and h.error.kind == TOO_LONG for h in failed):
            verdict, note = "not asked", "longer than the model's card says it takes; nothing is cut silently"
            failed = []
    return Aspect(
        name=part.name,
        title=part.title,
        kind=part.kind,
        verdict=verdict,
        right=right,
        n=len(came),
        n_unread=sum(h.said is None and not h.refused for h in came),
        n_refused=sum(h.refused for h in came),
        n_failed=len(failed),
        chance=chance,
        p=above_chance(right, [chance] * len(came)),
        sent=_sent(heard),
        note=note,
    )


def _reference(same_kind: Sequence[Aspect], n_parts: int) -> float | None:
    """How often this model is right where it hears best, a cautious estimate; None if it hears in no such part.

    The first part of a kind is the plain one, which needs no correction for having been picked.
    """
    sure = [one for k, one in enumerate(same_kind) if one.n and one.p <= (ALPHA if k == 0 else ALPHA / n_parts)]
    return max(((one.right + 1) / (one.n + 2) for one in sure), default=None)


def _judged(one: Aspect, reference: float | None) -> Aspect:
    if not one.n:
        return one
    less = 1.0 if reference is None else _at_most(one.right, one.n, reference)
    verdict: Verdict = "heard" if one.p <= ALPHA else "not heard" if less <= SURE else "cannot tell"
    return msgspec.structs.replace(one, verdict=verdict, p_less=less)


def _at_most(right: int, n: int, rate: float) -> float:
    """Probability of no more right answers than that at such a rate."""
    return 1.0 - above_chance(right + 1, [rate] * n) if right < n else 1.0


def _either(found: Sequence[Aspect], clearest: float) -> float:
    """Probability that guessing gives in any of the parts a tail as small as the clearest one."""
    none = 1.0
    for one in found:
        tails = (above_chance(right, [one.chance] * one.n) for right in range(one.n + 1))
        none *= 1.0 - next((p for p in tails if p <= clearest), 0.0)
    return 1.0 - none


def _sent(heard: Sequence[Heard]) -> str:
    """The forms in which clips were sent, in words: ``wav 16,000 Hz mono, 2 → 1 channels``."""
    forms: dict[str, None] = {}
    for one in heard:
        if one.sent is not None:
            channels = {1: "mono", 2: "stereo"}.get(one.sent.channels, f"{one.sent.channels} channels")
            changes = "".join(f", {change}" for change in one.sent.changes)
            forms[f"{one.sent.format} {one.sent.rate:,} Hz {channels}{changes}"] = None
    return "; ".join(forms)
