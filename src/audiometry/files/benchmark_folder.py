"""The benchmark folder as a format: ``benchmark.toml``, ``metadata.jsonl`` and clips (the hub's AudioFolder layout)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from audiometry.errors import BenchmarkError, UndecodableError, leads_out
from audiometry.files import card_slips, foreign, presence
from audiometry.records import BenchmarkInfo, Card, Item

CARD = "benchmark.toml"
METADATA = "metadata.jsonl"
KEYS: Final = frozenset(Item.__struct_fields__)
AS_TEXT: Final = ("id", "answer", "group")
"""Fields of text in which a number or truth value is taken as it is written; so it is among the options."""

_TOP: Final = f"; known: {', '.join(sorted(Card.__struct_fields__))}"
_TAKEN_FOR: Final = re.compile(r"unknown key '(\w+)'; did you mean '(\w+)'\?")
_BOM: Final = b"\xef\xbb\xbf"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_VALUE: Final = re.compile(rb"-?[0-9][0-9.eE+-]*|true|false")
_Fields: TypeAlias = dict[str, msgspec.Raw]


class Line(msgspec.Struct, frozen=True):
    """One line of the metadata: where it stands, and its item or what is wrong with it.

    Attributes:
        unknown: keys that no item has.
        keys: all its keys.
    """

    number: int
    offset: int
    length: int
    item: Item | None
    problem: str
    unknown: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()


def read_card(folder: Path) -> Card:
    """The folder's card; a folder without one gets a card with its own name and nothing else.

    Raises:
        BenchmarkError: the card is not valid TOML or a key is wrong.
    """
    path = folder / CARD
    if not presence.exists(path):
        return Card(benchmark=BenchmarkInfo(name=folder.resolve().name))
    return read_card_file(path)


def read_card_file(path: Path) -> Card:
    """The card in a file; one without a name that is a folder's gets the folder's.

    Raises:
        BenchmarkError: it is not valid TOML, a key is wrong, the labels of a task are, or it has no name.
    """
    try:
        card = foreign.toml(foreign.read_file(path), Card)
    except UndecodableError as found:
        problem = _at_the_top(found)
        keys = "; its name goes under [benchmark], its tasks under [[task]]" if _TOP in str(problem) else ""
        raise BenchmarkError(f"{problem.at(path)}{keys}; compare it with the card format") from None
    if slip := card_slips.first(card):
        raise BenchmarkError(f"{path}: {slip}")
    if card.benchmark.name:
        return card
    if path.name != CARD:
        raise BenchmarkError(f'{path}: the benchmark has no name; write name = "…" under [benchmark]')
    return replace(card, benchmark=replace(card.benchmark, name=path.parent.resolve().name))


def _at_the_top(problem: UndecodableError) -> UndecodableError:
    """A problem with a key of ``[benchmark]`` that stands above all tables and is no slip of one of their names."""
    found = _TAKEN_FOR.match(str(problem))
    if found and found[1] in BenchmarkInfo.__struct_fields__ and found[2] in Card.__struct_fields__:
        return UndecodableError(f"unknown key '{found[1]}'{_TOP}", problem.line, problem.short)
    return problem


def read_lines(path: Path) -> Iterator[Line]:
    """Every line of a metadata file that is not blank, whether or not it can be used.

    Raises:
        BenchmarkError: it cannot be read, is UTF-16, one JSON array, or has a line without end.
    """
    try:
        with foreign.opened(path) as file:
            yield from _lines(path, file)
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; see who may read it") from None


class Named(msgspec.Struct, gc=False):
    """What of a line tells an item from others."""

    id: str
    task: str = ""
    file_name: str = ""
    file_names: tuple[str, ...] = ()

    @property
    def has_clip(self) -> bool:
        """Whether it names a clip."""
        return bool(self.file_name or self.file_names)


def read_named(path: Path) -> Iterator[tuple[list[int], list[Named]]]:
    """The same of a file that was checked before, some hundred lines at a time: their lengths, newlines left out.

    Raises:
        UndecodableError: a line is blank or not as plain as it might be, or the file cannot be read; `read_lines` tells
            more.
    """
    decode = msgspec.json.Decoder(Named).decode_lines
    with foreign.opened(path) as file:
        while block := file.read(foreign.BLOCK):
            block += b"" if block.endswith(b"\n") else file.readline(foreign.LARGEST)
            lengths = list(map(len, block.removesuffix(b"\n").split(b"\n")))
            try:
                named = decode(block)
            except foreign.FAILURES:
                named = []
            if len(named) != len(lengths):
                raise UndecodableError("not one plain item a line")
            yield lengths, named


def _lines(path: Path, file: IO[bytes]) -> Iterator[Line]:
    read = LineReader(quoting=not leads_out(path))
    offset = 0
    for number, raw in enumerate(iter(lambda: file.readline(foreign.LARGEST), b""), 1):
        if len(raw) == foreign.LARGEST:
            raise BenchmarkError(f"{path}, line {number}: more than {foreign.LARGEST:,} bytes; correct the line")
        if number == 1 and raw.startswith(_WIDE):
            raise BenchmarkError(f"{path} is UTF-16 text; save it as UTF-8")
        if number == 1 and raw.lstrip(_BOM + b" \t")[:1] == b"[":
            raise BenchmarkError(f"{path} is one JSON array; write one JSON object a line, without [, ] and commas")
        mark = len(_BOM) if number == 1 and raw.startswith(_BOM) else 0
        if raw[mark:].strip():
            yield read.line(number, offset + mark, raw[mark:])
        offset += len(raw)


class LineReader:
    """Reads lines of metadata; numbers where a text belongs are taken as they are written.

    Args:
        quoting: whether problems may quote the line.
    """

    def __init__(self, *, quoting: bool = True) -> None:
        self._quoting = quoting
        self._item, self._fields = foreign.Decoder(Item), foreign.Decoder(_Fields)

    def line(self, number: int, offset: int, raw: bytes) -> Line:
        """A line at its place."""
        keys: frozenset[str] = frozenset()
        item, problem = None, ""
        try:
            keys = frozenset(self._fields.decode(raw))
            item = self.item(raw)
        except UndecodableError as error:
            problem = str(error) if self._quoting else error.short
        return Line(number, offset, len(raw), item, problem, tuple(sorted(keys - KEYS)), keys)

    def item(self, raw: bytes) -> Item:
        """The item in a line.

        Raises:
            UndecodableError: there is none.
        """
        try:
            return self._item.decode(raw)
        except UndecodableError:
            fields = self._fields.decode(raw)
            changed = _as_text(fields)
            if not changed:
                raise
            return self._item.decode(msgspec.json.encode(fields | changed))


def _as_text(fields: _Fields) -> _Fields:
    """Those that hold numbers or truth values where a text belongs, as texts; ``meta`` that is no text as JSON text."""
    found: _Fields = {name: _value_as_text(fields[name]) for name in AS_TEXT if name in fields}
    if bytes(fields.get("options", b"")).lstrip()[:1] == b"[":
        options = foreign.json(fields["options"], list[msgspec.Raw])
        found["options"] = msgspec.Raw(msgspec.json.encode([_value_as_text(one) for one in options]))
    if bytes(fields.get("meta", b"")).lstrip()[:1] in {b"{", b"["}:
        found["meta"] = _quoted(bytes(fields["meta"]))
    return found


def _value_as_text(raw: msgspec.Raw) -> msgspec.Raw:
    value = bytes(raw).strip()
    return _quoted(value) if _VALUE.fullmatch(value) else raw


def _quoted(value: bytes) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value.decode()))
