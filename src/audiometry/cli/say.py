"""All that the command line prints: one door, past which no secret goes and nothing that moves a cursor or hides."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from unicodedata import category

import click

from audiometry.cli import streams
from audiometry.errors import visible

if TYPE_CHECKING:
    from audiometry.files.secrets import Scrubber
    from audiometry.render.document import Block


def _document_alone(_: click.Context, __: click.Parameter, value: bool) -> bool:  # noqa: FBT001  click's signature
    if value:
        streams.document_alone()
    return value


json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    callback=_document_alone,
    help="Print one JSON document, and nothing else, on standard output.",
)
"""The option of every command whose answer goes through `say_json`."""


def say(text: str = "", *, err: bool = False, style: str = "") -> None:
    """Print a text of one or more lines.

    Args:
        text: in which a newline is ours; what is foreign and belongs on one line went through `shown`.
        err: on standard error.
        style: ``bold``, or the name of a colour, for a terminal; empty for none.
    """
    flat = visible(_known().text(text))
    if style:
        flat = click.style(flat, bold=True) if style == "bold" else click.style(flat, fg=style)
    click.echo(flat, file=streams.err() if err else streams.out())


def over(text: str) -> None:
    """Write a line of progress over the one that stands there."""
    click.echo("\r" + visible(_known().text(text)), file=streams.err(), nl=False)


def say_json(value: Any) -> None:
    r"""Print one JSON document; characters that a terminal acts on are written ``\u…``, as JSON allows."""
    import msgspec

    try:
        text = _known().document(msgspec.json.encode(value)).decode()
    except UnicodeEncodeError:  # names on disk whose bytes are no UTF-8
        text = _known().text(json.dumps(msgspec.to_builtins(value)))
    click.echo(text if text.isascii() and "\x7f" not in text else _NOT_ASCII.sub(_escaped, text), file=streams.out())


def say_blocks(*blocks: Block, as_lines: bool = False, err: bool = False) -> None:
    """Print sections, lines and tables.

    Args:
        blocks: in order.
        as_lines: in a file or a pipe each row is one line, however long.
        err: on standard error.
    """
    from audiometry.render.console import NARROWEST, console

    console(streams.err() if err else streams.out(), _ANY if as_lines else NARROWEST).show(_known().shown(blocks))


def _known() -> Scrubber:
    from audiometry.files.secrets import known

    return known()


_ANY = 100_000  # columns, more than any table has
_NOT_ASCII = re.compile("[^\x00-\x7e]")


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if visible(character) == character and category(character) not in {"Mn", "Me"}:  # which may pile up
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
