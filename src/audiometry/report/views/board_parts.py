"""Boards of parts of the votes, and which models stand elsewhere in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.arena.board import Board, Parts
from audiometry.arena.doubts import LEVEL, of_parts
from audiometry.errors import counted, shown
from audiometry.render.document import Block, Folded, Section, line, name, strong
from audiometry.render.numbers import p_value
from audiometry.render.table import Column, Table
from audiometry.report.naming import LONGEST, endings
from audiometry.report.views.board_overview import overview
from audiometry.report.views.board_ranks import WAY_ON, ranks, signature, unplaced

OPEN: Final = 3  # boards of parts that a page shows one below the other


def split(its: Parts, found: Board, ending: str) -> Section:
    """A board a part, and whose strength differs."""
    blocks: list[Block] = []
    parts = endings([one.name for one in its.parts])
    if its.unknown:
        blocks.append(
            line(f"{counted(its.unknown, 'vote')} without a {shown(its.by, 40)}: on no board below.", weight="minded")
        )
    values, votes = its.others
    if values:
        blocks.append(
            line(
                f"{counted(values, 'more value')} with {counted(votes, 'vote')} in all: on no board below.",
                weight="minded",
            )
        )
    blocks += overview(its, found, ending)
    blocks += _moves(its, found, ending)
    once, own = of_parts({one.name: one.ranking for one in its.parts if one.ranking is not None})
    blocks += [line(f"Note: {said}.", weight="minded") for said in once]
    if any(one.ranking is not None and one.ranking.unplaced for one in its.parts):
        blocks.append(line(f"Models that the votes of a part cannot place are listed below its board; {WAY_ON}."))
    each: list[Block] = []
    for one, place in zip(its.parts, parts, strict=True):
        title = f"{shown(its.by, 40).capitalize()}: {shown(one.name, LONGEST)}"
        inner: list[Block] = [line(strong(counted(one.votes, "vote")), f" of {found.file.votes.n:,}.")]
        if one.why:
            inner.append(line(f"Note: {one.why}.", weight="minded"))
        if one.ranking is not None:
            inner += [line(f"Note: {said}.", weight="minded") for said in own[one.name]]
            if one.ranking.models:
                inner.append(
                    ranks(one.ranking, found, f"leaderboard-part{ending}{place}", f"Ratings of models, {title}")
                )
            inner += unplaced(one.ranking, found, f"unplaced-part{ending}{place}", of_part=True)
        each.append(Section(id=f"part{ending}{place}", title=title, blocks=tuple(inner)))
    boards = f"The {len(each)} boards by {shown(its.by, 40)}"
    blocks += [Folded(boards, tuple(each), printed=True)] if len(each) > OPEN else each
    return Section(
        id=f"by{ending}", title=f"By {shown(its.by, 40)}", short=f"By {shown(its.by, 40)}", blocks=tuple(blocks)
    )


def _moves(its: Parts, found: Board, ending: str) -> Iterator[Block]:
    """Which models are surely stronger or weaker in a part than in all other votes."""
    if not its.moves:
        yield line(
            "Whether a model stands elsewhere in a part cannot be tested: fewer than three models are ranked in any."
        )
        return
    sure = [one for one in its.moves if one.p_corrected < LEVEL]
    tested = f"of {counted(len(its.moves), 'comparison')} with all other votes, corrected for all of them (Holm)"
    if not sure:
        yield line(f"No model is surely stronger or weaker in one part than in the others: {tested}.")
        return
    for one in sure[:3]:
        way = "stronger" if one.difference > 0 else "weaker"
        yield line(
            name(one.model),
            f" is {way} in ",
            name(one.part),
            f": {abs(one.difference):.0f} Elo, rank {one.rank} of {one.n_models} there and {one.rank_elsewhere} in all "
            f"other votes (p {p_value(one.p_corrected, '= ')}).",
        )
    yield Table(
        id=f"moves{ending}",
        caption=f"Models whose strength in a part differs from that in all other votes, {tested}",
        signature=signature(found),
        columns=(
            Column(id="model", title="model", kind="name"),
            Column(id="part", title=shown(its.by, 40), kind="text"),
            Column(id="rank", title="rank there", kind="count"),
            Column(id="elsewhere", title="elsewhere", kind="count"),
            Column(id="difference", title="difference", kind="number", unit="Elo", decimals=0, sign=True),
            Column(id="interval", title="95 %", kind="interval", unit="Elo", decimals=0, sign=True),
            Column(id="p", title="p", kind="p"),
        ),
        rows=tuple(
            (one.model, one.part, one.rank, one.rank_elsewhere, one.difference, one.interval, one.p_corrected)
            for one in sure
        ),
    )
