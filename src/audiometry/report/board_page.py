"""The board of an arena as a page."""

from __future__ import annotations

from audiometry.arena.board import Board
from audiometry.errors import counted
from audiometry.render.document import line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.board import board, made, notes
from audiometry.report.views.board_ranks import signature


def page(found: Board) -> SectionPage:
    """What the page shows."""
    votes = found.file.votes
    return SectionPage(
        title="Models ranked by votes",
        eyebrow=f"{counted(votes.n, 'vote')}, {counted(len(votes.models), 'model')}",
        warnings=notes(found),
        first=(),
        sections=board(found),
        foot=(
            line("Made of ", name(found.file.path), ".", weight="dim"),
            made(found),
            line(signature(found), weight="dim"),
        ),
    )
