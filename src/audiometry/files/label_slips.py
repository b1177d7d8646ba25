"""What can be wrong with the labels of a card's task and with their other names."""

from __future__ import annotations

from collections.abc import Iterator

from audiometry.errors import shown, suggestion
from audiometry.records import Task

FEWEST = 2
MOST = 10_000  # a number of a range at most: each is a name


def first(task: Task) -> str:
    """The first thing that is wrong with a task's labels, and what to do; empty if nothing is."""
    return next(_all(task), "")


def _all(task: Task) -> Iterator[str]:
    if task.kind != "label" and (task.labels or task.synonyms or task.ranges):
        yield f'has labels or synonyms, but is of the kind {task.kind}; write kind = "label"'
    if len(task.labels) == 1:
        yield f"has one label only, '{shown(task.labels[0])}'; it needs {FEWEST} or none, for those that its items have"
    whose: dict[str, str] = {}
    for label in task.labels:
        if not label.strip():
            yield "has an empty label; leave it out"
        if other := whose.get(_folded(label)):
            again = shown(label, strip=False)
            yield f"has the label '{shown(other)}' twice, the second time as '{again}'; leave one out"
        whose[_folded(label)] = label
    yield from _of_synonyms(task, whose)
    yield from _of_ranges(task)


def _of_ranges(task: Task) -> Iterator[str]:
    whose: dict[int, str] = {}
    for label, (first, last) in task.ranges.items():
        if task.labels and label not in task.labels:
            known = suggestion(label, task.labels)
            yield f"has a range of '{shown(label)}', which is none of its labels; {known}"
        if not 0 <= first <= last <= MOST:
            yield f"has the range {first} to {last} of '{shown(label)}'; numbers up to {MOST} that rise are needed"
            return
        for number in range(first, last + 1):
            if (other := whose.setdefault(number, label)) != label:
                yield f"has the number {number} for both '{shown(other)}' and '{shown(label)}'; keep one"


def _of_synonyms(task: Task, whose: dict[str, str]) -> Iterator[str]:
    for label, names in task.synonyms.items():
        if task.labels and label not in task.labels:
            known = suggestion(label, task.labels) or "list all of them under labels"
            yield f"has synonyms of '{shown(label)}', which is none of its labels; {known}"
        for name in names:
            if not name.strip():
                yield f"has an empty synonym of '{shown(label)}'; leave it out"
            if (other := whose.setdefault(_folded(name), label)) != label:
                yield f"has the name '{shown(name)}' for both '{shown(other)}' and '{shown(label)}'; keep one"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
