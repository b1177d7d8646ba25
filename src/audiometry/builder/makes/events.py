"""At which time something is heard in a recording: wrong options are times of other events, its own or of others.

No time is made up: a wrong one begins and ends with the digits that times of the table have and is as long, so that
neither tells it from the right one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
_TRIES: Final = 200  # times that are drawn, as they are and then moved, to find some at which nothing else is
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
    times = [
        (_times(one, ends=one.source in ended), one.source in ended) for own in by_recording.values() for one in own
    ]
    usual = {ends: [one for one, own in times if own is ends] for ends in (False, True)}
    for clips in by_recording.values():
        ends = clips[0].source in ended
        yield from _of_recording(hand, clips, usual[ends], ends=ends)


def _of_recording(
    hand: Hand, clips: Sequence[SourceClip], usual: Sequence[_Span], *, ends: bool
) -> Iterator[Candidate | Unfit]:
    about, whole = hand.task.about, _whole(clips, hand.task.about)
    for clip in clips:
        if not clip.facts.get(about):
            yield Unfit(rule="empty-label", reason=f"has no {shown(about, 40)}; fill the cell", clip=clip)
    heard = _heard(hand, whole)
    events = {folded(value): (value, clip) for clip in clips for value in clip.facts.get(about, ())}
    for name, (value, clip) in events.items():
        if heard[name] != 1:
            often = counted(heard[name], "time") if heard[name] else "at a time that a row of it does not say"
            reason = f"'{shown(value)}' is heard {often}, so that no one time is right"
            yield Unfit(rule="ambiguous", reason=reason, clip=clip)
    made, own = 0, [_times(clip, ends=ends) for clip in clips]
    for value, event in hand.draw("event", whole).shuffled([events[name] for name in events if heard[name] == 1]):
        if made == hand.task.per_clip:
            return
        draw = hand.draw("times", whole, value)
        right = _times(event, ends=ends)
        wrong = _others(right, own, usual, draw, hand.task.options - 1, event.recording.duration_s)
        said = [_written(one, ends=ends) for one in (right, *wrong)]
        question = draw.pick(hand.task.question).replace(LABEL, value)
        candidate = Candidate(
            clip=whole,
            question=question,
            answer=said[0],
            wrong=tuple(one for one in dict.fromkeys(said) if one != said[0]),
            tags={about: value},
            provenance={"row": event.rows},
        )
        if candidate.wrong:
            made += 1
            yield candidate
        else:
            reason = f"'{shown(value)}' is heard at all times that events have, so that no other time is wrong"
            yield Unfit(rule="no-wrong-option", reason=reason, clip=event, candidate=candidate)


def _heard(hand: Hand, whole: SourceClip) -> Counter[str]:
    """How many times each thing is heard by all rows of a recording; of one that is heard nobody knows when, none."""
    about = hand.task.about
    spans = (one for one in hand.overlapping(whole) if one.span is not None)
    found = Counter(folded(value) for one in spans for value in one.facts.get(about, ()))
    return found - Counter({folded(value): found.total() for value in hand.sometime_of(whole, about)})


def _whole(clips: Sequence[SourceClip], about: str) -> SourceClip:
    """The recording with what all its events say."""
    names = dict.fromkeys(name for clip in clips for name in clip.facts if name != about)
    facts = {name: tuple(dict.fromkeys(v for clip in clips for v in clip.facts.get(name, ()))) for name in names}
    rows = ", ".join(clip.rows for clip in clips)
    return replace(clips[0], span=None, facts=facts, rows=rows, asked=())


def _others(
    right: _Span, own: Sequence[_Span], usual: Sequence[_Span], draw: Stream, n: int, duration_s: float
) -> list[_Span]:
    """Times at which an event is not heard: of others of its recording, else of any recording, moved by whole seconds.

    Args:
        right: when it is heard.
        own: when something is heard in its recording.
        usual: when something is heard in any.
        draw: random stream.
        n: how many are wanted.
        duration_s: of the recording.
    """
    some = own if len(own) <= _TRIES else [draw.pick(own) for _ in range(_TRIES)]
    found = list(dict.fromkeys(one for one in draw.shuffled(some) if not _meet(one, right)))[:n]
    for k in range(2 * _TRIES):
        if len(found) == n:
            break
        begin, end = draw.pick(usual)
        if k >= _TRIES and (room := duration_s - (end - begin) - begin % 1) >= 0:
            moved = int(draw.random() * (int(room) + 1)) - begin // 1
            begin, end = begin + moved, end + moved
        if begin >= 0 and end <= duration_s and not any(_meet((begin, end), one) for one in (right, *found)):
            found.append((begin, end))
    return found


def _times(clip: SourceClip, *, ends: bool) -> _Span:
    """When a clip is heard; one of which only the start is known, from half a second before to half a second after."""
    begin, end = clip.span or (0.0, clip.recording.duration_s)
    return (begin, end) if ends else (begin - 0.5, begin + 0.5)


def _meet(a: _Span, b: _Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


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
