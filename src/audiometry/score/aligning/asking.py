"""Puts contents to a judge and keeps every answer, so that none is asked for twice.

An answer that cannot be read, or that was cut at the limit of its length, is asked for once more, with the format
restated and without a limit (a judge that explains or reasons first may not have come to its letter). What cannot be
read then either is a failure of the judge. Failures to answer at all are asked again the next time, unreadable
answers are not. A judge is tried with one content first: one that refuses a limit is asked for everything without.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from audiometry import models
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.local import Conditions, Dispatcher, StoppedError
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.session import dispatch
from audiometry.dispatch.tally import Price, Tally
from audiometry.errors import shown
from audiometry.files import jsonl
from audiometry.files.journal import Journal
from audiometry.models import Model, ModelSettings
from audiometry.records import Prompt, ReplyRecord
from audiometry.score.aligning import wording
from audiometry.score.aligning.opinion import Opinion, read_opinion
from audiometry.score.aligning.wording import AGAIN, FIRST, Content, Try

MAX_TOKENS = 16  # of a first answer: a letter, however it is dressed
CUT = "length"  # the finish reason of an answer that reached the limit
REFUSED = "http-4"  # begins the kinds of what a server says to a parameter or a text that it does not take
NOT_HERE = "no answer from the judge"


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which judge, and how it is asked; always at temperature 0.

    Attributes:
        name: as ``provider/name``.
        base_urls: where it is served; empty: the provider's address.
        concurrency: the most requests under way; None: its card's.
        rpm, tpm: the most requests, tokens a minute; None: no limit.
        max_tries: requests for one answer before it counts as failed.
        timeout_s: longest wait for one answer, seconds.
        price: of the judge; None: its card's.
    """

    name: str
    base_urls: tuple[str, ...] = ()
    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    max_tries: int = 5
    timeout_s: float = 120.0
    price: Price | None = None


class Follow(msgspec.Struct, frozen=True):
    """Who is told how it goes; see `audiometry.run.execute.execute`."""

    watch: Callable[[ReplyRecord, Tally], None] = lambda _record, _tally: None
    started: Callable[[int, int], None] = lambda _planned, _before: None
    stopping: Callable[[], None] = lambda: None


class JudgingStoppedError(StoppedError):
    """The person stopped it; what the judge answered is kept."""

    exit_code = 130


