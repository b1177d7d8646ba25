"""The reader of open answers that a judge which was shown the reference has found equivalent to it or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.equivalence import EQUIVALENCE, content
from audiometry.score.judge.golden import GoldenContent
from audiometry.score.judge.question import Questions
from audiometry.score.readers import KINDS, Outcome, Said, ended
from audiometry.score.readers.golden import INCORRECT, ruled
from audiometry.score.readers.judged import became


class EquivalenceReader(msgspec.Struct, frozen=True):
    """Takes a judge's word for whether an answer says what the reference says.

    Every reply with words is put to the judge. One that declines stays one unless the judge finds it equivalent.
    """

    name: str = "equivalence"
    version: int = 1
    kinds: KINDS = frozenset({"open"})
    questions: ClassVar[Questions[Any]] = EQUIVALENCE

    def asks(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str]) -> tuple[GoldenContent, ...]:  # noqa: ARG002  no options
        """What a judge has to see of a reply; nothing where no words came, or there is no reference."""
        if ended(reply) is not None or reply is None or not item.references:
            return ()
        about = content(item, reply.text or "")
        return (about,) if about.reply else ()

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  no options
        """What became of a reply, given what the judge said of it."""
        before = ended(reply)
        if before is not None or reply is None:
            return before or Outcome(State.NOT_ASKED)
        state, how = became(reply)
        if state == State.EMPTY:
            return Outcome(state, how=how)
        found = ruled(said[0].text if said else None, item)
        return Outcome(state, how=how) if state == State.REFUSED and found is INCORRECT else found
