"""The console that reports are printed on: foreign text in them can neither move the cursor nor pass for markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from audiometry.errors import visible

NARROWEST = 100  # columns, when the output is not a terminal


class Terminal(Console):
    """A console whose texts are `visible`: those in cells and lines before they are measured, all others as printed.

    Brackets and colons are letters, not markup: names of tasks and models hold them.
    """

    def __init__(self, width: int | None = None, file: IO[str] | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width, file=file)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as a text."""
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed of a renderable."""
        if isinstance(renderable, Text) and (flat := visible(renderable.plain)) != renderable.plain:
            renderable = renderable.blank_copy(flat)  # styled as a whole: the places of its styles have moved
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def unwrapped(text: str) -> Text:
    """A line that is copied as a whole: as wide as it is, in any width."""
    return Text(text, style="dim", no_wrap=True, overflow="ignore")


def console(file: IO[str] | None = None) -> Terminal:
    """A console on standard output, or on a file; wide enough for a table when that is no terminal."""
    found = Terminal(file=file)
    return found if found.is_terminal else Terminal(max(NARROWEST, found.width), file)
