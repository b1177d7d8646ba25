"""Sections as one HTML file that works offline; its one script copies tables and saves figures."""

from __future__ import annotations

from pathlib import Path

import msgspec

import audiometry
from audiometry.files import atomic
from audiometry.render import html
from audiometry.render.document import Block, Line, Section
from audiometry.report.pages import environment, scripts, styles
from audiometry.report.placing import refuse_others


class SectionPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a page shows.

    Attributes:
        title: its heading.
        eyebrow: what it is of, above that.
        warnings: what stands in the way of a claim, below it.
        first: what comes before all sections.
        sections: those with a short name are linked at the top.
        foot: lines at its end: what it was made from, and how.
    """

    title: str
    eyebrow: str
    warnings: tuple[Block, ...]
    first: tuple[Block, ...]
    sections: tuple[Section, ...]
    foot: tuple[Line, ...]


def write(page: SectionPage, output: Path) -> Path:
    """Write the page.

    Args:
        page: what to show.
        output: the file.

    Raises:
        StorageError: it cannot be written; what stood there still stands.
    """
    refuse_others(output)
    atomic.write(output, render(page).encode())
    return output


def render(page: SectionPage) -> str:
    """The page's text."""
    made = environment().get_template("sections.html.j2")
    script, digest = scripts(html.SCRIPTS)
    text: str = made.render(
        version=audiometry.__version__, style=styles(), script=script, script_sha256=digest, data="", page=page
    )
    return text.lstrip()
