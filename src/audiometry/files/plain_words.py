"""What decoders of JSON, TOML, UTF-8 and CSV complain about, in the words of the person who wrote the file."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from audiometry.errors import UndecodableError, shown
from audiometry.files.wrong_values import EXCERPT, key_of, wrong_value

OPEN_QUOTE: Final = "a quote that is not closed"
UTF_16: Final = frozenset({codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE})
LONGEST_KEY: Final = 200  # characters of a key that is looked for
NO_DIGITS_END: Final = "a number too long to be read"

_FAULTS = {
    RecursionError: "lists or objects nested too deeply",
    MemoryError: "too large for the memory of this machine",
    UnicodeEncodeError: "half a character in a text",
}
_BYTE = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)", re.DOTALL)
_HALF = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_TOML_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")

_WRITTEN = {
    "trailing comma in array": "a comma before the closing ]",
    "trailing comma in object": "a comma before the closing }",
    "object keys must be strings": "a key without double quotes",
    "trailing characters": "something behind the end of the value",
    "invalid escape character in string": "a backslash that begins no escape (write it twice)",
    "invalid number": "a number that is none",
    "expected ':'": "a key without a colon behind it",
    "expected ',' or ']'": "a comma or ] is missing",
    "expected ',' or '}'": "a comma or } is missing",
}
_TOML = {
    "Cannot overwrite a value": "a key stands twice",
    "Cannot declare": "a table stands twice",
    "Cannot mutate immutable namespace": "a table stands twice",
    "Cannot redefine namespace": "a table stands twice",
    "Unterminated string": "a quote that is not closed",
    "Expected \"'''\"": "a quote that is not closed",
    'Expected \'"""\'': "a quote that is not closed",
    "Expected '\"'": "a quote that is not closed",
    'Expected "\'"': "a quote that is not closed",
    "Unclosed array": "a [ that is not closed",
    "Duplicate inline table key": "a key stands twice",
    "Expected '=' after a key": "a key without = behind it",
    "Invalid value": "no value of TOML (a text needs quotes)",
    "Unescaped '\\' in a string": "a backslash that begins no escape (write it twice)",
    "Escaped character is not": r"half a character (\ud800 to \udfff stand for none)",
}


def of_json(raw: bytes, kind: Any, problem: BaseException) -> UndecodableError:
    """Why a JSON document cannot be decoded as a ``kind``."""
    if found := _of_any(raw, problem):
        return found
    if isinstance(problem, msgspec.ValidationError):
        return wrong_value(_untyped(raw, msgspec.json.decode), kind, str(problem))
    if not raw.strip():
        return UndecodableError("it is empty")
    said = _BYTE.fullmatch(str(problem))
    place = int(said[2]) if said else len(raw.rstrip())
    half = _HALF.search(raw)
    if half is not None and (half.start() <= place <= half.end() + len(half[0]) or raw[place - 1 : place] in b'"]}'):
        what = f"half a character ({half[0].decode()} without its pair)"
        return UndecodableError(what, _line(raw, half.start()), "half a character")
    if said is None:
        return UndecodableError("it ends in the middle", _line(raw, place))
    what = _WRITTEN.get(said[1], "a character that does not belong there")
    if raw[place : place + 1] == b"\0":
        what = "a NUL byte"
    if said[1] == "trailing characters":  # of which the first is read already
        place -= 1
    rest = raw[place:].partition(b"\n")[0][: 4 * EXCERPT].decode(errors="replace")
    where = f" at '{shown(rest, EXCERPT)}'" if rest.strip() else ""
    return UndecodableError(f"not JSON: {what}{where}", _line(raw, place), f"not JSON: {what}")


