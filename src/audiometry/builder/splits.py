"""No group and no recording in two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from audiometry.builder.clip import SourceClip
from audiometry.builder.units import Units
from audiometry.errors import shown
from audiometry.files.build_folder import Rejected


def settled(
    clips: Sequence[SourceClip], splits: Sequence[str], shared: Iterable[Sequence[str]] = ()
) -> tuple[list[SourceClip], list[Rejected]]:
    """The clips of which each group and each recording stands in one split, and those left over.

    What shares a group or a recording stays together, over any number of steps: it goes where most of its clips are,
    and is one group, called as the first of them.

    Args:
        clips: any; those of other splits are left in them.
        splits: that are used; the last of two alike in number wins.
        shared: groups that are one.
    """
    units = Units()
    first = units.first
    for clip in clips:
        if clip.group:
            units.join(clip.recording.sha256, f"group {clip.group}")
    for one, *others in shared:
        for other in others:
            units.join(f"group {one}", f"group {other}")
    counts: dict[str, Counter[str]] = {}
    groups: dict[str, str] = {}
    for clip in clips:
        unit = first(clip.recording.sha256)
        groups[unit] = groups.get(unit) or clip.group
        if clip.split in splits:
            counts.setdefault(unit, Counter())[clip.split] += 1
    wins = {name: max(there, key=lambda one: (there[one], splits.index(one))) for name, there in counts.items()}
    kept, rejected = list[SourceClip](), list[Rejected]()
    for clip in clips:
        unit = first(clip.recording.sha256)
        own = wins[unit] if clip.split in splits else clip.split
        if clip.split == own:
            kept.append(clip if clip.group == groups[unit] else replace(clip, group=groups[unit]))
            continue
        what = f"group '{shown(clip.group, 40)}'" if clip.group else "recording"
        reason = f"is in the split {shown(clip.split, 40)}, but most of its {what} is in {shown(own, 40)}"
        rejected.append(Rejected(rule="two-splits", reason=reason, where=f"{clip.source}, row {clip.rows}"))
    return kept, rejected
