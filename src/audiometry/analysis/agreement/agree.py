"""From rating files to what they say of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
import numpy as np

from audiometry.analysis.agreement.doubts import doubts
from audiometry.analysis.agreement.named import named
from audiometry.analysis.agreement.position import positions
from audiometry.analysis.agreement.preference import margins, with_implied
from audiometry.analysis.agreement.result import Agreement, Named, Rater, SourceLine
from audiometry.analysis.agreement.scores import scores, turned
from audiometry.analysis.agreement.setting import Setting
from audiometry.analysis.agreement.table import Rows, mean_over_orders, rows, same_in_all_orders
from audiometry.errors import UnknownNameError
from audiometry.files.ratings import WHATS, Ratings
from audiometry.score.table import cleaned
from audiometry.stats.bootstrap import RESAMPLES

LOWER_IS_BETTER = ("wer", "cer")


def agree(
    ratings: Ratings,
    *,
    raters: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    tie_margin: Sequence[str] = (),
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Hold all ratings of the same things against each other.

    Args:
        ratings: as `files.ratings.read` gives them.
        raters: only these; empty for all.
        lower_is_better: metrics or other raters of whom a lower score is the better one, besides `LOWER_IS_BETTER` and
            those whose ratings say so.
        tie_margin: scores of a judge no further apart count as equal where preferences are taken from them, as a
            number; for one rater as ``NAME=NUMBER``.
        seed: of every resample.
        resamples: of the items, for intervals.

    Raises:
        UnknownNameError: a rater who has rated nothing, in ``raters`` or ``lower_is_better``.
        UsageError: an impossible margin.

    Source: AIR-Bench, sections 4.3 and 4.4; ``docs/agree.md`` says how each number is made.
    """
    ratings = _only(ratings, raters)
    by_rater, margin = margins(tie_margin, ratings.raters, ratings.kinds)
    setting = Setting(
        raters=ratings.raters,
        kinds=ratings.kinds,
        models=ratings.models,
        lowered=_lowered(ratings, lower_is_better),
        margins=by_rater,
        seed=seed,
        resamples=resamples,
    )
    found = {what: rows(ratings, what) for what in WHATS}
    scored = None if found["score"] is None else turned(found["score"], setting)
    one_score = None if scored is None else mean_over_orders(scored)
    agreement = Agreement(
        files=[SourceLine(**msgspec.structs.asdict(source)) for source in ratings.sources],
        raters=_raters(setting, found, ratings),
        n_repeated=sum(part.n_repeated for part in found.values() if part is not None),
        choices=None if found["choice"] is None else _named(found["choice"], None, setting, "choice"),
        scores=None if one_score is None else scores(one_score, setting),
        preferences=None if found["preferred"] is None else _named(found["preferred"], one_score, setting, "preferred"),
        codes=None if found["code"] is None else _named(found["code"], None, setting, "code"),
        positions=[] if scored is None else positions(scored, setting, ratings.cluster),
        warnings=[],
        confidence=setting.confidence,
        resamples=resamples,
        seed=seed,
        tie_margin=margin,
    )
    assumed = [warning for part in found.values() if part is not None for warning in part.warnings]
    return cast(
        "Agreement",
        cleaned(msgspec.structs.replace(agreement, warnings=doubts(agreement, ratings, one_score, setting) + assumed)),
    )


def _named(found: Rows, scored: Rows | None, setting: Setting, what: str) -> Named:
    kept, two_minds = same_in_all_orders(found)
    return named(with_implied(kept, scored, setting), setting, what, two_minds)


def _raters(setting: Setting, found: dict[str, Rows | None], ratings: Ratings) -> list[Rater]:
    size = len(setting.raters)
    counts = {
        what: np.zeros(size, np.int64) if part is None else np.bincount(part.rater, minlength=size)
        for what, part in found.items()
    }
    present = np.bincount(ratings.rater, minlength=size)
    return [
        Rater(
            name=name,
            kind=setting.kinds[code],
            n_scores=int(counts["score"][code]),
            n_choices=int(counts["choice"][code]),
            n_preferred=int(counts["preferred"][code]),
            n_codes=int(counts["code"][code]),
            lower_is_better=setting.lowered[code] and bool(counts["score"][code]),
        )
        for code, name in enumerate(setting.raters)
        if present[code]
    ]


def _lowered(ratings: Ratings, lower_is_better: Sequence[str]) -> list[bool]:
    """Of each rater, whether its lower scores are the better ones."""
    called = [name.removeprefix("metric:").casefold() for name in ratings.raters]
    names = [{name, name.partition("?")[0]} for name in called]  # wer?language=de is wer
    low = set[str](LOWER_IS_BETTER)
    for name in lower_is_better:
        plain = name.removeprefix("metric:").casefold()
        if not any(plain in these for these in names):
            raise UnknownNameError("rater", name, ratings.raters)
        low.add(plain)
    return [
        bool(these & low) or rater in ratings.lower_is_better
        for rater, these in zip(ratings.raters, names, strict=True)
    ]


def _only(ratings: Ratings, raters: Sequence[str]) -> Ratings:
    """The ratings of these raters."""
    if not raters:
        return ratings
    for name in raters:
        if name not in ratings.raters:
            raise UnknownNameError("rater", name, ratings.raters)
    codes = [ratings.raters.index(name) for name in raters]
    keep = np.isin(ratings.rater, codes)
    columns = {
        name: getattr(ratings, name)[keep] for name in ("item", "rater", "model", "other", "order", "what", "value")
    }
    kinds = [kind if code in codes else "" for code, kind in enumerate(ratings.kinds)]  # the others are nobody here
    two_kinds = [name for name in ratings.two_kinds if name in raters]
    return msgspec.structs.replace(ratings, **columns, kinds=kinds, two_kinds=two_kinds)
