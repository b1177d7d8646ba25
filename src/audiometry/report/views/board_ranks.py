"""Ranked models with their intervals, and models without a place: of all votes or of a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import audiometry
from audiometry.arena.board import Board
from audiometry.errors import shown
from audiometry.render.bands import banded
from audiometry.render.document import Block, Chart, Folded, line
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Table
from audiometry.report.naming import LONGEST
from audiometry.stats.ranking import Ranking
from audiometry.stats.ranking.result import MEAN, Limits

WHY: Final = {
    "no votes that count": "all of its votes are both-bad, or lack what is controlled for",
    "only ties": "has ties only: neither better nor worse than any",
    "not connected": "never met a ranked model, nor one that did",
    "never won": "never won: no rating is low enough",
    "never lost": "never lost: no rating is high enough",
    "no win over a ranked model": "never won against a ranked model: no rating is low enough",
    "no loss to a ranked model": "never lost to a ranked model: no rating is high enough",
    "no chain of votes": "no chain of wins and losses joins it with the ranked models both ways",
}
WAY_ON: Final = "arena rank --prior 1 ranks all of them under an assumption"
_COUNTS: Final = tuple(
    Column(id=one, title=title, kind="count", drop=drop)
    for one, title, drop in (
        ("battles", "battles", 0),
        ("won", "won", 0),
        ("lost", "lost", 0),
        ("ties", "ties", 0),
        ("both-bad", "both bad", 1),
    )
)
_RATING: Final = Column(id="rating", title="rating", kind="number", unit="Elo", decimals=0)


def signature(found: Board, ranking: Ranking | None = None) -> str:
    """How its numbers were made, beside every table and figure."""
    its = ranking or found.ranking
    parts = [
        "bradley-terry",
        f"ties={'drop' if found.settings.ties == 'drop' else its.ties}",
        f"prior={its.prior:g}" if its.prior else "",
        f"anchor={shown(its.anchor, LONGEST)}" if its.anchor else "",
        "first" if its.first is not None else "",
        f"control={'+'.join(one.name for one in its.contrasts)}" if its.contrasts else "",
        "weights=1/propensity" if its.weighted else "",
        f"clusters={its.clusters.replace(' ', '-')}({its.n_clusters})",
        f"intervals={its.intervals}" + (f"({its.resamples}, seed {found.settings.seed})" if its.resamples else ""),
        f"audiometry={audiometry.__version__}",
    ]
    return " | ".join(filter(None, parts))


def ranks(its: Ranking, found: Board, place: str, caption: str) -> Chart:
    """Ranked models, best first, drawn with their intervals."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.model,
            one.rating,
            one.interval if one.interval is None or one.interval != (None, None) else "open",
            f"{one.rank_range[0]}" if one.rank_range[0] == one.rank_range[1] else "{} to {}".format(*one.rank_range),
            one.battles,
            one.wins,
            one.losses,
            one.ties,
            one.both_bad,
        )
        for one in its.models
    ]
    table = Table(
        id=place,
        caption=caption,
        signature=signature(found, its),
        columns=(
            Column(id="model", title="model", kind="name"),
            _RATING,
            Column(id="interval", title=f"{100 * its.confidence:g} %", kind="interval", unit="Elo", decimals=0),
            Column(id="ranks", title="rank", kind="text"),
            *_COUNTS,
        ),
        rows=tuple(rows),
    )
    ends = [end for one in its.models for end in (one.rating, *(one.interval or ())) if end is not None]
    marks = [
        Mark(x=one.rating, y=y, interval=_closed(one.interval, min(ends), max(ends)))
        for y, one in enumerate(its.models)
    ]
    anchored = next((one for one in its.models if one.model == its.anchor), None)
    middle = MEAN if anchored is None else anchored.rating
    x = axis_around([*ends, middle], title="rating", unit="Elo", decimals=0)
    named = "the average model" if anchored is None else shown(anchored.model, LONGEST)
    return banded(table, marks, x, n=its.votes, n_of="vote", reference=middle, reference_name=named)


def _closed(limits: Limits | None, low: float, high: float) -> tuple[float, float] | None:
    """An interval as it can be drawn: an open end reaches as far as anything does."""
    return (
        None if limits is None else (low if limits[0] is None else limits[0], high if limits[1] is None else limits[1])
    )


def unplaced(its: Ranking, found: Board, place: str, *, of_part: bool = False) -> Iterator[Block]:
    """Models without a place and why they have none; of a part folded up, as it has been said what to do."""
    if not its.unplaced:
        return
    n = len(its.unplaced)
    whose = "1 model has no rating" if n == 1 else f"{n:,} models have no rating"
    if not of_part:
        yield line(f"{whose}, as the votes cannot place them; {WAY_ON}.", weight="minded")
    rows = [
        (
            one.model,
            WHY.get(one.reason, one.reason)
            + (f" (one of {len(one.group) + 1} that met each other)" if one.group else ""),
            one.battles,
            one.wins,
            one.losses,
            one.ties,
            one.both_bad,
        )
        for one in its.unplaced
    ]
    table = Table(
        id=place,
        caption="Models that the votes cannot place",
        signature=signature(found, its),
        columns=(
            Column(id="model", title="model", kind="name"),
            Column(id="why", title="why", kind="text"),
            *_COUNTS,
        ),
        rows=tuple(rows),
    )
    yield Folded(whose, (table,), printed=True) if of_part else table
