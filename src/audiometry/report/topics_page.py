"""What people ask for as a page: uses, topics, and a board of each."""

from __future__ import annotations

from audiometry.analysis.topics.result import Topics
from audiometry.arena.board import Board
from audiometry.errors import counted
from audiometry.files.votes import said_of
from audiometry.render.document import line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views import topics as views
from audiometry.report.views.topic_boards import boards


def page(found: Topics, board: Board) -> SectionPage:
    """What the page shows.

    Args:
        found: what people ask for.
        board: the models ranked by topic and by use.
    """
    return SectionPage(
        title="What people ask for",
        eyebrow=f"{counted(found.n_asked, 'query')}, {counted(found.n_votes, 'vote')}",
        warnings=views.notes(found, said_of(board.file)),
        first=(),
        sections=(*views.topics(found), *boards(board)),
        foot=(line("Made of ", name(board.file.path), ".", weight="dim"), views.made(found)),
    )
