"""Measures: each turns outcomes into parts, a few numbers whose sums over items make its value.

A measure is a module here with a ``MEASURE``, or an entry point in the group ``audiometry.measures`` that gives one.
Nothing else has to be edited to add one: rows, intervals, comparisons and stored files work for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast
from urllib.parse import parse_qsl

from audiometry.errors import BenchmarkError, UnknownNameError, shown, suggestion
from audiometry.outside import OutsideError
from audiometry.records import Card
from audiometry.registry import Kind
from audiometry.score.measures.foreign import Foreign
from audiometry.score.measures.measure import PROGRAM, Measure

_LANGUAGE: Final = "language"
JUDGED: Final = "judge-score"  # how measures of what judges say begin, which nobody is to ask for by name
MEASURES: Final[Kind[Measure]] = Kind(
    "audiometry.measures",
    "audiometry.score.measures",
    "measure",
    made=lambda name, given: cast("Measure", Foreign(given, name, lambda: MEASURES.announced(name))),
    hint="or give a program, exec/COMMAND",
)


def named(name: str) -> Measure:
    """The measure behind a name: ``wer``, ``wer?language=de``, ``exec/python meteor.py``.

    One that remembers what it has measured is made anew.

    Raises:
        UnknownNameError: there is no such measure, or option of it.
        UsageError: a program cannot be started, or an option is wrong.
    """
    if name.startswith(PROGRAM):
        from audiometry.score.measures.program import load

        return load(name)
    bare, _, query = name.partition("?")
    if bare not in MEASURES.names():
        known = [one for one in MEASURES.names() if not one.startswith(JUDGED)]
        raise UnknownNameError(MEASURES.what, bare, known, MEASURES.hint)
    measure = MEASURES.named(bare)
    options = dict(parse_qsl(query, keep_blank_values=True))
    fresh: Callable[[str], Measure] | None = getattr(measure, "fresh", None)
    for option in options:
        if option != _LANGUAGE or fresh is None:
            raise UnknownNameError(f"option of measure '{bare}'", option, (_LANGUAGE,) if fresh else ())
    return measure if fresh is None else fresh(options.get(_LANGUAGE, ""))


def refuse_unfit(card: Card, *, broken: bool = True) -> None:
    """Let through only a card whose tasks name measures that fit them.

    Args:
        card: of the benchmark.
        broken: refuse what a broken package announces as well.

    Raises:
        BenchmarkError: a task is to be scored by what is no measure, or fits other kinds of task.
        OutsideError: by what cannot be loaded.
    """
    for task in card.task:
        bare = task.measure.partition("?")[0]
        if not bare:
            continue
        where = f"[[task]] {shown(task.name)} of the card of {shown(card.benchmark.name)} has measure = "
        where += f'"{shown(task.measure, 60)}"'
        if bare not in MEASURES.names():
            raise BenchmarkError(f"{where}, which is none; {suggestion(bare, MEASURES.names())}")
        try:
            kinds = MEASURES.named(bare).kinds
        except OutsideError:
            if broken:
                raise
            continue
        if task.kind not in kinds:
            fits = " or ".join(sorted(kinds))
            raise BenchmarkError(
                f"{where}, which fits tasks of the kind {fits}, and this one is of the kind {task.kind}"
            )
