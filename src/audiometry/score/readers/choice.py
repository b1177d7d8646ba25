"""Readers of single-choice replies: the house's own rules, and any parser that finds a letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from audiometry.choices import LETTERED, Answer, clean, letter_of, letters, read_answer
from audiometry.records import Item, ReplyRecord, State
from audiometry.records.reply import FILTERED
from audiometry.score.readers import DECLINED, KINDS, Outcome, Said, ended

CHOICE: KINDS = frozenset({"choice"})


class HouseReader(msgspec.Struct, frozen=True, kw_only=True):
    """The house's own rules: they know refusals, and why a reply stopped; what they cannot read is never guessed.

    Attributes:
        lettered: whether options were shown under letters.
    """

    name: str = "choice"
    version: int = 1
    kinds: KINDS = CHOICE
    lettered: bool = True

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  no judge
        """What became of a reply."""
        before = ended(reply)
        if before is not None or reply is None or reply.text is None:
            return before or Outcome(State.FAILED)
        if reply.finish_reason == FILTERED:  # whatever came before the filter stopped it
            return Outcome(State.REFUSED, how=FILTERED)
        answer = read_answer(reply.text, shown, lettered=self.lettered)
        if answer.letter is not None:
            return chosen(answer, shown)
        return unread(reply, answer.how, refused=answer.refused)

    def shown_as(self, style: str) -> HouseReader:
        """The same rules for options shown in a style; see `choices.STYLES`."""
        return self if style in LETTERED else msgspec.structs.replace(self, lettered=False)


class LetterReader(msgspec.Struct, frozen=True, kw_only=True):
    """Reads by a parser that looks for a letter and knows neither refusals nor reasons why a reply stopped.

    Attributes:
        parser: takes the reply and the options as shown.
        lettered: whether options were shown under letters; where not there is nothing that it could read.
        letters: the only ones that it knows, whatever an item shows; empty: those of the item.
    """

    name: str
    parser: Callable[[str, Sequence[str]], Answer]
    version: int = 1
    kinds: KINDS = CHOICE
    lettered: bool = True
    letters: str = ""

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  no judge
        """What became of a reply."""
        before = ended(reply)
        if before is not None or reply is None or reply.text is None:
            return before or Outcome(State.FAILED)
        answer = self.parser(reply.text, shown) if self.lettered else Answer(how="no-letters-shown")
        if answer.letter is not None:
            return chosen(answer, shown)
        return Outcome(State.EMPTY if _is_empty(reply.text) else State.UNANSWERED, how=answer.how)

    def shown_as(self, style: str) -> LetterReader:
        """The same for options shown in a style; see `choices.STYLES`."""
        return self if style in LETTERED else msgspec.structs.replace(self, lettered=False)


def chosen(answer: Answer, shown: Sequence[str]) -> Outcome:
    """The outcome of an answer with a letter; one that no option has chooses none, and so is wrong."""
    at = ord(answer.letter or "@") - ord("A")
    return Outcome(State.ANSWERED, shown[at] if 0 <= at < len(shown) else None, (), answer.how, answer.letter)


def unread(reply: ReplyRecord, how: str, *, refused: bool) -> Outcome:
    """The outcome of a reply from which the house's rules read nothing: it declines, is empty, or cannot be read."""
    if refused or reply.finish_reason in DECLINED:
        return Outcome(State.REFUSED, how=how if refused else str(reply.finish_reason))
    return Outcome(State.EMPTY if _is_empty(reply.text or "") else State.UNANSWERED, how=how)


def place_of_answer(item: Item, shown: Sequence[str]) -> int:
    """Where the right option stands among those shown, from 0; -1 where it is not known."""
    if item.answer is None or not shown:
        return -1
    try:
        return shown.index(item.answer)
    except ValueError:
        return letters(len(shown)).index(letter_of(shown, item.answer))


def _is_empty(text: str) -> bool:
    return not text.strip() or not clean.without_reasoning(text).strip()
