"""A form as data: what a rater is shown, what is asked of it, and whether an answer is one. One page draws them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.errors import UsageError, shown

Said: TypeAlias = dict[str, str | list[str]]
"""An answer: by the name of a field what was chosen, ticked or written."""

LONGEST: Final = 10_000  # characters that are written into a field
DIGITS: Final = "123456789"
KEYS: Final = f"{DIGITS}abcdefghijklmnoqrtvwxyz"
"""Keys for options in turn: none that the page has for its own."""


class Option(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What may be chosen.

    Attributes:
        value: what the answer holds.
        text: what a rater reads.
        about: more of it, below.
        key: the key that chooses it.
        mark: a letter before it, as a model was shown it.
        foreign: its text comes from the benchmark.
        right: it is what the benchmark says.
        alone: of several that may be ticked, it excludes the others.
        sends: to choose it is the whole answer, which is sent at once.
        follows: the name of a field in which its text may be changed.
    """

    value: str = ""
    text: str
    about: str = ""
    key: str = ""
    mark: str = ""
    foreign: bool = False
    right: bool = False
    alone: bool = False
    sends: bool = False
    follows: str = ""


class When(msgspec.Struct, frozen=True):
    """A field is asked for where another one has one of these values."""

    field: str
    values: tuple[str, ...]


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is asked: to choose ``one``, to tick ``many``, or to write a ``text``.

    Attributes:
        name: what its answer is kept under.
        kind: of answer.
        title: the question to the rater.
        options: what may be chosen or ticked.
        needed: without it the answer is none.
        when: asked for only then; None: always.
        start: the text that stands there before a rater writes.
        line: what is written is one line, which Enter sends.
    """

    name: str
    kind: Literal["one", "many", "text"]
    title: str
    options: tuple[Option, ...] = ()
    needed: bool = False
    when: When | None = None
    start: str = ""
    line: bool = False


class Shown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text from outside that a rater reads before answering, or a list of options."""

    kind: Literal["question", "options", "reply", "more"]
    title: str = ""
    text: str = ""
    options: tuple[Option, ...] = ()


class Form(msgspec.Struct, frozen=True):
    """What a rater sees beside the clip, and is asked.

    Attributes:
        shown: in order.
        fields: in order.
    """

    shown: tuple[Shown, ...]
    fields: tuple[Field, ...]


def checked(form: Form, said: Mapping[str, str | list[str]]) -> Said:
    """An answer as it is kept: of the fields that were asked for, in their order.

    Raises:
        UsageError: a field that is needed is empty, or holds what cannot be chosen.
    """
    kept: Said = {}
    for field in form.fields:
        if field.when is not None and kept.get(field.when.field) not in field.when.values:
            continue
        value = _value(field, said.get(field.name, ""))
        if value:
            kept[field.name] = value
        elif field.needed:
            raise UsageError(f"nothing is said under '{field.title}'; it is needed")
    return kept


def _value(field: Field, given: str | list[str]) -> str | list[str]:
    if field.kind == "text":
        text = given.strip() if isinstance(given, str) else ""
        if text.splitlines() == field.start.strip().splitlines():  # a page knows one kind of line break
            return field.start
        if len(text) > LONGEST:
            raise UsageError(f"'{field.title}' has {len(text):,} characters; shorten it to {LONGEST:,}")
        return text
    chosen = [given] if isinstance(given, str) else given
    chosen = [one.value for one in field.options if one.value in chosen]  # in the order shown, each once
    if len(chosen) < len({given} - {""} if isinstance(given, str) else set(given)):
        raise UsageError(f"'{field.title}' has no choice {shown(str(given), 60)}; load the page again")
    if field.kind == "one":
        if len(chosen) > 1:
            raise UsageError(f"'{field.title}' takes one choice")
        return chosen[0] if chosen else ""
    if len(chosen) > 1 and any(one.alone for one in field.options if one.value in chosen):
        raise UsageError(f"'{field.title}': what excludes the others was ticked beside others")
    return chosen


def in_words(form: Form, said: Mapping[str, str | list[str]]) -> tuple[str, ...]:
    """An answer as a rater reads it again: what was chosen, and under its title what was written."""
    found = list[str]()
    for field in form.fields:
        value = said.get(field.name, "")
        if field.kind == "text":
            found += [f"{field.title}: {value}"] if value and value != field.start else []
        else:
            chosen = [value] if isinstance(value, str) else value
            found += [f"{one.mark} {one.text}".strip() for one in field.options if one.value in chosen]
    return tuple(found)


def lettered(options: tuple[str, ...], right: str | None = None) -> tuple[Option, ...]:
    """Options to be read, each behind the letter it was asked under, with the right one marked where it is told."""
    return tuple(
        Option(text=text, mark=chr(ord("A") + at), foreign=True, right=text == right) for at, text in enumerate(options)
    )
