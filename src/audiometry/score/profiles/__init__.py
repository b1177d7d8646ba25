"""Profiles: named sets of scoring rules, one module each.

A profile is a module here with a ``PROFILE``, or an entry point in the group ``audiometry.profiles``
that gives one. Nothing else has to be edited to add one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Literal, Protocol

import msgspec

from audiometry.choices import LETTERED, letter_of
from audiometry.errors import UnknownNameError
from audiometry.records import Answer, Item, ReplyRecord, Verdict


class Reading(msgspec.Struct, frozen=True):
    """What a profile makes of one reply.

    Attributes:
        verdict: one of five.
        letter: the option chosen, as shown; None if none was.
        how: the rule that decided.
    """

    verdict: Verdict
    letter: str | None
    how: str


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile does with verdicts; the house's own rules unless said otherwise.

    Attributes:
        version: of the profile's rules, its reader included; another number is another rule.
        denominator: ``all`` replies that were planned, or only the ``readable`` ones, from which a letter was read;
            then a task without any has no number.
        average: the headline is a mean of ``categories`` (of tasks, where tasks have none), or of ``items``, and so
            is a category's number.
        guess: draws a letter for a reply that was not read or did not come, from the seed of the run, the item's
            id, the variant and the number of its options; None: nothing is guessed.
    """

    version: int = 1
    denominator: Literal["all", "readable"] = "all"
    average: Literal["categories", "items"] = "categories"
    guess: Callable[[int, str, str, int], str] | None = None


class Profile(Protocol):
    """A named set of scoring rules for single-choice items.

    A profile may also have ``rules``, a `Rules` (see `rules_of`), and ``unlettered`` (see `as_shown`).
    """

    @property
    def name(self) -> str:
        """As in ``--profile``."""
        ...

    @property
    def about(self) -> str:
        """One line for people: whose rules, and what is special about them."""
        ...

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """Judge one reply, given the options in the order they were shown."""
        ...


class LetterProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A profile whose reader looks for a letter and knows neither refusals nor reasons why a reply stopped.

    Attributes:
        name, about, rules: see `Profile`.
        reader: takes the reply and the options as shown.
    """

    name: str
    about: str
    rules: Rules
    reader: Callable[[str, Sequence[str]], Answer]

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """Judge one reply, given the options in the order they were shown."""
        if record.error is not None or record.text is None:
            return Reading(Verdict.FAILED, None, record.error.kind if record.error else "no-text")
        answer = self.reader(record.text, options)
        if answer.letter is None or item.answer is None:
            return Reading(Verdict.UNANSWERED, answer.letter, answer.how)
        right = answer.letter == letter_of(options, item.answer)
        return Reading(Verdict.CORRECT if right else Verdict.WRONG, answer.letter, answer.how)


class Unlettered(msgspec.Struct, frozen=True):
    """A profile whose rules read letters, over replies to prompts that showed none: it reads nothing in them."""

    profile: Profile

    @property
    def name(self) -> str:
        """As in ``--profile``."""
        return self.profile.name

    @property
    def about(self) -> str:
        """As the profile says."""
        return self.profile.about

    @property
    def rules(self) -> Rules:
        """As the profile has them."""
        return rules_of(self.profile)

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """A failure as it is, anything else unanswered."""
        if record.error is None and record.text is not None:
            return Reading(Verdict.UNANSWERED, None, "no-letters-shown")
        return self.profile.read(record, item, options)


def as_shown(profile: Profile, style: str) -> Profile:
    """A profile as it reads replies to options that were shown in a style; see `choices.STYLES`.

    One that can do without letters has an ``unlettered``, a profile; the others read nothing where none were shown.
    """
    return profile if style in LETTERED else getattr(profile, "unlettered", None) or Unlettered(profile)


_OURS = Rules()


def rules_of(profile: Profile) -> Rules:
    """What a profile does with verdicts: its ``rules``, or the house's own."""
    found = getattr(profile, "rules", _OURS)
    return found if isinstance(found, Rules) else _OURS


def profiles() -> dict[str, Profile]:
    """Every profile by name."""
    found: dict[str, Profile] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found[module.PROFILE.name] = module.PROFILE
    for entry in entry_points(group="audiometry.profiles"):
        found[entry.name] = entry.load()
    return found


def named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UnknownNameError: there is none.
    """
    known = profiles()
    if name not in known:
        raise UnknownNameError("profile", name, known)
    return known[name]
