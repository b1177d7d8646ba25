"""Numbers that papers printed, as facts with their source, to stand beside a run's own and marked as published."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

import msgspec

from audiometry.files import foreign
from audiometry.score.averages import averages, half_up

Values = dict[str, Decimal | None]

_FOLDER: Final = Path(__file__).parent
_AIRBENCH: Final = {"airbench/foundation": "foundation", "airbench/chat": "chat"}
_PLACES: Final = {"foundation": 3, "chat": 2}  # printed, of shares and of scores


class PublishedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper printed of one system on one benchmark.

    Attributes:
        name: as printed.
        tasks: score by task, under the benchmark's own task names, in the paper's order; None for a cell left empty;
            no entry at all where no table gives the system's tasks.
        categories: score by category.
        average: over the categories; None where the paper prints none.
        plain_matching: share of replies matched with a letter, 0 to 1; None where not printed.
        source: paper and tables.

    Scores are shares from 0 to 1, or on the judge's scale from 0 to 10 where the benchmark has one (chat), with
    exactly the decimal places that were printed.
    """

    name: str
    tasks: Values
    categories: Values
    average: Decimal | None
    plain_matching: Decimal | None
    source: str


class Slip(msgspec.Struct, frozen=True):
    """A printed average that is not the mean of the categories printed beside it, rounded or cut off.

    Attributes:
        system: as printed.
        printed: the average in the paper.
        computed: the mean of its printed categories, exactly.
    """

    system: str
    printed: Decimal
    computed: Fraction


class PublishedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A row of AIR-Bench's table 5, in percent; ``task`` as printed, ``task_name`` as the released data spell it."""

    task: str
    task_name: str
    category: str
    chance: Decimal
    accuracy_percent: Values


class _Airbench(msgspec.Struct, frozen=True, kw_only=True):
    source: str
    foundation_tasks: tuple[PublishedTask, ...]
    summary: dict[str, dict[str, Values]]
    exact_match_rate_percent: Values


def published(benchmark: str) -> tuple[PublishedSystem, ...]:
    """The systems that papers printed for a benchmark, in the order of the paper; none where we know of none.

    Args:
        benchmark: id, such as ``airbench/foundation``.
    """
    part = _AIRBENCH.get(benchmark)
    if part is None:
        return ()
    found = _airbench()
    shares = part == "foundation"
    tasks = found.foundation_tasks if shares else ()
    matched = found.exact_match_rate_percent if shares else {}
    return tuple(
        PublishedSystem(
            name=name,
            tasks={t.task_name: _share(t.accuracy_percent[name]) for t in tasks if name in t.accuracy_percent},
            categories={
                category: _share(value) if shares else value
                for category, value in parts[part].items()
                if category != "average"
            },
            average=_share(parts[part]["average"]) if shares else parts[part]["average"],
            plain_matching=_share(matched.get(name)),
            source=found.source,
        )
        for name, parts in found.summary.items()
    )


def slips(benchmark: str) -> tuple[Slip, ...]:
    """The averages of a benchmark's published table that its own categories contradict; none where all agree.

    Args:
        benchmark: id, such as ``airbench/chat``.
    """
    places = _PLACES.get(_AIRBENCH.get(benchmark, ""), 0)
    found = []
    for system in published(benchmark):
        if system.average is None or None in system.categories.values():
            continue
        mean = averages(system.categories, {name: name for name in system.categories}).overall
        if mean is None:
            continue
        cut = Fraction(int(mean * 10**places), 10**places)
        if system.average != half_up(mean, places) and Fraction(system.average) != cut:
            found.append(Slip(system.name, system.average, mean))
    return tuple(found)


def published_tasks(benchmark: str) -> tuple[PublishedTask, ...]:
    """The tasks of a benchmark as its paper lists them, in its order; none where we know of none.

    Args:
        benchmark: id, such as ``airbench/foundation``.
    """
    return _airbench().foundation_tasks if benchmark == "airbench/foundation" else ()


def _airbench() -> _Airbench:
    return foreign.json((_FOLDER / "airbench.json").read_bytes(), _Airbench)


def _share(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else percent.scaleb(-2)
