"""What a command says and a page shows, as plain data: sections of lines, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from audiometry.render.figure import Figure
from audiometry.render.table import Table


class Piece(msgspec.Struct, frozen=True):
    """A part of a line that is not plain: what matters, a foreign name, or code."""

    text: str
    kind: Literal["strong", "name", "code"] = "strong"


Words: TypeAlias = tuple[str | Piece, ...]
Weight: TypeAlias = Literal["plain", "minded", "dim", "about"]


class Line(msgspec.Struct, frozen=True):
    """A line of text, as long as it is.

    Attributes:
        words: its parts, put together without anything between them.
        weight: ``plain``: what is found; ``minded``: what is to be minded; ``dim``: how a number is made; ``about``:
            what a reader who does not know the section is told, on a page only.
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


class Folded(msgspec.Struct, frozen=True):
    """More of it for those who ask: closed on a page, opened on paper, left out on a terminal.

    Attributes:
        title: what it is.
        blocks: what is folded up.
        instead: what a terminal says in its place; empty: nothing.
        printed: whether a terminal, on which nothing can be opened, has its blocks.
        opened: whether a page shows it until it is closed.
    """

    title: str
    blocks: tuple[Block, ...]
    instead: str = ""
    printed: bool = False
    opened: bool = False


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


Block: TypeAlias = Line | Copied | Facts | Table | Figure | Chart | Folded | Section


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


def told_of(blocks: Iterable[Block], of: str) -> tuple[Block, ...]:
    """The same, with what they are of in every table and figure: these leave the page alone.

    Args:
        blocks: sections among them are gone through.
        of: the run and the benchmark.
    """
    return tuple(_told_of(block, of) for block in blocks)


def _told_of(block: Block, of: str) -> Block:
    match block:
        case Section() | Folded():
            return msgspec.structs.replace(block, blocks=told_of(block.blocks, of))
        case Chart():
            figure, table = told_of((block.figure, block.table), of)
            return msgspec.structs.replace(block, figure=figure, table=table)
        case Table():
            return msgspec.structs.replace(block, of=of)
        case Figure():
            return msgspec.structs.replace(block, of=of)
        case _:
            return block
