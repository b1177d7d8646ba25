"""Mode ``align``: which option a reply means, as AIR-Bench's judge was held against people."""

from __future__ import annotations

from typing import Final

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import Field, Form, Option, lettered
from audiometry.review.modes.mode import Mode, Order, about
from audiometry.review.unit import Unit

NONE, SEVERAL = "none", "several"


def form(unit: Unit, _: Order) -> Form:
    """Question, options as the model was shown them, its reply; the options again to choose from."""
    options = tuple(
        Option(value=one.mark, text=one.text, mark=one.mark, key=one.mark.lower().strip("u"), foreign=True, sends=True)
        for one in lettered(unit.options)
    )
    others = (
        Option(value=NONE, text="None of them", key="0", sends=True),
        Option(value=SEVERAL, text="More than one", key="9", sends=True),
    )
    meant = Field(
        name="meant", kind="one", title="Which option does the reply mean?", options=(*options, *others), needed=True
    )
    return about(unit, meant, replies=("The reply",), options=False)


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The letter under which the model was shown the option; ``none`` and ``several`` as they are."""
    meant, item = str(answer.said["meant"]), unit.item
    return [RatingLine(item=item.id, rater=answer.rater, model=unit.models[0], choice=meant, cluster=item.cluster)]


MODE: Final = Mode(
    name="align",
    title="Which option is meant",
    about=(
        "Read the question, the options and the reply.",
        "Choose the option that the reply means, whether it is right or not.",
        "Choose 'None of them' if it means none or does not answer, and 'More than one' if it means several.",
    ),
    noun="reply",
    form=form,
    ratings=ratings,
    hears=False,
)
