"""Which judge is asked and how, and who is told how it goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.stopped import PersonStoppedError
from audiometry.dispatch.tally import Price, Tally
from audiometry.files.secrets import Scrubber
from audiometry.models.settings import ModelSettings
from audiometry.records import ModelCard, ReplyRecord

DOES: Final = {
    "judge": ("judge", "judged", "score this run"),
    "writer": ("write", "written", "write for this build"),
}
"""By role: what is done, what was done, and what it does in words."""


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which model is asked in words alone, and how; its temperature is stated unless its card says that it takes none.

    Attributes:
        name: as ``provider/name``.
        role: what it is asked as, for people: it judges replies, or writes the questions of a benchmark.
        temperature: of its answers; a judge's is 0.
        base_urls: where it is served; empty: the provider's address.
        proxy: see `ModelSettings`.
        concurrency: the most requests under way; None: its card's.
        rpm, tpm: the most requests, tokens a minute; None: no limit.
        max_tries: requests for one answer before it counts as failed.
        timeout_s: longest wait for one answer, seconds.
        price: of the judge; None: its card's.
        card: path of a model card that replaces the built-in one; empty: built in.
        extra: see `ModelSettings`.
        cache: path of a reply cache that several runs may share; empty for none.
    """

    name: str
    role: Literal["judge", "writer"] = "judge"
    temperature: float = 0.0
    base_urls: tuple[str, ...] = ()
    proxy: str = ""
    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    max_tries: int = 5
    timeout_s: float = 120.0
    price: Price | None = None
    card: str = ""
    extra: Mapping[str, Any] = {}
    cache: str = ""

    def conditions(self, card: ModelCard) -> Conditions:
        """Under which a model with that card is asked."""
        return Conditions(
            concurrency=self.concurrency or card.concurrency,
            requests_per_minute=self.rpm,
            tokens_per_minute=self.tpm,
            timeout_s=self.timeout_s,
            retry=RetryPolicy(max_tries=self.max_tries),
        )

    def of_model(self, **more: Any) -> ModelSettings:
        """How that model is reached, with what a use of it says more."""
        return ModelSettings(
            **{
                "base_urls": self.base_urls,
                "proxy": self.proxy,
                "card": self.card,
                "extra": self.extra,
                "timeout_s": self.timeout_s,
                "connections": self.concurrency,
                **more,
            }
        )


def slug_of(judge: str) -> str:
    """A judge's name as a piece of a file name."""
    name = Scrubber().text(judge.partition("/")[2])
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:40] or "judge"


class Follow(msgspec.Struct, frozen=True):
    """Who is told how it goes; see `audiometry.run.execute.execute`."""

    watch: Callable[[ReplyRecord, Tally], None] = lambda _record, _tally: None
    started: Callable[[int, int], None] = lambda _planned, _before: None
    stopping: Callable[[], None] = lambda: None


class JudgingStoppedError(PersonStoppedError):
    """The person stopped it; what the judge answered is kept."""
