"""Leaves of one cluster, which show no variation of their own, taken together: collapsed strata.

What such leaves differ by is taken for noise, which is at least what their clusters would differ by. A single one stays
alone: nothing tells how far its value may move.

Source: Cochran 1977, Sampling Techniques, third edition, section 5A.12.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audiometry.stats.influence import Strata, numbered, totals
from audiometry.stats.parts import Codes, Floats

_PAIR = 2  # leaves of two clusters between them are the fewest that show variation


class Collapsed(msgspec.Struct, frozen=True):
    """Strata of which those of one cluster are one.

    Attributes:
        strata: they come first, the one that is made last.
        cell: ``int64[cells]``, the new place of each cell.
        part: ``float64[cells]``, how much of its new stratum the old one is.
    """

    strata: Strata
    cell: Codes
    part: Floats

    def cells(self, values: Floats) -> Floats:
        """What was said of each cell's weight in its old stratum, said of the new ones."""
        return totals(self.cell, self.part * values, len(self.strata.cell_stratum))


def collapsed(found: Strata) -> Collapsed:
    """The strata with all those of one cluster as one, where they hold several clusters; else as they are."""
    n = len(found.share)
    single = np.bincount(found.cell_stratum, minlength=n) == 1
    if numbered(found.cell_cluster[single[found.cell_stratum]])[1] < _PAIR:
        return Collapsed(found, np.arange(len(found.cell_stratum)), np.ones(len(found.cell_stratum)))
    kept = int((~single).sum())
    new = np.where(single, kept, np.cumsum(~single) - 1)
    part = np.where(single, found.share / found.share[single].sum(), 1.0)
    value, centre, slope = (totals(new, part * each, kept + 1) for each in (found.value, found.centre, found.slope))
    codes, cell = np.unique(found.cell_cluster * (kept + 1) + new[found.cell_stratum], return_inverse=True)
    cell_cluster, cell_stratum = np.divmod(codes, kept + 1)
    cell_part = part[found.cell_stratum]
    cell_weight = totals(cell, cell_part * found.cell_weight, len(codes))
    apart = (found.centre - centre[new])[found.cell_stratum]
    moved = totals(cell, np.where(single[found.cell_stratum], cell_part * apart, found.residual), len(codes))
    made = cell_stratum == kept
    return Collapsed(
        msgspec.structs.replace(
            found,
            value=value,
            centre=centre,
            slope=slope,
            share=totals(new, found.share, kept + 1),
            stratum=new[found.stratum],
            cell=cell[found.cell],
            weight=found.weight * part[found.stratum],
            cell_stratum=cell_stratum,
            cell_cluster=cell_cluster,
            cell_weight=cell_weight,
            residual=np.where(made, moved / np.sqrt(np.where(made, 1 - cell_weight, 1.0)), moved),
            alone=np.bincount(cell, found.alone, len(codes)).astype(np.bool_) & ~made,
        ),
        cell,
        cell_part,
    )
