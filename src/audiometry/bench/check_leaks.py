"""Answers that give themselves away: rules that hear nothing, and how well they do.

A rule that learns (which answer is frequent, which goes with a file size) is asked before it is told: it goes
through the items in a random order and knows only the answers of those before. If right answers are drawn
evenly from the options, each guess is then right with probability 1 / options whatever came
before, so the binomial test is exact; no item is held out and none is counted twice. Such a rule sees one
item of each cluster, drawn at random. Where a rule cannot name exactly one option it is not counted.

Source: Dawid 1984, Journal of the Royal Statistical Society A 147, 278-292 (prequential assessment).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from audiometry import seeds
from audiometry.bench.check_clip import ClipFacts
from audiometry.bench.check_labels import LEVEL, scored
from audiometry.bench.findings import Finding, Guess, Severity, finding
from audiometry.records import Item

GAIN: Final = 0.05
"""Accuracy above chance from which a leak is worth a line, however small its p."""

_BUCKETS: Final = 5
_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")

Rule: TypeAlias = Callable[[Item], int | None]
Key: TypeAlias = Callable[[Item], object]

_HINTS: Final = {
    "longest option": "make the wrong options as long as the right one",
    "shortest option": "make the wrong options as long as the right one",
    "named in the file name": "rename the clips",
    "named in the question": "reword the questions",
    "most frequent answer": "balance the answers",
    "most often right when offered": "draw wrong options from the answers of other items",
    "file-name prefix": "rename the clips",
    "file size": "cut clips to like lengths, or convert all to one format",
    "clip length": "cut clips to like lengths, unless length is the question",
    "file format": "convert all clips to one rate, channel count and format",
}
_UNFLAGGED: Final = frozenset({"first option", "last option"})
"""Reported in the table; the test of all places says it in one line."""
_NOTES: Final = frozenset({"file size", "clip length"})
"""May be what is asked (how long, how many); so a note."""
_KEYED: Final = frozenset({"file-name prefix", "file size", "clip length", "file format"})
"""Rules that also profit from a frequent answer: they are blamed only for what goes beyond it."""


def guesses(
    tasks: Mapping[str, Sequence[Item]], clips: Mapping[str, ClipFacts], seed: int
) -> tuple[dict[str, dict[str, Guess]], list[Finding]]:
    """For each task how well each rule does, and the leaks that this shows."""
    from audiometry.stats.chance import above_chance  # numpy: who only lists benchmarks should not pay for it
    from audiometry.stats.multiplicity import holm

    tables: dict[tuple[str, str], list[tuple[Item, bool]]] = {}
    by_task = {task: scored(items) for task, items in tasks.items()}
    guessed = {task: math.fsum(1 / len(i.options) for i in usable) for task, usable in by_task.items()}
    for task, usable in by_task.items():
        for name, told in _plain(usable).items():
            tables[task, name] = told
        for name, told in _learned(usable, clips, seed, task).items():
            tables[task, name] = told
    tables = {key: told for key, told in tables.items() if told}
    chances = {key: [1 / len(i.options) for i, _ in told] for key, told in tables.items()}
    p = [above_chance(sum(r for _, r in told), chances[key]) for key, told in tables.items()]
    out: dict[str, dict[str, Guess]] = {task: {} for task in tasks}
    for ((task, name), told), one, corrected in zip(tables.items(), p, holm(p), strict=True):
        right, by_chance, n = sum(r for _, r in told), math.fsum(chances[task, name]), len(by_task[task])
        out[task][name] = Guess(
            n=len(told),
            right=right,
            accuracy=right / len(told),
            chance=by_chance / len(told),
            overall=(right + guessed[task] - by_chance) / n,
            overall_chance=guessed[task] / n,
            p=one,
            p_corrected=corrected,
        )
    found = [f for task in tasks for name in out[task] for f in _finding(task, name, out[task][name], tables)]
    return out, found


def _finding(
    task: str, name: str, guess: Guess, tables: Mapping[tuple[str, str], list[tuple[Item, bool]]]
) -> Iterator[Finding]:
    if name in _UNFLAGGED or guess.p_corrected >= LEVEL or guess.accuracy - guess.chance < GAIN:
        return
    told = tables[task, name]
    if name in _KEYED and not _beats(told, tables.get((task, "most frequent answer"), [])):
        return
    what = (
        f"answers without listening: '{name}' is right in {guess.right} of {guess.n} ({100 * guess.accuracy:.1f} %, "
        f"chance {100 * guess.chance:.1f} %, p = {guess.p_corrected:.2g})"
    )
    severity: Severity = "note" if name in _NOTES else "warning"
    yield finding(severity, name.replace(" ", "-"), task, what, _HINTS[name], tuple(i.id for i, right in told if right))


def _beats(told: list[tuple[Item, bool]], plain: list[tuple[Item, bool]]) -> bool:
    """Whether a rule is right where the frequent answer is wrong clearly more often than the other way round."""
    from audiometry.stats.chance import above_chance

    other = {i.id: right for i, right in plain}
    pairs = [(right, other.get(i.id, False)) for i, right in told]
    better, worse = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    return above_chance(better, [0.5] * (better + worse)) < LEVEL


def _plain(items: Sequence[Item]) -> dict[str, list[tuple[Item, bool]]]:
    """Rules that look at one item alone."""
    rules: dict[str, Rule] = {
        "longest option": lambda i: _only_largest([len(o) for o in i.options]),
        "shortest option": lambda i: _only_largest([-len(o) for o in i.options]),
        "first option": lambda _: 0,
        "last option": lambda i: len(i.options) - 1,
        "named in the question": lambda i: _named(i, words(i.question)),
        "named in the file name": lambda i: _named(i, words(" ".join(i.clips))),
    }
    out = {}
    for name, rule in rules.items():
        picks = [(i, rule(i)) for i in items]
        out[name] = [(i, i.options[pick] == i.answer) for i, pick in picks if pick is not None]
    return out


def _learned(
    items: Sequence[Item], clips: Mapping[str, ClipFacts], seed: int, task: str
) -> dict[str, list[tuple[Item, bool]]]:
    """Rules that learn from the answers of the items before."""
    shuffled = seeds.stream(seed, "check", "order", task).shuffled(items)
    order = list({i.cluster: i for i in reversed(shuffled)}.values())[::-1]  # any item of each, since tables are sorted
    size, length = _bucket(items, clips, lambda c: c.bytes), _bucket(items, clips, _duration)
    keys: dict[str, Key] = {
        "most frequent answer": lambda _: 0,
        "file-name prefix": prefix,
        "file size": size,
        "clip length": length,
        "file format": lambda i: _format(i, clips),
    }
    out = {}
    for name, key in keys.items():
        heard = [(i, k) for i in order if (k := key(i)) is not None]
        if len({k for _, k in heard}) > 1 or name == "most frequent answer":
            out[name] = _frequent(heard)
    out["most often right when offered"] = _offered(order)
    return out


def _frequent(items: Sequence[tuple[Item, object]]) -> list[tuple[Item, bool]]:
    """Names the option that was most often right before, among items with the same key."""
    seen: dict[object, Counter[str]] = {}
    out = []
    for item, key in items:
        before = seen.setdefault(key, Counter())
        pick = _only_largest([before[o] for o in item.options])
        if pick is not None:
            out.append((item, item.options[pick] == item.answer))
        before[item.answer or ""] += 1
    return out


def _offered(items: Sequence[Item]) -> list[tuple[Item, bool]]:
    """Names the option with the highest share of being right among the items before that offered it."""
    right: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    out = []
    for item in items:
        prior = 1 / len(item.options)
        pick = _only_largest([(right[o] + prior) / (offered[o] + 1) for o in item.options])
        if pick is not None:
            out.append((item, item.options[pick] == item.answer))
        right[item.answer or ""] += 1
        offered.update(item.options)
    return out


def _only_largest(values: Sequence[float]) -> int | None:
    """The place of the largest value; None if it is not alone."""
    largest = max(values)
    return values.index(largest) if values.count(largest) == 1 else None


@lru_cache(maxsize=1 << 14)  # options come again and again
def words(text: str) -> tuple[str, ...]:
    """Words and numbers in lower case; ``dogBark_03.wav`` gives dog, bark, 03, wav."""
    return tuple(w.casefold() for w in _WORDS.findall(_CAMEL.sub(" ", text)))


def _named(item: Item, text: tuple[str, ...]) -> int | None:
    """The one option whose words stand in a text; of options that contain one another the longest."""
    spelled = [words(o) for o in item.options]
    held = [len(s) if s and holds(text, s) else 0 for s in spelled]
    return _only_largest(held) if any(held) else None


def holds(text: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether words stand in others, one after the other."""
    return part[0] in text and any(text[i : i + len(part)] == part for i in range(len(text) - len(part) + 1))


