"""The last step of the recipe: read back what was written."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import soundfile

from audiometry import bench
from audiometry.records import Item

MOST_BYTES = 12_000_000
FEWEST_ITEMS, FEWEST_A_TASK = 600, 40


def verify(folder: Path) -> None:
    """Check a built folder.

    Raises:
        audiometry.errors.BenchmarkError: a line of the metadata or the card cannot be used.
        ValueError: anything else that is wrong, all of it in one message.
    """
    items = list(bench.load(str(folder)))
    wrong = [f"{i.id}: {problem}" for i in items for problem in clip_problems(folder, i)]
    letters: dict[str, Counter[int]] = defaultdict(Counter)
    for item in items:
        letters[item.task].update(dict.fromkeys(range(len(item.options)), 0))
        letters[item.task][item.options.index(item.answer or "")] += 1
    for task, counts in letters.items():
        if max(counts.values()) - min(counts.values()) > 1:
            wrong.append(f"{task}: answer letters {dict(counts)}")
        if counts.total() < FEWEST_A_TASK:
            wrong.append(f"{task}: {counts.total()} items")
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    if size > MOST_BYTES:
        wrong.append(f"{size} bytes in all, {MOST_BYTES} is the most")
    if len(items) < FEWEST_ITEMS:
        wrong.append(f"{len(items)} items, {FEWEST_ITEMS} is the fewest")
    if wrong:
        raise ValueError("; ".join(wrong))


def clip_problems(folder: Path, item: Item) -> list[str]:
    """What is wrong with an item's clip."""
    data = (folder / item.file_name).read_bytes()
    if hashlib.sha256(data).hexdigest() != item.sha256:
        return ["the clip is not the one that was hashed"]
    samples, _ = soundfile.read(folder / item.file_name)
    if not np.isfinite(samples).all() or np.abs(samples).max() > 1.0:
        return ["the clip is clipped or holds what is not a number"]
    return [] if np.abs(samples).max() > 0.01 else ["the clip is silent"]
