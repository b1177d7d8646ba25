"""Profiles: named sets of scoring rules, one module each.

A profile is a module here with a ``PROFILE``, or an entry point in the group ``audiometry.profiles`` that gives one.
Nothing else has to be edited to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from audiometry.choices.variant import SOUNDS
from audiometry.errors import shown
from audiometry.outside import VERSION, Fits, exactly, line, looked_at, one_of, some_of
from audiometry.records import Item as Item
from audiometry.records import ReplyRecord as ReplyRecord
from audiometry.records import State as State
from audiometry.records import Verdict as Verdict
from audiometry.registry import Kind
from audiometry.score.measures.accuracy import is_right as is_right
from audiometry.score.readers import Outcome as Outcome
from audiometry.score.readers import Reader
from audiometry.score.readers.words import WORDS

if TYPE_CHECKING:
    from audiometry.score.measures.measure import Measure

DEFAULT: Final = "strict"
EVERY: Final = "all"  # what asks for every profile
MEASURES: Final[dict[str, str]] = {
    "choice": "accuracy",
    "label": "macro-f1",
    "transcript": "wer",
    "open": "judge-score",
}
"""The measure of each kind of task, unless a profile or a card says otherwise."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of scoring rules.

    Attributes:
        name: as in ``--profile``.
        about: one line for people: whose rules, and what is special about them.
        version: of the rules, readers included; another number is another rule.
        readers: by kind of task (``choice``, ``label``, ``transcript``, ``open``); kinds without one are not scored.
        measures: by kind, the measure's name; that of a card's task which names one wins.
        denominator: ``all`` replies that were planned, or only the ``readable`` ones, from which an answer was read;
            then a task without any has no number.
        average: the headline is a mean of ``categories`` (of tasks, where tasks have none), of ``tasks``, or of
            ``items``, and so is a category's number.
        guess: draws a letter for a reply that was not read or did not come, from the seed of the run, the item's id,
            the variant and the number of its options; None: nothing is guessed.
        without_overall: kinds for which the rules have no number over several categories.
        attention: of the sounds that stand in for a clip those under which the rules' authors test whether a model
            listens: it passes where its score drops under any; none: they have no such test.
    """

    name: str
    about: str
    version: int = 1
    readers: Mapping[str, Reader]
    measures: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(MEASURES))
    denominator: Literal["all", "readable"] = "all"
    average: Literal["categories", "tasks", "items"] = "categories"
    guess: Callable[[int, str, str, int], str] | None = None
    without_overall: frozenset[str] = frozenset()
    attention: tuple[str, ...] = ()

    @property
    def tests_listening(self) -> bool:
        """Whether it is told by these rules that a model listens."""
        return self.name == DEFAULT or bool(self.attention)

    def readers_for(self, measure: Measure) -> dict[str, Reader]:
        """The readers of the kinds of task that a measure fits, by kind.

        A measure that takes words reads open answers and transcripts as words whoever judges them otherwise.
        """
        found = dict(self.readers)
        if getattr(measure, "takes", "read") == "read":
            found |= dict.fromkeys(WORDS.kinds, found.get("transcript", WORDS))
        return {kind: reader for kind, reader in found.items() if kind in measure.kinds}


_SAYS: Final[Mapping[str, Fits]] = {
    "name": line(),
    "about": line(),
    "version": VERSION,
    "readers": (
        "readers by kind of task: choice, label, transcript, open",
        lambda given: isinstance(given, Mapping) and some_of(*MEASURES)[1](given.keys()),
    ),
    "measures": ("names of measures by kind of task", lambda given: isinstance(given, Mapping)),
    "denominator": one_of("all", "readable"),
    "average": one_of("categories", "tasks", "items"),
    "guess": ("a function or None", lambda given: given is None or callable(given)),
    "without_overall": (
        "a frozenset of kinds of task",
        lambda given: type(given) is frozenset and given <= MEASURES.keys(),
    ),
    "attention": (
        f"a tuple of {', '.join(SOUNDS)}",
        lambda given: type(given) is tuple and all(type(one) is str and one in SOUNDS for one in given),
    ),
}


def _made(name: str, given: Any) -> Profile:
    """A profile of another package under the name that it announces, its readers guarded; see `readers.foreign`.

    Raises:
        TypeError: it is no profile, or says of itself what cannot be.
        UnknownNameError: there is no measure of a name that it gives.
    """
    from audiometry.score import measures
    from audiometry.score.readers.foreign import Guard
    from audiometry.score.readers.judged import JudgedReader

    profile = exactly(given, Profile)
    looked_at(profile, _SAYS)
    if name == EVERY:
        raise TypeError(f"{EVERY} stands for every profile")
    guard = Guard("profile", name, lambda: PROFILES.announced(name))
    readers = guard.readers(profile.readers)
    of = dict(profile.measures)  # what they give may not change any more
    for kind in readers:
        measure = of.get(kind)
        if type(measure) is not str:
            raise TypeError(f"its measures name none for {kind}")
        other = isinstance(readers[kind], JudgedReader) and not measure.startswith(measures.JUDGED)
        if other or kind not in measures.named(measure).kinds:
            raise TypeError(f"its measure of {kind} is {shown(measure, 40)}, which does not fit it")
    return msgspec.structs.replace(
        profile,
        name=name,
        readers=readers,
        measures={kind: of[kind] for kind in MEASURES if type(of.get(kind)) is str},
        guess=guard.guess(profile.guess) if profile.guess is not None else None,
        without_overall=frozenset(profile.without_overall),
    )


PROFILES: Final[Kind[Profile]] = Kind("audiometry.profiles", "audiometry.score.profiles", "profile", made=_made)


def wanted(names: Sequence[str]) -> dict[str, Profile]:
    """The profiles of those names, each once; ``all`` for every one, ours first; ours alone if none is named.

    Raises:
        UnknownNameError: there is no such profile.
    """
    if EVERY in names:
        return {DEFAULT: PROFILES.named(DEFAULT)} | PROFILES.all()
    return {name: PROFILES.named(name) for name in names or (DEFAULT,)}
