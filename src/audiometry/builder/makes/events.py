"""At which time something is heard in a recording: wrong options are the times of its other events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from audiometry.builder.clip import SourceClip
from audiometry.builder.make import Candidate, Hand, Make, Unfit
from audiometry.builder.slips import folded
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.errors import counted, shown
from audiometry.seeds import Stream

LABEL: Final = "{label}"
"""What a question leaves a place for: what is heard."""
_TRIES: Final = 200  # places that are drawn for a time at which nothing else is
_Span = tuple[float, float]


def _slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    if not task.about:
        yield 'does not say what it is about; name the fact that is heard at the times (about = "word")'
    if not task.question:
        yield f"has no question; write one (question = [\"When is '{LABEL}' said?\"])"
    if bad := next((one for one in task.question if LABEL not in one), ""):
        yield f"has the question '{shown(bad)}', in which {LABEL} stands nowhere; write where what is heard is named"
    sources = [one for one in spec.source if task.source in {"", one.called} and task.about in one.facts]
    if not any(one.columns.start for one in sources):
        yield "has no times; name their columns in columns.start and columns.end of its source"


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    by_recording: dict[tuple[str, int], list[SourceClip]] = defaultdict(list)
    for clip in hand.clips:
        if clip.span is not None:
            by_recording[clip.recording.sha256, clip.channel].append(clip)
    ended = {one.called for one in hand.spec.source if one.columns.end}
    for clips in by_recording.values():
        yield from _of_recording(hand, clips, ends=clips[0].source in ended)


def _of_recording(hand: Hand, clips: Sequence[SourceClip], *, ends: bool) -> Iterator[Candidate | Unfit]:
    about = hand.task.about
    times: dict[str, list[SourceClip]] = defaultdict(list)
    for clip in clips:
        for value in clip.facts.get(about, ()):
            times[folded(value)].append(clip)
        if not clip.facts.get(about):
            yield Unfit(rule="empty-label", reason=f"has no {shown(about, 40)}; fill the cell", clip=clip)
    whole = _whole(clips, about)
    events = [(own[0], name) for name, own in times.items() if len(own) == 1]
    for name, own in times.items():
        if len(own) > 1:
            value = next(v for v in own[0].facts[about] if folded(v) == name)
            reason = f"'{shown(value)}' is heard {counted(len(own), 'time')}, so that no one time is right"
            yield Unfit(rule="ambiguous", reason=reason, clip=own[0])
    made = 0
    for event, name in hand.draw("event", whole).shuffled(events):
        if made == hand.task.per_clip:
            return
        value = next(v for v in event.facts[about] if folded(v) == name)
        draw = hand.draw("times", whole, value)
        answer, wrong = _said(event, ends=ends), _others(hand, event, clips, draw, ends=ends)
        question = draw.pick(hand.task.question).replace(LABEL, value)
        candidate = Candidate(clip=whole, question=question, answer=answer, wrong=wrong, tags={about: value})
        if wrong:
            made += 1
            yield candidate
        else:
            reason = f"'{shown(value)}' is heard nearly all the time, so that no other time is wrong"
            yield Unfit(rule="no-wrong-option", reason=reason, clip=event, candidate=candidate)


def _whole(clips: Sequence[SourceClip], about: str) -> SourceClip:
    """The recording with what all its events say."""
    names = dict.fromkeys(name for clip in clips for name in clip.facts if name != about)
    facts = {name: tuple(dict.fromkeys(v for clip in clips for v in clip.facts.get(name, ()))) for name in names}
    rows = ", ".join(clip.rows for clip in clips)
    return replace(clips[0], span=None, facts=facts, rows=rows, asked=())


def _others(hand: Hand, event: SourceClip, clips: Sequence[SourceClip], draw: Stream, *, ends: bool) -> tuple[str, ...]:
    """Times at which the event is not heard: of other events, and where these are too few of none."""
    begin, end = _times(event, ends=ends)
    right, wanted = _said(event, ends=ends), hand.task.options - 1
    free = [one for one in clips if not _meet(_times(one, ends=ends), (begin, end))]
    found = [said for one in draw.shuffled(free) if (said := _said(one, ends=ends)) != right]
    found = list(dict.fromkeys(found))[:wanted]
    taken = [(begin, end), *(_times(one, ends=ends) for one in free if _said(one, ends=ends) in found)]
    room = event.recording.duration_s - (end - begin)
    for _ in range(_TRIES if room > 0 else 0):
        if len(found) >= wanted:
            break
        at = draw.random() * room
        if not any(_meet((at, at + end - begin), other) for other in taken):
            taken.append((at, at + end - begin))
            found.append(_written((at, at + end - begin), ends=ends))
    return tuple(found)


def _times(clip: SourceClip, *, ends: bool) -> _Span:
    """When a clip is heard; one of which only the start is known, from half a second before to half a second after."""
    begin, end = clip.span or (0.0, clip.recording.duration_s)
    return (begin, end) if ends else (begin - 0.5, begin + 0.5)


def _meet(a: _Span, b: _Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def _said(clip: SourceClip, *, ends: bool) -> str:
    return _written(_times(clip, ends=ends), ends=ends)


def _written(span: _Span, *, ends: bool) -> str:
    begin, end = span
    return f"[{begin:.2f}, {end:.2f}]" if ends else f"{(begin + end) / 2:.2f} s"


MAKE = Make(
    name="events",
    about="at which time of a recording something is heard",
    slips=_slips,
    kind=lambda _: "choice",
    make=_make,
)
