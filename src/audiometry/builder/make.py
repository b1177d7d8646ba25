"""What a make is given and what it gives: clips with what is known of them in, candidate items out.

A make is a module of `audiometry.builder.makes` with a ``MAKE``, or an entry point in the group ``audiometry.makes``
that gives a `Make`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from audiometry import seeds
from audiometry.builder.clip import SourceClip
from audiometry.builder.heard import Heard
from audiometry.builder.private import Private
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import Writer
from audiometry.errors import shown
from audiometry.outside import FUNCTION, OURS, OutsideError, called, exactly, line, looked_at
from audiometry.records import Dimension
from audiometry.registry import Kind
from audiometry.seeds import Stream

T = TypeVar("T")
KindOfTask: TypeAlias = Literal["choice", "label", "transcript", "open"]


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An item that may come into the benchmark, its options in no order yet.

    Attributes:
        clip: that it asks about.
        question, answer: as an item's.
        wrong: the options beside the answer; none: it has no options.
        kinds: what kind each wrong option is; none: that is not known.
        stratum: of which as many are kept as of any other where a task wants ``n`` items: its label, its ability.
        tags, meta: as an item's, beside the facts of its clip.
        lists: tags of several values.
        provenance: beside what every item has: model, hash of the prompt.
    """

    clip: SourceClip
    question: str
    answer: str | None
    wrong: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    stratum: str = ""
    tags: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    meta: str = ""
    provenance: dict[str, str] = {}


class Unfit(msgspec.Struct, frozen=True, kw_only=True):
    """A clip or candidate that a make gives up.

    Attributes:
        rule: short, stable word for the reason.
        reason: in a sentence that says of the clip or item what is wrong.
        clip: that it is about.
        candidate: as far as it had been made.
        reply: of a model, whole, where nothing could be made of it.
        by: who says so: ``build``, or a model.
    """

    rule: str
    reason: str
    clip: SourceClip
    candidate: Candidate | None = None
    reply: str = ""
    by: str = "build"


class Hand:
    """What a make may use.

    Args:
        spec: of the build.
        task: that is made.
        clips: that it may ask about: of its sources and splits.
        private: values that nobody is told.
        writer: who writes; None: nobody.
        heard: all that is known of the recordings; None: no more than of these clips.
        gone: ids of items that were made before and lost since, so that others are wanted in their place.
        unheard: clips of some in which nothing can be heard, by their keys; None: nobody listens.

    Attributes:
        notes: what a person should know, a line each; a make adds to them.
        strata: of which as many are wanted as of any other, where a model writes.
        written: of the task's wordings that a model has written, their provenance.
    """

    def __init__(
        self,
        spec: Spec,
        task: TaskSpec,
        clips: Sequence[SourceClip],
        private: Private | None = None,
        writer: Writer | None = None,
        heard: Heard | None = None,
        gone: Collection[str] = (),
        unheard: Callable[[Sequence[SourceClip]], dict[str, Unfit]] | None = None,
    ) -> None:
        self.spec, self.task, self.clips = spec, task, clips
        self.private, self.writer = private or Private(), writer
        self.gone, self.unheard = gone, unheard or (lambda _: {})
        self.strata: tuple[str, ...] = ()
        self.notes: list[str] = []
        self.written: dict[str, dict[str, str]] = {}
        heard = heard or Heard(clips)
        self.overlapping, self.sometime_of = heard.overlapping, heard.sometime_of
        self.true_of, self.may_be_true_of = heard.true_of, heard.may_be_true_of

    @property
    def would_ask(self) -> bool:
        """Whether this is a dry run, in which a writer would be asked for this task."""
        return self.writer is not None and self.writer.dry and self.task.name in self.writer.told

    def draw(self, what: str, clip: SourceClip, *more: str) -> Stream:
        """The random stream for something about a clip; it depends on nothing else."""
        return seeds.stream(self.spec.seed, "build", what, self.task.name, clip.key, *more)

    def questions(self, clip: SourceClip) -> list[str]:
        """The task's wordings for a clip, as many as it may have items, drawn for it."""
        return self.draw("question", clip).shuffled(self.task.question)[: self.task.per_clip]


class Make(msgspec.Struct, frozen=True, kw_only=True):
    """A way to make the items of a task.

    Attributes:
        name: as in ``make = "…"``.
        about: one line for people.
        slips: what is wrong with a task of it, each in words that follow its name.
        kind: of its tasks, as on a card.
        make: candidates, and what had to be given up, in the order of the clips.
        written: a model writes its options, so that they may give the answer away.
        dimensions, distractors: of the card of a benchmark that has such a task.
    """

    name: str
    about: str
    slips: Callable[[Spec, TaskSpec], Iterator[str]]
    kind: Callable[[TaskSpec], KindOfTask]
    make: Callable[[Hand], Iterator[Candidate | Unfit]]
    written: bool = False
    dimensions: tuple[Dimension, ...] = ()
    distractors: Mapping[str, str] = {}


def _announced(name: str, given: Any) -> Make:
    make = exactly(given, Make)
    looked_at(make, {"about": line(), "slips": FUNCTION, "kind": FUNCTION, "make": FUNCTION})
    if make.name != name:
        raise TypeError(f"it calls itself {shown(str(make.name), 60)}, not {name}")

    def guarded(call: Callable[[], Iterable[T]]) -> Iterator[T]:
        by = MAKES.announced(name)
        failed = lambda said: OutsideError(f"make {name} ({by}): {said}; mend or uninstall it", ("make", name))  # noqa: E731
        yield from called(lambda: list(call()), failed, OURS)

    return replace(
        make,
        slips=lambda spec, task: guarded(lambda: map(str, make.slips(spec, task))),
        kind=lambda task: next(guarded(lambda: [_one_kind(make.kind(task))])),
        make=lambda hand: guarded(lambda: map(_fitting, make.make(hand))),
        dimensions=tuple(exactly(one, Dimension) for one in make.dimensions),
        distractors={str(kind): str(said) for kind, said in make.distractors.items()},
    )


def _one_kind(given: KindOfTask) -> KindOfTask:
    if given not in get_args(KindOfTask):
        raise TypeError(f"its kind of task is {shown(str(given), 40)}, not {', '.join(get_args(KindOfTask))}")
    return given


def _fitting(given: Candidate | Unfit) -> Candidate | Unfit:
    """What a make of another package gives, if it is what it has to be."""
    if type(given) is Unfit:
        looked_at(given, {"rule": line(), "reason": line(), "by": line()})
        return given if given.candidate is None else replace(given, candidate=exactly(given.candidate, Candidate))
    own = exactly(given, Candidate)
    listed = (one for some in own.lists.values() for one in some)
    texts = (*own.wrong, *own.kinds, *own.tags.values(), *own.provenance.values(), *listed)
    for one in (own.question, own.answer or "", own.stratum, own.meta, *texts):
        if type(one) is not str:
            raise TypeError(f"a candidate holds {shown(repr(one), 40)} where a text is needed")
    return own


MAKES: Final[Kind[Make]] = Kind("audiometry.makes", "audiometry.builder.makes", "make", made=_announced)
