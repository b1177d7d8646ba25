"""Classes of tasks whose answers are few and alike for all items: labels, and letters where there are options."""

from __future__ import annotations

from audiometry.records import Item, State
from audiometry.score.readers import Outcome


def right_class(item: Item) -> str | None:
    """The class that an item's answer is: its label, or the letter of the right option in the benchmark's own order."""
    return _class_of(item, item.answer)


def class_read(item: Item, outcome: Outcome) -> str | None:
    """The class that was read of a reply to an item; None for what is no answer, and for one outside its options."""
    return _class_of(item, outcome.read) if outcome.state == State.ANSWERED else None


def _class_of(item: Item, answer: str | None) -> str | None:
    if answer is None or not item.options:
        return answer
    if answer in item.options:
        return chr(ord("A") + item.options.index(answer))
    plain = [_plain(option) for option in item.options]
    return chr(ord("A") + plain.index(_plain(answer))) if _plain(answer) in plain else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