def of_toml(raw: bytes, kind: Any, problem: BaseException) -> UndecodableError:
    """Why a TOML document cannot be decoded as a ``kind``."""
    if found := _of_any(raw, problem):
        return found
    text = str(problem)
    if isinstance(problem, msgspec.ValidationError):
        found = wrong_value(_untyped(raw, msgspec.toml.decode), kind, text, toml=True)
        return UndecodableError(str(found), _line_of_key(raw, text), found.short)
    at = _TOML_AT.search(text)
    said = text[: at.start()] if at else text
    what = next((ours for theirs, ours in _TOML.items() if said.startswith(theirs)), "")
    lines = raw.decode(errors="replace").split("\n")
    number = int(at[1]) if at and at[1] else len(lines) - (not lines[-1].strip())
    excerpt = f": '{shown(lines[number - 1], EXCERPT)}'" if 0 < number <= len(lines) else ""
    return UndecodableError(f"not TOML{f', {what}' if what else ''}{excerpt}", number, "not TOML")


def of_text(raw: bytes) -> UndecodableError:
    """Why bytes are no UTF-8 text."""
    if raw[:2] in UTF_16:
        return UndecodableError("UTF-16 text; save it as UTF-8")
    try:
        raw.decode()
    except UnicodeDecodeError as problem:
        place = problem.start
    else:
        return UndecodableError("not UTF-8 text")
    line, begin = _line(raw, place), max(raw.rfind(b"\n", 0, place) + 1, place - EXCERPT // 2)
    rest = raw[begin : place + EXCERPT].partition(b"\n")[0].decode("latin-1")
    return UndecodableError(f"not UTF-8 text ('{shown(rest, EXCERPT)}'); save it as UTF-8", line, "not UTF-8 text")


def of_cell(cell: str) -> str:
    """Why a cell is no UTF-8 text, whose bytes that are none were read as lone surrogates; empty if it is."""
    if cell.isascii() or len((raw := cell.encode("utf-8", "surrogateescape")).decode(errors="ignore")) == len(cell):
        return ""
    return str(of_text(raw))


def of_values(values: Any, kind: Any, problem: BaseException) -> UndecodableError:
    """Why decoded values are no ``kind``."""
    if not isinstance(problem, msgspec.ValidationError):
        return _of_any(b"", problem) or UndecodableError(NO_DIGITS_END)
    return wrong_value(values, kind, str(problem))


def of_csv(problem: csv.Error) -> str:
    """Why a row of CSV has no cells."""
    text = str(problem)
    if "unexpected end" in text:
        return OPEN_QUOTE
    if "field larger" in text:
        return f"a cell of more than {csv.field_size_limit():,} characters"
    return "a NUL byte" if "NUL" in text else "a quote inside a cell that is not doubled"


def _of_any(raw: bytes, problem: BaseException) -> UndecodableError | None:
    """The faults that do not depend on the format."""
    if raw[:2] in UTF_16:
        return UndecodableError("UTF-16 text; save it as UTF-8")
    if isinstance(problem, UnicodeDecodeError) or "codec can't decode" in str(problem):
        return of_text(raw)
    if isinstance(problem, msgspec.DecodeError):
        return None
    for kind, what in _FAULTS.items():
        if isinstance(problem, kind):
            return UndecodableError(what)
    return UndecodableError(NO_DIGITS_END)  # integers of more digits than Python reads


def _untyped(raw: bytes, decode: Callable[[bytes], Any]) -> Any:
    try:
        return decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _line(raw: bytes, place: int) -> int:
    """The line of a byte, from 1; 0 where all is on one line, which says nothing."""
    return raw.count(b"\n", 0, place) + 1 if b"\n" in raw.rstrip() else 0


def _line_of_key(raw: bytes, said: str) -> int:
    """The line on which the key stands that a complaint is about; 0 if there are several or none."""
    name = key_of(said)
    if not name or len(name) > LONGEST_KEY:
        return 0
    key = re.escape(name.encode(errors="replace"))
    lines = [m.start(1) for m in re.finditer(rb"(?m)^[ \t\[]*[\"']?(" + key + rb")[\"']?[ \t]*[=\].]", raw)]
    return raw.count(b"\n", 0, lines[0]) + 1 if len(lines) == 1 else 0
