"""Models ranked by topic and by use."""

from __future__ import annotations

from audiometry.arena.board import Board
from audiometry.render.document import Section
from audiometry.report.naming import endings
from audiometry.report.views.board_parts import split


def boards(found: Board) -> tuple[Section, ...]:
    """A section of each split of the board."""
    places = endings([one.by for one in found.splits])
    return tuple(split(one, found, place) for one, place in zip(found.splits, places, strict=True))
