"""The ways in which a task puts its questions: the item's own words, or those of its card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from audiometry.choices.variant import asked
from audiometry.errors import BenchmarkError, UsageError, counted, shown
from audiometry.records import Card, Item, Task
from audiometry.records.card import LABELS, QUESTION


def worded(item: Item, wordings: Sequence[str], variant: str) -> Item:
    """An item with its question in the words in which a variant asks it; without its clip it is asked as usual.

    Args:
        item: as the benchmark has it.
        wordings: of its task; none: its own words.
        variant: how it is asked.

    Raises:
        UsageError: its task has not so many wordings.
    """
    own = asked(variant)
    number = 0 if own is None else own.wording
    if number >= max(1, len(wordings)):
        raise UsageError(f"task {shown(item.task)} has {counted(len(wordings), 'wording')}, and {variant} is asked for")
    if not wordings:
        return item
    said = wordings[number].replace(QUESTION, item.question)
    return item if said == item.question else replace(item, question=said)


def stands_alone(task: Task | None) -> str:
    """The words in which a task asks items that have no question of their own; empty if it has none."""
    first = task.wordings[0] if task is not None and task.wordings else ""
    return "" if QUESTION in first else first


def settled(card: Card, labels: Mapping[str, Sequence[str]]) -> Card:
    """A card whose wordings name the labels, where they leave a place for them.

    Args:
        card: any.
        labels: by task, those that its items have; they stand for those of a task that lists none.

    Raises:
        BenchmarkError: a task has none, or none but numbers, which say nothing to whom is asked.
    """
    if not any(LABELS in wording for task in card.task for wording in task.wordings):
        return card
    found = []
    for task in card.task:
        named = ", ".join(task.labels or sorted(labels.get(task.name, ())))
        shows = any(LABELS in wording for wording in task.wordings)
        if not named and shows:
            raise BenchmarkError(
                f"[[task]] {shown(task.name)} has no labels for the {LABELS} in its wordings; list them"
            )
        if shows and not task.labels and all(label.isdecimal() for label in labels[task.name]):
            raise BenchmarkError(
                f"the answers of task {shown(task.name)} are numbers ({shown(named, 60)}), and {LABELS} in its "
                "wordings would show these in place of names: give data that name the labels, or say in a copy of the "
                f"card what each number stands for ([data.values.{shown(card.data.columns.answer)}]); if the numbers "
                "are the labels, list them under labels"
            )
        found.append(replace(task, wordings=tuple(wording.replace(LABELS, named) for wording in task.wordings)))
    return replace(card, task=tuple(found))


def refuse_more(card: Card, tasks: Sequence[str], wordings: int) -> None:
    """Refuse to ask in more wordings than there are.

    Args:
        card: of the benchmark.
        tasks: that are asked.
        wordings: in how many.

    Raises:
        UsageError: a task has not so many.
    """
    for name in tasks if wordings > 1 else ():
        n = len(card.task_named(name).wordings)
        if n < wordings:
            has = f"has {n} of them" if n else "has none, its items are asked in their own words"
            what = "leave it out" if n < 2 else f"ask for {n}"  # noqa: PLR2004  one is as good as none
            raise UsageError(f"--wordings {wordings}: task {shown(name)} {has}; {what}, or leave the task out")
