"""What a run scores when its open items come without their own clips."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.choices.variant import PLAIN, without_clip
from audiometry.score.chat.rows import Table
from audiometry.score.chat.rules import ChatRules
from audiometry.score.chat.sheet import Sheet
from audiometry.score.chat.tree import Tree
from audiometry.score.chat.values import Values
from audiometry.score.row import Condition, Difference
from audiometry.stats.multiplicity import holm
from audiometry.stats.paired import paired


def conditions(sheet: Sheet, found: Values, rules: ChatRules, where: Tree) -> dict[str, Condition]:
    """The row of each variant without the clip, and how much less it is than ``plain``; over items that name a clip."""
    variants = sheet.run.info.variants
    names = list(without_clip(variants))
    items = sheet.run.benchmark.items
    heard = np.array([items.has_clip(position) for position in sheet.run.positions], np.bool_)
    if not names or not heard.any():
        return {}
    asked = [name for name in (PLAIN, *names) if name in variants]
    tables = {name: Table(sheet, found, rules, where, [variants.index(name)]) for name in asked}
    plain = tables.get(PLAIN)
    drops = {name: _drop(name, plain, tables[name], rules, where, heard) if plain else None for name in names}
    known = {name: drop for name, drop in drops.items() if drop is not None}
    corrected = dict(zip(known, holm([drop.p for drop in known.values()]), strict=True))
    out: dict[str, Condition] = {}
    for name in names:
        drop = drops[name]
        row = msgspec.structs.asdict(tables[name].row(where.of(heard)))
        difference = None if drop is None else msgspec.structs.replace(drop, p_corrected=corrected[name])
        out[name] = Condition(**row, difference=difference)
    return out


def _drop(
    name: str, plain: Table, other: Table, rules: ChatRules, where: Tree, heard: NDArray[np.bool_]
) -> Difference | None:
    counts = heard & ~np.isnan(plain.item_scores) & ~np.isnan(other.item_scores)
    if not counts.any():
        return None
    scale = rules.highest - rules.lowest
    weights = where.of(counts).item_weights(counts)
    one, two = ((table.item_scores[counts] - rules.lowest) / scale for table in (plain, other))
    found = paired(
        one,
        two,
        where.items.cluster[counts],
        weights=weights,
        strata=where.pool[counts],
        rng=seeds.generator(0, "chat", "conditions", name),
    )
    mean_a, mean_b = (rules.lowest + scale * float((weights * side).sum() / weights.sum()) for side in (one, two))
    return Difference(
        n_items=found.n,
        n_clusters=found.n_clusters,
        score_a=mean_a,
        score_b=mean_b,
        difference=scale * found.difference,
        interval=(scale * found.low, scale * found.high),
        p=found.p,
        detectable=scale * found.detectable,
    )
