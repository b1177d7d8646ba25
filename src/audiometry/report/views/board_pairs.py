"""The pairs behind a board: whether their votes fit one scale, and who beat whom."""

from __future__ import annotations

from typing import Final

from audiometry.arena.board import Board
from audiometry.arena.doubts import LEVEL
from audiometry.errors import counted, shown
from audiometry.render.document import Block, Chart, Folded, Line, Piece, Section, line, name
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, OutOf, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.board_ranks import signature
from audiometry.stats.ranking import Ranking

MATRIX: Final = 12  # models of which a terminal shows who beat whom; of more, the page does
TURNED: Final = 5  # orders against the pair's own votes that are told
_HALF: Final = 0.5
PAIRS: Final = 24  # pairs that are listed; the rest is folded up
_SHARE: Final = Column(id="won", title="won", kind="number", unit="%")


def fit(its: Ranking, found: Board) -> Section:
    """Each pair's votes against what the ratings say of it."""
    fit = its.fit
    assert fit is not None  # noqa: S101  asked above
    if fit.p is None:
        told = (
            "There are no more pairs than ratings: any votes of these pairs fit one scale, so that nothing is tested."
        )
    else:
        fits = "do not fit" if fit.p < LEVEL else "fit"
        told = (
            f"These votes {fits} one scale: chi-square {fit.chi2:.1f} on {fit.df} degrees of freedom, "
            f"p {p_value(fit.p, '= ')}."
        )
    apart = Column(id="apart", title="apart", kind="number", unit="points", sign=True)
    pairs = [(f"{shown(one.a, LONGEST)} – {shown(one.b, LONGEST)}", one) for one in fit.pairs]
    tables = [
        Table(
            id=place,
            caption=caption,
            signature=signature(found),
            columns=(
                Column(id="pair", title="pair", kind="name"),
                _SHARE,
                Column(id="expected", title="by the ratings", kind="number", unit="%"),
                apart,
                Column(id="chi2", title="chi-square", kind="number"),
                Column(id="votes", title="votes", kind="count"),
            ),
            rows=tuple(
                (title, one.observed, one.expected, one.observed - one.expected, one.chi2, one.n) for title, one in some
            ),
        )
        for place, caption, some in (
            (
                "pairs",
                "How much of its votes the first of each pair won, ties half; the worst fitting first",
                pairs[:PAIRS],
            ),
            ("pairs-more", "The same of all other pairs", pairs[PAIRS:]),
        )
        if some
    ]
    rest = [Folded(f"{counted(len(pairs) - PAIRS, 'more pair')}", tuple(tables[1:]))] if tables[1:] else []
    blocks: tuple[Block, ...] = (line(told), *turned(found), *tables[:1], *rest)
    return Section(id="fit", title="Whether the votes fit one scale", short="Fit", blocks=blocks)


def turned(found: Board) -> list[Line]:
    """Orders of the board that the two models' own votes contradict, and how far each rests on one other model."""
    ties = "ties as half votes" if found.ranking.ties == "half" else "ties by Davidson"
    said = []
    for one in found.reversals[:TURNED]:
        low, high = one.interval
        own = f"{_SHARE.number(one.share)} % of {counted(one.n, 'vote')} (95 %: {_SHARE.span((low, high))})"
        rests = next(((model, lead) for model, lead in one.without if lead is not None), None)
        words: list[str | Piece] = [
            name(one.above),
            " stands above ",
            name(one.below),
            f" by {one.elo:.1f} Elo though it",
        ]
        words += [f" won only {own} against it" + (", which may be chance" * (high >= _HALF))]
        if rests is not None:
            turns = "trails" if rests[1] < 0 else "leads"
            words += ["; without the votes on ", name(rests[0]), f" it {turns} by {abs(rests[1]):.1f} ({ties})"]
        said.append(line(*words, "."))
    if len(found.reversals) > TURNED:
        said.append(line(f"The same of {counted(len(found.reversals) - TURNED, 'more pair')}."))
    return said


def matrix(its: Ranking, found: Board) -> Section:
    """Who beat whom, models in the order of the board."""
    matrix = its.matrix
    order = [one.model for one in its.models] + [one.model for one in its.unplaced]
    at = [matrix.models.index(one) for one in order]
    decided = matrix.wins + matrix.wins.T + matrix.ties
    shown_names = [shown(one, LONGEST) for one in order]
    cells = [
        (x, y, float(matrix.wins[row, column] + matrix.ties[row, column] / 2), int(decided[row, column]))
        for y, row in enumerate(at)
        for x, column in enumerate(at)
        if decided[row, column]
    ]
    caption = (
        "Share of its votes that the model of the row won against that of the column, ties half, both-bad left out"
    )
    figure = Figure(
        id="win-matrix",
        caption=caption,
        signature=signature(found),
        kind="matrix",
        x=Axis(title="against", unit="%", bands=tuple(Band(name=one) for one in shown_names)),
        y=Axis(title="won by", bands=tuple(Band(name=one) for one in shown_names)),
        marks=tuple(Mark(x=x, y=y, value=won / n, shade=2 * won / n - 1) for x, y, won, n in cells),
        n=int(decided.sum()) // 2,
        n_of="vote",
        shade_name="0 to 100\u00a0%",
    )
    rows: list[tuple[Cell, ...]] = []
    for y, row in enumerate(at):
        each: list[Cell] = [
            OutOf(int(matrix.wins[row, one]), int(matrix.n[row, one])) if matrix.n[row, one] else None for one in at
        ]
        rows.append((order[y], *each))
    table = Table(
        id="win-matrix",
        caption="Battles that the row's model won against the column's, of all, ties and both-bad among them",
        signature=signature(found),
        columns=(
            Column(id="model", title="won by", kind="name"),
            *(Column(id=f"against-{n}", title=one, kind="count") for n, one in enumerate(shown_names, 1)),
        ),
        rows=tuple(rows),
    )
    chart = Chart(figure, table)
    blocks: tuple[Block, ...] = (chart,)
    if len(order) > MATRIX:
        blocks = (
            Folded(
                "Who beat whom",
                (chart,),
                opened=True,
                instead=f"Who beat whom: {counted(len(order), 'model')}, on the page (-o).",
            ),
        )
    return Section(id="matrix", title="Who beat whom", short="Win matrix", blocks=blocks)
