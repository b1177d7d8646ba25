"""Preferences: as people state them, and as the scores that a judge or a metric gave to both replies imply them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.agreement.setting import Setting
from audiometry.analysis.agreement.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_DUST = 1e-9  # 0.1 + 0.2 and 0.3 are equal scores


def with_implied(stated: Rows, scored: Rows | None, setting: Setting) -> Rows:
    """The stated preferences, and those that scores of judges and metrics imply where anybody states one.

    The model with the higher score is preferred; scores no further apart than the rater's margin are equal. What a
    rater states goes before what their scores imply.

    Args:
        stated: one preference a rater and unit, 1 for the unit's first model.
        scored: one score a rater and unit, higher always better; None for none.
        setting: who is who, and their margins.

    Source: AIR-Bench, section 4.3.
    """
    if scored is None:
        return stated
    parts = [(stated.rater, stated.unit, stated.value)]
    mine = {rater: unit for rater, unit, _ in stated.by_rater(setting.machines())}
    models = len(setting.models)
    first = stated.unit_item * models + stated.unit_model
    second = stated.unit_item * models + stated.unit_other
    # units are numbered in the order of these keys
    replies = scored.unit_item * models + scored.unit_model
    for rater, unit, value in scored.by_rater(setting.machines()):
        keys = replies[unit]
        found, preferred = _better(keys, value, first, second, setting.margins[rater])
        new = ~np.isin(found, mine[rater])
        parts.append((np.full(int(new.sum()), rater, np.int64), found[new], preferred[new]))
    raters, units, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    place = np.lexsort((units, raters))
    return msgspec.structs.replace(
        stated, rater=raters[place], unit=units[place], value=values[place], order=np.zeros(len(place), np.int64)
    )


def _better(keys: Codes, value: Floats, first: Codes, second: Codes, margin: float) -> tuple[Codes, Floats]:
    """The units both of whose replies have a score, and which is better: 1, 0 or -1."""
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0)
    places = [np.searchsorted(keys, wanted).clip(0, len(keys) - 1) for wanted in (first, second)]
    units = np.flatnonzero((keys[places[0]] == first) & (keys[places[1]] == second))
    return units, preferences(value[places[0][units]], value[places[1][units]], margin)


def preferences(first: Floats, second: Floats, margin: float) -> Floats:
    """1 where the first score is higher by more than the margin, -1 where the second is, else 0."""
    apart = first - second
    return np.where(np.abs(apart) <= margin + _DUST, 0.0, np.sign(apart))


def margins(stated: Sequence[str], raters: Sequence[str], kinds: Sequence[str]) -> tuple[list[float], float]:
    """The margin of each rater, from words such as ``0.5`` (all judges) and ``metric:bleu=2``; and that of judges.

    Raises:
        UsageError: not a number of at least 0.
        UnknownNameError: a rater of that name has rated nothing.
    """
    import math

    from audiometry.errors import UnknownNameError, UsageError

    general, own = 0.0, {}
    for word in stated:
        name, _, number = word.rpartition("=")
        try:
            margin = float(number)
        except ValueError:
            margin = math.nan
        if not 0 <= margin < math.inf:
            raise UsageError(
                f"--tie-margin {word}: not a number of at least 0; give 0.5, or metric:bleu=2 for one rater"
            )
        if name and name not in raters:
            raise UnknownNameError("rater", name, raters)
        if name:
            own[name] = margin
        else:
            general = margin
    by_rater = [own.get(name, 0.0 if kind == "metric" else general) for name, kind in zip(raters, kinds, strict=True)]
    return by_rater, general
