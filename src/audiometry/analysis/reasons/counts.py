"""How often each reason is given, by votes and by voters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.reasons.result import Reason, Share
from audiometry.analysis.reasons.spoken import AGAINST, FOR, Flags, Spoken
from audiometry.files.code_book import Book
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio


def share(has: NDArray[np.bool_], voter: NDArray[np.int64]) -> Share:
    """How many of some votes have something, with the interval by voters.

    Args:
        has: ``bool[n]``.
        voter: ``int64[n]``, who.
    """
    if not len(has):
        return Share(n=0, value=None, interval=None)
    found = estimate(means(has.astype(np.float64), voter), ratio, [1.0], SHARE)
    return Share(n=int(has.sum()), value=found.value, interval=found.interval)


def counted_of(said: Spoken, flags: Flags, in_comments: Flags, book: Book) -> tuple[Reason, ...]:
    """Each reason that any vote gives, the most frequent first.

    Args:
        said: the votes.
        flags: of ticks and comments together.
        in_comments: of comments alone.
        book: the codes.
    """
    titles = {one.name: one.title for one in book.code}
    known = said.voter >= 0
    every, place = np.unique(said.voter[known], return_inverse=True)
    found = []
    for at, code in enumerate(said.names):
        mine = flags[:, at]
        has = mine > 0
        if not has.any():
            continue
        theirs = np.bincount(place, has[known], len(every)) > 0
        voters = share(theirs, np.arange(len(every))) if len(every) else None
        found.append(
            Reason(
                code=code,
                title=titles.get(code, code),
                is_tag=code not in titles,
                votes=share(has, said.voter),
                voters=voters,
                n_praise=int(((mine & FOR) > 0).sum()),
                n_complaint=int(((mine & AGAINST) > 0).sum()),
                n_open=int((has & ((mine & (FOR | AGAINST)) == 0)).sum()),
                n_ticked=int((said.tags[:, at] > 0).sum()),
                n_commented=int((in_comments[:, at] > 0).sum()),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.votes.n, one.is_tag, one.code)))
