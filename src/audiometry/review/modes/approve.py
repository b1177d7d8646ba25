"""Mode ``approve``: a person hears the clip of an item, reads all of it, and keeps, mends or rejects it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from audiometry.bench.rules import problems
from audiometry.records import Item, RatingLine, Task
from audiometry.review.answers import Answer
from audiometry.review.form import KEYS, Field, Form, Option, Said, Shown, When, lettered
from audiometry.review.modes import wording
from audiometry.review.modes.mode import Decision, Mode, Order
from audiometry.review.modes.wording import APPROVE, MEND, REJECT
from audiometry.review.unit import Unit

REASONS: Final = {
    "clip": "The clip is broken, or nothing can be heard",
    "wrong-answer": "The stated answer is not right",
    "several-right": "More than one option is right",
    "answerable-without": "It can be answered without hearing",
    "gives-away": "The question gives the answer away",
    "not-about-audio": "It is not about what is heard",
    "wording": "It cannot be understood",
    "other": "Something else",
}
"""Why an item is rejected, by the name that is kept."""
OPTION: Final = "option-{}"


def form(unit: Unit, _: Order) -> Form:
    """Question, options and the stated answer; three verdicts, and what each needs."""
    if unit.given:
        return wording.form(unit)
    item, mended = unit.item, When("verdict", (MEND,))
    keys = (*KEYS.translate(dict.fromkeys(map(ord, "amr"))), *[""] * len(item.options))
    answer = tuple(
        Option(value=one.text, text=one.text, mark=one.mark, key=key, foreign=True, follows=OPTION.format(at))
        for at, (one, key) in enumerate(zip(lettered(item.options), keys, strict=False))
        if one.text not in item.options[:at]
    )
    texts = (Field(name=OPTION.format(at), kind="text", title=f"Option {chr(ord('A') + at)}", when=mended,
                   start=text, needed=True, line=True) for at, text in enumerate(item.options))  # fmt: skip
    reference = Field(name="answer", kind="text", title="Reference answer", when=mended, start=item.answer or "")
    right = Field(name="answer", kind="one", title="Which is right?", when=mended, options=answer,
                  start=item.answer or "", needed=True)  # fmt: skip
    shown = [Shown(kind="question", title=unit.title, text=unit.question)]
    if item.options:
        shown.append(Shown(kind="options", options=lettered(item.options, item.answer)))
    elif item.answer:
        shown.append(Shown(kind="reply", title="Reference answer", text=item.answer))
    if item.meta:
        shown.append(Shown(kind="more", title="What the source says of the clip", text=item.meta))
    return Form(
        tuple(shown),
        (
            wording.VERDICT,
            Field(
                name="question",
                kind="text",
                title="Question",
                when=mended,
                start=item.question,
                needed=bool(item.question),
            ),
            *texts,
            right if item.options else reference,
            *wording.why(REASONS),
        ),
    )


def ratings(unit: Unit, answer: Answer) -> list[RatingLine]:
    """The verdict, as a code."""
    return [
        RatingLine(item=unit.item.id, rater=answer.rater, code=str(answer.said["verdict"]), cluster=unit.item.cluster)
    ]


def flaw(unit: Unit, said: Said) -> str:
    """What a mended item would have wrong."""
    if unit.given:
        return wording.flaw(unit, said)
    if said["verdict"] != MEND:
        return ""
    changes = _changes(unit.item, said)
    if not changes:
        return "nothing is mended; change a text or the answer, or approve the item"
    options = changes.get("options", ())
    if len({one.casefold() for one in options}) < len(options):
        return "the mended item has two options that say the same"
    kind: Literal["choice", "open"] = "choice" if unit.item.options else "open"
    found = problems(msgspec.structs.replace(unit.item, **changes), Task(name=unit.item.task, kind=kind))
    return f"the mended item {found[0]}" if found else ""


def decide(unit: Unit, answers: Sequence[Answer]) -> Decision | None:
    """The verdict of most; of a tie the more cautious one, since what is kept is asked of every model.

    Of what reviewers mend each part is as more than half of those say who changed it; None where there is no such word.
    """
    if not answers:
        return None
    counts = Counter(answer.said["verdict"] for answer in answers)
    verdict = max((REJECT, MEND, APPROVE), key=lambda one: counts[one])  # the first of equals
    those = [answer for answer in answers if answer.said["verdict"] == verdict]
    by = tuple(answer.rater for answer in those)
    if verdict == REJECT:
        return Decision(
            verdict="reject", by=by, reason=wording.reasoned(those, wording.REASONS if unit.given else REASONS)
        )
    if verdict == APPROVE:
        return Decision(verdict="keep", by=by)
    each = {answer.rater: _touched(unit.item, answer.said) for answer in those}
    together: Said = {}
    for name in dict.fromkeys(name for one in each.values() for name in one):
        words = Counter(str(one[name]) for one in each.values() if name in one)
        (word, n), *_ = words.most_common(1)
        if 2 * n <= words.total():
            return None
        together[name] = word
    if flaw(unit, {"verdict": MEND, **together}):
        return None
    by = tuple(rater for rater, own in each.items() if own == together)
    return Decision(verdict="mend", by=by, changes=_changes(unit.item, together))


def _touched(item: Item, said: Said) -> Said:
    """The parts of the form that a reviewer has changed."""
    stands = {"question": item.question, "answer": item.answer or ""}
    stands |= {OPTION.format(at): text for at, text in enumerate(item.options)}
    return {name: said[name] for name, text in stands.items() if said.get(name, text) != text}


def _changes(item: Item, said: Said) -> dict[str, Any]:
    """What a reviewer has written that is not what stands there."""
    options = tuple(str(said.get(OPTION.format(at), text)) for at, text in enumerate(item.options))
    answer = said.get("answer", item.answer)
    if item.options and answer in item.options:
        answer = options[item.options.index(str(answer))]
    new = {"question": said.get("question", item.question), "options": options, "answer": answer}
    return {name: value for name, value in new.items() if value != getattr(item, name)}


MODE: Final = Mode(
    name=APPROVE,
    title="Check items of a benchmark",
    about=(
        "Hear the clip, read the question and the answers.",
        "Approve the item if a listener can answer it, the stated answer is right, and no other option is.",
        "Mend what can be mended: the words of the question or an option, or which option is right.",
        "Reject what cannot, and say why.",
        "Of a build, wordings of questions that a model wrote come first: each is asked about many clips.",
    ),
    form=form,
    ratings=ratings,
    flaw=flaw,
    decide=decide,
)
