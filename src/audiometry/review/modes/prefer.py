"""Mode ``prefer``: which of two replies is better, or whether neither is; sides are drawn for each rater."""

from __future__ import annotations

from typing import Final, Literal

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import Field, Form, Option
from audiometry.review.modes.mode import Mode, Order, about
from audiometry.review.unit import Unit

FIRST, EQUAL, SECOND = "first", "equal", "second"


def form(unit: Unit, order: Order) -> Form:
    """Question, two replies; the first, the second, or equal."""
    better = Field(
        name="preferred",
        kind="one",
        title="Which reply is better?",
        needed=True,
        options=(
            Option(value=FIRST, text="Reply 1", key="1", sends=True),
            Option(value=EQUAL, text="Equal", key="0", sends=True),
            Option(value=SECOND, text="Reply 2", key="2", sends=True),
        ),
    )
    return about(unit, better, order=order, replies=("Reply 1", "Reply 2"))


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The preference, with which of the two stood first."""
    said, (first, *_) = answer.said["preferred"], answer.order
    better = {FIRST: first, SECOND: 1 - first}.get(str(said))
    preferred: Literal["a", "b", "equal"] = "equal" if better is None else "b" if better else "a"
    model_a, model_b = unit.models
    return [
        RatingLine(
            item=unit.item.id,
            rater=answer.rater,
            preferred=preferred,
            model_a=model_a,
            model_b=model_b,
            order="b-first" if first else "a-first",
            cluster=unit.item.cluster,
        )
    ]


MODE: Final = Mode(
    name="prefer",
    title="Compare two replies",
    about=(
        "Hear the clip, read the question and both replies.",
        "Say which answers the question better, by what can be heard.",
        "Being right and being useful count; length and style do not.",
        "Choose 'Equal' if you cannot tell them apart.",
    ),
    noun="pair",
    form=form,
    ratings=ratings,
    parts=lambda unit: len(unit.replies),
)
