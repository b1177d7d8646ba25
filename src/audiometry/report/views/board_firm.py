"""How firm a board is: how few votes would change who leads, and which votes may be nobody's opinion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.arena.abuse.look import ABOUT, REASONS, Look
from audiometry.arena.board import Board
from audiometry.errors import counted, shown
from audiometry.render.document import Block, Line, Section, line, strong
from audiometry.render.numbers import percent
from audiometry.render.table import Column, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.board_ranks import signature

_TITLE: Final = "Votes that may be nobody's opinion"


def dropped(found: Board) -> Iterator[Line]:
    """How few votes, or voters, were found whose absence changes who leads."""
    for one in found.dropped:
        unit = one.unit.removesuffix("s")
        votes = f", who cast {counted(one.votes, 'vote')}," if one.unit == "voters" else ""
        yield line(
            "Without ",
            strong(f"{one.n:,} of {counted(one.of, unit)}"),
            f" ({percent(one.n / one.of)} %){votes} {shown(one.challenger, LONGEST)} would lead in place of "
            f"{shown(one.leader, LONGEST)}: the fewest found.",
        )


def apart(found: Board) -> Iterator[Section]:
    """Votes that may be nobody's opinion, by reason."""
    its = found.look
    if its is None or its.stands.all():
        return
    rows = tuple(
        (one, ABOUT[one], sum(voter.reason == one for voter in its.voters), its.n(one)) for one in REASONS if its.n(one)
    )
    table = Table(
        id="set-apart",
        caption=_TITLE,
        signature=signature(found),
        columns=(
            Column(id="reason", title="reason", kind="name"),
            Column(id="about", title="what it says", kind="text", drop=1),
            Column(id="voters", title="voters", kind="count"),
            Column(id="votes", title="votes", kind="count"),
        ),
        rows=rows,
    )
    blocks: tuple[Block, ...] = (line(_left_out(found, its)), table, line(_told(its), weight="dim"))
    yield Section(id="set-apart", title=_TITLE, short="Nobody's opinion", blocks=blocks)


def _left_out(found: Board, its: Look) -> str:
    n = int((~its.stands).sum())
    where = f"{'is' if n == 1 else 'are'} in {'no number' if found.set_apart else 'all numbers'} of this page"
    lines = ", ".join(f"{one.line:,}" for one in its.voters[:5])
    more = ", …" if len(its.voters) > 5 else "."  # noqa: PLR2004  as many as are named
    first = f" Voters are known by the line of their first vote: {lines}{more}" if its.voters else ""
    return f"{counted(n, 'vote')} of {len(its.stands):,} {where}.{first}"


def _told(its: Look) -> str:
    of = its.chance
    like, random, own = (int(some.sum()) for some in (of.like_others, of.at_random, of.of_their_own))
    rest = int((of.choices > 0).sum()) - like - random - own
    theirs = f"{own:,} as one another do and not as others, which counts, " if own else ""
    after = (
        f"a coin is told after about {of.needed:,} choices"
        if of.needed is not None
        else "these models are so alike that no coin can be told"
    )
    return (
        f"Of {counted(its.known, 'voter')}, {like:,} choose as others do, {theirs}{random:,} as a coin would, and of "
        f"{rest:,} it cannot be told yet ({after}). One honest voter in twenty may be taken for a coin; nobody is to "
        "go unpaid for it."
    )
