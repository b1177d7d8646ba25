"""The reader of choices that a judge which was shown the right one has called correct or not (AIR-Bench, §3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import msgspec

from audiometry.choices import LETTERED, letter_of
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.golden import GOLDEN, GoldenContent, content, read_ruling
from audiometry.score.judge.question import Questions
from audiometry.score.readers import KINDS, Outcome, Said, ended
from audiometry.score.readers.aligned import NO_ANSWER, UNREADABLE
from audiometry.score.readers.judged import became

INCORRECT: Final = Outcome(State.ANSWERED, how="judge-incorrect")


class GoldenReader(msgspec.Struct, frozen=True, kw_only=True):
    """Takes a judge's word for whether a reply is correct; which other option a wrong one chose is not known.

    Every reply with words is put to the judge. One that declines stays one unless the judge calls it correct.

    Attributes:
        lettered: whether options were shown under letters.
    """

    name: str = "golden"
    version: int = 1
    kinds: KINDS = frozenset({"choice"})
    lettered: bool = True
    questions: ClassVar[Questions[Any]] = GOLDEN

    def asks(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str]) -> tuple[GoldenContent, ...]:
        """What a judge has to see of a reply; nothing where no words came."""
        if ended(reply) is not None or reply is None or item.answer is None:
            return ()
        about = content(item, shown, reply.text or "", lettered=self.lettered)
        return (about,) if about.reply else ()

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """What became of a reply, given what the judge said of it."""
        before = ended(reply)
        if before is not None or reply is None:
            return before or Outcome(State.NOT_ASKED)
        state, how = became(reply)
        if state == State.EMPTY:
            return Outcome(state, how=how)
        if item.answer is None:
            return Outcome(State.UNANSWERED, how="no-right-choice")
        found = ruled(said[0].text if said else None, item, shown)
        declined = state == State.REFUSED and found is INCORRECT
        return Outcome(state, how=how) if declined else found

    def shown_as(self, style: str) -> GoldenReader:
        """The same for options shown in a style; see `choices.STYLES`."""
        return self if style in LETTERED else msgspec.structs.replace(self, lettered=False)


def ruled(said: str | None, item: Item, shown: Sequence[str] = ()) -> Outcome:
    """The outcome of a reply that a judge has called correct or not.

    Args:
        said: by the judge; None if it said nothing.
        item: what was asked.
        shown: its options in the order they were shown; none of open questions.
    """
    if said is None:
        return Outcome(State.UNJUDGED, how=NO_ANSWER)
    correct = read_ruling(said)
    if correct is None:
        return Outcome(State.UNJUDGED, how=UNREADABLE)
    if not correct:
        return INCORRECT
    return Outcome(
        State.ANSWERED, item.answer, how="judge-correct", letter=letter_of(shown, item.answer or "") if shown else None
    )
