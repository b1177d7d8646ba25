"""A card written as TOML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from audiometry.records import Card


def of_card(card: Card) -> bytes:
    """The card as ``benchmark.toml`` holds it; what is as assumed is left out."""
    return "\n".join(_lines(msgspec.to_builtins(card))).encode() + b"\n"


def _lines(tables: dict[str, Any]) -> Iterator[str]:
    for name, value in tables.items():
        several = value if isinstance(value, list | tuple) else [value]
        for one in several:
            yield f"\n[[{name}]]" if isinstance(value, list | tuple) else f"[{name}]"
            yield from (f"{_key(key)} = {_value(given)}" for key, given in one.items())


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    # JSON's escapes are TOML's too, but for DEL, which JSON leaves as it is
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
