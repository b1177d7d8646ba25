"""The console that reports are printed on: foreign text in them can neither move the cursor nor pass for markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any, Final

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from audiometry.errors import visible
from audiometry.render.document import Block, Chart, Copied, Facts, Line, Section
from audiometry.render.table import Table
from audiometry.render.terminal import Fitted

NARROWEST: Final = 100  # columns, when the output is not a terminal
_WEIGHTS: Final = {"plain": "", "minded": "yellow", "dim": "dim", "about": ""}
_STYLES: Final = {"strong": "bold", "name": "", "code": ""}


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

    def show(self, blocks: Iterable[Block]) -> None:
        """Print blocks, each in a group of its own: texts that are printed bare lose how they are wrapped."""
        for part in printed(blocks):
            super().print(Group(part), crop=False)


def unwrapped(text: str) -> Text:
    """A line that is copied as a whole: as wide as it is, in any width."""
    return Text(text, style="dim", no_wrap=True, overflow="ignore")


def console(file: IO[str] | None = None) -> Terminal:
    """A console on standard output, or on a file; wide enough for a table when that is no terminal."""
    found = Terminal(file=file)
    return found if found.is_terminal else Terminal(max(NARROWEST, found.width), file)


def printed(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Blocks as a terminal shows them: what is told or folded up for the readers of a page is left out."""
    for block in blocks:
        match block:
            case Section():
                if heading := ": ".join(filter(None, (block.title, block.of))):
                    yield Text(f"\n{visible(heading)}", style="bold", overflow="ignore")
                yield from printed(block.blocks)
            case Line():
                if block.weight != "about":
                    yield _line(block)
            case Copied():
                yield unwrapped(f"{block.name}: {block.text}" if block.name else block.text)
            case Facts():
                yield from (_line(Line((f"{title}: ", *words))) for title, words in block.pairs)
            case Chart():
                yield Fitted(block.table)
            case Table():
                yield Fitted(block)


def _line(line: Line) -> Text:
    parts = ((word, "") if isinstance(word, str) else (word.text, _STYLES[word.kind]) for word in line.words)
    out = Text(style=_WEIGHTS[line.weight], overflow="ignore")
    for text, style in parts:
        out.append(visible(text), style)
    return out
