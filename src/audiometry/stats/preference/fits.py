"""What people prefer, as votes or as ratings, explained by what is known of the systems."""

from __future__ import annotations

from typing import TypeAlias

from audiometry.stats.preference import mixed, rated
from audiometry.stats.preference.contests import Contests, Floats
from audiometry.stats.preference.mixed import Mixed
from audiometry.stats.preference.rated import Ratings

Preference: TypeAlias = Contests | Ratings


def fit(preference: Preference, x: Floats, *, by_voter: bool = False, confidence: float = 0.95) -> Mixed:
    """Votes by logistic regression with systems random (`mixed.fit`), ratings by least squares (`rated.fit`).

    Args:
        preference: of the systems.
        x: ``float64[n_systems, k]``, what is known of them; of no column, their merits alone are fitted.
        by_voter: of votes, whether voters weigh x differently.
        confidence: two-sided.

    Raises:
        UsageError: no votes, a shape that does not fit, or more columns than the systems can tell apart.
    """
    if isinstance(preference, Ratings):
        return rated.fit(preference, x, confidence=confidence)
    return mixed.fit(preference, x, by_voter=by_voter, confidence=confidence)
