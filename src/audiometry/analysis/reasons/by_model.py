"""Which systems are preferred for what: reasons among the votes that each won, complaints among those it did not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.reasons.result import ByModel, Cell, ModelReasons
from audiometry.analysis.reasons.spoken import AGAINST_A, AGAINST_B, FOR_A, FOR_B, OPEN, Flags, Spoken
from audiometry.records.votes import Outcome
from audiometry.stats.estimate import estimate
from audiometry.stats.multiplicity import holm
from audiometry.stats.parts import SHARE, means, ratio
from audiometry.stats.two_shares import same_share

MOST: Final = 40  # models: more stand in no matrix


def by_model(
    said: Spoken, flags: Flags, models: Sequence[str], codes: Sequence[str], kind: Literal["for", "against"]
) -> ByModel:
    """Reasons by model.

    Of votes won a reason counts for the winner if it praises that model, or is given without a way (a ticked tag): the
    complaint about the other is no merit of the winner. Of votes lost, and of those in which both were bad (once for
    each), a reason counts against the model if it faults that one.

    Args:
        said: the votes.
        flags: of all coders whose word counts, together.
        models: names, by code.
        codes: that have a column, as `Spoken.names` has them.
        kind: which of the two.
    """
    columns = [said.names.index(code) for code in codes]
    row, model, has = _for(said, flags) if kind == "for" else _against(said, flags)
    has, voter = has[:, columns], said.voter[row]
    counts = np.bincount(model, minlength=len(models))
    order = [at for at in sorted(range(len(models)), key=lambda at: (-counts[at], models[at])) if counts[at]]
    cells = {
        (at, k): _cell(has[:, k], model == at, voter, alone=len(order) == 1)
        for at in order[:MOST]
        for k in range(len(codes))
    }
    tested = [key for key, cell in cells.items() if cell.p is not None]
    corrected = dict(zip(tested, holm([cells[key].p or 0.0 for key in tested]), strict=True))
    return ByModel(
        kind=kind,
        n=len(row),
        overall={code: float(has[:, k].mean()) for k, code in enumerate(codes)} if len(row) else {},
        models=tuple(
            ModelReasons(
                model=models[at],
                n=int(counts[at]),
                n_voters=len(np.unique(voter[model == at])),
                cells={
                    code: msgspec.structs.replace(cells[at, k], p_corrected=corrected.get((at, k)))
                    for k, code in enumerate(codes)
                },
            )
            for at in order[:MOST]
        ),
        n_others=int(counts[order[MOST:]].sum()),
        n_other_models=len(order[MOST:]),
    )


_Units = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]


def _for(said: Spoken, flags: Flags) -> _Units:
    """Votes won: their rows, the winners, and what is said for these."""
    row = np.flatnonzero(said.outcome <= int(Outcome.B))
    a_won = said.outcome[row] == int(Outcome.A)
    own = np.where(a_won, FOR_A, FOR_B).astype(np.uint8)[:, None]
    return row, np.where(a_won, said.a[row], said.b[row]), (flags[row] & (own | OPEN)) > 0


def _against(said: Spoken, flags: Flags) -> _Units:
    """Votes lost, and both sides of those in which both were bad: rows, models, and what is said against these."""
    a_lost = np.isin(said.outcome, (int(Outcome.B), int(Outcome.BOTH_BAD)))
    b_lost = np.isin(said.outcome, (int(Outcome.A), int(Outcome.BOTH_BAD)))
    row = np.concatenate([np.flatnonzero(a_lost), np.flatnonzero(b_lost)])
    side = np.repeat([0, 1], [int(a_lost.sum()), int(b_lost.sum())])
    own = np.where(side == 0, AGAINST_A, AGAINST_B).astype(np.uint8)[:, None]
    return row, np.where(side == 0, said.a[row], said.b[row]), (flags[row] & own) > 0


def _cell(has: NDArray[np.bool_], of: NDArray[np.bool_], voter: NDArray[np.int64], *, alone: bool) -> Cell:
    mine = has[of]
    found = estimate(means(mine.astype(np.float64), voter[of]), ratio, [1.0], SHARE)
    p = None if alone else same_share(has, of, voter)
    return Cell(n=int(mine.sum()), value=found.value, interval=found.interval, p=p, p_corrected=None)
