"""The accounts of a run: what came, what it took, what it cost."""

from __future__ import annotations

from array import array
from collections import Counter

import msgspec

from audiometry.records import ReplyRecord
from audiometry.records.model_card import NoLess

PERCENTILES = (50, 90, 99)


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars a million tokens; None: not known."""

    tokens_in: NoLess | None = None
    tokens_out: NoLess | None = None


class Taken(msgspec.Struct):
    """Replies of another run folder: how many, and when the first and the last of them came, UTC, ISO 8601."""

    replies: int
    since: str
    until: str


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Accounts as JSON.

    ``cost_usd`` is None where a price or a token count is missing; ``answered_by`` has the replies by address of a
    model whose addresses share the work, else nothing. ``taken_over`` has by name of the folder what was asked for
    another run: it is among the replies, and in no other account.
    """

    replies: int
    failures: dict[str, int]
    requests: int
    retries: int
    cached: int
    tokens_in: int
    tokens_out: int
    tokens_unknown: int
    cost_usd: float | None
    latency_s: dict[str, float]
    answered_by: dict[str, int] = {}
    taken_over: dict[str, Taken] = {}


class Tally:
    """Counts records as they arrive; four bytes of memory a reply.

    Args:
        price: of the model.
    """

    def __init__(self, price: Price | None = None) -> None:
        self.price = price or Price()
        self.replies = self.requests = self.retries = self.cached = 0
        self.tokens_in = self.tokens_out = self.tokens_unknown = 0
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, ReplyRecord] = {}  # the first failure of each kind
        self.answered_by: Counter[str] = Counter()
        self.taken_over: dict[str, Taken] = {}
        self._latencies = array("f")

    @property
    def failed(self) -> int:
        """How many ended without a reply."""
        return sum(self.failures.values())

    @property
    def done(self) -> int:
        """How many ended, either way."""
        return self.replies + self.failed

    @property
    def cost_usd(self) -> float | None:
        """US dollars so far; None where a price or a token count is missing."""
        if self.price.tokens_in is None or self.price.tokens_out is None or self.tokens_unknown:
            return None
        return (self.tokens_in * self.price.tokens_in + self.tokens_out * self.price.tokens_out) / 1e6

    def add(self, record: ReplyRecord) -> None:
        """Count one record."""
        if record.taken_from:
            self.replies += 1
            taken = self.taken_over.setdefault(record.taken_from, Taken(0, record.at, record.at))
            taken.replies += 1
            taken.since, taken.until = min(taken.since, record.at), max(taken.until, record.at)
            return
        self.requests += record.attempts
        self.retries += max(0, record.attempts - 1)
        if record.error is not None:
            self.failures[record.error.kind] += 1
            self.examples.setdefault(record.error.kind, record)
            return
        self.replies += 1
        if record.cached:
            self.cached += 1
            return
        if record.latency_s is not None:
            self._latencies.append(record.latency_s)
        if record.tokens_in is None or record.tokens_out is None:
            self.tokens_unknown += 1
        self.tokens_in += record.tokens_in or 0
        self.tokens_out += record.tokens_out or 0

    def usage(self) -> Usage:
        """The accounts so far."""
        ordered = sorted(self._latencies)
        latency = {f"p{p}": round(_percentile(ordered, p), 4) for p in PERCENTILES} if ordered else {}
        cost = self.cost_usd
        return Usage(
            replies=self.replies,
            failures=dict(self.failures),
            requests=self.requests,
            retries=self.retries,
            cached=self.cached,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            tokens_unknown=self.tokens_unknown,
            cost_usd=None if cost is None else round(cost, 6),
            latency_s=latency,
            answered_by=dict(self.answered_by),
            taken_over=self.taken_over,
        )


def _percentile(ordered: list[float], percent: float) -> float:
    """Linear interpolation between order statistics, as numpy's default."""
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
