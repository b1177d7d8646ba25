"""Mode ``score``: how good a reply is, from 1 to 10, as judges are asked and `audiometry score --people` reads."""

from __future__ import annotations

from typing import Final

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import Field, Form, Option
from audiometry.review.modes.mode import Mode, Order, about
from audiometry.review.unit import Unit

BEST: Final = 10


def form(unit: Unit, _: Order) -> Form:
    """Question and reply; ten marks."""
    marks = tuple(Option(value=str(n), text=str(n), key=str(n % BEST), sends=True) for n in range(1, BEST + 1))
    how = "How good is it, from 1 (useless) to 10 (perfect)?"
    return about(unit, Field(name="score", kind="one", title=how, options=marks, needed=True), replies=("The reply",))


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The mark."""
    said, item = float(str(answer.said["score"])), unit.item
    return [RatingLine(item=item.id, rater=answer.rater, model=unit.models[0], score=said, cluster=item.cluster)]


MODE: Final = Mode(
    name="score",
    title="Score replies",
    about=(
        "Hear the clip, read the question and the reply.",
        "Give 1 to 10 for how helpful, relevant, accurate and complete the reply is.",
        "Go by what can be heard; length and style do not count. Keys: 1 to 9, and 0 for 10.",
    ),
    noun="reply",
    form=form,
    ratings=ratings,
)
