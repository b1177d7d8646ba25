"""What a profile makes of judges' answers: how scores are read, and what counts where none can be."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from audiometry.score.judge.scores import Scores, official_scores, port_scores, read_scores
from audiometry.score.readers import Said

NO_ANSWER = "no-answer"  # the judge was not asked yet, or its requests failed


class JudgeRules(msgspec.Struct, frozen=True, kw_only=True):
    """A profile of open answers.

    Attributes:
        name: as in ``--profile``.
        about: one line for people.
        read: reads a judge's answer.
        once: only the judge's first answer counts, not the one to being asked again.
        both: an item has a score if both orders were read; otherwise each order has a mean of its own.
        unread: what an order counts that cannot be read; None: it is missing.
        failed: what a reply counts that did not come; None: it is left out.
        empty_judged: an empty reply goes to the judge; otherwise it counts as ``failed`` does.
        lowest, highest: of the scores that can come out.
        version: of the rules; another number is another rule.
    """

    name: str
    about: str
    read: Callable[[str], Scores]
    once: bool = True
    both: bool = False
    unread: float | None = None
    failed: float | None = None
    empty_judged: bool = True
    lowest: float = 1.0
    highest: float = 10.0
    version: int = 1

    def scores(self, said: Said) -> Scores:
        """What is read of all that a judge said about one pair."""
        first = said.first if said.first is not None else said.again
        text = first if self.once else said.text
        if text is None:
            return Scores(how=NO_ANSWER)
        if not said.cut or self.once:
            return self.read(text)
        found = self.read(text.rpartition("\n")[0])  # the 1 that it ends with may be half of a 10
        return Scores(how="cut") if found.failed else found


RULES = {
    one.name: one
    for one in (
        JudgeRules(
            name="strict",
            about="audiometry's own: both orders or none, nothing dropped, a missing answer scores 1",
            read=read_scores,
            once=False,
            both=True,
            failed=1.0,
            empty_judged=False,
        ),
        JudgeRules(
            name="airbench",
            about="the official script's: whole numbers from 0 to 10, what it cannot read is dropped",
            read=official_scores,
            lowest=0.0,
        ),
        JudgeRules(
            name="lmms-eval",
            about="the port's: first two whole numbers from 1 to 10, what it cannot read adds 0, no mean of categories",
            read=port_scores,
            both=True,
            unread=0.0,
            failed=0.0,
            lowest=0.0,
        ),
    )
}
