"""A wording of a task's questions that a model wrote, as `approve` puts it: kept, mended or rejected by itself.

Source: AIR-Bench, section 3.2: of what a model wrote after three examples fifty wordings were kept by people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.review.answers import Answer
from audiometry.review.form import DIGITS, Field, Form, Option, Said, Shown, When
from audiometry.review.unit import Unit

APPROVE, MEND, REJECT = "approve", "mend", "reject"
PLACE: Final = "{label}"
"""Stands in wordings for what an item is about."""
REASONS: Final = {
    "asks-else": "It asks for something else than the examples",
    "gives-away": "It names an answer",
    "repeated": "It hardly differs from another one",
    "wording": "It cannot be understood, or nobody would ask so",
    "other": "Something else",
}
"""Why a wording is rejected, by the name that is kept."""


VERDICT: Final = Field(
    name="verdict",
    kind="one",
    title="Your verdict",
    needed=True,
    options=(
        Option(value=APPROVE, text="Approve", key="a", sends=True),
        Option(value=MEND, text="Mend", key="m"),
        Option(value=REJECT, text="Reject", key="r"),
    ),
)


def why(reasons: dict[str, str]) -> tuple[Field, Field]:
    """The fields of the reason, and of a note."""
    listed = tuple(Option(value=v, text=t, key=k) for (v, t), k in zip(reasons.items(), DIGITS, strict=False))
    return (
        Field(name="reason", kind="one", title="Why?", when=When("verdict", (REJECT,)), needed=True, options=listed),
        Field(name="note", kind="text", title="Note (optional)", when=When("verdict", (MEND, REJECT))),
    )


def reasoned(answers: Sequence[Answer], reasons: dict[str, str]) -> str:
    """Why raters reject, each reason once."""
    notes = [(reasons[str(one.said["reason"])], one.said.get("note", "")) for one in answers]
    return "; ".join(dict.fromkeys(reason + (f": {note}" if note else "") for reason, note in notes))


def form(unit: Unit) -> Form:
    """The wording, the examples that it was to be like, and three verdicts."""
    examples = tuple(Option(text=one, foreign=True) for one in unit.given)
    place = f"; {PLACE} stands for what a clip is asked about" if PLACE in unit.item.question else ""
    return Form(
        (
            Shown(kind="question", title=f"{unit.title} · a wording of its question, for many clips{place}",
                  text=unit.item.question),
            Shown(kind="options", title="It is to ask exactly the same as", options=examples),
        ),
        (
            VERDICT,
            Field(name="question", kind="text", title="Wording", when=When("verdict", (MEND,)),
                  start=unit.item.question, needed=True, line=True),
            *why(REASONS),
        ),
    )  # fmt: skip


def flaw(unit: Unit, said: Said) -> str:
    """What a mended wording would have wrong."""
    if said["verdict"] != MEND:
        return ""
    text = str(said["question"])
    if text == unit.item.question:
        return "nothing is mended; change the wording, or approve it"
    if text in unit.given:
        return "the mended wording is one of the examples; reject it"
    if PLACE in unit.item.question and text.count(PLACE) != 1:
        return f"the mended wording needs {PLACE} once, where what a clip is asked about stands"
    return ""
