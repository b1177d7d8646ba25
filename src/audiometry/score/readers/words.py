"""The reader of answers in free words: what a reply says, without its reasoning, to be held to a reference."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from audiometry.choices.clean import without_reasoning
from audiometry.choices.refusal import declines
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.readers import DECLINED, KINDS, Outcome, Said, ended

SHORT = 400  # characters; a longer reply says more than that it declines
_MARKED = re.compile(r"<(answer|final_answer|response)>(.*?)(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)


class WordsReader(msgspec.Struct, frozen=True, kw_only=True):
    """Takes the words of a reply; those of one that declines are read as well, since they may be right."""

    name: str = "words"
    version: int = 1
    kinds: KINDS = frozenset({"transcript", "open"})

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  no options, no judge
        """What became of a reply."""
        before = ended(reply)
        if before is not None or reply is None or reply.text is None:
            return before or Outcome(State.FAILED)
        words = answer_in(reply.text)
        return Outcome(_state(reply, words, item.references), words, how="words")


def answer_in(reply: str) -> str:
    """A reply without its reasoning; of answers in tags, the last one that is not empty."""
    said = without_reasoning(reply).strip()
    marked = [found[2].strip() for found in _MARKED.finditer(said)] if "<" in said else []
    return next((one for one in reversed(marked) if one), said)


def _state(reply: ReplyRecord, words: str, references: Sequence[str]) -> State:
    """Words that a reference has too ("I cannot hear you") decline nothing."""
    if reply.finish_reason in DECLINED:
        return State.REFUSED
    if not words:
        return State.EMPTY
    if len(words) <= SHORT and declines(words) and not any(declines(one[:SHORT]) for one in references):
        return State.REFUSED
    return State.ANSWERED


WORDS = WordsReader()
