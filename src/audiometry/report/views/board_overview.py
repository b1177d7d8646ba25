"""How models stand in each part of the votes, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from audiometry.arena.board import Board, Parts
from audiometry.arena.doubts import FEW
from audiometry.errors import shown
from audiometry.render.document import Block, Chart, line
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.board_ranks import signature
from audiometry.stats.ranking.result import MEAN, Standing

ROUGH: Final = "*"
"""Stands behind a rating that rests on few battles."""
_AT_MOST: Final = 12  # parts that a table of words has room for


def overview(its: Parts, found: Board, ending: str) -> Iterator[Block]:
    """Ratings of all models in all parts; nothing where fewer than two parts have any.

    Args:
        its: the parts.
        found: the board that they are of.
        ending: of the table's id.
    """
    boards = [(one.name, one.ranking) for one in its.parts if one.ranking is not None and one.ranking.models]
    more, boards = boards[_AT_MOST:], boards[:_AT_MOST]
    if len(boards) < 2:  # noqa: PLR2004  one board says it all
        return
    order = [one.model for one in (*found.ranking.models, *found.ranking.unplaced)]
    rated = [{one.model: one for one in ranking.models} for _, ranking in boards]
    order = [model for model in order if any(model in each for each in rated)]
    anchor = found.ranking.anchor
    middle = next((one.rating for one in found.ranking.models if one.model == anchor), MEAN)
    far = max(abs(one.rating - middle) for each in rated for one in each.values()) or 1.0
    by = shown(its.by, 40)
    caption = f"Ratings (Elo) of each model by {by}; {ROUGH} of fewer than {FEW} battles"
    titles = [f"{by} {name}" if name.isdecimal() else shown(name, LONGEST) for name, _ in boards]
    yield line(
        f"Elo by {by}; {'of each with its anchor' if anchor else f'ratings of each average {MEAN:g}'}. "
        f"{ROUGH}: fewer than {FEW} battles."
        + (f" The {len(boards)} with most votes; {len(more):,} more have a board below." if more else ""),
        weight="dim",
    )
    figure = Figure(
        id=f"overview{ending}",
        caption=caption,
        signature=signature(found),
        kind="matrix",
        x=Axis(title=by, unit="Elo", decimals=0, bands=tuple(Band(name=one) for one in titles)),
        y=Axis(title="model", bands=tuple(Band(name=shown(one, LONGEST)) for one in order)),
        marks=tuple(
            Mark(
                x=x,
                y=y,
                value=each[model].rating,
                shade=(each[model].rating - middle) / far,
                sign=ROUGH * (each[model].battles < FEW),
            )
            for y, model in enumerate(order)
            for x, each in enumerate(rated)
            if model in each
        ),
        n=sum(ranking.votes for _, ranking in boards),
        n_of="vote",
        shade_name="below to above the average model",
    )
    yield Chart(figure, _table(figure, order, rated))


def _table(figure: Figure, order: Sequence[str], rated: Sequence[Mapping[str, Standing]]) -> Table:
    """The numbers of the figure, a row a model."""
    rows: list[tuple[Cell, ...]] = []
    for model in order:
        of = [each.get(model) for each in rated]
        cells = (None if one is None else Estimate(one.rating, note=ROUGH * (one.battles < FEW)) for one in of)
        rows.append((model, *cells))
    return Table(
        id=figure.id,
        caption=figure.caption,
        signature=figure.signature,
        columns=(
            Column(id="model", title="model", kind="name"),
            *(
                Column(id=f"part-{n}", title=band.name, kind="number", decimals=0)
                for n, band in enumerate(figure.x.bands, 1)
            ),
        ),
        rows=tuple(rows),
    )
