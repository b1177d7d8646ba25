"""Findings over the words of a benchmark: repeated questions, balance of answers and of their letters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from audiometry import seeds
from audiometry.bench.findings import Finding, Letters, finding
from audiometry.errors import shown
from audiometry.records import Card, Item

LEVEL: Final = 0.01
"""Corrected p below which an imbalance or a leak is reported: clear, not merely suspected."""

LOPSIDED: Final = 0.1
"""And by how much a place's share has to differ from chance, so that large sets are not blamed for trifles."""


def scored(items: Sequence[Item]) -> list[Item]:
    """Those with options and an answer among them."""
    return [i for i in items if len(i.options) > 1 and i.answer in i.options]


def kind_findings(tasks: Mapping[str, Sequence[Item]], card: Card) -> Iterator[Finding]:
    """Tasks whose kind says otherwise than their items: those with options are choices, transcripts have words."""
    for name, items in tasks.items():
        kind = card.task_named(name).kind
        ids = tuple(item.id for item in items if item.options)
        if ids and kind != "choice":
            what = f"is of the kind {kind}, but {len(ids)} of its {len(items)} items have options: they are choices"
            yield finding("warning", "kind", name, what, 'write kind = "choice", or leave out the options', ids)
        mute = tuple(item.id for item in items if item.answer and not any(map(str.isalnum, item.answer)))
        if mute and kind == "transcript":
            what = f"{len(mute)} of its {len(items)} references hold no word, which nothing can be counted against"
            yield finding("warning", "no-words", name, what, "write what is said, or leave these rows out", mute)


def letters(tasks: Mapping[str, Sequence[Item]], seed: int) -> dict[str, Letters]:
    """By task, how right answers are spread over the places of their options; tasks without options are left out."""
    from audiometry.stats.chance import even_places  # numpy: who only lists benchmarks should not pay for it
    from audiometry.stats.multiplicity import holm

    found = {}
    for name, items in tasks.items():
        usable = scored(items)
        if usable:
            places = [i.options.index(i.answer or "") for i in usable]
            rng = seeds.generator(seed, "check", "letters", name)
            found[name] = even_places(places, [len(i.options) for i in usable], rng)
    corrected = holm([f.p for f in found.values()])
    return {
        name: Letters(counts=f.counts, expected=f.expected, p=f.p, p_corrected=p, method=f.method)
        for (name, f), p in zip(found.items(), corrected, strict=True)
    }


def letter_findings(by_task: Mapping[str, Letters]) -> Iterator[Finding]:
    """Tasks whose right answers favour a place."""
    for task, one in by_task.items():
        n = sum(one.counts)
        place = max(range(len(one.counts)), key=lambda i: abs(one.counts[i] - one.expected[i]))
        if one.p_corrected < LEVEL and abs(one.counts[place] - one.expected[place]) > LOPSIDED * n:
            what = (
                f"right answers favour a place: {_lettered(one.counts)} of {n}, expected "
                f"{', '.join(f'{e:.1f}' for e in one.expected)} (p = {one.p_corrected:.2g}, {one.method})"
            )
            yield finding("warning", "letters", task, what, "shuffle the options of each item")


def _lettered(counts: Sequence[int]) -> str:
    return ", ".join(f"{chr(65 + i)} {n}" for i, n in enumerate(counts))


def item_findings(items: Sequence[Item], card: Card, same_audio: Mapping[str, str]) -> Iterator[Finding]:
    """Items without a clip, asked twice, or answered in two ways.

    Args:
        items: all usable ones.
        card: of their benchmark.
        same_audio: for the name of a clip what is equal for copies of it.
    """
    deaf = tuple(i.id for i in items if not i.clips)
    if deaf:
        what = f"{len(deaf)} items have no clip, as their task allows"
        yield finding("note", "silent-items", "items", what, "see that they are meant to be asked in words alone", deaf)
    asked: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in items:
        if item.clips:
            heard = tuple(same_audio.get(c, c) for c in item.clips)
            asked[item.task, heard, _folded(item.question), frozenset(map(_folded, item.options))].append(item)
    for same in asked.values():
        answers = {_folded(i.answer) for i in same if i.answer is not None}
        ids = tuple(i.id for i in same)
        if len(answers) > 1 and (same[0].options or card.task_named(same[0].task).kind == "label"):
            what = f"asked {len(same)} times about the same sound, with {len(answers)} different answers"
            yield finding("error", "contradiction", same[0].id, what, "find out which is right, drop the others", ids)
        elif len(same) > 1:
            what = f"asked {len(same)} times: same task, sound, question and options"
            yield finding("warning", "asked-twice", same[0].id, what, "drop all but one", ids)


def frequent_answers(items: Sequence[Item]) -> Counter[str]:
    """How often each text is the answer."""
    return Counter(i.answer for i in items if i.answer is not None)


def balance_findings(task: str, items: Sequence[Item]) -> Iterator[Finding]:
    """A closed set of labels of which one is always right, or some never are."""
    usable = scored(items)
    sets = {frozenset(i.options) for i in usable}
    answers = frequent_answers(usable)
    if len(usable) >= 2 * len(answers) and len(answers) == 1:
        what = f"every one of {len(usable)} answers is '{shown(next(iter(answers)))}'"
        yield finding("warning", "one-answer", task, what, "add items with other answers", tuple(i.id for i in usable))
    elif len(sets) == 1:
        never = sorted(next(iter(sets)) - set(answers))
        if never and len(usable) >= 10 * len(next(iter(sets))):
            what = f"never right in {len(usable)} items: {', '.join(shown(o) for o in never)}"
            yield finding("note", "never-right", task, what, "add items with that answer or drop the option")


def _folded(text: str | None) -> str:
    return " ".join((text or "").split()).casefold()
