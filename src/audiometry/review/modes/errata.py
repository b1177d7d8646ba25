"""Mode ``errata``: which of two answers is right, where models agree on another one than the benchmark states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import DIGITS, Field, Form, Option
from audiometry.review.modes.mode import Decision, Mode, Order, about
from audiometry.review.unit import Unit

RIGHT, BOTH, NEITHER, CANNOT = "right", "both", "neither", "cannot"


def form(unit: Unit, order: Order) -> Form:
    """Question and options; the two answers in an order that does not tell which is stated."""
    two = tuple(
        Option(value=str(n), text=unit.suspects[at], key=DIGITS[n], foreign=True, sends=True)
        for n, at in enumerate(order)
    )
    others = (
        Option(value=BOTH, text="Both are right", key="b", sends=True),
        Option(value=NEITHER, text="Neither is right", key="n", sends=True),
        Option(value=CANNOT, text="It cannot be told", key="0", sends=True),
    )
    return about(
        unit, Field(name=RIGHT, kind="one", title="Which answer is right?", options=(*two, *others), needed=True)
    )


def _said(answer: Answer) -> int | str:
    """The place of the right one in the unit's two, or why there is none."""
    said = str(answer.said[RIGHT])
    return answer.order[int(said)] if said.isdigit() else said


def decide(unit: Unit, answers: Sequence[Answer]) -> Decision | None:
    """What most say; where they are split, the stated answer stays."""
    if not answers:
        return None
    said = {one.rater: _said(one) for one in answers}
    (most, n), *_ = Counter(said.values()).most_common(1)
    by = tuple(rater for rater, one in said.items() if one == most)
    if 2 * n <= len(answers) or most in {0, CANNOT}:
        return Decision(verdict="keep", by=tuple(said))
    if most == 1:
        return Decision(verdict="mend", by=by, changes={"answer": unit.suspects[1]})
    both = f"'{unit.suspects[0]}' and '{unit.suspects[1]}' are"
    return Decision(verdict="reject", by=by, reason=f"{both} both right" if most == BOTH else f"{both} both wrong")


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The letter of the right one, in the item's own order; ``several``, ``none``, ``cannot``."""
    said, item = _said(answer), unit.item
    if isinstance(said, str):
        choice = {BOTH: "several", NEITHER: "none"}.get(said, said)
    else:
        choice = chr(ord("A") + item.options.index(unit.suspects[said]))
    return [RatingLine(item=item.id, rater=answer.rater, choice=choice, cluster=item.cluster)]


MODE: Final = Mode(
    name="errata",
    title="Check suspected answers",
    about=(
        "Hear the clip and read the question.",
        "One of two answers is what the benchmark states, the other what several models say; you are not told which.",
        "Say which is right, by what you hear.",
    ),
    form=form,
    ratings=ratings,
    parts=lambda unit: len(unit.suspects),
    decide=decide,
)
