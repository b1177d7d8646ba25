"""The reader of choices as a judge reads them: where somebody's rules read nothing, or in every reply.

The judge is asked which option a reply chooses. The published alignment (AIR-Bench, arXiv 2402.07729, §4.1) asks
for a random option where a reply chooses none; here the judge then says so and the reply stays unanswered, since no
guess is ever scored. A judge that gives no answer, or none that can be read, has failed: the reply is unjudged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from audiometry.choices import Answer
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.letters import CHOICES, NOT_HERE, Content, Opinion, content, opinion_of
from audiometry.score.judge.question import Questions
from audiometry.score.readers import KINDS, Outcome, Reader, Said, as_shown, ended
from audiometry.score.readers.choice import chosen

Mode: TypeAlias = Literal["judge", "always"]
UNREADABLE: Final = "judge-unreadable"  # what a failure of the judge is called among failures
NO_ANSWER: Final = "judge-failed"
_UNREAD = frozenset({State.UNANSWERED, State.EMPTY})


class AlignedReader(msgspec.Struct, frozen=True, kw_only=True):
    """Takes a judge's word for which option a reply chooses.

    A reply that declines stays one that declines unless the judge reads an option in it.

    Attributes:
        rules: the reader whose words stand where no judge is asked.
        mode: ``judge``: it is asked where the rules read nothing; ``always``: about every reply.
    """

    rules: Reader
    mode: Mode = "judge"
    kinds: KINDS = frozenset({"choice"})
    questions: ClassVar[Questions[Any]] = CHOICES

    @property
    def name(self) -> str:
        """Whose rules."""
        return self.rules.name

    @property
    def version(self) -> int:
        """Of the rules."""
        return self.rules.version

    def asks(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str]) -> tuple[Content, ...]:
        """What a judge has to see of a reply; nothing where rules decide, or no words came."""
        if reply is None or not shown or not self._is_put(reply, self.rules.read(reply, item, shown)):
            return ()
        about = content(item, tuple(shown), reply.text or "")
        return (about,) if about.reply else ()

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """What became of a reply, given what the judge said of it."""
        by_rules = self.rules.read(reply, item, shown)
        if reply is None or not self._is_put(reply, by_rules):
            return by_rules
        about = content(item, tuple(shown), reply.text or "")
        if not about.reply:
            return by_rules if by_rules.state == State.REFUSED else Outcome(State.EMPTY, how="blank")
        return read_opinion_of(opinion_of(said[0] if said else Said(), about), shown, by_rules)

    def shown_as(self, style: str) -> AlignedReader:
        """The same where options were shown in a style; see `choices.STYLES`."""
        return msgspec.structs.replace(self, rules=as_shown(self.rules, style))

    def puts(self, by_rules: Outcome) -> bool:
        """Whether a reply that came is put to the judge, given what the rules make of it."""
        return self.mode == "always" or by_rules.state in _UNREAD

    def _is_put(self, reply: ReplyRecord, by_rules: Outcome) -> bool:
        return ended(reply) is None and self.puts(by_rules)


def read_opinion_of(opinion: Opinion, shown: Sequence[str], by_rules: Outcome) -> Outcome:
    """What becomes of a reply once a judge was asked which option it chooses."""
    if opinion.failed:
        return Outcome(State.UNJUDGED, how=NO_ANSWER if opinion.how == NOT_HERE else UNREADABLE)
    if opinion.letter is not None:
        return chosen(Answer(letter=opinion.letter, how="judge"), shown)
    return by_rules if by_rules.state == State.REFUSED else Outcome(State.UNANSWERED, how="judge-none")
