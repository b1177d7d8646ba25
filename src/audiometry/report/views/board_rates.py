"""How often each model of an arena failed, declined or said nothing, and how often nobody voted on what it said."""

from __future__ import annotations

from collections.abc import Iterator

from audiometry.arena.board import Board
from audiometry.render.document import Section, line
from audiometry.render.table import Column, Table
from audiometry.report.views.board_ranks import signature

_SHARES = ("failed", "refused", "empty", "abandoned")


def rates(found: Board) -> Iterator[Section]:
    """Shares of what each model was asked; nothing for votes of a file, which do not tell."""
    if not found.rates:
        return
    place = {one.model: at for at, one in enumerate(found.ranking.models)}
    ordered = sorted(found.rates, key=lambda one: (place.get(one.model, len(place)), one.model))
    table = Table(
        id="rates",
        caption="What became of asking each model, in the order of the ranks",
        signature=signature(found),
        columns=(
            Column(id="model", title="model", kind="name"),
            Column(id="asked", title="asked", kind="count"),
            *(Column(id=name, title=name, kind="number", unit="%") for name in _SHARES),
        ),
        rows=tuple(
            (one.model, one.asked, *(getattr(one, name) / max(one.asked, 1) for name in _SHARES)) for one in ordered
        ),
    )
    about = (
        "A refusal can be voted on; a battle with a failed or an empty reply cannot, and is nobody's loss. Abandoned: "
        "both replies came, and no vote."
    )
    yield Section(id="asking", title="What became of asking", blocks=(table, line(about, weight="dim")))
