"""Blocks as HTML: every text from outside escaped, every number beside its drawing in a table too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audiometry.render import layout
from audiometry.render.document import Block, Chart, Copied, Facts, Folded, Line, Section
from audiometry.render.figure import Figure
from audiometry.render.numbers import TOGETHER
from audiometry.render.table import Table

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
LONG_NAME: Final = 32
"""Characters of a name beyond which a page may break it."""
LONG_FACT: Final = 90  # characters, from which on it has a line of its own
_KINDS: Final[dict[type, str]] = {
    Line: "line", Copied: "copied", Facts: "facts", Table: "table", Figure: "figure", Chart: "chart",
    Folded: "folded", Section: "section",
}  # fmt: skip


def html(blocks: Iterable[Block], level: int = 2) -> Markup:
    """Blocks as they stand on a page.

    Args:
        blocks: in order.
        level: of the heading of a section among them, 2 to 6.
    """
    found: Markup = own().get_template("blocks.html.j2").module.blocks(tuple(blocks), level)
    return found


def environment(*folders: Path) -> Any:
    """Templates that escape what comes from outside: those of blocks, and of further folders; made once is enough.

    Args:
        folders: looked into first.
    """
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "kind": lambda block: _KINDS[type(block)],
        "percent_of": lambda axis, value: f"{100 * axis.at(value):.2f}%",
        "of_band": layout.of_band,
        "tall": layout.tall,
        "middle": layout.middle,
        "reach": lambda axis, mark: [f"{100 * end:.2f}" for end in layout.reach(axis, mark)],
        "hue": layout.hue,
        "hollow": layout.hollow,
        "told": layout.told,
        "beside": layout.beside,
        "densest": layout.densest,
        "minus": lambda text: text.replace("-", "\u2212"),
        "long": lambda words: len(Line(words).text) > LONG_FACT,
        "together": together,
        "breakable": breakable,
        "count": lambda number: f"{number:,}",
        "html": html,
    }
    return found


@cache
def own() -> Any:
    """The templates of blocks alone."""
    return environment()


def breakable(name: str) -> Markup:
    """A long name for a page on which a line may break behind its marks, and not inside a word.

    >>> str(breakable("cascade/pocketsphinx?hears=words&reader=hf/a/b"))
    'cascade/<wbr>pocketsphinx?<wbr>hears=<wbr>words&amp;<wbr>reader=<wbr>hf/<wbr>a/<wbr>b'
    """
    from markupsafe import Markup

    parts = re.split(r"(?<=[/?&=,])", name) if len(name) > LONG_NAME else [name]
    return Markup("<wbr>").join(filter(None, parts))


def together(text: str) -> Markup:
    """A text of which no range, and no number with its unit, is split over two lines.

    >>> str(together("scores 62.5 to 70.0 % <of> 8"))
    'scores <span class="nowrap">62.5 to 70.0 %</span> &lt;of&gt; 8'
    """
    from markupsafe import Markup, escape

    parts, done = [], 0
    for found in TOGETHER.finditer(text):
        if " " in found[0] or "\u00a0" in found[0]:
            parts += [escape(text[done : found.start()]), Markup('<span class="nowrap">{}</span>').format(found[0])]
            done = found.end()
    return Markup().join([*parts, escape(text[done:])])
