"""What was asked of a benchmark, as a run folder keeps it: it is part of every number."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

LONGEST_NAMED: Final = 40  # characters of names in a signature; more are told by their number and a hash


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What a command asked.

    Attributes:
        tasks: only these; empty for all.
        categories: only tasks of these; empty for all. Beside ``tasks`` only what both name.
        limit: the most items, spread over the tasks; None for all.
        variants: the ways each is asked, in order.
    """

    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    limit: int | None = None
    variants: tuple[str, ...]


class TaskExtent(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a task was asked.

    ``n_asked`` of its ``n_items``, in any variant; none are left of a task that the card names and the data lack.
    """

    category: str = ""
    n_asked: int
    n_items: int

    @property
    def whole(self) -> bool:
        """Whether every item that it ought to have was asked."""
        return self.n_asked == self.n_items > 0


Extent: TypeAlias = Mapping[str, TaskExtent]
"""By task, all of a benchmark's, those that were not asked too."""


def whole(extent: Extent) -> dict[str, bool]:
    """Whether each category was asked in full; tasks without one are the category ````.

    >>> whole({"a": TaskExtent(category="speech", n_asked=2, n_items=2), "b": TaskExtent(n_asked=0, n_items=9)})
    {'speech': True, '': False}
    """
    found: dict[str, bool] = {}
    for task in extent.values():
        found[task.category] = found.get(task.category, True) and task.whole
    return found


def signed(extent: Extent, selections: Sequence[Selection]) -> tuple[str, ...]:
    """What a signature says of it; nothing where all of the benchmark was asked.

    It rests on what was asked, not on how: three commands of a category each give the signature of one without any.

    Args:
        extent: of the run.
        selections: of it, none of them within another.

    >>> asked = {"a": TaskExtent(category="speech", n_asked=2, n_items=5), "b": TaskExtent(n_asked=0, n_items=5)}
    >>> signed(asked, [Selection(categories=("speech",), limit=2, variants=("plain",))])
    ('category-speech', 'limit-2')
    """
    tasks = [name for name, task in extent.items() if task.n_asked]
    categories = dict.fromkeys(extent[name].category for name in tasks)
    parts = []
    if len(tasks) < len(extent):
        by_category = "" not in categories and len(tasks) == sum(t.category in categories for t in extent.values())
        parts.append(_named("category", "categories", list(categories), len({t.category for t in extent.values()})))
        if not by_category:
            parts = [_named("task", "tasks", tasks, len(extent))]
    n_asked, n_items = (sum(getattr(extent[name], what) for name in tasks) for what in ("n_asked", "n_items"))
    if n_asked < n_items:
        alone = len({(one.tasks, one.categories, one.limit) for one in selections}) == 1
        parts.append(f"limit-{selections[0].limit}" if alone else f"items-{n_asked}-of-{n_items}")
    return tuple(parts)


def _named(one: str, many: str, names: Sequence[str], of: int) -> str:
    said = "-".join(names)
    if len(said) <= LONGEST_NAMED:
        return f"{one if len(names) == 1 else many}-{said}"
    return f"{many}-{len(names)}-of-{of}-{hashlib.sha256(chr(0).join(names).encode()).hexdigest()[:6]}"
