"""How far a review is, and where answers are if it has none."""

from __future__ import annotations

import shlex

import msgspec

from audiometry.errors import counted, shown
from audiometry.review.review import Review


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How far a review is, as ``--json`` says it."""

    folder: str
    mode: str
    n_units: int
    n_done: int
    n_answers: int
    n_passed_over: int
    raters: dict[str, int]


def standing(review: Review) -> Standing:
    """How far it is."""
    answers = review.answers()
    wanted = review.mode.wanted
    return Standing(
        folder=str(review.folder.path),
        mode=review.mode.name,
        n_units=len(review.units),
        n_done=sum(not wanted(unit, answers.of(unit.key), review.settings.raters) for unit in review.units),
        n_answers=len(answers),
        n_passed_over=answers.passed_over,
        raters={name: answers.count(name) for name in answers.raters},
    )


def said(found: Standing, noun: str) -> str:
    """The same for people."""
    who = ", ".join(f"{shown(name)} {n:,}" for name, n in found.raters.items())
    over = f"; {counted(found.n_passed_over, 'line')} passed over as no answer to what is asked now"
    return (
        f"{found.n_done:,} of {counted(found.n_units, noun)} done, {counted(found.n_answers, 'answer')} in all"
        f"{f' ({who})' if who else ''}{over if found.n_passed_over else ''}; kept in "
        f"{shown(shlex.quote(found.folder), 1000)}"
    )
