"""Variants aside: what a score loses when items come without their own clips, and what it is with fewer options."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from audiometry.choices.fewer import fewer
from audiometry.choices.variant import PLAIN, TEXT_ONLY, with_fewer, without_clip
from audiometry.score.difference import Pairing, corrected
from audiometry.score.items import Bools
from audiometry.score.row import Condition, Row
from audiometry.score.sheet import UNPLANNED, Sheet
from audiometry.score.table import Table


def conditions(sheet: Sheet) -> dict[str, Condition]:
    """The row of each variant without the clip, and how much less it is than ``plain``; over items that name a clip.

    Only ``plain`` stands for the real clip: it shows the options in the order that the others show them, so that
    nothing but the sound is different. Replies that are lost on either side are in no difference. p is corrected over
    the conditions that replace the sound (Holm); words alone, a prompt of another form, are a question of their own.

    Args:
        sheet: with all of the run's variants.
    """
    found = {name: (side, pairing(sheet, name)) for name, side in sides(sheet).items() if name != PLAIN}
    rows = {name: Table(side.of(_planned(side))).whole() for name, (side, _) in found.items()}
    several = sum(pair is not None for name, (_, pair) in found.items() if name != TEXT_ONLY)
    whole = {
        name: pair.whole(1 if name == TEXT_ONLY else several) for name, (_, pair) in found.items() if pair is not None
    }
    known = {name: one for name, one in whole.items() if one is not None}
    drops = corrected({name: one for name, one in known.items() if name != TEXT_ONLY})
    drops |= corrected({name: one for name, one in known.items() if name == TEXT_ONLY})
    return {name: Condition(**_fields(row), difference=drops.get(name)) for name, row in rows.items()}


def with_fewer_options(sheet: Sheet) -> dict[str, Row]:
    """The row of each variant with fewer options, whose chance is that of as many as were shown.

    Args:
        sheet: with all of the run's variants.
    """
    found = {}
    for name in with_fewer(sheet.variants):
        one = sheet.of(variants=[name])
        one = one.of(_planned(one))
        how, at = fewer(name), sheet.run.benchmark.items.at
        n = [max(1, len(how.of(at(position)))) if how else 1 for position in one.items.position.tolist()]
        items = msgspec.structs.replace(one.items, chance=1 / np.array(n, np.float64))
        found[name] = Table(msgspec.structs.replace(one, items=items)).whole()
    return found


def sides(sheet: Sheet) -> dict[str, Sheet]:
    """``plain`` and each variant without the clip as sheets of their own; none if there are none.

    Over the items that name a clip and were to be asked without it: commands may choose a few for that.
    """
    asked = list(without_clip(sheet.variants))
    chosen = sheet.items.clip & _planned(sheet.of(variants=asked)) if asked else sheet.items.clip
    if not asked or not chosen.any():
        return {}
    heard = sheet.of(chosen)
    return {name: heard.of(variants=[name]) for name in (PLAIN, *asked) if name in sheet.variants}


def pairing(sheet: Sheet, name: str) -> Pairing | None:
    """``plain`` and a variant without the clip on the items with a reply to both; None if there are none."""
    found = sides(sheet)
    if PLAIN not in found or name not in found:
        return None
    plain, other = found[PLAIN], found[name]
    there = np.asarray(~(plain.lost | other.lost).any(axis=1), np.bool_)
    counted = there & plain.counted.any(axis=1) & other.counted.any(axis=1)
    return Pairing(_alone(plain.of(counted)), _alone(other.of(counted))) if counted.any() else None


def _planned(sheet: Sheet) -> Bools:
    """The items that were to be asked in any of a sheet's variants."""
    return np.asarray((sheet.state != UNPLANNED).any(axis=1), np.bool_)


def _alone(sheet: Sheet) -> Sheet:
    """The sheet of one variant under a name that says nothing, so that two of them pair reply by reply."""
    return msgspec.structs.replace(sheet, variants=("one",))


def _fields(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in Row.__struct_fields__}
