"""What readers have to ask a judge about a run, found while its replies are gone through, and the answers to it."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import msgspec

from audiometry.choices.variant import shown_options
from audiometry.dispatch.tally import Price, Usage
from audiometry.records import Item, ReplyRecord
from audiometry.score.items import KINDS, fact_reader
from audiometry.score.judge.answers import Answers
from audiometry.score.judge.question import Content, Questions
from audiometry.score.judge.stored import Stored
from audiometry.score.opened import OpenedRun
from audiometry.score.readers import Reader, Said, as_shown
from audiometry.score.replies import Replies
from audiometry.score.sheet import Words

if TYPE_CHECKING:
    from audiometry.score.judge.inquiry import Contents
    from audiometry.score.judge.judge import Judge
    from audiometry.score.judge.settings import Follow

Replied: TypeAlias = tuple[Item, ReplyRecord, tuple[str, ...], str]
"""A reply with its item, the options as they were shown, and the kind of its task."""


class Asker(Reader, Protocol):
    """A reader that needs a judge's word; ``questions``: what kind of question it asks."""

    questions: ClassVar[Questions[Any]]

    def asks(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str]) -> Sequence[Content]:
        """What a judge has to see of a reply; nothing where rules decide."""
        ...


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge answered to one kind of question about one run.

    Attributes:
        judge: who, and how it was asked.
        answers: all of them.
        price: of the judge.
        n_requests_now: requests of this session.
    """

    judge: Stored
    answers: Answers[Any]
    price: Price
    n_requests_now: int = 0

    def usage(self, keys: Container[str]) -> Usage:
        """What the answers about contents took, in all sessions."""
        return self.answers.account(keys, self.price).usage()


def contents(run: OpenedRun, readers: Sequence[Asker]) -> Iterator[tuple[str, Content]]:
    """All that readers have to ask about a run, with its key; one reply after the other is read for it."""
    asking = {kind: [_shown(reader, run) for reader in readers if kind in reader.kinds] for kind in KINDS}
    for item, reply, shown, kind in asked_of(run):
        found = {about.key: about for reader in asking[kind] for about in reader.asks(reply, item, shown)}
        yield from found.items()


def asked_of(run: OpenedRun) -> Iterator[Replied]:
    """The replies that count; of open questions only those with a reference answer, which a judge is to see."""
    fact, at = fact_reader(run, ()), run.benchmark.items.at
    variants, seed = run.info.variants, run.info.seed
    for row, column, reply in Replies(run):
        item = run.benchmark.asked(at(run.positions[row]), variants[column])
        kind, *_, reference, _tags = fact(item)
        if item.options:
            yield item, reply, shown_options(item, seed=seed, variant=variants[column]), KINDS[kind]
        elif reference:
            yield item, reply, (), KINDS[kind]


def ask(
    run: OpenedRun,
    readers: Sequence[Asker],
    judge: Judge,
    follow: Follow | None = None,
    more: Contents[Any] = tuple,
) -> Verdicts:
    """Have a judge answer what readers of one kind of question have to ask about a run; nothing is asked twice.

    Args:
        run: whose replies.
        readers: that ask.
        judge: whom.
        follow: who is told how it goes.
        more: gives what it is asked beside that, in questions of the same kind.

    Raises:
        UsageError: the judge cannot be used.
        StoppedError: nobody answers, or the person stopped it; what was answered is kept.
    """
    from audiometry.score.judge.inquiry import Inquiry  # what asks is not loaded where all is answered

    inquiry = Inquiry(judge, readers[0].questions, run.folder.path)
    answers = inquiry.ask(lambda: itertools.chain(contents(run, readers), more()), follow)
    return Verdicts(judge=inquiry.asked, answers=answers, price=inquiry.price, n_requests_now=inquiry.requests)


def held(run: OpenedRun, which: Stored, questions: Questions[Any], price: Price | None = None) -> Verdicts:
    """What a judge answered, as the run folder keeps it.

    Raises:
        RunFolderError: the journal is damaged.
    """
    answers = Answers(questions, run.folder.path / which.journal)
    return Verdicts(judge=which, answers=answers, price=price or Price())


def looked_up(run: OpenedRun, reader: Asker, verdicts: Sequence[Verdicts]) -> Words:
    """Looks up what judges said of a reply, one judge after the other."""
    reader = _shown(reader, run)

    def said(reply: ReplyRecord, item: Item, shown: Sequence[str]) -> list[Said]:
        asked = reader.asks(reply, item, shown)
        return [one.answers.of(about.key, about) for one in verdicts for about in asked]

    return said


def _shown(reader: Asker, run: OpenedRun) -> Asker:
    found: Any = as_shown(reader, run.info.prompt.style)
    return found  # type: ignore[no-any-return]
