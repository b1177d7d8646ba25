"""A mode: what raters are asked of a unit, and what their answers say, as data and a few functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from audiometry.errors import UsageError
from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import Field, Form, Said, Shown, checked, lettered
from audiometry.review.unit import Unit

Order: TypeAlias = tuple[int, ...]


def enough(_: Unit, answers: Sequence[Answer], raters: int) -> int:
    """How many answers are missing to the number that was asked for."""
    return max(0, raters - len(answers))


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What raters make of an item.

    Attributes:
        verdict: it stays as it is, stays with changes, or goes.
        by: the raters whose word that is.
        reason: why it goes.
        changes: of a mended one, its new values by field.
    """

    verdict: Literal["keep", "mend", "reject"]
    by: tuple[str, ...]
    reason: str = ""
    changes: dict[str, Any] = {}


def undecided(_: Unit, __: Sequence[Answer]) -> Decision | None:
    """What is said of replies decides nothing about items."""
    return None


def about(unit: Unit, *fields: Field, order: Order = (0,), replies: Sequence[str] = (), options: bool = True) -> Form:
    """A form about an item and what models said of it, in which nothing tells whose a reply is, or what is right.

    Args:
        unit: whose question is read first.
        fields: that are asked.
        order: of the replies, as places in the unit.
        replies: the title of each of them; none: none is read.
        options: they are read too, as a model was shown them.
    """
    shown = [Shown(kind="question", title=unit.title, text=unit.question)]
    if options and unit.options:
        shown.append(Shown(kind="options", options=lettered(unit.options)))
    if replies:
        shown += [
            Shown(kind="reply", title=title, text=unit.replies[at].text)
            for at, title in zip(order, replies, strict=True)
        ]
    return Form(tuple(shown), fields)


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked.

    Attributes:
        name: of the mode, as after ``--mode``.
        title: the task in a few words, for raters.
        about: instructions, a paragraph each.
        noun: what a unit is.
        form: what a rater is asked of a unit, its parts in this order.
        parts: how many parts of a unit are shown in an order that is drawn for each rater.
        wanted: how many more answers a unit needs, given those it has and how many raters each is to have.
        ratings: an answer as lines of a rating file.
        flaw: why an answer whose fields are all filled is none; empty if it is one.
        decide: what the answers make of an item; None where there are none, or too few.
        hears: whether raters hear the clip.
        raters: how many each unit has unless it is said.
    """

    name: str
    title: str
    about: tuple[str, ...]
    form: Callable[[Unit, Order], Form]
    ratings: Callable[[Unit, Answer], list[RatingLine]]
    noun: str = "item"
    parts: Callable[[Unit], int] = lambda _: 0
    wanted: Callable[[Unit, Sequence[Answer], int], int] = enough
    flaw: Callable[[Unit, Said], str] = lambda _, __: ""
    decide: Callable[[Unit, Sequence[Answer]], Decision | None] = undecided
    hears: bool = True
    raters: int = 1

    def takes(self, unit: Unit, answer: Answer) -> bool:
        """Whether a line of a file, which anybody may have written, is an answer about a unit."""
        if answer.undone or answer.later:
            return True
        if sorted(answer.order) != list(range(self.parts(unit))):
            return False
        try:
            return checked(self.form(unit, answer.order), answer.said) == answer.said
        except UsageError:
            return False
