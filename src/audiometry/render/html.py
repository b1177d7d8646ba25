"""Blocks as HTML: every text from outside escaped, every number beside its drawing in a table too."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from audiometry.render import escaped
from audiometry.render.delimited import delimited
from audiometry.render.document import (
    Block,
    Cards,
    Chart,
    Choices,
    Copied,
    Facts,
    Folded,
    Headline,
    Line,
    Quoted,
    Section,
    Tiles,
)
from audiometry.render.figure import Figure
from audiometry.render.latex import latex
from audiometry.render.markdown import markdown
from audiometry.render.svg import NOTHING, caption, svg
from audiometry.render.table import Table

if TYPE_CHECKING:
    from markupsafe import Markup

PALETTE: Final = Path(__file__).with_name("palette.css")
"""The colours and types of a page."""
STYLE: Final = Path(__file__).with_name("blocks.css")
"""How blocks look, in them."""
SCRIPTS: Final = (Path(__file__).with_name("copy.js"), Path(__file__).with_name("orders.js"))
"""Make the buttons that copy tables, save figures and sort rows; a page without them has the same blocks, and none."""
BESIDE: Final = 4  # runs whose numbers have room beside a drawing
DENSE: Final = 9  # columns, beyond which they stand closer and the first stays in sight
STEEP: Final = 13  # columns, beyond which headings stand upright
LONG_FACT: Final = 90  # characters, from which on it has a line of its own
_KINDS: Final[dict[type, str]] = {
    Line: "line", Copied: "copied", Facts: "facts", Table: "table", Figure: "figure", Chart: "chart",
    Folded: "folded", Section: "section", Headline: "headline", Tiles: "tiles", Quoted: "quoted", Choices: "choices",
    Cards: "cards",
}  # fmt: skip


def html(blocks: Iterable[Block], level: int = 2) -> Markup:
    """Blocks as they stand on a page.

    Args:
        blocks: in order.
        level: of the heading of a section among them, 2 to 6.
    """
    found: Markup = _own().get_template("blocks.html.j2").module.blocks(tuple(blocks), level)
    return found


def environment(*folders: Path) -> Any:
    """Templates that escape what comes from outside and show blocks by the filter ``html``; made once is enough.

    Args:
        folders: looked into first.
    """
    found = escaped.environment(*folders)
    found.filters |= {
        "kind": lambda block: _KINDS[type(block)],
        "of_kind": lambda blocks, kind: [block for block in blocks if _KINDS[type(block)] == kind],
        "bulky": lambda fold: not any(isinstance(block, Line | Copied | Facts) for block in fold.blocks),
        "long": lambda words: len(Line(words).text) > LONG_FACT,
        "figure_caption": caption,
        "copies": copies,
        "html": html,
        "runs": lambda table: len(_of_runs(table)),
        "in_order": lambda table: msgspec.structs.replace(table, orders=()),
        "but_runs": lambda table: table.without(_of_runs(table)),
    }
    found.globals |= {"nothing": NOTHING, "beside": BESIDE, "dense": DENSE, "steep": STEEP}
    return found


@cache
def _own() -> Any:
    return environment()


def _of_runs(table: Table) -> tuple[int, ...]:
    """The columns that are of a run each."""
    return tuple(at for at, column in enumerate(table.columns) if column.series is not None)


def copies(block: Table | Figure | Chart) -> Markup:
    """What the buttons of a table or a figure copy and save: the texts of its files, as data beside it."""
    from markupsafe import Markup

    table = block.table if isinstance(block, Chart) else block
    figure = block.figure if isinstance(block, Chart) else block
    found: dict[str, Any] = {"caption": block.table.caption if isinstance(block, Chart) else block.caption}
    if isinstance(table, Table):
        found["copy"] = {"CSV": delimited(table), "LaTeX": latex(table), "Markdown": markdown(table)}
    if isinstance(figure, Figure):
        found |= {"name": figure.id, "save": svg(figure)}
    text = msgspec.json.encode(found).decode().replace("<", "\\u003c")
    return Markup('<script type="application/json" class="copies">{}</script>').format(Markup(text))  # noqa: S704  no tag can begin in it
