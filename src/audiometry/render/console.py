"""The console that reports are printed on: foreign text in them can neither move the cursor nor pass for markup."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from audiometry.errors import visible
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
from audiometry.render.numbers import WORD
from audiometry.render.table import Table
from audiometry.render.terminal import Fitted

NARROWEST: Final = 100  # columns, when the output is not a terminal
_HEIGHT: Final = 25  # lines, which nothing goes by
_WEIGHTS: Final = {"plain": "", "minded": "yellow", "dim": "dim", "about": "", "bare": "", "asked": "bold"}
_STYLES: Final = {"strong": "bold", "name": "", "code": "", "state": ""}


class Terminal(Console):
    """A console whose texts are `visible`: those in cells and lines before they are measured, all others as printed.

    Brackets and colons are letters, not markup: names of tasks and models hold them.
    """

    def __init__(self, width: int | None = None, file: IO[str] | None = None) -> None:
        height = None if width is None else _HEIGHT  # without one, a dumb terminal would be 80 columns wide
        super().__init__(highlight=False, markup=False, emoji=False, width=width, height=height, file=file)

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


class Wrapped:
    """A line broken at its blanks to the width there is; no word is broken, and no range or number with its unit.

    What it begins with of blanks, its further lines begin with too.
    """

    def __init__(self, line: Text) -> None:
        self._line = line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        plain = self._line.plain
        indent = len(plain) - len(plain.lstrip())
        breaks, used = [], indent
        for word in WORD.finditer(plain):
            if word.start() > indent and used and used + cell_len(word[0].rstrip()) > options.max_width:
                breaks.append(word.start())
                used = indent
            used += cell_len(word[0])
        for at, part in enumerate(self._line.divide(breaks)):
            part.rstrip()
            part.pad_left(indent if at else 0)
            part.no_wrap, part.overflow = True, "ignore"
            yield part


def unwrapped(text: str) -> Text:
    """A line that is copied as a whole: as wide as it is, in any width."""
    return Text(text, style="dim", no_wrap=True, overflow="ignore")


def console(file: IO[str] | None = None, narrowest: int = NARROWEST) -> Terminal:
    """A console on standard output, or on a file, and if that is no terminal at least so many columns wide."""
    found = Terminal(file=file)
    if not found.is_terminal:
        return Terminal(max(narrowest, found.width), file)
    return Terminal(shutil.get_terminal_size().columns, file) if found.is_dumb_terminal else found


def printed(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Blocks as a terminal shows them: what is told or folded up for the readers of a page is left out."""
    for block in blocks:
        match block:
            case Section():
                if heading := ": ".join(filter(None, (block.title, block.of))):
                    yield from (Text(), Wrapped(Text(visible(heading), style="bold")))
                yield from printed(block.blocks)
            case Copied():
                yield unwrapped(f"{block.name}: {block.text}" if block.name else block.text)
            case Cards() | Folded(printed=True):
                if isinstance(block, Folded) and any(isinstance(one, Cards) for one in block.blocks):
                    yield from (Text(), Wrapped(Text(visible(block.title), style="bold")))
                yield from printed(block.blocks)
            case Chart():
                yield Fitted(block.table)
            case Table():
                yield Fitted(block)
            case _:
                yield from map(_line, _lines(block))


def _lines(block: Block) -> Iterator[Line]:
    match block:
        case Line() if block.weight != "about":
            yield block
        case Facts():
            yield from (Line((f"{title}: ", *words)) for title, words in block.pairs)
        case Headline():
            yield from (Line((" ".join((*block.number, block.what)),)), *block.under, *block.told)
        case Tiles():
            yield from (Line((f"{one.name}: {one.value} {one.of}".rstrip(),)) for one in block.tiles)
        case Choices():
            yield from (Line((" ".join(filter(None, one)),)) for one in block.each)
        case Quoted():
            yield Line((f"  {block.text or block.none}",))
        case Folded() if block.instead:
            yield Line((block.instead,), "dim")
        case _:
            pass


def _line(line: Line) -> Wrapped:
    parts = ((word, "") if isinstance(word, str) else (word.text, _STYLES[word.kind]) for word in line.words)
    out = Text(style=_WEIGHTS[line.weight])
    for text, style in parts:
        out.append(visible(text), style)
    return Wrapped(out)