class Judge:
    """A judge with the journal of a run folder; ``requests`` counts those of this session.

    Args:
        settings: which, and how.
        folder: of the run.

    Raises:
        UsageError: there is no such model, or it cannot be used.
    """

    def __init__(self, settings: JudgeSettings, folder: Path) -> None:
        self.settings = settings
        self.parameters: dict[str, Any] = {which: self._model(which).parameters for which in (FIRST, AGAIN)}
        shaped = msgspec.json.encode([settings.name, self.parameters, wording.prompt_sha256()], order="deterministic")
        name = re.sub(r"[^A-Za-z0-9.]+", "-", settings.name.partition("/")[2]).strip("-.")[:40] or "judge"
        self.slug = f"{name}-{hashlib.sha256(shaped).hexdigest()[:8]}"
        self.path = folder / "judge" / f"align-{self.slug}.jsonl"
        self._kept: dict[tuple[str, str], ReplyRecord] = {}
        self._before: frozenset[tuple[str, str]] = frozenset()
        self._calls: list[ReplyRecord] = []
        self.requests = 0

    def _model(self, which: Try) -> Model:
        settings = self.settings
        wanted = ModelSettings(
            base_urls=settings.base_urls,
            temperature=0.0,
            max_tokens=MAX_TOKENS if which == FIRST else None,
            timeout_s=settings.timeout_s,
            connections=settings.concurrency,
        )
        return models.load(settings.name, wanted)

    def opinions(self, contents: Mapping[str, Content], follow: Follow | None = None) -> dict[str, Opinion]:
        """What the judge says of each content, by key; asked is what has not been answered yet.

        Args:
            contents: by key.
            follow: who is told how it goes.

        Raises:
            JudgingStoppedError: Ctrl-C was pressed.
            StoppedError: nobody answers, or the key was rejected.
            RunFolderError: the journal is damaged, or in use by another process.
        """
        follow = follow or Follow()
        self._read_journal()
        try:
            self._ask_all(contents, follow)
        except JudgingStoppedError:
            left = sum(self._opinion(key, one).how == NOT_HERE for key, one in contents.items())
            raise JudgingStoppedError(
                f"stopped with {left:,} of {len(contents):,} replies left to judge; the same command goes on from here"
            ) from None
        return {key: self._opinion(key, one) for key, one in contents.items()}

    def account(self, contents: Mapping[str, Content]) -> Tally:
        """What the answers about these contents took, in all sessions."""
        tally = Tally(self._price(self._model(FIRST)))
        for record in self._calls:
            if record.item in contents:
                tally.add(record)
        return tally

    def _read_journal(self) -> None:
        self._kept, self._calls = {}, []
        for record in jsonl.read(self.path, ReplyRecord):
            self._take(record)
        self._before = frozenset(self._kept)

    def _take(self, record: ReplyRecord) -> None:
        self._calls.append(record)
        if record.text is not None and record.error is None:
            self._kept[record.item, record.variant] = record

    def _said(self, key: str, which: Try) -> str | None:
        record = self._kept.get((key, which))
        return None if record is None else record.text

    def _unreadable(self, key: str, about: Content) -> bool:
        record = self._kept.get((key, FIRST))
        if record is None:
            return False
        return record.finish_reason == CUT or read_opinion(record.text or "", about.options).failed

    def _opinion(self, key: str, about: Content) -> Opinion:
        said = self._said(key, AGAIN)
        if said is None and not self._unreadable(key, about):
            said = self._said(key, FIRST)
        return Opinion(None, NOT_HERE, failed=True) if said is None else read_opinion(said, about.options)

    def _takes_limit(self) -> bool:
        """Whether the judge takes a limit on the length of its answer, by what it answered so far."""
        variants = {variant for _, variant in self._kept}
        return FIRST in variants or not variants

    def _ask_all(self, contents: Mapping[str, Content], follow: Follow) -> None:
        if not self._kept:
            self._try_one(dict(itertools.islice(contents.items(), 1)), follow)
        unread = contents
        if self._takes_limit():
            self._ask(contents, FIRST, follow)
            unread = {key: one for key, one in contents.items() if self._unreadable(key, one)}
        self._ask(unread, AGAIN, follow)

    def _try_one(self, one: Mapping[str, Content], follow: Follow) -> None:
        quiet = Follow(stopping=follow.stopping)
        self._ask(one, FIRST, quiet, may_refuse=True)
        if not self._kept:
            self._ask(one, AGAIN, quiet, may_refuse=True)

    def _ask(self, contents: Mapping[str, Content], which: Try, follow: Follow, *, may_refuse: bool = False) -> None:
        left = {key: one for key, one in contents.items() if (key, which) not in self._kept}
        if not left:
            return
        model, settings = self._model(which), self.settings
        tally = Tally(self._price(model))
        last: list[ReplyRecord] = []

        def watch(record: ReplyRecord) -> None:
            self._take(record)
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
        with Journal(self.path) as journal:
            dispatcher = Dispatcher(model, journal, conditions, tally=tally, watch=watch)
            try:
                interrupted = dispatch(dispatcher, _asks(left, which), follow.stopping)
            except StoppedError as problem:
                raise StoppedError(f"judge {settings.name}: {problem}") from problem
        if interrupted:
            raise JudgingStoppedError(f"judge {settings.name}: stopped")
        if self._down(tally, may_refuse=may_refuse):
            message = shown(last[0].error.message, 200) if last and last[0].error else ""
            raise StoppedError(
                f"judge {settings.name} gave no answer to any of {tally.failed:,} requests, the last: {message}; "
                "what was judged before is kept, run the same command again once this is mended"
            )

    def _down(self, tally: Tally, *, may_refuse: bool) -> bool:
        """Whether nobody is there: a judge that answers, but refuses some replies, is a judge that fails at these."""
        if tally.replies or not tally.failed:
            return False
        refuses = all(kind.startswith(REFUSED) for kind in tally.failures)
        return not refuses or not (self._kept or may_refuse)

    def _price(self, model: Model) -> Price:
        return self.settings.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out)


def _asks(contents: Mapping[str, Content], which: Try) -> Iterator[Ask]:
    for key, about in contents.items():

        async def build(about: Content = about) -> Prompt:
            return wording.prompt(about, which)

        yield Ask(key, which, build)
