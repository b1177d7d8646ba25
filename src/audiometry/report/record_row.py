"""One reply as the page's script finds it, whatever it is scored by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from audiometry.records import ReplyRecord, State
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.measures.edits import Aligned
from audiometry.score.readers import Outcome, Said

LONGEST: Final = 50_000
"""Characters of a reply that a report shows; the rest stays in the run folder, and the report says so."""

LONGEST_VERDICT: Final = 4_000
"""The same of a judge's answer."""

APART: Final = 2
"""Points between what one judge gives in its two orders that a reader may want to look at."""

NOT_ASKED: Final = "not asked"
"""What a reply is called of which the run has no record."""


RULED: Final = ("correct", "wrong", "unanswered", "refused", "empty", "failed")
"""Verdicts on replies that rules read: choices and labels. Correct and wrong ones are answered."""

WORDED: Final = ("answered", "refused", "empty", "failed")
"""What becomes of answers in words, which judges or references score."""

ANSWERED: Final = frozenset({"answered", "correct", "wrong"})
"""Verdicts on replies that hold an answer."""

VERDICTS: Final = ("answered", *RULED, NOT_ASKED, State.UNJUDGED.value)

REFUSAL: Final = {State.REFUSED.value: "refusal"}
"""As the rules for choices call it."""


class Edits(msgspec.Struct, frozen=True, array_like=True):
    """How far a reply in words is from its reference, as the score of the page counts it.

    Attributes:
        substitutions, deletions, insertions: units of the reference that are another in the reply or missing there, and
            units of the reply that are in no reference.
        reference: units of the reference.
        unit: what is counted: a word, a character.
    """

    substitutions: int
    deletions: int
    insertions: int
    reference: int
    unit: str

    @property
    def n(self) -> int:
        """All of them."""
        return self.substitutions + self.deletions + self.insertions


class Kept(msgspec.Struct, frozen=True):
    """The reply that counts for one item in one variant, and what was read of it.

    Attributes:
        record: None if the run has none.
        verdict: what became of it, one of `VERDICTS`.
        outcome: what was read of it; None where no score has a part in it.
        order: places in the item's own options in the order they were shown; empty if that is the same.
        said: what judges said of it, both orders of one judge after the other.
        rules: by which their words are read; None without judges.
        ruled: whether rules read it, as choices and labels.
        edits: its errors, of one that is held to a transcript.
        marks: where they are, see `ErrorRate.aligned`.
    """

    record: ReplyRecord | None
    verdict: str
    outcome: Outcome | None = None
    order: tuple[int, ...] = ()
    said: Sequence[Said] = ()
    rules: JudgeRules | None = None
    ruled: bool = False
    edits: Edits | None = None
    marks: tuple[Aligned, ...] = ()

    @property
    def how(self) -> str:
        """The rule that decided; empty where judges or references do."""
        if self.record is None:
            return NOT_ASKED
        return "" if self.outcome is None or not self.ruled else self.outcome.how

    @property
    def reason(self) -> str:
        """Why there is no answer, in a word."""
        error = None if self.record is None else self.record.error
        return self.how or (error.kind if error is not None else REFUSAL.get(self.verdict, self.verdict))

    @property
    def chosen(self) -> int:
        """Place of the chosen option as shown, from 0; -1 for none."""
        return -1 if self.outcome is None or not self.outcome.letter else ord(self.outcome.letter) - ord("A")

    @property
    def label(self) -> str:
        """What was read without letters; empty for nothing."""
        return "" if self.outcome is None or self.outcome.letter else self.outcome.read or ""


class VerdictRow(msgspec.Struct, omit_defaults=True):
    """What a judge said of a reply in one order, as the page's script finds it.

    Attributes:
        judge: number in the page's list.
        order: 0: the reference stood first; 1: the model's answer did.
        said, again: the raw answer, and the one to being asked once more, at most `LONGEST_VERDICT` characters each.
        left_out: how many more there are.
        mine, other: what was read for the model's answer and for the reference; None where nothing counts.
        how: the form in which the scores stood, or why they cannot be read.
    """

    judge: int = 0
    order: int = 0
    said: str | None = None
    again: str | None = None
    left_out: int = 0
    mine: float | None = None
    other: float | None = None
    how: str = ""


