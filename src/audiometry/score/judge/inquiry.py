"""One kind of question to a judge about one run: every answer is kept, so that none is asked for twice.

An answer that cannot be read, or that was cut at the limit of its length, is asked for once more, with the format
restated and without a limit (a judge that explains or reasons first may not have come to the point). What cannot be
read then either is a failure of the judge. Failures to answer at all are asked again the next time, unreadable
answers are not. A judge is tried with one content first: one that refuses a limit is asked for everything without.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeAlias

import msgspec
import numpy as np

from audiometry.dispatch.ask import Ask
from audiometry.dispatch.cache import open_cache
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.stopped import StoppedError
from audiometry.dispatch.tally import Price, Tally
from audiometry.errors import RunFolderError, StorageError, shown
from audiometry.files import presence
from audiometry.files.journal import Journal
from audiometry.models import Model
from audiometry.models.protocol import FIELD_REFUSED, parameters_of
from audiometry.records import Decoding, Prompt, ReplyRecord
from audiometry.score.judge.answers import Answers
from audiometry.score.judge.judge import Judge
from audiometry.score.judge.keys import Keys, short
from audiometry.score.judge.question import AGAIN, FIRST, C, Questions, Try
from audiometry.score.judge.settings import DOES, Follow, JudgingStoppedError, slug_of
from audiometry.score.judge.stored import Stored

REFUSED = "http-4"  # begins the kinds of what a server says to a parameter or a text that it does not take

Contents: TypeAlias = Callable[[], Iterable[tuple[str, C]]]
"""Gives what is to be asked about with its key, a hash of all that the judge is shown; equal ones may come again."""


class Inquiry(Generic[C]):
    """A judge, or a writer, with a kind of question and the journal of a folder.

    ``asked`` says how it is asked, ``requests`` counts those made here.

    Args:
        judge: whom to ask.
        questions: what kind of question is put to it.
        folder: of the run, or of what a build keeps.

    Raises:
        UsageError: there is no such model, or it cannot be used.
        RunFolderError: the journal is damaged.
    """

    def __init__(self, judge: Judge, questions: Questions[C], folder: Path) -> None:
        self.judge, self.questions = judge, questions
        self.settings = settings = judge.settings
        parameters: dict[str, Any] = {which: parameters_of(*self._asked(which)) for which in (FIRST, AGAIN)}
        instructions = questions.prompt_sha256()
        shaped = msgspec.json.encode([settings.name, parameters, instructions], order="deterministic")
        how = "" if self._asked(FIRST)[0].card.takes_temperature(settings.extra) else "-own-temperature"
        self.asked = Stored(
            name=settings.name,
            slug=f"{slug_of(settings.name)}-{hashlib.sha256(shaped).hexdigest()[:8]}{how}",
            kind=questions.kind,
            parameters=parameters,
            prompt_sha256=instructions,
        )
        self.path = folder / self.asked.journal
        self.answers = Answers(questions, self.path)
        self.requests = 0
        self._fresh: set[str] = set()  # what the judge was tried with
        self._repeated: frozenset[int] = frozenset()  # contents that come again

    def _asked(self, which: Try) -> tuple[Model, Decoding | None]:
        return self.judge.model(self.questions.max_tokens if which == FIRST else None)

    def ask(self, contents: Contents[C], follow: Follow | None = None) -> Answers[C]:
        """Ask about each content what has not been answered yet, and give all answers.

        Args:
            contents: goes through them; none of them is held, so that it may be gone through several times.
            follow: who is told how it goes.

        Raises:
            JudgingStoppedError: Ctrl-C was pressed.
            StoppedError: nobody answers, or the key was rejected.
            RunFolderError: the journal is in use by another process.
        """
        self._fresh.clear()
        try:
            self._ask_all(contents, follow or Follow())
        except JudgingStoppedError:
            left = {key: self.answers.of(key, about).text is None for key, about in contents()}
            raise JudgingStoppedError(
                f"stopped with {sum(left.values()):,} of {len(left):,} left to {DOES[self.settings.role][0]}; "
                "the same command goes on from here"
            ) from None
        return self.answers

    @property
    def price(self) -> Price:
        """Of its answers."""
        return self.judge.price(self._asked(FIRST)[0])

    def _takes_limit(self) -> bool:
        """Whether the judge takes a limit on the length of its answer, by what it answered so far."""
        return self.answers.tried(FIRST) or not self.answers.tried(AGAIN)

    def _ask_all(self, contents: Contents[C], follow: Follow) -> None:
        if not len(self.answers):
            for key, about in itertools.islice(contents(), 1):
                self._try_one(key, about, follow)
        if self._takes_limit():
            if not any(self._is_left(key, about) for key, about in contents()):
                return
            self._ask(contents, FIRST, follow)

        def unread() -> Iterator[tuple[str, C]]:
            limited = self._takes_limit()
            return (one for one in contents() if not limited or self.answers.unreadable(*one))

        self._ask(unread, AGAIN, follow)

    def _is_left(self, key: str, about: C) -> bool:
        answers = self.answers
        return not answers.has(short(key), FIRST) or (
            answers.unreadable(key, about) and not answers.has(short(key), AGAIN)
        )

    def _try_one(self, key: str, about: C, follow: Follow) -> None:
        def one() -> Iterator[tuple[str, C]]:
            yield key, about

        quiet = Follow(stopping=follow.stopping)
        try:
            self._ask(one, FIRST, quiet, may_refuse=True)
        except StoppedError as problem:  # the limit, perhaps: what else it does not take it will say again
            if problem.kind != FIELD_REFUSED:
                raise
        if not len(self.answers):
            self._ask(one, AGAIN, quiet, may_refuse=True)
        self._fresh.add(key)

    def _ask(self, contents: Contents[C], which: Try, follow: Follow, *, may_refuse: bool = False) -> None:
        planned, before = self._counted(contents, which)
        if planned == before:
            return
        (model, decoding), settings = self._asked(which), self.settings
        tally = Tally(self.judge.price(model))
        last: list[ReplyRecord] = []

        def watch(record: ReplyRecord) -> None:
            self.answers.take(record)
            self.requests += record.attempts
            last[:] = [record]
            follow.watch(record, tally)

        conditions = settings.conditions(model.card)
        follow.started(planned, before)
        with self._journal() as journal, open_cache(settings.cache) as cache:
            dispatcher = Dispatcher(
                model, journal, conditions, cache=cache, tally=tally, watch=watch, decoding=decoding
            )
            try:
                interrupted = self.judge.ask(dispatcher, self._asks(contents, which), follow.stopping)
            except StoppedError as problem:
                raise StoppedError(f"{settings.role} {settings.name}: {problem}", kind=problem.kind) from problem
        if interrupted:
            raise JudgingStoppedError(f"{settings.role} {settings.name}: stopped")
        if self._down(tally, may_refuse=may_refuse):
            message = shown(last[0].error.message, 200) if last and last[0].error else ""
            raise StoppedError(
                f"{settings.role} {settings.name} gave no answer to any of {tally.failed:,} requests, the last: "
                f"{message}; "
                f"what was {DOES[settings.role][1]} before is kept, run the same command again once this is mended"
            )

    def _journal(self) -> Journal:
        if presence.exists(self.path) and not presence.is_file(self.path):
            raise StorageError(f"{self.path} is no file, so answers would be paid for and lost; remove what is there")
        role = self.settings.role
        try:
            return Journal(self.path)
        except RunFolderError as problem:
            raise RunFolderError(
                f"{self.path} is in use by another process that has the same {role} {DOES[role][2]}; "
                "wait for it, then run the same command again"
            ) from problem

    def _down(self, tally: Tally, *, may_refuse: bool) -> bool:
        """Whether nobody is there: a judge that answers, but refuses some replies, is a judge that fails at these."""
        if tally.replies or not tally.failed:
            return False
        refuses = all(kind.startswith(REFUSED) for kind in tally.failures)
        return not refuses or not (len(self.answers) or may_refuse)

    def _counted(self, contents: Contents[C], which: Try) -> tuple[int, int]:
        """How many different contents are to be answered at a try, and of them how many were before."""
        numbers = np.fromiter((short(key) for key, _ in contents()), np.uint64)
        every, n_times = np.unique(numbers, return_counts=True)
        self._repeated = frozenset(every[n_times > 1].tolist())
        answered = Keys(number for number in map(int, every) if self.answers.has(number, which))
        fresh = sum(key in answered for key in self._fresh)
        return len(every) - fresh, len(answered) - fresh

    def _asks(self, contents: Contents[C], which: Try) -> Iterator[Ask]:
        """Made when it is their turn; equal contents once."""
        asked: set[int] = set()
        for key, about in contents():
            number = short(key)
            if self.answers.has(number, which) or number in asked:
                continue
            if number in self._repeated:
                asked.add(number)

            async def build(about: C = about) -> Prompt:
                return self.questions.prompt(about, which)

            yield Ask(key, which, build)
