"""Numbers that papers printed, as facts with their source, to stand beside a run's own and marked as published.

A file of JSON here for each benchmark, or one that an entry point in the group ``audiometry.published`` gives.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.errors import BrokenPackageWarning, UndecodableError, shown
from audiometry.files import foreign
from audiometry.outside import LONGEST, line
from audiometry.registry import Kind
from audiometry.render.numbers import half_up
from audiometry.score.averages import averages

Values = dict[str, Decimal | None]
PERCENT: Final = 100
JUDGES_HIGHEST: Final = 10
MOST_PLACES: Final = 12  # decimal
SOURCE: Final = 1000  # characters of paper and tables

_FOLDER: Final = Path(__file__).parent


def _path(_name: str, given: Any) -> Path:
    path: Any = given() if callable(given) else given
    return Path(path)


PUBLISHED: Final[Kind[Path]] = Kind(
    "audiometry.published",
    None,
    "published results",
    own=lambda: {path.stem: path for path in _FOLDER.glob("*.json")},
    made=_path,
)
"""Files of published results; another package's entry point gives the path of one, or a function that does."""


class PublishedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper printed of one system on one benchmark.

    Attributes:
        name: as printed.
        tasks: score by task, under the benchmark's own task names, in the paper's order; None for a cell left empty;
            no entry at all where no table gives the system's tasks.
        categories: score by category.
        dimensions: score by tag of the items that have any value of it.
        average: over the categories, or over all items where there are none; None where the paper prints none.
        ifr: share of replies that could be read, 0 to 1; None where not printed.
        plain_matching: share of replies matched with a letter, 0 to 1; None where not printed.
        source: paper and tables, or where else it was printed.
        later: whether it stands elsewhere than the others, and was printed after them.
        commercial: whether its weights are not to be had.

    Scores are shares from 0 to 1, or on the judge's scale from 0 to 10 where the benchmark has one (chat), with
    exactly the decimal places that were printed.
    """

    name: str
    tasks: Values
    categories: Values
    average: Decimal | None
    plain_matching: Decimal | None
    source: str
    dimensions: Values = {}
    ifr: Decimal | None = None
    later: bool = False
    commercial: bool = False


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
    """A row of a paper's table.

    Attributes:
        task: as printed.
        task_name: as the data spell it.
        category: it is in.
        chance: in percent.
        measure: by which its numbers were made, where tasks have several: the sets of a suite.
    """

    task: str
    task_name: str
    category: str
    chance: Decimal | None = None
    measure: str = ""


class _System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    tasks: Values = {}
    categories: Values = {}
    dimensions: Values = {}
    average: Decimal | None = None
    ifr: Decimal | None = None
    plain_matching: Decimal | None = None
    source: str = ""
    commercial: bool = False


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of published results.

    Attributes:
        benchmark: its id, or the name on the card of one's own.
        source: paper and tables; a system that was added later has one of its own.
        how: replies were made into its numbers, as the end of a sentence.
        beside: the benchmark on which the same systems were printed too; empty for none.
        percent: numbers are shares in percent; else they are on the judge's scale.
        places: decimal places that a share, or a score, was printed with.
        tasks, systems: in the order of the paper.
    """

    benchmark: str
    source: str
    how: str = ""
    beside: str = ""
    percent: bool = True
    places: int = 3
    tasks: tuple[PublishedTask, ...] = ()
    systems: tuple[_System, ...]


def published(benchmark: str) -> tuple[PublishedSystem, ...]:
    """The systems that papers printed for a benchmark, in the order of the paper; none where we know of none.

    Args:
        benchmark: id, such as ``airbench/foundation``.
    """
    table = _table(benchmark)
    if table is None:
        return ()
    share = _share if table.percent else lambda value: value
    return tuple(
        PublishedSystem(
            name=one.name,
            tasks={name: share(value) for name, value in one.tasks.items()},
            categories={name: share(value) for name, value in one.categories.items()},
            dimensions={name: share(value) for name, value in one.dimensions.items()},
            average=share(one.average),
            ifr=_share(one.ifr),
            plain_matching=_share(one.plain_matching),
            source=one.source or table.source,
            later=bool(one.source),
            commercial=one.commercial,
        )
        for one in table.systems
    )


