"""Replies to the beginning of a clip alone, where a recipe or the model's card cuts longer ones."""

from __future__ import annotations

from audiometry.audio.target import CUT
from audiometry.score.judged import OpenRun, with_own_clips


def n_clips_cut(run: OpenRun) -> int:
    """How many of the replies to its items with their own clips; the last one to each counts."""
    if run.info.audio is None or not run.info.audio.cut:
        return 0
    wanted, variants = set(run.positions), set(with_own_clips(run).info.variants)
    position = run.benchmark.items.position
    last = {
        (record.item, record.variant): any(change.startswith(CUT) for change in record.audio_changes)
        for record in run.folder.replies()
        if record.error is None and record.variant in variants and position(record.item) in wanted
    }
    return sum(last.values())
