"""In which order a writer is asked about clips, so that as many items of each kind are made as of any other."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final

import msgspec

from audiometry.builder.clip import SourceClip
from audiometry.builder.make import Hand

_MOST_AT_ONCE: Final = 10  # doublings of what is asked for of a stratum of which nothing is good enough


class Wish(msgspec.Struct, frozen=True):
    """What is to be written about a clip.

    Attributes:
        clip: that it is about.
        about: what the make wants to know again when the reply is there: a question, an answer, an ability.
        stratum: of which as many are wanted as of any other.
        spare: it is asked only where its stratum has no other wish left.
    """

    clip: SourceClip
    about: tuple[str, ...] = ()
    stratum: str = ""
    spare: bool = False


class Queues:
    """Wishes in the order in which they are granted, each stratum for itself.

    Of one clip no more wishes are under way or granted than it may have items, so that what is left of others is a
    spare of theirs.

    Args:
        hand: of the task.
        wishes: all there are.
    """

    def __init__(self, hand: Hand, wishes: Sequence[Wish]) -> None:
        order = list(enumerate(wishes))
        if hand.task.n:
            order.sort(key=lambda one: _turn(hand, one[1]))
        self._each = max(1, hand.task.per_clip)
        self._of: dict[str, deque[tuple[int, Wish]]] = {}
        for place, one in order:
            self._of.setdefault(one.stratum, deque()).append((place, one))
        self._granted, self._under_way = Counter[str](), Counter[str]()
        self._in_vain = Counter[str]()

    def lacking(self, n: int, made: Mapping[str, int]) -> int:
        """How many more are needed for ``n`` of which there are as many of each stratum as can be had.

        Args:
            n: items that are wanted.
            made: how many there are of each stratum; what some have too many does not stand in for others.
        """
        is_open = {name for name, some in self._of.items() if some}
        level = -(-n // max(1, len(self._of)))
        while is_open and level < n and self._had(level, made, is_open) < n:
            level += 1
        return n - sum(min(level, made.get(name, 0)) for name in self._of)

    def _had(self, level: int, made: Mapping[str, int], is_open: Container[str]) -> int:
        return sum(level if name in is_open else min(level, made.get(name, 0)) for name in self._of)

    def taken(self, n: int, made: Mapping[str, int]) -> list[Wish]:
        """The next wishes, of the strata of which the fewest were made, in the order of their clips.

        Args:
            n: how many are wanted; of a stratum of which nothing was made in the rounds before, twice as many each
                time, so that a thousand clips of which nothing comes are not a thousand rounds.
            made: how many there are of each stratum.
        """
        heap = [(made.get(name, 0), name) for name, some in self._of.items() if some]
        heapq.heapify(heap)
        held = dict[str, list[tuple[int, Wish]]]()
        out = list[tuple[int, Wish]]()
        while heap and len(out) < n:
            count, name = heap[0]
            if (one := self._next(name, held)) is None:
                heapq.heappop(heap)
            else:
                out.append(one)
                heapq.heapreplace(heap, (count + 1, name))
        for name, count in Counter(one.stratum for _, one in out).items():
            more = (self._next(name, held) for _ in range(count * (2 ** self._in_vain[name] - 1)))
            out += [one for one in more if one is not None]
        for name, some in held.items():
            self._of[name].extendleft(reversed(some))
        return [wish for _, wish in sorted(out, key=itemgetter(0))]

    def _next(self, name: str, held: dict[str, list[tuple[int, Wish]]]) -> tuple[int, Wish] | None:
        """The next of a stratum whose clip may have another item; those that wait for their clip are held."""
        queue = self._of[name]
        while queue:
            one = queue.popleft()
            key = one[1].clip.key
            if self._granted[key] >= self._each:
                continue
            if self._granted[key] + self._under_way[key] < self._each:
                self._under_way[key] += 1
                return one
            held.setdefault(name, []).append(one)
        return None

    def told(self, round_of: Iterable[tuple[Wish, bool]]) -> None:
        """What became of the wishes of a round: whether an item was made of each."""
        asked, good = set[str](), set[str]()
        for wish, is_good in round_of:
            self._granted[wish.clip.key] += is_good
            asked.add(wish.stratum)
            good |= {wish.stratum} if is_good else set()
        self._under_way.clear()
        for name in asked:
            self._in_vain[name] = 0 if name in good else min(_MOST_AT_ONCE, self._in_vain[name] + 1)


def _turn(hand: Hand, wish: Wish) -> tuple[int, bool, float]:
    return wish.clip.batch, wish.spare, hand.draw("turn", wish.clip, *wish.about).random()


def spread(choices: Sequence[Sequence[str]], each: int) -> list[list[str]]:
    """For each clip some of the things that it may be asked for, so that each is asked for as often as may be.

    Those that may be asked for least come first, so that what they are asked for is not given to others too.

    >>> spread([["a", "b"], ["a", "b"], ["a"], ["a"]], 1)
    [['b'], ['b'], ['a'], ['a']]
    """
    counts, out = Counter[str](), [list[str]() for _ in choices]
    for place in sorted(range(len(choices)), key=lambda place: len(choices[place])):
        own = choices[place]
        out[place] = sorted(own, key=lambda name: (counts[name], own.index(name)))[:each]
        counts.update(out[place])
    return out