def how_made(benchmark: str) -> str:
    """How replies were made into a benchmark's published numbers; empty where that is not known."""
    table = _table(benchmark)
    return "" if table is None else table.how


def printed_beside(benchmark: str) -> str:
    """The benchmark on which the systems of this one were printed too; empty where we know of none.

    Args:
        benchmark: id, such as ``airbench/chat``.
    """
    table = _table(benchmark)
    return "" if table is None else table.beside


def slips(benchmark: str) -> tuple[Slip, ...]:
    """The averages of a benchmark's published table that its own categories contradict; none where all agree.

    Args:
        benchmark: id, such as ``airbench/chat``.
    """
    table = _table(benchmark)
    places = 0 if table is None else table.places
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
    table = _table(benchmark)
    return () if table is None else table.tasks


def _table(benchmark: str) -> _Table | None:
    """What is known of a benchmark; a file that is none, or says what cannot be, is left out with a warning."""
    for path in PUBLISHED.all().values():
        try:
            table = foreign.read_json(path, _Table)
            wrong = next(_wrong(table), "")
        except UndecodableError as problem:
            table, wrong = None, problem.at(path)
        else:
            wrong = wrong and f"{path}: {wrong}"
        if wrong:
            warnings.warn(f"{wrong}; its published results are left out", BrokenPackageWarning, stacklevel=2)
        elif table is not None and table.benchmark == benchmark:
            return table
    return None


def _wrong(table: _Table) -> Iterator[str]:
    """What in a table cannot be a printed result."""
    if not 0 <= table.places <= MOST_PLACES:
        yield f"`places` is {table.places}, not 0 to {MOST_PLACES}"
    yield from _words("source", table.source, SOURCE)
    yield from _words("beside", table.beside or "none")
    yield from _words("how", table.how or "none", SOURCE)
    for row, task in enumerate(table.tasks):
        for key in ("task", "task_name", "category", "measure"):
            yield from _words(f"tasks[{row}].{key}", getattr(task, key) or "none")
        yield from _numbers({f"tasks[{row}].chance": task.chance}, PERCENT)
    for row, system in enumerate(table.systems):
        at = f"systems[{row}]"
        yield from _words(f"{at}.name", system.name)
        yield from _words(f"{at}.source", system.source or "none", SOURCE)
        printed = {f"{at}.tasks.{name}": value for name, value in system.tasks.items()}
        printed |= {f"{at}.categories.{name}": value for name, value in system.categories.items()}
        printed |= {f"{at}.dimensions.{name}": value for name, value in system.dimensions.items()}
        printed[f"{at}.average"] = system.average
        yield from _numbers(printed, PERCENT if table.percent else JUDGES_HIGHEST)
        yield from _numbers({f"{at}.plain_matching": system.plain_matching, f"{at}.ifr": system.ifr}, PERCENT)
        if beyond := _beyond(system, table):
            yield f"`{at}.average` is {beyond}"


def _words(where: str, text: str, longest: int = LONGEST) -> Iterator[str]:
    what, fits = line(longest)
    if not fits(text):
        yield f"`{where}` is '{shown(text, 40)}', not {what}"


def _numbers(printed: Values, highest: int) -> Iterator[str]:
    for where, value in printed.items():
        if not _may_be(value, highest):
            yield f"`{shown(where)}` is {shown(str(value), 20)}, not 0 to {highest}"


def _may_be(value: Decimal | None, highest: int) -> bool:
    """Whether it may be a printed number from 0 up; a paper prints no NaN, no -0 and no hundred decimal places."""
    if value is None:
        return True
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MOST_PLACES and not value.is_signed() and value <= highest


def _beyond(system: _System, table: _Table) -> str:
    """Why an average cannot be one of the numbers printed beside it; empty if it can, or some are not printed."""
    of = list((system.categories or system.tasks).values())
    known = [value for value in of if value is not None]
    if system.average is None or len(known) < len(of) or not of:
        return ""
    off = Decimal(1).scaleb(2 - table.places if table.percent else -table.places)  # a rounding of the last place
    low, high = min(known) - off, max(known) + off
    return "" if low <= system.average <= high else f"{system.average}, and what it is of {min(known)} to {max(known)}"


def _share(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else percent.scaleb(-2)