def prefix(item: Item) -> str | None:
    """What the clip's name begins with: its folder, and its letters up to the first digit or separator."""
    if not item.clips:
        return None
    path = PurePosixPath(item.clips[0])
    start = re.match(r"[^\W\d_]*", path.name)
    return f"{path.parent}/{start.group() if start else ''}"


def _duration(clip: ClipFacts) -> float:
    return clip.info.duration_s if clip.info is not None else 0.0


def _bucket(items: Sequence[Item], clips: Mapping[str, ClipFacts], measure: Callable[[ClipFacts], float]) -> Key:
    """Which fifth of the task's clips an item's first clip is in by a measure; None for a clip that was not read."""
    values = sorted(measure(c) for i in items if (c := _first(i, clips)) is not None)
    edges = [values[len(values) * k // _BUCKETS] for k in range(1, _BUCKETS)] if values else []

    def key(item: Item) -> int | None:
        clip = _first(item, clips)
        return None if clip is None else bisect_right(edges, measure(clip))

    return key


def _first(item: Item, clips: Mapping[str, ClipFacts]) -> ClipFacts | None:
    clip = clips.get(item.clips[0]) if item.clips else None
    return clip if clip is not None and clip.info is not None else None


def _format(item: Item, clips: Mapping[str, ClipFacts]) -> object:
    clip = _first(item, clips)
    return None if clip is None or clip.info is None else (clip.info.format, clip.info.rate, clip.info.channels)
