"""What is heard when: all that the sources say of each recording, also in rows that make no item."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

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
        self._longest: dict[str, float] = {}
        for name, some in self._of_recording.items():
            some.sort(key=_start)
            self._longest[name] = max(one.duration_s for one in some)

    def overlapping(self, clip: SourceClip) -> Iterator[SourceClip]:
        """The clips in which a part of this one is heard."""
        some = self._of_recording.get(clip.recording.sha256, [clip])
        longest = self._longest.get(clip.recording.sha256, clip.duration_s)
        begin, end = _start(clip), _start(clip) + clip.duration_s
        for one in some[bisect_left(some, begin - longest, key=_start) :]:
            if _start(one) >= end:
                return
            if one.overlaps(clip):
                yield one

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


def _start(clip: SourceClip) -> float:
    return clip.span[0] if clip.span else 0.0
