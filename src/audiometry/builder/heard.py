"""What is heard when: all that the sources say of each recording, also in rows that make no item."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from audiometry.builder.clip import SourceClip


class Heard:
    """All that is known of the recordings, whatever its source or split.

    Args:
        clips: any; one of a recording that is not among them is taken for all that is known of it.
        sometime: of which it is not known at what time they are heard.
    """

    def __init__(self, clips: Iterable[SourceClip], sometime: Iterable[SourceClip] = ()) -> None:
        self._sometime: dict[str, list[SourceClip]] = {}
        for clip in sometime:
            self._sometime.setdefault(clip.recording.sha256, []).append(clip)
        self._of_recording: dict[str, list[SourceClip]] = {}
        for clip in clips:
            self._of_recording.setdefault(clip.recording.sha256, []).append(clip)
        self._beside: dict[str, dict[str, list[SourceClip]]] = {}

    def overlapping(self, clip: SourceClip) -> Iterable[SourceClip]:
        """The clips in which a part of this one is heard, in the order of their starts."""
        name = clip.recording.sha256
        some = self._of_recording.get(name)
        if some is None:
            return [clip]
        if name not in self._beside:
            some.sort(key=_start)
            self._beside[name] = _overlaps(some)
        found = self._beside[name].get(clip.key)
        return (one for one in some if one.overlaps(clip)) if found is None else found

    def true_of(self, clip: SourceClip, fact: str) -> tuple[str, ...]:
        """All values of a fact that hold of a clip, by its own rows and by those of clips that overlap it."""
        found = (value for one in self.overlapping(clip) for value in one.facts.get(fact, ()))
        return tuple(dict.fromkeys((*clip.facts.get(fact, ()), *found)))

    def may_be_true_of(self, clip: SourceClip, fact: str) -> tuple[str, ...]:
        """These, and the values of what is heard in its recording nobody knows when."""
        return tuple(dict.fromkeys((*self.true_of(clip, fact), *self.sometime_of(clip, fact))))

    def sometime_of(self, clip: SourceClip, fact: str) -> list[str]:
        """The values of what is heard in its recording nobody knows when."""
        return [value for one in self._sometime.get(clip.recording.sha256, ()) for value in one.facts.get(fact, ())]


def _overlaps(clips: Sequence[SourceClip]) -> dict[str, list[SourceClip]]:
    """For each clip of a recording, by its key, those that it overlaps: a sweep over their starts and ends.

    It looks at no two that do not meet in time, so that one long clip beside many short ones costs as many steps.

    Args:
        clips: in the order of their starts.
    """
    found: list[list[int]] = [[] for _ in clips]
    under_way: list[tuple[float, int]] = []  # by their ends
    for place, clip in enumerate(clips):
        begin = _start(clip)
        while under_way and under_way[0][0] <= begin:
            heapq.heappop(under_way)
        for _, other in under_way:
            if clip.overlaps(clips[other]):
                found[place].append(other)
                found[other].append(place)
        found[place].append(place)
        heapq.heappush(under_way, (begin + clip.duration_s, place))
    return {clip.key: [clips[other] for other in sorted(own)] for clip, own in zip(clips, found, strict=True)}


def _start(clip: SourceClip) -> float:
    return clip.span[0] if clip.span else 0.0
