"""Mode ``code``: why a reply is wrong, by a code book, as `audiometry modes --people` reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import KEYS, Field, Form, Option
from audiometry.review.modes.mode import Mode, Order, about
from audiometry.review.unit import Unit

NAME: Final = "code"


def mode(book: Sequence[tuple[str, str, str]]) -> Mode:
    """The mode by a code book.

    Args:
        book: the name of each of its codes, its title, and when it holds, to follow "the reply"; in the order in which
            the first that fits counts.
    """
    keys = (*KEYS, *[""] * len(book))
    codes = tuple(
        Option(value=name, text=title[:1].upper() + title[1:], about=f"… {about}", key=key)
        for (name, title, about), key in zip(book, keys, strict=False)
    )

    def form(unit: Unit, _: Order) -> Form:
        why = "What is wrong with it? The first that fits counts."
        return about(
            unit,
            Field(name=NAME, kind="one", title=why, options=codes, needed=True),
            Field(name="note", kind="text", title="Note (optional)"),
            replies=("The reply, which is wrong",),
        )

    return Mode(
        name=NAME,
        noun="reply",
        title="Why replies are wrong",
        about=(
            "Hear the clip, read the question, the options and the reply.",
            "The reply is wrong, or no option can be read from it.",
            "Choose the first reason of the list that fits.",
        ),
        form=form,
        ratings=ratings,
    )


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The code."""
    item = unit.item
    return [RatingLine(item=item.id, rater=answer.rater, model=unit.models[0], code=str(answer.said[NAME]),
                       cluster=item.cluster)]  # fmt: skip