class BriefReply(msgspec.Struct, omit_defaults=True):
    """What the page's list and its filters need of a reply.

    Attributes:
        run, variant, verdict: numbers in the page's lists.
        how: the rule that decided, or why there is no answer.
        order, chosen, edits: see `Kept`.
        read: the label that was read.
        score, reference: means over both orders and all judges; None where there is none.
        judged: whether judges were asked about it.
        apart: whether the two orders of any judge put it `APART` or more apart.
        text: the raw reply, at most `LONGEST` characters.
        code: what is wrong with it, by the name of a code; empty where nothing is or nobody says.
    """

    run: int = 0
    variant: int = 0
    verdict: int = 0
    how: str = ""
    order: tuple[int, ...] = ()
    chosen: int = -1
    read: str = ""
    score: float | None = None
    reference: float | None = None
    edits: Edits | None = None
    judged: bool = False
    apart: bool = False
    text: str | None = None
    code: str = ""


class ReplyRow(BriefReply, omit_defaults=True):
    """One reply as the page's script finds it.

    Attributes:
        marks: see `Kept`.
        verdicts: by judge and order.
        left_out: how many more characters of its text there are.
        prompt, words, heard: see `Sent.fill`; by default the first frame.
        error, notes, changes, finish, latency, tokens, attempts, cached, taken_from, blocked: see `ReplyRecord`.
    """

    marks: tuple[Aligned, ...] = ()
    verdicts: tuple[VerdictRow, ...] = ()
    left_out: int = 0
    prompt: int = 0
    words: str = ""
    heard: tuple[int, ...] = ()
    error: str = ""
    notes: str = ""
    changes: tuple[str, ...] = ()
    finish: str = ""
    latency: float | None = None
    tokens: tuple[int | None, int | None] = (None, None)
    attempts: int = 0
    cached: bool = False
    taken_from: str = ""
    blocked: bool = False


def reply_row(kept: Kept, *, run: int, variant: int, verdicts: Sequence[str]) -> ReplyRow:
    """The row of a reply.

    Args:
        kept: the reply.
        run: its number on the page.
        variant: likewise.
        verdicts: the page's list.
    """
    record, outcome = kept.record, kept.outcome
    how = kept.how if kept.verdict in ANSWERED else kept.reason
    out = ReplyRow(run=run, variant=variant, verdict=verdicts.index(kept.verdict), how=how, order=kept.order)
    if record is None:
        out.error = "the run has no reply to this item"
        return out
    if outcome is not None and kept.rules is not None:
        out.score, out.reference = _mean(outcome.scores), _mean(getattr(outcome, "references", ()))
        out.verdicts = tuple(_verdict(place, one, kept.rules) for place, one in enumerate(kept.said))
        out.judged = bool(out.verdicts)
        out.apart = any(abs(one - other) >= APART for one, other in _both_orders(out.verdicts))
    elif outcome is not None and kept.ruled:
        out.chosen = kept.chosen
        out.read = kept.label
    out.edits, out.marks = kept.edits, kept.marks
    text = record.text
    error = f"{record.error.kind}: {record.error.message}" if record.error is not None else ""
    out.text = None if text is None else text[:LONGEST]
    out.left_out = 0 if text is None else max(0, len(text) - LONGEST)
    out.error, out.notes = error[:LONGEST], record.notes[:LONGEST]
    out.changes, out.finish, out.latency = record.audio_changes, record.finish_reason or "", record.latency_s
    out.tokens, out.attempts = (record.tokens_in, record.tokens_out), record.attempts
    out.cached, out.taken_from, out.blocked = record.cached, record.taken_from, record.blocked
    return out


def _mean(scores: Sequence[float]) -> float | None:
    there = [score for score in scores if not math.isnan(score)]
    return round(sum(there) / len(there), 6) if there else None


def _both_orders(verdicts: Sequence[VerdictRow]) -> Iterator[tuple[float, float]]:
    """What each judge gave in one order and in the other, where both can be read."""
    for one, other in zip(verdicts[::2], verdicts[1::2], strict=False):
        if one.mine is not None and other.mine is not None:
            yield one.mine, other.mine


def _verdict(place: int, said: Said, rules: JudgeRules) -> VerdictRow:
    judge, order = divmod(place, 2)
    read = rules.scores(said)
    mine, other = (read.second, read.first) if order == 0 else (read.first, read.second)
    texts = [text for text in (said.first, said.again) if text is not None]
    return VerdictRow(
        judge=judge,
        order=order,
        said=None if said.first is None else said.first[:LONGEST_VERDICT],
        again=None if said.again is None else said.again[:LONGEST_VERDICT],
        left_out=sum(max(0, len(text) - LONGEST_VERDICT) for text in texts),
        mine=mine,
        other=other,
        how=read.how,
    )
