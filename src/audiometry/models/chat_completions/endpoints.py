"""Several addresses of one model: who is asked next, and who is left alone for a while.

The address with the fewest requests under way is asked next, so a fast one gets more than a slow one and one that
hangs holds no more than its share. An address that fails is set aside, the longer the oftener in a row, and then
tried with one request. With a single address none of this changes anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType

from audiometry.errors import ModelError
from audiometry.models.chat_completions.address import Address

FIRST_ASIDE_S = 0.5  # doubled with every failure in a row
LONGEST_ASIDE_S = 30.0  # a server that loads a model comes back within minutes


class Endpoint:
    """One address. As a context it holds one request and learns from how that ends.

    Args:
        address: that requests go to.
        clock: seconds, monotonic.

    Attributes:
        address: as given.
        where: for people: host and port, without user or password.
        under_way: requests now.
        answered: requests that ended well.
        asked_at: number of the last request over all addresses; the longest unasked one breaks a tie.
    """

    def __init__(self, address: Address, clock: Callable[[], float] = time.monotonic) -> None:
        self.address, self.where = address, address.where
        self.under_way = self.answered = self.asked_at = 0
        self._clock = clock
        self._failures = 0  # in a row
        self._aside_until = 0.0

    @property
    def usable(self) -> bool:
        """Whether it may be asked now: it answers, or it was left alone long enough and is not being tried yet."""
        return not self._failures or (not self.under_way and self._clock() >= self._aside_until)

    @property
    def rank(self) -> tuple[bool, float, int, int]:
        """The smallest is asked next; of those set aside, the one that comes back first."""
        usable = self.usable
        return (not usable, 0.0 if usable else self._aside_until, self.under_way, self.asked_at)

    def __enter__(self) -> None:
        self.under_way += 1

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.under_way -= 1
        if problem is None:
            self.answered += 1
            self._failures = 0
        elif isinstance(problem, asyncio.CancelledError):  # it took too long
            self._set_aside(None)
        elif isinstance(problem, ModelError):
            if problem.retry:
                self._set_aside(problem.retry_after_s)
            else:  # it took the request and did not like it: the server is well
                self._failures = 0

    def _set_aside(self, asked_s: float | None) -> None:
        now = self._clock()
        if not self._failures or now >= self._aside_until:  # else it is the same outage, met by a request beside it
            self._failures += 1
        own = min(LONGEST_ASIDE_S, FIRST_ASIDE_S * 2.0 ** min(self._failures - 1, 10))
        self._aside_until = max(self._aside_until, now + (own if asked_s is None else asked_s))


class Endpoints:
    """All addresses of a model.

    Args:
        addresses: one or more; the same one twice counts once.
        clock: seconds, monotonic.
    """

    def __init__(self, addresses: Sequence[Address], clock: Callable[[], float] = time.monotonic) -> None:
        self._all = [Endpoint(address, clock) for address in dict.fromkeys(addresses)]
        self._asked = 0
        self.where = ", ".join(endpoint.where for endpoint in self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def answered(self) -> dict[str, int]:
        """Requests that ended well, by address."""
        return {endpoint.where: endpoint.answered for endpoint in self._all}

    def in_turn(self) -> Iterator[Endpoint]:
        """Each address once, the best at the moment first: a request that could not be made goes to the next."""
        left = list(self._all)
        while left:
            best = left[0] if len(left) == 1 else min(left, key=lambda endpoint: endpoint.rank)
            left.remove(best)
            self._asked += 1
            best.asked_at = self._asked
            yield best

    def others_than(self, endpoint: Endpoint) -> bool:
        """Whether another address may be asked now."""
        return any(other.usable for other in self._all if other is not endpoint)
