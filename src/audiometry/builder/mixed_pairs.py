"""Pairs of clips drawn by a seed, each with the plan of its mix: labels balanced, levels and onsets from ranges."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from audiometry import seeds
from audiometry.audio.loudness import LOWEST_RATE
from audiometry.audio.mixing import LONGEST_OFFSET_S, MOST_LU, MixPlan, Which
from audiometry.builder.clip import SourceClip
from audiometry.errors import BenchmarkError

LEAST_LU: Final = 3.0
"""What two clips differ by at least where one is called louder."""
LEAST_OFFSET_S: Final = 0.5
"""What they begin apart at least where one is called ahead."""
MOST_OF_FIRST: Final = 0.8
"""Share of the first clip after which the second has begun."""
_SIDES: Final[tuple[Which, Which]] = ("a", "b")
_CORNERS: Final[tuple[tuple[Which, Which], ...]] = (("a", "a"), ("b", "b"), ("a", "b"), ("b", "a"))


class HowMixed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From what the mixes of a set are drawn.

    Attributes:
        by: the range of level differences, LU, of pairs that are not equally loud.
        offset: the range of offsets, seconds, of pairs that do not start together; below 80 % of the first clip.
        equal: share of pairs that are equally loud, and share of pairs that start together.
        rate: of the mixes, Hz; 0: the higher one of each pair.
    """

    by: tuple[float, float] = (LEAST_LU, 12.0)
    offset: tuple[float, float] = (LEAST_OFFSET_S, 3.0)
    equal: float = 0.2
    rate: int = 0

    def slips(self) -> Iterator[str]:
        """What is wrong with it, and what to do."""
        for name, (low, high), least, most, unit in (
            ("by", self.by, LEAST_LU, MOST_LU, "LU"),
            ("offset", self.offset, LEAST_OFFSET_S, LONGEST_OFFSET_S, "s"),
        ):
            if not least <= low <= high <= most:
                yield f"has {name} = [{low:g}, {high:g}]; from {least:g} to {most:g} {unit} are meant, the lower first"
        if not 0 <= self.equal <= 1:
            yield f"has equal = {self.equal:g}; a share is meant, 0 to 1"
        if self.rate and self.rate < LOWEST_RATE:
            yield f"has rate = {self.rate}; {LOWEST_RATE} Hz or more is meant, 0 for the higher one of each pair"


class DrawnPair(msgspec.Struct, frozen=True):
    """Two clips and what is to be made of them."""

    id: str
    a: SourceClip
    b: SourceClip
    plan: MixPlan


def draw_pairs(
    a: Sequence[SourceClip],
    b: Sequence[SourceClip],
    n: int,
    how: HowMixed,
    *,
    seed: int,
    block: Callable[[SourceClip], int] | None = None,
) -> list[DrawnPair]:
    """Pairs of which any two that are not equal are a louder and b louder, a ahead and b ahead, as often as each other.

    The counts of ``louder`` differ by 1 at most, those of ``ahead`` too, and those of both together. Clips are taken in
    rounds: no clip comes again before each other one of its kind has come.

    Args:
        a: clips of the first source.
        b: of the second; may be the same.
        n: how many pairs.
        how: see `HowMixed`.
        seed: of all that is drawn.
        block: clips are mixed with those of their block, so that mixes of two blocks have none in common, as long as
            one of it is long enough; None: with any.

    Raises:
        BenchmarkError: no clip is long enough to start first, or there are no two different clips.
    """
    decks = _Decks(a, b, how, seed, block)
    width = max(5, len(str(n)))
    return [
        _pair(f"{number:0{width}}", louder, ahead, decks, how, seed)
        for number, (louder, ahead) in enumerate(_labels(n, how.equal, seed), 1)
    ]


def _pair(
    name: str,
    louder: Which,
    ahead: Which,
    decks: _Decks,
    how: HowMixed,
    seed: int,
) -> DrawnPair:
    draw = seeds.stream(seed, "mix", name)
    first, second = decks.next(ahead)
    by = 0.0 if louder == "equal" else round(how.by[0] + draw.random() * (how.by[1] - how.by[0]), 2)
    low, high = how.offset
    high = min(high, MOST_OF_FIRST * (second if ahead == "b" else first).duration_s)
    # to the millisecond below, so that it is nowhere above
    offset = 0.0 if ahead == "equal" else max(low, math.floor(1000 * (low + draw.random() * (high - low))) / 1000)
    plan = MixPlan(louder=louder, level_difference_db=by, ahead=ahead, offset_s=offset, rate=how.rate or None)
    return DrawnPair(name, first, second, plan)


