"""Puts contents to a judge and keeps every answer, so that none is asked for twice.

An answer that cannot be read, or that was cut at the limit of its length, is asked for once more, with the format
restated and without a limit (a judge that explains or reasons first may not have come to the point). What cannot be
read then either is a failure of the judge. Failures to answer at all are asked again the next time, unreadable
answers are not. A judge is tried with one content first: one that refuses a limit is asked for everything without.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from audiometry import models
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.cache import open_cache
from audiometry.dispatch.local import Conditions, Dispatcher
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.session import dispatch
from audiometry.dispatch.stopped import StoppedError
from audiometry.dispatch.tally import Price, Tally
from audiometry.errors import RunFolderError, UsageError, shown
from audiometry.files.journal import Journal
from audiometry.files.secrets import Scrubber
from audiometry.models import Model, ModelSettings
from audiometry.models.protocol import FIELD_REFUSED
from audiometry.records import Prompt, ReplyRecord
from audiometry.score.judging.answers import Answers
from audiometry.score.judging.question import AGAIN, FIRST, Questions, Try
from audiometry.score.judging.settings import Follow, JudgeSettings, JudgingStoppedError
from audiometry.score.readers import Said

REFUSED = "http-4"  # begins the kinds of what a server says to a parameter or a text that it does not take

C = TypeVar("C")


class Judge(Generic[C]):
    """A judge with the journal of a run folder; ``requests`` counts those of this session.

    Args:
        settings: which, and how.
        questions: what kind of question is put to it.
        folder: of the run.

    Raises:
        UsageError: there is no such model, or it cannot be used.
        RunFolderError: the journal is damaged.
    """

    def __init__(self, settings: JudgeSettings, questions: Questions[C], folder: Path) -> None:
        self.settings, self.questions = settings, questions
        if self._model(FIRST).card.needs_audio:
            from audiometry.models.registry import READS

            raise UsageError(
                f"judge {settings.name} takes no prompt without a clip, as its card says; name one that reads text, "
                f"for example {READS}"
            )
        self.parameters: dict[str, Any] = {which: self._model(which).parameters for which in (FIRST, AGAIN)}
        shaped = msgspec.json.encode([settings.name, self.parameters, questions.prompt_sha256()], order="deterministic")
        name = Scrubber().text(settings.name.partition("/")[2])
        name = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:40] or "judge"
        how = "" if self._model(FIRST).card.takes_temperature(settings.extra) else "-own-temperature"
        self.slug = f"{name}-{hashlib.sha256(shaped).hexdigest()[:8]}{how}"
        self.path = folder / "judge" / f"{questions.kind}-{self.slug}.jsonl"
        self._answers = Answers(questions, self.path)
        self._before = self._answers.places()
        self.requests = 0

    def _model(self, which: Try) -> Model:
        settings = self.settings
        wanted = ModelSettings(
            base_urls=settings.base_urls,
            proxy=settings.proxy,
            card=settings.card,
            extra=settings.extra,
            temperature=0.0,
            judging=True,
            max_tokens=self.questions.max_tokens if which == FIRST else None,
            timeout_s=settings.timeout_s,
            connections=settings.concurrency,
        )
        return models.load(settings.name, wanted)

    def ask(self, contents: Mapping[str, C], follow: Follow | None = None) -> dict[str, Said]:
        """What the judge says of each content, by key; asked is what has not been answered yet.

        Args:
            contents: by key, a hash of all that the judge is shown.
            follow: who is told how it goes.

        Raises:
            JudgingStoppedError: Ctrl-C was pressed.
            StoppedError: nobody answers, or the key was rejected.
            RunFolderError: the journal is in use by another process.
        """
        follow = follow or Follow()
        self._before = self._answers.places()
        try:
            self._ask_all(contents, follow)
        except JudgingStoppedError:
            left = sum(said.text is None for said in self._answers.said(contents).values())
            raise JudgingStoppedError(
                f"stopped with {left:,} of {len(contents):,} left to judge; the same command goes on from here"
            ) from None
        return self._answers.said(contents)

    def account(self, contents: Mapping[str, C]) -> Tally:
        """What the answers about these contents took, in all sessions."""
        tally = Tally(self._price(self._model(FIRST)))
        for record in self._answers.calls:
            if record.item in contents:
                tally.add(record)
        return tally

    def _takes_limit(self) -> bool:
        """Whether the judge takes a limit on the length of its answer, by what it answered so far."""
        tries = {which for _, which in self._answers.places()}
        return FIRST in tries or not tries

    def _ask_all(self, contents: Mapping[str, C], follow: Follow) -> None:
        if not self._answers.places():
            self._try_one(dict(itertools.islice(contents.items(), 1)), follow)
        unread = contents
        if self._takes_limit():
            self._ask(contents, FIRST, follow)
            unread = {key: one for key, one in contents.items() if self._answers.unreadable(key, one)}
        self._ask(unread, AGAIN, follow)

    def _try_one(self, one: Mapping[str, C], follow: Follow) -> None:
        quiet = Follow(stopping=follow.stopping)
        try:
            self._ask(one, FIRST, quiet, may_refuse=True)
        except StoppedError as problem:  # the limit, perhaps: what else it does not take it will say again
            if problem.kind != FIELD_REFUSED:
                raise
        if not self._answers.places():
            self._ask(one, AGAIN, quiet, may_refuse=True)

    def _ask(self, contents: Mapping[str, C], which: Try, follow: Follow, *, may_refuse: bool = False) -> None:
        here = self._answers.places()
        left = {key: one for key, one in contents.items() if (key, which) not in here}
        if not left:
            return
        model, settings = self._model(which), self.settings
        tally = Tally(self._price(model))
        last: list[ReplyRecord] = []

        def watch(record: ReplyRecord) -> None:
            self._answers.take(record)
            self.requests += record.attempts
            last[:] = [record]
            follow.watch(record, tally)

        conditions = Conditions(
            concurrency=settings.concurrency or model.card.concurrency,
            requests_per_minute=settings.rpm,
            tokens_per_minute=settings.tpm,
            timeout_s=settings.timeout_s,
            retry=RetryPolicy(max_tries=settings.max_tries),
        )
        before = sum((key, which) in self._before for key in contents)
        follow.started(before + len(left), before)
        with self._journal() as journal, open_cache(settings.cache) as cache:
            dispatcher = Dispatcher(model, journal, conditions, cache=cache, tally=tally, watch=watch)
            try:
                interrupted = dispatch(dispatcher, self._asks(left, which), follow.stopping)
            except StoppedError as problem:
                raise StoppedError(f"judge {settings.name}: {problem}", kind=problem.kind) from problem
        if interrupted:
            raise JudgingStoppedError(f"judge {settings.name}: stopped")
        if self._down(tally, may_refuse=may_refuse):
            message = shown(last[0].error.message, 200) if last and last[0].error else ""
            raise StoppedError(
                f"judge {settings.name} gave no answer to any of {tally.failed:,} requests, the last: {message}; "
                "what was judged before is kept, run the same command again once this is mended"
            )

    def _journal(self) -> Journal:
        try:
            return Journal(self.path)
        except RunFolderError as problem:
            raise RunFolderError(
                f"{self.path} is in use by another process that has the same judge score this run; "
                "wait for it, then run the same command again"
            ) from problem

    def _down(self, tally: Tally, *, may_refuse: bool) -> bool:
        """Whether nobody is there: a judge that answers, but refuses some replies, is a judge that fails at these."""
        if tally.replies or not tally.failed:
            return False
        refuses = all(kind.startswith(REFUSED) for kind in tally.failures)
        return not refuses or not (self._answers.places() or may_refuse)

    def _price(self, model: Model) -> Price:
        return self.settings.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out)

    def _asks(self, contents: Mapping[str, C], which: Try) -> Iterator[Ask]:
        for key, about in contents.items():

            async def build(about: C = about) -> Prompt:
                return self.questions.prompt(about, which)

            yield Ask(key, which, build)
