"""What is wrong with decoded values: msgspec's complaint in the words of the person who wrote the file.

msgspec says ``Expected `str | null`, got `int` - at `$.answer```; here that is
*'answer' is a number (3); a text or null is needed*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import inspect

from audiometry.errors import UndecodableError, shown, suggestion

EXCERPT: Final = 40
LARGEST: Final = 10**EXCERPT

_AT = re.compile(r" - at (?:`(key)` in )?`([^`]*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_MISMATCH = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_LIMIT = re.compile(r"Expected `(\w+)` (>=|>|<=|<) (\S+)")
_LENGTH = re.compile(r"Expected `(\w+)` of length (?:(>=|<=) )?(\d+)")
_PATTERN = re.compile(r"Expected `str` matching regex (.*)", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_CHOICE = re.compile(r"Invalid (?:enum )?value (.*)", re.DOTALL)

_NEEDED = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "bytes": "a text in base64",
    "datetime": "a date and time",
    "date": "a date",
    "time": "a time",
    "decimal": "a number",
}
_GIVEN = {"int": "a number", "bool": "a truth value"}
_KEY = re.compile(r"\.([^.\[\]]+)(?:\[[^\]]*\])*$")


def wrong_value(values: Any, kind: Any, said: str, *, toml: bool = False) -> UndecodableError:
    """What msgspec says of decoded values, in plain words.

    Args:
        values: as they were decoded without types; None where they cannot be.
        kind: type that they should have.
        said: by msgspec.
        toml: whether they stand in TOML, which has tables for objects and no null.
    """
    an_object = {"object": "a table" if toml else "an object"}
    needed, given = _NEEDED | an_object, _NEEDED | _GIVEN | an_object
    at = _AT.search(said)
    steps = [(name, index) for name, index in _STEP.findall(at[2])] if at else []
    complaint = said[: at.start()] if at else said
    of_key = bool(at and at[1])
    subject = f"a key of {_place(steps)}" if of_key else _place(steps)
    value, known = _value(values, steps)
    types = list(_types(inspect.type_info(kind), steps))
    within = f" in {_place(steps)}" if steps else ""
    if missing := _MISSING.fullmatch(complaint):
        return UndecodableError(f"'{shown(missing[1])}' is missing{within}")
    if unknown := _UNKNOWN.fullmatch(complaint):
        names = sorted({f.encode_name for t in types if isinstance(t, inspect.StructType) for f in t.fields})
        what = f"unknown key '{shown(unknown[1])}'{within}"
        return UndecodableError(f"{what}; {suggestion(unknown[1], names)}", short=f"unknown key{within}")
    is_sum = complaint == "Invalid decimal string"
    wrong = f"{subject} is no number" if is_sum else f"{subject} is not as it should be ({shown(complaint, 80)})"
    wanted = "a number, as 3.00," if is_sum else ""
    if mismatch := _MISMATCH.fullmatch(complaint):
        wrong = f"{subject} is {given.get(mismatch[2], mismatch[2])}"
        wanted = _either(needed.get(one, one) for one in mismatch[1].split(" | ") if not toml or one != "null")
        if toml and any(_holds_tables(t) for t in types) and steps[-1][0]:
            wanted = f"a list, written [[{shown(steps[-1][0])}]],"
    elif limit := _LIMIT.fullmatch(complaint):
        wrong, wanted = f"{subject} is out of range", _bound(limit[2], limit[3])
    elif length := _LENGTH.fullmatch(complaint):
        wrong, wanted = f"{subject} is of the wrong length", _long(length)
    elif pattern := _PATTERN.fullmatch(complaint):
        wrong, wanted = f"{subject} is of the wrong form", f"a text that matches {shown(pattern[1])}"
    elif _CHOICE.fullmatch(complaint):
        values_known = [str(v) for t in types if isinstance(t, inspect.LiteralType) for v in t.values]
        wrong = f"{subject} is none of its choices"
        wanted = _either(f"'{one}'" for one in values_known) or "another"
    elif "out of range" in complaint:
        wrong, wanted = f"{subject} is a number without measure", "a smaller one"
    example = "" if of_key or not known or value is None else f" ({_brief(value)})"
    end = f"; {wanted} is needed" if wanted else ""
    return UndecodableError(f"{wrong}{example}{end}", short=f"{wrong}{end}")


def key_of(said: str) -> str:
    """The key that msgspec complains about; empty if it is about none that is there."""
    at = _AT.search(said)
    found = _UNKNOWN.match(said[: at.start()] if at else said) or (_KEY.search(at[2]) if at else None)
    return "" if found is None or _MISSING.match(said) else found[1]


def _place(steps: list[tuple[str, str]]) -> str:
    """A path of keys and entries, the innermost first, in words.

    >>> _place([("task", ""), ("", "1"), ("name", "")]), _place([("tags", ""), ("", "...")]), _place([])
    ("'name' in entry 2 of 'task'", "an entry of 'tags'", 'it')
    """
    words = ""
    for name, index in steps:
        if name:
            words = f"'{shown(name)}' in {words}" if words else f"'{shown(name)}'"
        else:
            entry = "an entry" if index == "..." else f"entry {int(index) + 1}"
            words = f"{entry} of {words}" if words else entry
    return words or "it"


def _value(value: Any, steps: list[tuple[str, str]]) -> tuple[Any, bool]:
    """What stands at a path, and whether that can be told."""
    for name, index in steps:
        if name and isinstance(value, dict) and name in value:
            value = value[name]
        elif index.isdigit() and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            return None, False
    return value, not isinstance(value, dict | list)


def _types(kind: inspect.Type, steps: list[tuple[str, str]]) -> Iterator[inspect.Type]:
    """The types that may stand at a path."""
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _types(one, steps)
    elif isinstance(kind, inspect.Metadata):
        yield from _types(kind.type, steps)
    elif not steps:
        yield kind
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            if field.encode_name == steps[0][0]:
                yield from _types(field.type, steps[1:])
    elif isinstance(kind, inspect.DictType):
        yield from _types(kind.value_type, steps[1:])
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        yield from _types(kind.item_type, steps[1:])


def _holds_tables(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.ListType | inspect.VarTupleType) and isinstance(kind.item_type, inspect.StructType)


def _either(words: Iterable[str]) -> str:
    *others, last = dict.fromkeys(words) or [""]
    return f"{', '.join(others)} or {last}" if others else last


def _bound(sign: str, limit: str) -> str:
    return {
        ">=": f"{limit} or more",
        ">": f"more than {limit}",
        "<=": f"{limit} or less",
        "<": f"less than {limit}",
    }[sign]


def _long(said: re.Match[str]) -> str:
    unit = "characters" if said[1] == "str" else "entries"
    sign = {">=": "at least ", "<=": "at most "}.get(said[2] or "", "")
    return f"one of {sign}{said[3]} {unit}"


def _brief(value: Any) -> str:
    if isinstance(value, int) and abs(value) > LARGEST:  # Python refuses to write out the longest
        return "of very many digits"
    return f"'{shown(value, EXCERPT)}'" if isinstance(value, str) else shown(str(value).lower(), EXCERPT)
