"""What a measure is: it turns outcomes into parts, a few numbers whose sums over items make its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import msgspec

from audiometry.outside import Outside, OutsideError
from audiometry.records import Failure, Item, Task
from audiometry.score.readers import KINDS, Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROGRAM: Final = "exec/"
LARGEST: Final = 1e100  # of a part; squares of sums of such are numbers yet
Floats: TypeAlias = "NDArray[np.float64]"  # a text, as numpy is loaded by what computes: listing measures needs none
Direction: TypeAlias = Literal["up", "down"]
Range: TypeAlias = tuple[float | None, float | None]


class Counted(msgspec.Struct, frozen=True):
    """What a measure found, a row an outcome.

    Attributes:
        parts: ``float64[n, k]``; rows of failures are 0.
        failures: by row, why the outcome could not be measured, so that it does not count.
    """

    parts: Floats
    failures: dict[int, Failure] = {}


class Measure(Protocol):
    """What outcomes are worth.

    Further attributes are looked at where there are some: ``takes`` (``read``, the default, or ``scores``: which part
    of an outcome it needs), ``scale`` (how limits are made: ``bounded``, the default where the range has two ends,
    ``log``, ``f1``, ``recall`` or ``plain``; see `stats.parts.Scale`), ``at_once`` (true: it is handed all outcomes in
    one call, as a program that is started for it wants), ``stamps`` (what its signature says), ``by_class`` (true: of
    choices too its columns need the right answers that occur, as letters), ``lowest`` (see `measures.macro_f1`: where
    the worst that lost replies can do is more than the sum of their worst parts).
    """

    @property
    def name(self) -> str:
        """As in ``--measure``."""
        ...

    @property
    def about(self) -> str:
        """One line for people: what it measures."""
        ...

    @property
    def version(self) -> int:
        """Another number is another rule."""
        ...

    @property
    def kinds(self) -> KINDS:
        """Of tasks that it fits: choice, label, transcript, open."""
        ...

    @property
    def unit(self) -> str:
        """What the value counts (``errors per reference word``)."""
        ...

    @property
    def direction(self) -> Direction:
        """Whether more or less is better."""
        ...

    @property
    def range(self) -> Range:
        """The ends of the scale; None where there is none, as of a program that states no scale."""
        ...

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:
        """Names of the parts, given the right labels that occur in the task (or pool)."""
        ...

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """The parts of outcomes; one without an answer is worth what the rules say of a missing answer."""
        ...

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats | None, Floats | None] | None:
        """Parts of the worst and of the best reply that there can be to each item, ``float64[n, k]`` each.

        None where the scale has no such ends; one of them None where it has no such end above.
        """
        ...

    def value(self, sums: Floats) -> Floats:
        """The value of sums, ``float64[..., k]`` → ``float64[...]``; NaN where there is none."""
        ...


def broken(measure: Measure, does: str) -> OutsideError:
    """The error that says what a measure does that measures do not do."""
    return Outside("measure", measure.name, lambda: getattr(measure, "origin", "")).error(does, measure)


def checked(measure: Measure, counted: Counted, n: int, columns: Sequence[str]) -> Counted:
    """What a measure gave, if it is what it should be.

    Raises:
        OutsideError: parts of another shape, or that are not finite: numbers made of them would be wrong.
    """
    import numpy as np

    parts = np.asarray(counted.parts, dtype=np.float64)
    if parts.shape != (n, len(columns)) or not (np.abs(parts) <= LARGEST).all():
        raise broken(
            measure,
            f"gives parts of shape {parts.shape} for {n} outcomes and {len(columns)} columns, or numbers that are not "
            f"finite or beyond {LARGEST:g}",
        )
    return Counted(parts, counted.failures)


def takes_scores(measure: Measure) -> bool:
    """Whether it measures judges' scores: what of a reply counts has then been said by who read them."""
    return getattr(measure, "takes", "read") == "scores"


def by_class(measure: Measure) -> bool:
    """Whether its columns are made of the classes that occur in gold."""
    return bool(getattr(measure, "by_class", False))


def ratio(above: Floats, below: Floats) -> Floats:
    """The one over the other; NaN where there is nothing below."""
    import numpy as np

    out = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out
