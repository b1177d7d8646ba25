"""The reader of open answers that judges have compared with the benchmark's own, in both orders."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from audiometry.choices import clean, read_answer
from audiometry.choices.refusal import may_decline
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.comparisons import COMPARISONS, ORDERS, Pair
from audiometry.score.judge.question import Questions, shown_reply
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.readers import DECLINED, KINDS, Outcome, Said, ended

SHORT = 400  # characters; a longer reply says more than that it declines
Panel: TypeAlias = Literal["mean", "median", "majority"]
NAN: Final = math.nan


class Compared(Outcome, frozen=True):
    """The outcome of an answer that stood beside another.

    ``scores`` are the answer's, by order, of all judges together.

    Attributes:
        references: scores of the reference answer, by order; NaN where there is none.
    """

    references: tuple[float, ...] = ()


class JudgedReader(msgspec.Struct, frozen=True, kw_only=True):
    """Reads scores out of judges' words, by somebody's rules.

    Attributes:
        rules: how words are read, and what counts where none can be.
        panel: how the scores of several judges are put together; nothing is known of a reply that one of them
            failed at, since judges differ in level. ``majority`` takes the score, rounded to a whole one, that more
            than half of the judges gave, and the median where there is none.
    """

    rules: JudgeRules
    panel: Panel = "mean"
    kinds: KINDS = frozenset({"open"})
    questions: ClassVar[Questions[Any]] = COMPARISONS

    @property
    def name(self) -> str:
        """Whose rules."""
        return self.rules.name

    @property
    def version(self) -> int:
        """Of the rules."""
        return self.rules.version

    def asks(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str]) -> tuple[Pair, ...]:  # noqa: ARG002  no options
        """What a judge has to see of a reply: both orders, or nothing where rules decide."""
        return pairs(reply, item) if reply is not None and self._is_judged(became(reply)[0]) else ()

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:  # noqa: ARG002  judged by words
        """What became of a reply, given what each judge said of both orders, one judge after the other."""
        if reply is None:
            return ended(reply) or Outcome(State.NOT_ASKED)
        state, how = became(reply)
        if not self._is_judged(state):
            given = self.rules.failed
            return Compared(state, None, () if given is None else (given,) * len(ORDERS), how)
        words = said or (Said(),) * len(ORDERS)
        each = [self._by_one(words[at : at + len(ORDERS)]) for at in range(0, len(words), len(ORDERS))]
        scores = _together([one[0] for one in each], self.panel)
        references = _together([one[1] for one in each], self.panel)
        failed = next((one[2] for one in each if one[2]), "")
        if failed:
            return Compared(State.UNJUDGED, None, _known(scores), failed, references=references)
        return Compared(state, None, scores, how, references=references)

    def unread(self, pair: Pair, said: Said) -> str:
        """Why what a judge said of a comparison gives the answer no score; empty if it does."""
        found = self.rules.scores(said)
        return found.how if (found.second if pair.order == ORDERS[0] else found.first) is None else ""

    def _is_judged(self, state: State) -> bool:
        return state in {State.ANSWERED, State.REFUSED} or (state == State.EMPTY and self.rules.empty_judged)

    def _by_one(self, said: Sequence[Said]) -> tuple[tuple[float, ...], tuple[float, ...], str]:
        """One judge's scores of the answer and of the reference, by order, and why one could not be read."""
        mine, other, why = [NAN] * len(ORDERS), [NAN] * len(ORDERS), ""
        for order, words in enumerate(said):
            read = self.rules.scores(words)
            one, two = (read.second, read.first) if order == 0 else (read.first, read.second)
            if one is None:
                why = why or read.how
                continue
            mine[order], other[order] = one, NAN if two is None else two
        if why and self.rules.both:
            mine, other = [NAN] * len(ORDERS), [NAN] * len(ORDERS)
        if self.rules.unread is not None:
            mine = [self.rules.unread if math.isnan(one) else one for one in mine]
        return tuple(mine), tuple(other), why


def became(reply: ReplyRecord) -> tuple[State, str]:
    """What a reply is before anybody has judged it, and by which rule."""
    if reply.error is not None or reply.text is None:
        return State.FAILED, reply.error.kind if reply.error else "no-text"
    if reply.finish_reason in DECLINED:
        return State.REFUSED, str(reply.finish_reason)
    return _by_words(reply.text)


@lru_cache(maxsize=16)  # a reply is looked at to see what is to be asked about it, and again to read it
def _by_words(text: str) -> tuple[State, str]:
    said = shown_reply(text)
    if not said:
        return State.EMPTY, "empty"
    if len(said) <= SHORT and may_decline(clean.undressed(said)) and (answer := read_answer(said, ())).refused:
        return State.REFUSED, answer.how
    return State.ANSWERED, "judged"


def pairs(reply: ReplyRecord, item: Item) -> tuple[Pair, ...]:
    """A reply that came beside the reference, in both orders."""
    said = shown_reply(reply.text or "")
    return tuple(Pair(item.meta, item.question, item.answer or "", said, order) for order in ORDERS)


def _together(judges: Sequence[tuple[float, ...]], panel: Panel) -> tuple[float, ...]:
    """One score an order from those of several judges; NaN where one of them gave none."""
    if len(judges) == 1:
        return judges[0]
    return tuple(NAN if any(map(math.isnan, each)) else _PANELS[panel](each) for each in zip(*judges, strict=True))


def _majority(scores: Sequence[float]) -> float:
    score, votes = Counter(math.floor(one + 0.5) for one in scores).most_common(1)[0]
    return float(score) if votes > len(scores) / 2 else statistics.median(scores)


def _known(scores: tuple[float, ...]) -> tuple[float, ...]:
    return () if all(map(math.isnan, scores)) else scores


_PANELS: Final[dict[Panel, Callable[[Sequence[float]], float]]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "majority": _majority,
}
