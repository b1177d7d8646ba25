"""What can be wrong with a card beyond its form: what its parts say of one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from audiometry.errors import shown, suggestion
from audiometry.files import label_slips
from audiometry.records import Card, Columns, Dimension, Example, Task
from audiometry.records.card import LABELS, QUESTION

KIND: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
"""A kind of option, which is a part of names of variants."""
_HOLE: Final = re.compile(r"\{\w+\}")
MOST_SHOTS: Final = 5
MOST_ORDERS: Final = 1000


def first(card: Card) -> str:
    """The first thing that is wrong with a card, and what to do; empty if nothing is."""
    return next(_all(card), "")


def _all(card: Card) -> Iterator[str]:
    for task in card.task:
        if slip := label_slips.first(task):
            yield f"[[task]] {shown(task.name)} {slip}"
        for slip in _of_wordings(task):
            yield f"[[task]] {shown(task.name)} {slip}"
    yield from _of_columns(card.data.columns)
    yield from _of_dimensions(card.dimension)
    for number, example in enumerate(card.example, 1):
        if slip := _of_example(card, example):
            yield f"[[example]] {number} {slip}"
    yield from _of_numbers(card)
    kinds = card.data.columns.kinds
    known = [kind for kind in kinds if kind] if isinstance(kinds, tuple) else []
    for kind in card.distractors:
        if known and kind not in known:
            near = suggestion(kind, known)
            yield f"[distractors] has the kind '{shown(kind)}', which is none of [data.columns] kinds; {near}"
        if not KIND.fullmatch(kind):
            yield f"[distractors] has the kind '{shown(kind)}'; a short name is needed, of letters, digits, - and _"


def _of_columns(columns: Columns) -> Iterator[str]:
    options = (columns.options,) if isinstance(columns.options, str) else columns.options
    told = {columns.question, columns.answer, columns.meta, *options, *columns.tags, *columns.lists, *columns.folder}
    for name in columns.private:
        if name in told:
            yield f"[data.columns] names '{shown(name)}' as private and as something else; leave one out"
    yield from _of_kinds(columns)


def _of_kinds(columns: Columns) -> Iterator[str]:
    kinds, options = columns.kinds, columns.options
    if isinstance(kinds, str) or not kinds:
        return
    if isinstance(options, str):
        yield "[data.columns] kinds lists one for each column of options, but options is one column; name theirs"
    elif len(kinds) != len(options):
        yield f"[data.columns] has {len(kinds)} kinds for {len(options)} columns of options; give one for each"
    if kinds.count("") != 1:
        yield '[data.columns] kinds has to hold "" once, for the column of the right option'
    for kind in kinds:
        if kind and not KIND.fullmatch(kind):
            yield f"[data.columns] has the kind '{shown(kind)}'; a short name is needed, of letters, digits, - and _"


def _of_wordings(task: Task) -> Iterator[str]:
    for number, wording in enumerate(task.wordings, 1):
        for hole in _HOLE.findall(wording):
            if hole not in {QUESTION, LABELS}:
                known = f"{QUESTION} and {LABELS} are what can be"
                yield f"has {shown(hole)} in wording {number}, which is not filled in; {known}"
        folded = [" ".join(one.split()) for one in task.wordings[:number]]
        if not folded[-1]:
            yield f"has an empty wording, number {number}; leave it out"
        if folded[-1] in folded[:-1]:
            yield f"has wording {folded.index(folded[-1]) + 1} again as wording {number}; write another"


def _of_numbers(card: Card) -> Iterator[str]:
    if card.benchmark.size < 0:
        yield f"[benchmark] size = {card.benchmark.size}; how many items were published is meant"
    for task in card.task:
        if task.size < 0:
            yield f"[[task]] {shown(task.name)} has size = {task.size}; how many items were published is meant"
        if task.chance is not None and not 0 <= task.chance <= 1:
            yield f"[[task]] {shown(task.name)} has chance = {task.chance:g}; 0 to 1 is meant, 0.25 for 25 %"
    if not 1 <= card.asked.orders <= MOST_ORDERS:
        yield f"[asked] orders = {card.asked.orders}; 1 to {MOST_ORDERS:,} are meant"
    if not 0 <= card.asked.shots <= MOST_SHOTS:
        yield f"[asked] shots = {card.asked.shots}; 0 to {MOST_SHOTS} are meant"
    for name in [task.name for task in card.task] or [""]:
        n = sum(one.task in {"", name} for one in card.example)
        if 0 < n < card.asked.shots:
            yield f"[asked] shots = {card.asked.shots}, but there is {n} [[example]] of task {shown(name)}; write more"


def _of_dimensions(dimensions: tuple[Dimension, ...]) -> Iterator[str]:
    for number, one in enumerate(dimensions):
        name = shown(one.tag)
        if not one.tag.strip():
            yield "[[dimension]] has an empty tag; name the tag of the items"
        if one.tag in {other.tag for other in dimensions[:number]}:
            yield f"has the [[dimension]] '{name}' twice; leave one out"
        if not one.values:
            yield f"[[dimension]] {name} has no values; list them"
        folded = [" ".join(value.casefold().split()) for value in one.values]
        if not all(folded):
            yield f"[[dimension]] {name} has an empty value; leave it out"
        if len(set(folded)) < len(folded):
            twice = next(value for k, value in enumerate(one.values) if folded[k] in folded[:k])
            yield f"[[dimension]] {name} has the value '{shown(twice)}' twice; leave one out"


def _of_example(card: Card, example: Example) -> str:
    if not example.question.strip():
        return "has no question; write one"
    if not example.answer.strip():
        return "has no answer; write one"
    if example.options and example.options.count(example.answer) != 1:
        return f"has the answer '{shown(example.answer)}', which is not once among its options; correct one"
    if len({" ".join(option.split()) for option in example.options}) < len(example.options):
        return "has an option twice; change one"
    if example.task and card.task and example.task not in {task.name for task in card.task}:
        return f"is of the task '{shown(example.task)}', which the card has not; correct one"
    return ""