def _labels(n: int, equal: float, seed: int) -> list[tuple[Which, Which]]:
    """Which is louder and which is ahead in each pair, shuffled."""
    same = round(n * equal)
    both = max(round(n * equal * equal), 2 * same - n)
    unequal = n - 2 * same + both
    # What four do not share evenly goes to pairs of labels that balance each other, the odd ones against them.
    louder_too = 1 if unequal % 4 in {1, 3} else 0  # a is louder once more
    ahead_too = 1 if unequal % 4 == 1 else 0  # a is ahead once more; of three, b is
    out: list[tuple[Which, Which]] = []
    out.extend(_CORNERS[k % 4] for k in range(unequal))
    out.extend((_SIDES[(louder_too + k) % 2], "equal") for k in range(same - both))
    out.extend(("equal", _SIDES[(ahead_too + k) % 2]) for k in range(same - both))
    out.extend(("equal", "equal") for _ in range(both))
    return seeds.stream(seed, "mix", "labels").shuffled(out)


class _Decks:
    """Clips of both sources, those that start first and those that do not, of all blocks and of each."""

    def __init__(
        self,
        a: Sequence[SourceClip],
        b: Sequence[SourceClip],
        how: HowMixed,
        seed: int,
        block: Callable[[SourceClip], int] | None,
    ) -> None:
        self._block = block
        both = (False, True)
        self._a = {first: _Deck("a", a, how, seed, first=first, block=block) for first in both}
        self._b = {first: _Deck("b", b, how, seed, first=first) for first in both}
        of = dict[int, list[SourceClip]]()
        for clip in b if block is not None else ():
            of.setdefault(block(clip), []).append(clip)  # type: ignore[misc]  # there is one
        self._within = {
            (number, first): _Deck(f"b {number}", some, how, seed, first=first)
            for number, some in of.items()
            for first in both
        }

    def next(self, ahead: Which) -> tuple[SourceClip, SourceClip]:
        """The next clip of a, and of b one to be mixed with it."""
        found = self._a[ahead == "a"].next()
        if self._block is not None and (deck := self._within.get((self._block(found), ahead == "b"))) is not None:
            with contextlib.suppress(BenchmarkError):  # none of its block will do
                return found, deck.next(other_than=found)
        return found, self._b[ahead == "b"].next(other_than=found)


class _Deck:
    """Clips in a random order, and in another when all have come.

    Args:
        name: of their source in messages.
        clips: all there are.
        how: says how long a clip that starts first has to be.
        seed: of the orders.
        first: whether they start first.
        block: of one after the other the next clip comes; None: there are none.
    """

    def __init__(
        self,
        name: str,
        clips: Sequence[SourceClip],
        how: HowMixed,
        seed: int,
        *,
        first: bool,
        block: Callable[[SourceClip], int] | None = None,
    ) -> None:
        self._block = block
        self._clips = [one for one in clips if not first or MOST_OF_FIRST * one.duration_s > how.offset[0]]
        self._draw = seeds.stream(seed, "mix", name, "first" if first else "any")
        self._ahead: list[SourceClip] = []
        long = (
            f" longer than {how.offset[0] / MOST_OF_FIRST:g} s, so that the other can start {how.offset[0]:g} s later"
        )
        self._lack = f"the source {name} has no clip{long if first else ''}"

    def next(self, other_than: SourceClip | None = None) -> SourceClip:
        """The next clip; of the same recording's none."""
        aside = list[SourceClip]()
        for _ in range(len(self._clips) + len(self._ahead)):
            if not self._ahead:
                self._ahead = self._in_turn(self._draw.shuffled(self._clips))
            found = self._ahead.pop()
            if other_than is None or found.recording.sha256 != other_than.recording.sha256:
                self._ahead += reversed(aside)
                return found
            aside.append(found)
        raise self._none()

    def _in_turn(self, clips: list[SourceClip]) -> list[SourceClip]:
        """In an order in which no block comes again before all others have; the last comes first."""
        if self._block is None:
            return clips
        before, turns = Counter[int](), list[int]()
        for clip in clips:
            turns.append(before[self._block(clip)])
            before[self._block(clip)] += 1
        return [clips[place] for place in sorted(range(len(clips)), key=lambda place: -turns[place])]

    def _none(self) -> BenchmarkError:
        return BenchmarkError(f"{self._lack}{' but the one it would be mixed with' if self._clips else ''}; add some")
