"""From how many replies the rules read an option: the instruction-following rate."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.records import State
from audiometry.score.chosen import Followed
from audiometry.score.preferences import CAME, share
from audiometry.score.sheet import CODE, UNPLANNED, Sheet


def followed(sheet: Sheet) -> Followed:
    """The rate over the replies that came, and over all that there were to be.

    Args:
        sheet: of choices, with all of the run's variants.

    Source: MuChoMusic (arXiv 2408.01337) §4.2, whose rate is over all.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    planned, came = own.state != UNPLANNED, np.isin(own.state, CAME)
    for place in own.blocked:
        came[place] = False
    read = np.asarray((own.state == CODE[State.ANSWERED]).sum(axis=1), np.float64)
    received, every = came.sum(axis=1).astype(np.float64), planned.sum(axis=1).astype(np.float64)
    stopped = bool((own.state == CODE[State.NOT_ASKED]).any())
    return Followed(
        n_read=int(read.sum()),
        n_received=int(received.sum()),
        n_all=int(every.sum()),
        of_received=share(read, received, own.items.cluster),
        of_all=None if stopped else share(read, every, own.items.cluster),
    )
