"""From the pattern of what was heard to what is wrong, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from audiometry.errors import shown
from audiometry.run.probing.pitch_shift import Shift
from audiometry.run.probing.questions import LONG, LONG_START, PART_ORDER
from audiometry.run.probing.result import ALPHA, Aspect, Finding, Heard
from audiometry.stats.chance import above_chance

_ENOUGH: Final = 6  # replies from which a habit shows
_HABIT: Final = 0.9  # share of replies that makes one
_SURE: Final = 1e-4  # probability below which fitting the neighbour's clip is no accident


def findings(found: Sequence[Aspect], heard: Sequence[Heard], shift: Shift | None, *, hears: bool) -> Iterator[Finding]:
    """What is wrong, the gravest first; nothing where all that could be told was heard.

    Args:
        found: the parts with their verdicts.
        heard: every question and its reply.
        shift: the wrong rate that explains the answers on pitch, if one does.
        hears: whether there is a sign that audio reaches the model.
    """
    by_name = {one.name: one for one in found}
    yield from _failures(found)
    if not hears and any(one.n for one in found):
        mixed_up = list(_mixed_up(heard))
        yield from mixed_up or [Finding(cause="no-audio", message=_no_sign(heard))]
        return
    if shift is not None:  # what else is not heard, is not heard for that
        yield Finding(cause="wrong-rate", message=_wrong_rate(shift))
        return
    other = by_name.get(PART_ORDER)
    if other is not None and other.verdict == "heard" and _deaf_as_usual(other, by_name):
        order = other.title.partition(", ")[2]
        said = f"heard with the {order} only ({other.right} of {other.n}); give --part-order"
        yield Finding(cause="part-order", message=said)
        return
    yield from _rates(by_name)
    yield from _lengths(by_name)
    yield from _channels(by_name)
    yield from _lost(by_name, "mp3", "mp3", "MP3 clips are not heard, others are: they are not decoded")
    if other is not None:
        order = other.title.partition(", ")[2]
        yield from _lost(by_name, PART_ORDER, "part-order", f"not heard with the {order}, heard the other way round")


def heard_shifted(found: Sequence[Aspect], shift: Shift, heard: Sequence[Heard]) -> tuple[Aspect, ...]:
    """The parts on pitch whose answers a wrong rate explains, marked as not heard."""
    out = []
    for one in found:
        rates = {h.sent.rate for h in heard if h.aspect == one.name and h.sent is not None}
        if one.kind == "pitch" and one.verdict == "cannot tell" and rates & shift.factors.keys():
            note = "; ".join(
                f"the answers fit clips played {_speed(shift.factors[r])}" for r in rates if r in shift.factors
            )
            one = msgspec.structs.replace(one, verdict="not heard", note=note)  # noqa: PLW2901  the same part
        out.append(one)
    return tuple(out)


def _failures(found: Sequence[Aspect]) -> Iterator[Finding]:
    failed = [one for one in found if one.verdict == "failed"]
    if failed:
        titles = "everything" if len(failed) == len(found) else "; ".join(one.title for one in failed)
        yield Finding(cause="failed", message=f"no reply at all to: {titles}. {failed[0].note}")


def _no_sign(heard: Sequence[Heard]) -> str:
    habit = _habit([h for h in heard if h.text is not None])
    return f"{f'{habit}. ' * bool(habit)}Look at how the server is given audio, and whether this model takes any"


def _habit(came: Sequence[Heard]) -> str:
    """What nearly all replies have in common."""
    if len(came) < _ENOUGH:
        return ""
    refused = [h for h in came if h.refused]
    if len(refused) >= _HABIT * len(came):
        return f'{len(refused)} of {len(came)} replies decline ("{shown(refused[0].text or "", 80)}")'
    unread = [h for h in came if h.said is None and not h.refused]
    if len(unread) >= _HABIT * len(came):
        return f'{len(unread)} of {len(came)} replies name no option ("{shown(unread[0].text or "", 80)}")'
    letters = Counter("ABCDEFGHIJ"[h.options.index(h.said)] for h in came if h.said is not None)
    letter, times = letters.most_common(1)[0]
    if times >= _HABIT * len(came):
        return f"{times} of {len(came)} replies name the letter {letter}"
    digits = [h.said for h in came if h.kind == "digit" and h.said is not None]
    word, times = Counter(digits).most_common(1)[0] if digits else ("", 0)
    if len(digits) >= _ENOUGH and times >= _HABIT * len(digits):
        return f'{times} of {len(digits)} replies on digits say "{word}": one and the same clip may be heard each time'
    return ""


def _mixed_up(heard: Sequence[Heard]) -> Iterator[Finding]:
    """Whether replies fit the clip of the question before, or after."""
    digits = [h for h in heard if h.kind == "digit" and h.said is not None]
    neighbours = list(pairwise(digits))
    for where, fits in (
        ("before", [after.said == one.answer for one, after in neighbours]),
        ("after", [one.said == after.answer for one, after in neighbours]),
    ):
        if len(fits) >= _ENOUGH and above_chance(sum(fits), [0.1] * len(fits)) <= _SURE:
            said = f"{sum(fits)} of {len(fits)} replies fit the clip of the question {where}"
            yield Finding(cause="other-clip", message=f"{said}: clips or replies are mixed up")


def _wrong_rate(shift: Shift) -> str:
    speeds = "; ".join(f"clips of {rate:,} Hz {_speed(factor)}" for rate, factor in sorted(shift.factors.items()))
    where = f"as if every clip were at {shift.rate:,} Hz, whatever its header says" if shift.rate else "all of them"
    return (
        f"clips are played at a wrong rate: the pitch of {shift.matches} of {shift.n} tones was named as it would be "
        f"{where} ({speeds})"
    )


def _speed(factor: float) -> str:
    return f"{factor:.2g} times too fast" if factor > 1 else f"{1 / factor:.2g} times too slow"


def _rates(by_name: dict[str, Aspect]) -> Iterator[Finding]:
    """Clips of one rate that are lost while those of another are heard."""
    for rate, words in (("8k", "8,000 Hz"), ("16k", "16,000 Hz"), ("44k", "44,100 Hz")):
        lost = [n for n in (f"digits-{rate}", f"pitch-{rate}") if _is(by_name, n, "not heard")]
        if lost:
            what = " and ".join("tones" if n.startswith("pitch") else "digits" for n in lost)
            sent = by_name[lost[0]].sent
            yield Finding(cause="rate", message=f"{what} in files of {words} are not heard, others are (sent: {sent})")


def _lengths(by_name: dict[str, Aspect]) -> Iterator[Finding]:
    """Ends of clips that are lost; where the start of a long one is heard as well as ever, it is cut."""
    lost = [seconds for name, seconds in LONG.items() if _is(by_name, name, "not heard")]
    kept = [seconds for name, seconds in LONG.items() if _is(by_name, name, "heard")]
    last = max(kept, default=1.0 if _is(by_name, "digits", "heard") else 0.0)
    start = by_name.get(LONG_START)
    if not lost:
        if _is(by_name, LONG_START, "not heard") and _is(by_name, "end-61s", "heard"):
            said = "the start of long clips is lost: of 61 s the end is heard, what sounds at the start is not"
            yield Finding(cause="start-lost", message=said)
        return
    seen = f"the end is heard in clips of up to {last:g} s and not in clips of {_listed(lost)} s"
    if not 0 < last < min(lost):
        yield Finding(cause="long", message=f"the end is not heard in clips of {_listed(lost)} s")
    elif start is not None and start.n and (start.verdict == "not heard" or start.p_less <= ALPHA):
        beside = f"at the start of 61 s {start.right} of {start.n} are right"
        yield Finding(cause="long", message=f"long clips are badly understood, cut or not: {seen}; {beside}")
    else:
        where = "at about 30 s" if (last, min(lost)) == (29.0, 31.0) else f"between {last:g} and {min(lost):g} s"
        beside = ", while the start of 61 s is" if _is(by_name, LONG_START, "heard") else ", or too long for the model"
        yield Finding(cause="cut", message=f"clips are cut {where}: {seen}{beside}")


def _channels(by_name: dict[str, Aspect]) -> Iterator[Finding]:
    for side, other in (("left", "right"), ("right", "left")):
        if _is(by_name, side, "not heard"):
            but = f", in the {other} it is" if _is(by_name, other, "heard") else ""
            yield Finding(
                cause=f"{side}-channel",
                message=f"the {side} channel is lost: sound in it alone is not heard{but} (sent: {by_name[side].sent})",
            )


def _deaf_as_usual(other: Aspect, by_name: dict[str, Aspect]) -> bool:
    """Whether what is heard in the other order is heard in no part that was asked in the usual one."""
    usual = [one for one in by_name.values() if one.kind == other.kind and one.name != other.name]
    return not any(one.verdict == "heard" for one in usual)


def _lost(by_name: dict[str, Aspect], name: str, cause: str, message: str) -> Iterator[Finding]:
    if _is(by_name, name, "not heard"):
        one = by_name[name]
        yield Finding(cause=cause, message=f"{message} ({one.right} of {one.n} right; sent: {one.sent})")


def _is(by_name: dict[str, Aspect], name: str, verdict: str) -> bool:
    return name in by_name and by_name[name].verdict == verdict


def _listed(lengths: Sequence[float]) -> str:
    words = [f"{seconds:g}" for seconds in lengths]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
