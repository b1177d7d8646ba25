"""People's ratings of systems from a file: a table of ratings, or what each rater said of each reply."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from audiometry.analysis.gap.scores import Floats, from_file, has_column
from audiometry.errors import UsageError, counted, shown
from audiometry.files import presence
from audiometry.files import ratings as lines
from audiometry.stats.ranking.votes import Outcome, Votes, of_codes

COLUMNS: Final = ("system", "rating")
_SCORE, _PREFERRED = (lines.WHATS.index(what) for what in ("score", "preferred"))
_OUTCOME: Final = {1.0: Outcome.A, -1.0: Outcome.B, 0.0: Outcome.TIE}


class SystemRatings(msgspec.Struct, frozen=True, kw_only=True):
    """How people rate systems.

    Attributes:
        systems: names.
        values: ``float64[n]``, the better the higher, on any scale.
        covariance: ``float64[n, n]``, of these; None where errors are not known.
        n: ratings of each; empty where that is not known.
        n_raters: who gave them; None where not known.
        notes: what was passed over or read in another form, a line each.
        n_unread: lines that could not be used.
        source: what it was made of.
    """

    systems: tuple[str, ...]
    values: Floats
    covariance: Floats | None = None
    n: tuple[int, ...] = ()
    n_raters: int | None = None
    notes: tuple[str, ...] = ()
    n_unread: int = 0
    source: str = ""


def read(path: Path) -> tuple[SystemRatings | Votes, list[str], int]:
    """Ratings of systems; or votes, where raters said which of two replies they prefer.

    Args:
        path: CSV or JSON lines with ``system``, ``rating`` and, if known, its standard error ``error``; or a rating
            file (or a run folder with one), of whose people's scores of a model the mean is its rating, with errors
            clustered by rater.

    Returns:
        The ratings, or votes; notes, a line each; and how many lines could not be used.

    Raises:
        UsageError: it is no such file, or no person rated a model in it.
    """
    if not presence.is_folder(path) and has_column(path, "rating"):
        table = from_file(path, rating=True)
        known = np.isfinite(table.errors[:, 0])
        there = np.isfinite(table.values[:, 0])
        errors = table.errors[there, 0]
        made = SystemRatings(
            systems=tuple(name for name, has in zip(table.systems, there, strict=True) if has),
            values=table.values[there, 0],
            covariance=np.diag(errors**2) if known[there].all() else None,
            source=str(path),
        )
        return made, list(table.notes), table.n_unread
    found = lines.read([path])
    people = np.array([kind == "person" for kind in found.kinds], np.bool_)[found.rater]
    preferred, scored = (people & (found.what == what) for what in (_PREFERRED, _SCORE))
    scored &= found.model > 0  # the first name is that of lines that name no model
    notes = _notes(found, used=int((preferred if preferred.any() else scored).sum()))
    n_unread = sum(source.n_unread for source in found.sources)
    if preferred.any():
        return _votes(found, preferred), notes, n_unread
    if not scored.any():
        raise UsageError(
            f"{path} holds no rating that a person gave of a model; give {', '.join(COLUMNS)} and if known error, or "
            "lines with rater, model and score, or with rater, model_a, model_b and preferred"
        )
    return _means(found, scored, str(path)), notes, n_unread


def _votes(found: lines.Ratings, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Votes:
    met = rows & (found.model != found.other)
    return of_codes(
        found.models,
        found.model[met].astype(np.int32),
        found.other[met].astype(np.int32),
        np.array([_OUTCOME[value] for value in found.value[met].tolist()], np.int8),
        voter=found.rater[met].astype(np.int32),
    )


def _means(found: lines.Ratings, rows: np.ndarray[tuple[int], np.dtype[np.bool_]], source: str) -> SystemRatings:
    """Means of each model's scores, with their covariance: a rater's scores belong together."""
    down = np.array([name in found.lower_is_better for name in found.raters], np.bool_)[found.rater[rows]]
    values = np.where(down, -1.0, 1.0) * found.value[rows]
    codes, model = np.unique(found.model[rows], return_inverse=True)
    raters, rater = np.unique(found.rater[rows], return_inverse=True)
    n = np.bincount(model)
    means = np.bincount(model, values) / n
    g = len(raters)
    sums = np.bincount(rater * len(codes) + model, (values - means[model]) / n[model], g * len(codes)).reshape(g, -1)
    return SystemRatings(
        systems=tuple(found.models[code] for code in codes.tolist()),
        values=means,
        covariance=g / (g - 1) * sums.T @ sums if g > 1 else None,
        n=tuple(n.tolist()),
        n_raters=g,
        source=source,
    )


def _notes(found: lines.Ratings, used: int) -> list[str]:
    unread = [
        f"{source.path}: {counted(source.n_unread, 'line')} not used, line {source.unread[0].line} first: "
        f"{shown(source.unread[0].why, 120)}"
        for source in found.sources
        if source.unread
    ]
    others = len(found.value) - used
    if others:
        unread.append(f"{counted(others, 'rating')} of {len(found.value):,} are not people's of a model: left aside")
    return unread
