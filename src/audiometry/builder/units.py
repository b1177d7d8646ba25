"""What is not independent: clips of one group or recording, and mixes that have one of these in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audiometry.builder.clip import SourceClip
from audiometry.builder.items import Made


class Units:
    """Names that belong together, over any number of steps (union-find); each set is called as the first of its names.

    >>> units = Units()
    >>> units.join("a", "b"), units.join("c", "b"), units.first("c"), units.first("d")
    (None, None, 'c', 'd')
    """

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def first(self, name: str) -> str:
        """The name of all that belongs together with this one."""
        while (above := self._above.setdefault(name, name)) != name:
            self._above[name] = name = self._above.setdefault(above, above)
        return name

    def join(self, one: str, other: str) -> None:
        """Say that two belong together."""
        self._above[self.first(other)] = self.first(one)


def unit(clip: SourceClip) -> str:
    """What a clip shares with others that are not independent of it: its group, else its recording."""
    return clip.group or clip.recording.sha256[:16]


def clusters(made: Sequence[Made]) -> dict[str, str]:
    """The group of each item, by its id: items with a group or recording of either of their clips in common are one.

    Mixes chain: of a with b, and of b with c, are one cluster, since a resampling of independent clusters may take
    none of the three apart. An item about a whole recording that is alone with it has an empty group: its clip is it.

    Args:
        made: all items of a benchmark, whatever their tasks.
    """
    units, spans = Units(), set[str]()
    for one in made:
        own = _of(one.clip)
        for other in own[1:]:
            units.join(own[0], other)
        if one.clip.group or one.clip.parts or not one.clip.whole:
            spans.update(own)
    named, out = dict[str, str](), dict[str, str]()
    joined = {units.first(name) for name in spans}
    for one in made:
        own = _of(one.clip)
        first = units.first(own[0])
        out[one.item.id] = named.setdefault(first, own[0]) if first in joined else ""
    return out


def _of(clip: SourceClip) -> tuple[str, ...]:
    return clip.parts or (unit(clip),)


def blocks(a: Iterable[SourceClip], b: Iterable[SourceClip], order: Sequence[str]) -> dict[str, int]:
    """For each unit of two sources the number of its block: clips that are mixed within blocks alone stay independent.

    There are as many blocks as the source with fewer units has, and each has a unit of both.

    Args:
        a: clips of the first.
        b: clips of the second.
        order: all units, in the order in which they are dealt.
    """
    of = [{unit(one) for one in some} for some in (a, b)]
    n = min(map(len, of))
    both = [name for name in order if name in of[0] & of[1]]
    out = {name: place % n for place, name in enumerate(both)}
    for own in of:
        held = {block for name, block in out.items() if name in own}
        free = [block for block in range(n) if block not in held]
        rest = [name for name in order if name in own and name not in out]
        out |= {name: (free[place] if place < len(free) else place % n) for place, name in enumerate(rest)}
    return out
