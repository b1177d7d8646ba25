"""Measures of other packages: what they do wrong ends in one line that names them, and in nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

from audiometry.errors import shown
from audiometry.records import Item, Task
from audiometry.registry import RAISED
from audiometry.score.measures.measure import Counted, Floats, Measure, MeasureError
from audiometry.score.measures.references import ByReference
from audiometry.score.readers import Outcome

T = TypeVar("T")
_NEEDED: Final = (
    "name",
    "about",
    "version",
    "kinds",
    "unit",
    "direction",
    "range",
    "columns",
    "parts",
    "ends",
    "value",
)


class Foreign:
    """A measure of another package; what it has besides is looked at as it is.

    Args:
        measure: what the package gives.
        origin: says which package that is.

    Raises:
        TypeError: it is no measure.
    """

    def __init__(self, measure: Any, origin: Callable[[], str]) -> None:
        if lacks := [name for name in _NEEDED if not hasattr(measure, name)]:
            raise TypeError(f"a measure has {', '.join(lacks)} too")
        self._measure, self._origin = measure, origin

    def __getattr__(self, name: str) -> Any:
        """What else it has."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._measure, name)
        return self._fresh if name == "fresh" else found

    def _fresh(self, language: str = "") -> Foreign:
        return self._called(lambda: Foreign(self._measure.fresh(language), self._origin))

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
        found = tuple(self._called(lambda: tuple(self._measure.columns(task, gold))))
        if not all(isinstance(name, str) for name in found):
            raise MeasureError(self, "gives columns that are no texts")
        return found

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """See `measures.measure.Measure`."""
        found = self._called(lambda: self._measure.parts(items, outcomes, columns))
        if not isinstance(found, Counted):
            raise MeasureError(self, f"gives parts that are no Counted but {type(found).__name__}")
        if not all(isinstance(stamp, str) for stamp in getattr(self._measure, "stamps", ())):
            raise MeasureError(self, "says of its signature what is no text")
        return found

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats] | None:
        """See `measures.measure.Measure`."""
        import numpy as np

        found = self._called(lambda: self._measure.ends(items, columns))
        if found is None:
            return None
        worst, best = self._called(lambda: tuple(np.asarray(end, np.float64) for end in found))
        shapes = {worst.shape, best.shape}
        if shapes != {(len(items), len(columns))} or not (np.isfinite(worst).all() and np.isfinite(best).all()):
            raise MeasureError(
                self, f"gives ends of shape {worst.shape} for {len(items)} items and {len(columns)} columns"
            )
        return worst, best

    def value(self, sums: Floats) -> Floats:
        """See `measures.measure.Measure`."""
        import numpy as np

        found: Floats = self._called(lambda: np.asarray(self._measure.value(sums), np.float64))
        if found.shape != sums.shape[:-1] or np.isinf(found).any():
            raise MeasureError(
                self, f"gives values of shape {found.shape} for sums of shape {sums.shape}, or endless ones"
            )
        return found

    def each(self, counts: Floats) -> Floats:
        """See `references.ByReference`."""
        import numpy as np

        found: Floats = self._called(lambda: np.asarray(self._measure.each(counts), np.float64))
        if found.shape != counts.shape[:1]:
            raise MeasureError(self, f"gives scores of shape {found.shape} for {len(counts)} pairs")
        return found

    def _called(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except RAISED as problem:
            raise MeasureError(self, f"failed ({type(problem).__name__}: {shown(str(problem), 200)})") from problem


def by_reference(measure: Measure) -> ByReference | None:
    """A measure as one against references, whoever gives it; None if it is of another kind."""
    held = measure.against_references if isinstance(measure, Foreign) else isinstance(measure, ByReference)
    return cast("ByReference", measure) if held else None
