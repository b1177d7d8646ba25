"""Which label is true of the clip: wrong options are labels that are not, any of them or those that share a fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.builder.make import Candidate, Hand, Make, Unfit
from audiometry.builder.slips import folded
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.errors import counted, shown, suggestion
from audiometry.seeds import Stream

_MOST_NAMED: Final = 5  # labels of a note
_MANY: Final = 10  # times as many labels as are needed, from which on they are drawn one by one


def _slips(_: Spec, task: TaskSpec) -> Iterator[str]:
    if not task.about:
        yield 'does not say what it is about; name a fact (about = "species")'
    if not task.question:
        yield 'has no question; write one (question = ["Which bird is heard?"])'
    if len(task.labels) == 1:
        yield "has one label only; it needs two, or none for all that the sources have"
    if task.per_clip > max(1, len(task.question) + task.written):
        asked = counted(len(task.question) + task.written, "question")
        yield f"has per_clip = {task.per_clip} and {asked}; one clip is not asked the same twice, write more"


class LabelSet:
    """The labels of a task and all that they are called.

    Args:
        hand: of the task.
    """

    def __init__(self, hand: Hand) -> None:
        given, about = hand.task.labels, hand.task.about
        self.fixed = bool(given)
        others = given if isinstance(given, dict) else dict.fromkeys(given, ())
        self._names = {folded(name): label for label, more in others.items() for name in (label, *more)}
        if not self.fixed:
            for clip in hand.clips:
                for value in clip.facts.get(about, ()):
                    self._names.setdefault(folded(value), value)
        self.labels = tuple(dict.fromkeys(self._names.values()))

    def of(self, values: tuple[str, ...]) -> list[str]:
        """The labels among values, each once."""
        return list(dict.fromkeys(self._names[name] for name in map(folded, values) if name in self._names))


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    task, known = hand.task, LabelSet(hand)
    if len(known.labels) < 2:  # noqa: PLR2004  a choice needs two
        only = f"'{shown(known.labels[0])}'" if known.labels else "none"
        hand.notes.append(f"task {shown(task.name)}: one label only ({only}); list those that there could be in labels")
    elif len(known.labels) < task.options:
        few = ", ".join(shown(one, 20) for one in known.labels[:_MOST_NAMED])
        n = f"{counted(len(known.labels), 'label')} ({few}{', …' * (len(known.labels) > _MOST_NAMED)})"
        hand.notes.append(f"task {shown(task.name)}: {n}, so its items have {len(known.labels)} options")
    beside = _beside(hand, known) if task.near else {}
    for clip in hand.clips:
        values = clip.facts.get(task.about, ())
        if not values:
            yield Unfit(rule="empty-label", reason=f"has no {shown(task.about, 40)}; fill the cell", clip=clip)
            continue
        labels = known.of(values)
        if not labels:
            do = suggestion(values[0], known.labels)
            yield Unfit(rule="not-a-label", reason=f"has '{shown(values[0])}', which is no label; {do}", clip=clip)
            continue
        true = set(known.of(hand.may_be_true_of(clip, task.about)))
        for question in hand.questions(clip):
            answer = hand.draw("answer", clip, question).pick(labels)
            draw = hand.draw("wrong", clip, question)
            pool = _many(known.labels, true, draw, task.options - 1) if not task.near else []
            others = () if pool else (one for one in known.labels if one not in true)
            pool = pool or draw.shuffled([one for one in others if not task.near or beside[answer] & beside[one]])
            if not pool:
                near = f" that shares its {shown(task.near, 40)}" if task.near else ""
                reason = f"has the label '{shown(answer)}', and there is no wrong one{near}; list more in labels"
                yield Unfit(rule="no-wrong-option", reason=reason, clip=clip)
                continue
            wrong = tuple(pool[: task.options - 1])
            yield Candidate(clip=clip, question=question, answer=answer, wrong=wrong, stratum=answer)


def _many(labels: Sequence[str], true: set[str], draw: Stream, n: int) -> list[str]:
    """Wrong labels, drawn without a look at all of them; none where there are too few to draw so."""
    found = dict[str, None]()
    while len(labels) > _MANY * (n + len(true)) and len(found) < n:
        if (one := draw.pick(labels)) not in true:
            found[one] = None
    return list(found)


def _beside(hand: Hand, known: LabelSet) -> dict[str, set[str]]:
    """By label, the values of the fact that wrong options share: where a clip has as many of both, each its own.

    A value that stands beside several labels is taken for those alone that no other clip tells one of.
    """
    own, shared = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for clip in hand.clips:
        labels, near = known.of(clip.facts.get(hand.task.about, ())), clip.facts.get(hand.task.near, ())
        if len(labels) == len(near):
            for label, value in zip(labels, near, strict=True):
                own[label].add(folded(value))
        elif len(near) == 1 or len(labels) == 1:
            for label in labels:
                (own if len(labels) == 1 else shared)[label].update(map(folded, near))
    return {label: own[label] or shared[label] for label in known.labels}


MAKE = Make(
    name="label",
    about="which label is true of the clip; wrong ones from the label set",
    slips=_slips,
    kind=lambda _: "choice",
    make=_make,
)
