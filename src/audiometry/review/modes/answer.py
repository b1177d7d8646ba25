"""Mode ``answer``: people answer the question themselves, and tick every option that is true.

MuChoMusic's validation (arXiv 2408.01337): three to five people a question; it stays if at least half of them tick the
right answer and no wrong one is ticked by more than half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from audiometry.records import RatingLine
from audiometry.review.answers import Answer
from audiometry.review.form import KEYS, Field, Form, Option
from audiometry.review.modes.mode import Decision, Mode, Order, about
from audiometry.review.unit import Unit

NAME: Final = "answer"
FEWEST, MOST = 3, 5
TRUE: Final = "true"
CANNOT, WRONG = "cannot", "wrong"


def form(unit: Unit, order: Order) -> Form:
    """The question; the options to tick, in an order of the rater's own."""
    keys = (*KEYS.replace("w", ""), *[""] * len(order))
    options = tuple(
        Option(value=str(n), text=unit.options[at], key=key, foreign=True)
        for n, (at, key) in enumerate(zip(order, keys, strict=False))
    )
    others = (
        Option(value=CANNOT, text="I can't answer it", key="0", alone=True),
        Option(value=WRONG, text="Something is wrong with the question", key="w", alone=True),
    )
    ticks = Field(name=TRUE, kind="many", title="Tick all that is true", options=(*options, *others), needed=True)
    return about(unit, ticks, options=False)


def ticked(answer: Answer) -> frozenset[int]:
    """Places of the options that a rater ticked, in the item's own order."""
    return frozenset(answer.order[int(one)] for one in answer.said[TRUE] if one not in {CANNOT, WRONG})


def usable(answers: Sequence[Answer]) -> list[Answer]:
    """Those of people who could answer; who says that something is wrong is one of them."""
    return [one for one in answers if CANNOT not in one.said[TRUE]]


def wanted(_: Unit, answers: Sequence[Answer], __: int) -> int:
    """Three usable answers, or five in all; from three on, none where all tick the same."""
    use = usable(answers)
    if len(answers) >= MOST:
        return 0
    if len(use) < FEWEST:
        return min(FEWEST - len(use), MOST - len(answers))
    return 0 if len({(ticked(one), WRONG in one.said[TRUE]) for one in use}) == 1 else 1


def decide(unit: Unit, answers: Sequence[Answer]) -> Decision | None:
    """Whether the question stays; None until it has all its answers."""
    if wanted(unit, answers, MOST):
        return None
    use = usable(answers)
    by, n = tuple(one.rater for one in answers), len(use)
    if n < FEWEST:
        return Decision(verdict="reject", by=by, reason=f"fewer than {FEWEST} people could answer it ({n})")
    right = unit.options.index(unit.item.answer or "")
    ticks = Counter(place for one in use for place in ticked(one))
    if 2 * ticks[right] < n:
        return Decision(verdict="reject", by=by, reason=f"{ticks[right]} of {n} people ticked the right answer")
    others = [place for place in ticks if place != right and 2 * ticks[place] > n]
    if others:
        text = unit.options[min(others)]
        return Decision(verdict="reject", by=by, reason=f"{ticks[min(others)]} of {n} people ticked '{text}' too")
    return Decision(verdict="keep", by=by)


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The letters of all that was ticked, in the item's own order; as a choice the only one, or why there is none."""
    item, letters = unit.item, "".join(chr(ord("A") + place) for place in sorted(ticked(answer)))
    said = "several" if len(letters) > 1 else letters or answer.said[TRUE][0]
    return [RatingLine(item=item.id, rater=answer.rater, choice=said, ticked=letters, cluster=item.cluster)]


MODE: Final = Mode(
    name=NAME,
    title="Answer questions",
    about=(
        "Hear the clip, read the question, and tick every option that is true; one or several may be.",
        "If you cannot tell, say that you can't answer.",
        "If the question makes no sense, or no option is true, say that something is wrong.",
    ),
    form=form,
    ratings=ratings,
    parts=lambda unit: len(unit.options),
    wanted=wanted,
    decide=decide,
    raters=MOST,
)
