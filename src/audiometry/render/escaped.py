"""Templates in which every foreign text is escaped, with what they print it by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audiometry.render import layout
from audiometry.render.numbers import TOGETHER

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"
LONG_NAME: Final = 32
"""Characters of a name beyond which a page may break it."""
_NEGATIVE: Final = re.compile(r"(?<![\w.])-(?=\d)")


def environment(*folders: Path) -> Any:
    """Templates that escape what comes from outside: those of drawings and blocks, and of further folders.

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
        "percent_of": lambda axis, value: f"{100 * axis.at(value):.2f}%",
        "reach": lambda axis, mark: [f"{100 * end:.2f}" for end in layout.reach(axis, mark)],
        "of_band": layout.of_band,
        "tall": layout.tall,
        "middle": layout.middle,
        "keyed": layout.keyed,
        "whiskers": layout.whiskers,
        "hue": layout.hue,
        "hollow": layout.hollow,
        "told": layout.told,
        "steep": layout.steep,
        "two_sided": layout.two_sided,
        "beside": layout.beside,
        "minus": lambda text: text.replace("-", "\u2212"),
        "together": together,
        "count": lambda number: f"{number:,}",
        "breakable": breakable,
        "unbroken": unbroken,
    }
    return found


def breakable(name: str) -> Markup:
    """A long name for a page on which a line may break behind its marks, and in no word or number.

    >>> str(breakable("cascade/pocketsphinx?hears=words&reader=hf/a/b"))
    'cascade/<wbr>pocketsphinx?<wbr>hears=<wbr>words&amp;<wbr>reader=<wbr>hf/<wbr>a/<wbr>b'
    """
    from markupsafe import Markup

    parts = re.split(r"(?<=[/?&=])|(?<=,)(?!\d)", name) if len(name) > LONG_NAME else [name]
    return Markup("<wbr>").join(filter(None, parts))


def unbroken(text: str) -> Markup:
    """Code of which no word is broken at its hyphens; a long one may be.

    >>> str(unbroken("score <a> --judge"))
    '<span class="nowrap">score</span> <span class="nowrap">&lt;a&gt;</span> <span class="nowrap">--judge</span>'
    """
    from markupsafe import Markup, escape

    whole = Markup('<span class="nowrap">{}</span>')
    return Markup(" ").join(escape(word) if len(word) > LONG_NAME else whole.format(word) for word in text.split(" "))


def together(text: str) -> Markup:
    """A text of which no range, and no number with its unit, is split over two lines, with true minus signs.

    >>> str(together("scores 62.5 to 70.0 % <of> 8"))
    'scores <span class="nowrap">62.5 to 70.0 %</span> &lt;of&gt; 8'
    >>> str(together("-3 on 2026-11-22"))
    '−3 on 2026-11-22'
    """
    from markupsafe import Markup, escape

    text = _NEGATIVE.sub("\u2212", text)
    parts, done = [], 0
    for found in TOGETHER.finditer(text):
        if " " in found[0] or "\u00a0" in found[0]:
            parts += [escape(text[done : found.start()]), Markup('<span class="nowrap">{}</span>').format(found[0])]
            done = found.end()
    return Markup().join([*parts, escape(text[done:])])
