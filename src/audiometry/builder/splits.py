"""No group and no clip in two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audiometry.builder.clip import SourceClip
from audiometry.errors import shown
from audiometry.files.build_folder import Rejected


def settled(clips: Sequence[SourceClip], splits: Sequence[str]) -> tuple[list[SourceClip], list[Rejected]]:
    """The clips of which each group, or recording where none is known, stands in one split, and those left over.

    What shares a group or a clip stays together, over any number of steps; it goes where most of its clips are.

    Args:
        clips: any; those of other splits are left as they are.
        splits: that are used; the last of two alike in number wins.
    """
    whole: dict[str, str] = {}  # union-find: the first thing known of what shares a split

    def first(name: str) -> str:
        while (above := whole.setdefault(name, name)) != name:
            whole[name] = name = whole.setdefault(above, above)
        return name

    used = [clip for clip in clips if clip.split in splits]
    for clip in used:
        whole[first(f"clip {clip.key}")] = first(_unit(clip))
    counts: dict[str, Counter[str]] = {}
    for clip in used:
        counts.setdefault(first(_unit(clip)), Counter())[clip.split] += 1
    wins = {name: max(there, key=lambda one: (there[one], splits.index(one))) for name, there in counts.items()}
    kept, rejected = list[SourceClip](), list[Rejected]()
    for clip in clips:
        own = wins[first(_unit(clip))] if clip.split in splits else clip.split
        if clip.split == own:
            kept.append(clip)
            continue
        what = f"group '{shown(clip.group, 40)}'" if clip.group else "recording"
        reason = f"is in the split {shown(clip.split, 40)}, but most of its {what} is in {shown(own, 40)}"
        rejected.append(Rejected(rule="two-splits", reason=reason, where=f"{clip.source}, row {clip.rows}"))
    return kept, rejected


def _unit(clip: SourceClip) -> str:
    return f"group {clip.group}" if clip.group else f"recording {clip.recording.sha256}"
