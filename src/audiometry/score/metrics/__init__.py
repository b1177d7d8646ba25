"""Metrics: how near an open answer comes to a reference, one module each.

A metric is a module here with a ``METRIC``, an entry point in the group ``audiometry.metrics`` that gives one, or any
program that speaks JSON lines (``exec/COMMAND``). Nothing else has to be edited to add one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Protocol
from urllib.parse import parse_qsl

import msgspec

from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.score.metrics.languages import language_code
from audiometry.score.metrics.pair import PROGRAM, Counted, Floats, Pair

_LANGUAGE = "language"


class Metric(Protocol):
    """How near answers come to references. ``highest`` may be None: no upper end; the lowest value is 0."""

    @property
    def name(self) -> str:
        """As in ``--metric``."""
        ...

    @property
    def about(self) -> str:
        """One line for people: what it measures."""
        ...

    @property
    def unit(self) -> str:
        """What the number counts (``errors per reference word``)."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Its direction."""
        ...

    @property
    def highest(self) -> float | None:
        """The upper end of its scale; None if there is none."""
        ...

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Measure pairs."""
        ...

    def value(self, totals: Floats) -> Floats:
        """The metric of a corpus from its sums, ``float64[..., k]`` → ``float64[...]``; NaN where it has none."""
        ...

    def each(self, counts: Floats) -> Floats:
        """The metric of every pair by itself, ``float64[n, k]`` → ``float64[n]``; a number for each."""
        ...

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """What its signature has to say: versions of normalisers and libraries, languages."""
        ...


class Asked(msgspec.Struct, frozen=True):
    """A metric as the user asked for it.

    Attributes:
        name: as given.
        metric: of that name.
        language: code of the language of items that do not say theirs; empty: not told.
    """

    name: str
    metric: Metric
    language: str = ""


def metrics() -> dict[str, Metric]:
    """Every metric by name; programs are not among them.

    Raises:
        UsageError: an entry point cannot be loaded.
    """
    found: dict[str, Metric] = {}
    for info in pkgutil.iter_modules(__path__):
        metric: Metric | None = getattr(importlib.import_module(f"{__name__}.{info.name}"), "METRIC", None)
        if metric is not None:
            found[metric.name] = metric
    for entry in entry_points(group="audiometry.metrics"):
        try:
            found[entry.name] = entry.load()
        except (ImportError, AttributeError) as problem:
            raise UsageError(
                f"metric '{entry.name}' is announced as {entry.value}, which cannot be loaded "
                f"({shown(str(problem), 200)}); mend or uninstall the package that announces it"
            ) from problem
    return found


def named(name: str) -> Asked:
    """The metric behind a name: ``wer``, ``wer?language=de``, ``exec/python meteor.py``.

    Raises:
        UnknownNameError: there is no such metric, or option of it.
        UsageError: a program cannot be started, or an option is wrong.
    """
    if name.startswith(PROGRAM):
        from audiometry.score.metrics.program import load

        metric, language = load(name)
        return Asked(name, metric, language_code(language))
    bare, _, query = name.partition("?")
    known = metrics()
    if bare not in known:
        raise UnknownNameError("metric", bare, known, "or give a program, exec/COMMAND")
    options = dict(parse_qsl(query, keep_blank_values=True))
    for option in options:
        if option != _LANGUAGE:
            raise UnknownNameError(f"option of metric '{bare}'", option, (_LANGUAGE,))
    return Asked(name, known[bare], language_code(options.get(_LANGUAGE, "")))
