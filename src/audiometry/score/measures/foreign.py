"""Measures of other packages: what they do wrong ends in one line that names them, and in nothing else."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from audiometry.errors import shown
from audiometry.outside import (
    FLAG,
    FUNCTION,
    LONGEST,
    VERSION,
    Fits,
    Outside,
    OutsideError,
    line,
    looked_at,
    one_of,
    some_of,
)
from audiometry.records import Failure, Item, Task
from audiometry.score.measures.measure import LARGEST, Counted, Direction, Floats, Measure
from audiometry.score.measures.references import ByReference
from audiometry.score.readers import Outcome, lent

T = TypeVar("T")
_NEAR: Final = 1e-6  # of the scale: what rounding leaves


def _is_range(value: Any) -> bool:
    if type(value) is not tuple and type(value) is not list:
        return False
    low, high = value
    finite = all(type(one) in {int, float} and abs(one) <= LARGEST for one in (low, high) if one is not None)
    return low is not None and finite and (high is None or low < high)


_NEEDED: Final[Mapping[str, Fits]] = {
    "name": line(),
    "about": line(),
    "version": VERSION,
    "kinds": some_of("choice", "label", "transcript", "open"),
    "unit": line(40),
    "direction": one_of("up", "down"),
    "range": (f"two numbers up to {LARGEST:g}, the lower one first, or None for the upper one", _is_range),
    "columns": FUNCTION,
    "parts": FUNCTION,
    "ends": FUNCTION,
    "value": FUNCTION,
}
_MAY_BE: Final[Mapping[str, Fits]] = {
    "takes": one_of("read", "scores"),
    "scale": one_of("bounded", "log", "f1", "recall", "plain"),
    "at_once": FLAG,
    "by_class": FLAG,
    "lowest": FUNCTION,
    "fresh": FUNCTION,
}
_PLAIN: Final = frozenset({"about", "version", "kinds", "unit", "direction", "range", *_MAY_BE} - {"lowest", "fresh"})


class Foreign:
    """A measure of another package under the name that it announces; all it has is looked at, and called, guarded.

    Args:
        measure: what the package gives.
        name: under which.
        origin: says which package that is.

    Raises:
        TypeError: it is no measure, or says of itself what cannot be.
    """

    about: str
    version: int
    kinds: frozenset[str]
    unit: str
    direction: Direction
    range: tuple[float, float | None]

    def __init__(self, measure: Any, name: str, origin: Callable[[], str]) -> None:
        self.name, self._measure, self._origin = name, measure, origin
        self._outside = Outside("measure", name, origin)
        self.stamps: tuple[str, ...] = ()
        self._look()

    def _look(self) -> None:
        """Keep what the measure says of itself; one that a program makes says it once it has run.

        Raises:
            TypeError: something of it cannot be.
        """
        for name, given in looked_at(self._measure, _NEEDED, _MAY_BE).items():
            if name in _PLAIN:
                setattr(self, name, _KEPT.get(name, _as_it_is)(given))

    def __getattr__(self, name: str) -> Any:
        """What else it has."""
        if name.startswith("_") or name in _PLAIN:
            raise AttributeError(name)
        found = self._called(object, lambda: getattr(self._measure, name, _NONE))
        if found is _NONE:
            raise AttributeError(name)
        if name in {"fresh", "lowest"}:
            return self._fresh if name == "fresh" else self._lowest
        return (lambda *given: self._called(object, lambda: found(*given))) if callable(found) else found

    def _fresh(self, language: str = "") -> Foreign:
        return self._called(Foreign, lambda: Foreign(self._measure.fresh(language), self.name, self._origin))

    @property
    def against_references(self) -> bool:
        """Whether it is made of what counts pairs, as `references.ByReference`."""
        return isinstance(self._measure, ByReference)

    @property
    def origin(self) -> str:
        """What announces it, and the package."""
        return self._origin()

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:
        """See `measures.measure.Measure`."""
        found = self._called(tuple, lambda: tuple(self._measure.columns(task, tuple(gold))))
        if not found or not all(type(name) is str for name in found):
            raise self._error("gives columns that are no texts")
        if len(set(found)) < len(found):
            raise self._error(f"gives the column '{shown(max(found, key=found.count), 40)}' twice")
        each = _COLUMNS.get(getattr(self, "scale", ""), 1)
        if len(found) % each:
            raise self._error(f"gives {len(found)} columns, and its scale {self.scale} has {each} for each class")
        return found

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """See `measures.measure.Measure`."""
        own, read, names = tuple(map(lent, items)), tuple(outcomes), tuple(columns)
        found = self._called(Counted, lambda: _counted(self._measure.parts(own, read, names), len(own)), _where(items))
        self._called(object, self._look)
        self.stamps = self._called(tuple, lambda: tuple(getattr(self._measure, "stamps", ())))
        if not all(map(line()[1], self.stamps)):
            raise self._error("says of its signature what is no text of one line")
        return found

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats] | None:
        """See `measures.measure.Measure`."""
        import numpy as np

        own, names = tuple(map(lent, items)), tuple(columns)

        def found() -> tuple[Floats, ...]:
            given = self._measure.ends(own, names)
            return () if given is None else tuple(map(_floats, given))

        both = self._called(tuple, found, _where(items))
        if not both:
            return None
        if len(both) != 2:  # noqa: PLR2004  worst and best
            raise self._error(f"gives {len(both)} ends, and there are a worst and a best")
        worst, best = both
        shapes = {worst.shape, best.shape}
        if shapes != {(len(items), len(columns))} or not (np.isfinite(worst).all() and np.isfinite(best).all()):
            raise self._error(
                f"gives ends of shape {worst.shape} for {len(items)} items and {len(columns)} columns, or numbers that "
                "are not finite"
            )
        return worst, best

    def value(self, sums: Floats) -> Floats:
        """See `measures.measure.Measure`."""
        import numpy as np

        found = self._values(lambda: self._measure.value(_to_read(sums)), sums)
        scale = getattr(self, "scale", "")
        of_scale = _of_scale(scale, sums)
        if of_scale is not None and not np.allclose(*np.where(np.isfinite(of_scale), (found, of_scale), 0.0)):
            raise self._error(f"says that its scale is {scale}, and its values are others: limits would be wrong")
        return found

    def _lowest(self, known: Floats, filled: Floats) -> Floats:
        return self._values(lambda: self._measure.lowest(_to_read(known), _to_read(filled)), known)

    def _values(self, call: Callable[[], Any], sums: Floats) -> Floats:
        import numpy as np

        found: Floats = self._called(np.ndarray, lambda: _floats(call()))
        if found.shape != sums.shape[:-1] or np.isinf(found).any():
            raise self._error(f"gives values of shape {found.shape} for sums of shape {sums.shape}, or endless ones")
        low, high = self.range
        near = _NEAR * max(1.0, abs(low), abs(high or 0.0))
        beyond = found[(found < low - near) | (found > (math.inf if high is None else high) + near)]
        if beyond.size:
            raise self._error(f"gives {float(beyond[0]):g}, which its range {self.range} leaves out")
        return np.clip(found, low, high)  # a value that rounding puts beyond would lie outside its interval

    def each(self, counts: Floats) -> Floats:
        """See `references.ByReference`."""
        import numpy as np

        found: Floats = self._called(np.ndarray, lambda: _floats(self._measure.each(_to_read(counts))))
        if found.shape != counts.shape[:1]:
            raise self._error(f"gives scores of shape {found.shape} for {len(counts)} pairs")
        return found

    def _called(self, kind: type[T], call: Callable[[], Any], where: str = "") -> T:
        import numpy as np

        with np.errstate(all="ignore"):  # what comes of it is looked at
            return self._outside.called(kind, call, where, self)

    def _error(self, does: str) -> OutsideError:
        return self._outside.error(does, self)


def _as_it_is(given: Any) -> Any:
    return given


_NONE: Final = object()
_KEPT: Final[Mapping[str, Callable[[Any], Any]]] = {"kinds": frozenset, "range": tuple}  # not what may still change
_NO_NUMBERS: Final = {"c": "complex numbers", "U": "texts", "S": "bytes"}
_COLUMNS: Final[Mapping[str, int]] = {"f1": 3, "recall": 2}  # of a class


def _of_scale(scale: str, sums: Floats) -> Floats | None:
    """The values that a scale takes sums to have; None: it takes any."""
    if scale == "f1":
        from audiometry.stats.f1 import macro_f1

        return macro_f1(sums)
    if scale == "recall":
        from audiometry.score.measures.balanced_accuracy import MEASURE

        return MEASURE.value(sums)
    if scale == "log":
        from audiometry.stats.parts import ratio

        return ratio(sums)
    return None


def _floats(given: Any) -> Floats:
    import numpy as np

    found = np.asarray(np.ma.filled(np.ma.asarray(given, np.float64), np.nan) if np.ma.isMaskedArray(given) else given)
    if found.dtype.kind not in "biufO":
        raise TypeError(_NO_NUMBERS.get(found.dtype.kind, "no numbers"))
    return np.array(found, np.float64)  # our own: theirs may be one that they fill anew at each call


def _to_read(given: Floats) -> Floats:
    """Numbers of ours, for code that may not change them: an interval made of the rest would be wrong."""
    found = given.copy()  # a view could be made to be written to again
    found.flags.writeable = False
    return found


def _counted(given: Any, n: int) -> Any:
    """What a measure counted of so many outcomes, with failures as they have to be; what is none, as it is.

    Raises:
        TypeError: a failure that is none, or of no outcome.
    """
    if not isinstance(given, Counted):
        return given
    parts, failures = _floats(given.parts), dict[int, Failure]()
    for row, failure in given.failures.items():
        place = operator.index(row)
        if not 0 <= place < n or not isinstance(failure, Failure) or not line(40)[1](failure.kind):
            raise TypeError(f"failure {shown(repr(row), 20)} of {n} outcomes is {shown(repr(failure), 80)}")
        failures[place] = Failure(kind=failure.kind, message=shown(failure.message, LONGEST))
        parts[place : place + 1] = 0.0
    return Counted(parts, failures)


def _where(items: Sequence[Item]) -> str:
    """The items that it was called with, for a message."""
    first = f" at item '{shown(items[0].id, 40)}'" if items else ""
    return first + (f" or one of the {len(items) - 1} after it" if len(items) > 1 else "")


def by_reference(measure: Measure) -> ByReference | None:
    """A measure as one against references, whoever gives it; None if it is of another kind."""
    held = measure.against_references if isinstance(measure, Foreign) else isinstance(measure, ByReference)
    return cast("ByReference", measure) if held else None
