"""The house's own rules, and the default: every item counts, nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.choices import letter_of, read_answer
from audiometry.records import Item, ReplyRecord, Verdict
from audiometry.records.reply import FILTERED
from audiometry.score.profiles import Profile, Reading

DECLINED = {FILTERED, "refusal"}


class Strict:
    """A reply is right if our reader finds the right option in it; all else is not, and is told apart.

    Args:
        lettered: whether options were shown under letters.
    """

    name = "strict"
    about = "audiometry's own: all items in the denominator, unreadable replies are never guessed"

    def __init__(self, *, lettered: bool = True) -> None:
        self._lettered = lettered

    @property
    def unlettered(self) -> Profile:
        """The same rules, for options that were shown without letters."""
        return Strict(lettered=False)

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """Judge one reply, given the options in the order they were shown."""
        if record.error is not None or record.text is None:
            return Reading(Verdict.FAILED, None, record.error.kind if record.error else "no-text")
        if record.finish_reason == FILTERED:  # whatever came before the filter stopped it
            return Reading(Verdict.REFUSED, None, FILTERED)
        answer = read_answer(record.text, options, lettered=self._lettered)
        if answer.letter is not None and item.answer is not None:
            right = answer.letter == letter_of(options, item.answer)
            return Reading(Verdict.CORRECT if right else Verdict.WRONG, answer.letter, answer.how)
        if answer.refused or record.finish_reason in DECLINED:
            return Reading(Verdict.REFUSED, None, answer.how if answer.refused else str(record.finish_reason))
        return Reading(Verdict.UNANSWERED, answer.letter, answer.how)


PROFILE = Strict()
