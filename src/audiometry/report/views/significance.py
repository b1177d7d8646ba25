"""Which numbers of several runs differ from the first run's: the tests of the comparison, corrected over all cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.errors import counted, shown
from audiometry.report.naming import LONGEST
from audiometry.score.result import LEVEL, Comparison, Difference
from audiometry.stats.multiplicity import holm

BETTER, WORSE = "\u2191", "\u2193"
Kind: TypeAlias = Literal["all", "categories", "tasks"]
KINDS: Final[tuple[Kind, ...]] = ("all", "categories", "tasks")
"""Of rows; p is corrected over all cells of one of them."""


class Sign(msgspec.Struct, frozen=True):
    """A run's number against the first run's on the items that both were asked.

    Attributes:
        p: of the difference.
        corrected: over all cells of its kind (Holm).
        sign: `BETTER` or `WORSE` than the first run's; empty: they cannot be told apart.
    """

    p: float
    corrected: float
    sign: str


class Signs(msgspec.Struct, frozen=True):
    """The tests behind a table of runs and tasks.

    Attributes:
        n_runs: of the table.
        cells: by kind (one of `KINDS`) and name of a row, and the run's number.
    """

    n_runs: int
    cells: Mapping[tuple[str, str, int], Sign]

    def of(self, kind: str, name: str = "") -> tuple[Sign | None, ...]:
        """Those of a row, by run; none of the first."""
        return tuple(self.cells.get((kind, name, number)) for number in range(self.n_runs))

    def told(self, first: str, n_cells: int) -> str:
        """What a caption says of the signs.

        Args:
            first: what the first run is called.
            n_cells: how many numbers of other runs there are.
        """
        families = [
            f"{counted(n, 'cell')} of {what}"
            for kind, what in (("tasks", "tasks"), ("categories", "categories"), ("all", "all items"))
            if (n := sum(one == kind for one, _, _ in self.cells))
        ]
        untested = n_cells - len(self.cells)
        return (
            f"; {BETTER} better, {WORSE} worse than {shown(first, LONGEST)}: p < {LEVEL:g}, in pairs by swapping whole "
            f"clusters, corrected (Holm) over {', over '.join(families)}; no sign: not told apart"
            f"{f', or not tested ({untested:,})' if untested > 0 else ''}"
        )


def against_first(comparisons: Sequence[tuple[int, Comparison]], n_runs: int) -> Signs | None:
    """The tests of the first run against the others, by one score; None where none was made.

    Args:
        comparisons: the first run less each other one, with the number of that.
        n_runs: of the page.
    """
    cells: dict[tuple[str, str, int], Sign] = {}
    for kind in KINDS:
        own = {(kind, name, n): one for n, found in comparisons for name, one in _of_kind(found, kind)}
        adjusted = holm([one.p for one in own.values()]) if own else []
        up = bool(comparisons) and comparisons[0][1].direction == "up"
        for (key, one), corrected in zip(own.items(), adjusted, strict=True):
            sign = "" if corrected >= LEVEL else BETTER if (one.difference < 0) == up else WORSE
            cells[key] = Sign(one.p, corrected, sign)
    return Signs(n_runs, cells) if cells else None


def _of_kind(found: Comparison, kind: Kind) -> Iterator[tuple[str, Difference]]:
    if kind == "all":
        yield "", found
    else:
        yield from (found.tasks if kind == "tasks" else found.categories).items()
