"""Ratings of systems, in place of votes between them, explained by what is known of the systems.

``rating = level + x effect + u``, with ``u`` what the score leaves of a system's rating, its own error among it. A
system is one case, however many people rated it, so limits are Student's with as many degrees of freedom as systems
beyond the fixed effects and 1.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from audiometry.stats.preference.contests import Codes, Floats
from audiometry.stats.preference.mixed import Mixed, identified, limits


class Ratings(msgspec.Struct, frozen=True, kw_only=True):
    """How systems are rated.

    Attributes:
        values: ``float64[n_systems]``, the better the higher, on any scale.
    """

    values: Floats

    @property
    def n_systems(self) -> int:
        """How many systems there are."""
        return len(self.values)

    def among(self, systems: Codes) -> Ratings:
        """The ratings of some of the systems.

        Args:
            systems: ``int64[m]``, codes, each once; the first becomes 0, the second 1 and so on.
        """
        return Ratings(values=self.values[systems])


def fit(ratings: Ratings, x: Floats, *, confidence: float = 0.95) -> Mixed:
    """Least squares; ``sigma`` is the spread of what is left, in the ratings' unit, and R² the share explained.

    Args:
        ratings: of at least two systems.
        x: ``float64[n_systems, k]``.
        confidence: two-sided.

    Raises:
        UsageError: a shape that does not fit, or more columns than the systems can tell apart.
    """
    identified(ratings.n_systems, x)
    own, level = x - x.mean(axis=0), ratings.values - ratings.values.mean()
    effects = np.linalg.lstsq(own, level, rcond=None)[0]
    left, df = level - own @ effects, ratings.n_systems - 1 - x.shape[1]
    variance, whole = float(left @ left) / df, float(level @ level)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(own.T @ own)))
    return Mixed(
        effects=tuple(
            limits(float(one), float(error), df, confidence) for one, error in zip(effects, errors, strict=True)
        ),
        sigma=math.sqrt(variance),
        tau=None,
        merits=np.asarray(left, np.float64),
        df=df,
        log_likelihood=-df / 2 * math.log(variance) if variance else math.inf,
        r2_marginal=1 - float(left @ left) / whole if whole else 0.0,
        r2_conditional=None,
        converged=True,
    )
