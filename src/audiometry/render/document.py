"""What a command says and a page shows, as plain data: sections of lines, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from audiometry.render.figure import Figure
from audiometry.render.table import Table


class Piece(msgspec.Struct, frozen=True):
    """A part of a line that is not plain: what matters, a foreign name, code, or a state with its sign."""

    text: str
    kind: Literal["strong", "name", "code", "state"] = "strong"
    sign: str = ""


Words: TypeAlias = tuple[str | Piece, ...]
Weight: TypeAlias = Literal["plain", "minded", "dim", "about", "bare", "asked"]


class Line(msgspec.Struct, frozen=True):
    """A line of text, as long as it is.

    Attributes:
        words: its parts, put together without anything between them.
        weight: ``plain``: what is found; ``minded``: what is to be minded; ``dim``: how a number is made; ``about``:
            what a reader who does not know the section is told, on a page only; ``bare``: the same as plain without a
            rule beside it; ``asked``: a question.
    """

    words: Words
    weight: Weight = "plain"

    @property
    def text(self) -> str:
        """Its words alone."""
        return "".join(word if isinstance(word, str) else word.text for word in self.words)


class Copied(msgspec.Struct, frozen=True):
    """A text that is copied as a whole: a command, a signature; never broken to fit.

    Attributes:
        text: the text.
        name: what it is of; empty where that is plain.
    """

    text: str
    name: str = ""


class Facts(msgspec.Struct, frozen=True):
    """Short facts, each with its name."""

    pairs: tuple[tuple[str, Words], ...]


class Chart(msgspec.Struct, frozen=True):
    """A figure of bands or bars, and a table of its numbers with a row a band: on a page each drawing is in its row."""

    figure: Figure
    table: Table


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """The one number of a page.

    Attributes:
        number: as it is printed, with its unit.
        what: it counts.
        under: lines below it: its interval.
        chart: of one band, which shows it.
        told: lines below that.
    """

    number: tuple[str, str]
    what: str
    under: tuple[Line, ...]
    chart: Chart
    told: tuple[Line, ...]


class Tile(msgspec.Struct, frozen=True):
    """A number with its name.

    Attributes:
        name: what is counted.
        value: as it is printed.
        of: what follows it, smaller.
        tone: of its colour, which a page knows.
        sign: that stands before the name.
        share: of the bar above all tiles, 0 to 1.
    """

    name: str
    value: str
    of: str = ""
    tone: str = ""
    sign: str = ""
    share: float = 0.0


class Tiles(msgspec.Struct, frozen=True):
    """Numbers with their names under a bar of those that are parts of a whole.

    Attributes:
        title: what the bar shows.
        tiles: in order, which is that of the bar too.
    """

    title: str
    tiles: tuple[Tile, ...]


class Quoted(msgspec.Struct, frozen=True):
    """A foreign text as it came; where there is none, what is said in its place."""

    text: str
    none: str = ""


class Choices(msgspec.Struct, frozen=True):
    """What can be answered, each with its letter, if it has one, and what is said of it (``right answer``)."""

    each: tuple[tuple[str, str, str], ...]


class Card(msgspec.Struct, frozen=True):
    """Blocks in a frame, with the item that they are of, to which a page leads; empty: of none."""

    blocks: tuple[Block, ...]
    item: str = ""


class Cards(msgspec.Struct, frozen=True):
    """Cards side by side as there is room."""

    cards: tuple[Card, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is in all of them."""
        return tuple(block for card in self.cards for block in card.blocks)


class Folded(msgspec.Struct, frozen=True):
    """More of it for those who ask: closed on a page, opened on paper, left out on a terminal.

    Attributes:
        title: what it is.
        blocks: what is folded up.
        instead: what a terminal says in its place; empty: nothing.
        printed: whether a terminal, on which nothing can be opened, has its blocks.
        opened: whether a page shows it until it is closed.
        signature: of all figures in it, which a page then has once, below them; empty: each has its own.
        multiples: whether the figures in it, scatters with the same marks and one y axis, stand small and side by side
            on a page, below their one legend.
    """

    title: str
    blocks: tuple[Block, ...]
    instead: str = ""
    printed: bool = False
    opened: bool = False
    signature: str = ""
    multiples: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Blocks under a heading; a section in a section has a smaller one.

    Attributes:
        id: where a link leads; stable.
        title: its heading; empty: none.
        of: what it is of, where several sections have one title.
        blocks: what stands in it.
        short: its name where all sections are listed; empty: it is not listed.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    of: str = ""
    short: str = ""


Block: TypeAlias = (
    Line | Copied | Facts | Table | Figure | Chart | Headline | Tiles | Quoted | Choices | Cards | Folded | Section
)


def line(*words: str | Piece, weight: Weight = "plain") -> Line:
    """A line of these words."""
    return Line(words, weight)


def strong(text: str) -> Piece:
    """What matters in a line."""
    return Piece(text)


def name(text: str) -> Piece:
    """A foreign name in a line: of a model, a run, a task."""
    return Piece(text, "name")


def names_of(those: Sequence[str]) -> Words:
    """Foreign names in a line, one after the other."""
    return tuple(piece for n, one in enumerate(those) for piece in (", " if n else "", name(one)))


def code(text: str) -> Piece:
    """Code in a line."""
    return Piece(text, "code")


def told_of(blocks: Iterable[Block], of: str, ending: str = "") -> tuple[Block, ...]:
    """The same, with what they are of in every table and figure: these leave the page alone.

    Args:
        blocks: sections among them are gone through.
        of: the run and the benchmark.
        ending: of their ids, where others have the same.
    """
    return tuple(_told_of(block, of, ending) for block in blocks)


def _told_of(block: Block, of: str, ending: str) -> Block:
    match block:
        case Section() | Folded():
            return msgspec.structs.replace(block, blocks=told_of(block.blocks, of, ending))
        case Chart():
            figure, table = told_of((block.figure, block.table), of, ending)
            return msgspec.structs.replace(block, figure=figure, table=table)
        case Table():
            return msgspec.structs.replace(block, of=of, id=block.id + ending)
        case Figure():
            return msgspec.structs.replace(block, of=of, id=block.id + ending)
        case _:
            return block
