"""The cells of a row of a table as the fields of an item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from audiometry.bench.dimensions import Tags, listed
from audiometry.bench.lettered import lettered
from audiometry.bench.table_rows import Row
from audiometry.errors import UndecodableError, shown
from audiometry.files import foreign
from audiometry.records import Columns, Item

SHORTEST_TOLD: Final = 12
"""Characters of a private text from which on it is one, and not a word that may stand anywhere."""


class Options(NamedTuple):
    """The options of a row and what kind each is; ``unread`` says why they cannot be read."""

    texts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    unread: str = ""


def item_of(row: Row, columns: Columns, name: str, task: str, clip: str, options: Options, tags: Tags) -> Item:
    """The item of a row.

    Args:
        row: its cells by column.
        columns: which column is which field.
        name: its id.
        task: its task.
        clip: the path of its clip.
        options: as `options_of` reads them.
        tags: those with several values; its others are read here.
    """
    answer = row.get(columns.answer) if columns.answer else None
    own: Tags = {tag: value for tag in columns.tags if (value := row.get(tag)) is not None}
    if columns.folder:
        own["folder"] = joined(row, columns.folder)
    return Item(
        id=name,
        task=task,
        question=text_of(row.get(columns.question)),
        file_name=clip,
        options=options.texts,
        kinds=options.kinds,
        answer=None if answer is None else text_of(answer),
        tags=own | tags,
        meta=text_of(row.get(columns.meta)).strip() if columns.meta else "",
        group=joined(row, columns.group),
    )


def told_private(row: Row, columns: Columns, item: Item) -> Iterator[str]:
    """What is wrong with an item whose question or options say what stands in a private column of its row."""
    asked = _folded(" \n ".join((item.question, *item.options))) if columns.private else ""
    for name in columns.private:
        held = row.get(name)
        texts = [_folded(text_of(one)) for one in (held if isinstance(held, list) else [held])]
        if any(len(text) >= SHORTEST_TOLD and text in asked for text in texts):
            yield f"has a question or an option that holds its '{shown(name, 40)}', which is private; take it out"


def no_text(row: Row, columns: Columns) -> Iterator[str]:
    """What is wrong with a row whose question or one of whose options is no text but an object or a list."""
    options = (columns.options,) if isinstance(columns.options, str) else columns.options
    for name in dict.fromkeys((columns.question, *options)):
        cell = row.get(name)
        if any(
            isinstance(one, dict | list) for one in (cell if name in options and isinstance(cell, list) else [cell])
        ):
            yield f"has an object or a list where its '{shown(name, 40)}' has to be text; write the text alone"


def options_of(row: Row, columns: Columns) -> Options:
    """The options of a row; empty ones are none, and leave their kind out."""
    options, kinds = columns.options, columns.kinds
    if isinstance(options, str):
        given: Any = row.get(options)
        texts, unread = _list(given)
        if unread and (found := lettered(given)):
            return Options(found)
        if unread and columns.options_are == "lettered":
            return Options(unread=_unread(given, "in which no letters stand from A on"))
        if not isinstance(kinds, str) or not kinds:
            return Options(tuple(one for one in texts if one.strip()), (), unread)
        named, unread_kinds = _list(row.get(kinds))
        if len(named) != len(texts):
            return Options(tuple(one for one in texts if one.strip()), named, unread or unread_kinds)
        pairs = list(zip(texts, named, strict=True))
    else:
        of_columns = kinds if len(kinds) == len(options) else [""] * len(options)
        cells = [(row.get(name), kind) for name, kind in zip(options, of_columns, strict=True)]
        pairs = [(text_of(one), kind) for cell, kind in cells for one in (cell if isinstance(cell, list) else [cell])]
        unread = ""
    kept = [(text, kind) for text, kind in pairs if text.strip()]
    return Options(tuple(text for text, _ in kept), tuple(kind for _, kind in kept) if kinds else (), unread)


def _list(given: Any) -> tuple[tuple[str, ...], str]:
    """The texts of a cell that holds a list, and why it cannot be read."""
    if isinstance(given, str) and given.strip():
        try:
            given = foreign.json(given.encode(errors="replace"), list[Any])
        except UndecodableError:
            if (of_python := listed(given)) is None:
                how = '["a", "b"], or in a column each and name those in [data.columns] options'
                return (), _unread(given, f"which are no list; write {how}")
            given = of_python
    return tuple(map(text_of, given)) if isinstance(given, list | tuple) else (), ""


def _unread(given: str, why: str) -> str:
    return f"has the options '{shown(given)}', {why}"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def text_of(value: Any) -> str:
    """A cell as text; numbers and truth values as JSON writes them."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def joined(row: Row, names: tuple[str, ...]) -> str:
    """The texts of some cells of a row, in one."""
    return "_".join(text_of(row.get(name, "")) for name in names)
