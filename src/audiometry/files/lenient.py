"""JSON that another program sent, decoded as far as it makes sense: a paid reply is not lost to a slip beside it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

DEEPEST: Final = 100  # brackets inside brackets; what is further inside is left out
LONGEST_NUMBER: Final = 300  # digits; a longer one is none
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]|[^"\[\]{}]+', re.DOTALL)
_decode = msgspec.json.Decoder().decode


def read(raw: bytes) -> Any:
    """A JSON document, read in spite of its slips.

    Such are bytes that are not UTF-8, lone surrogates, control characters in texts, a byte-order mark; None stands for
    numbers that are out of range or none, and for what is nested too deep.

    Raises:
        ValueError: it is not JSON.

    >>> read(b'{"usage": NaN, "cost": 1e999, "text": "caf' + bytes([0xE9]) + b'"}')
    {'usage': None, 'cost': None, 'text': 'caf�'}
    """
    try:
        return _decode(raw)
    except (ValueError, RecursionError):  # of which msgspec's own errors are kinds
        text = raw.decode(json.detect_encoding(raw), "replace")
    return json.loads(
        _shallow(text), strict=False, parse_int=_whole, parse_float=_fraction, parse_constant=lambda _: None
    )


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_NUMBER else None


def _fraction(digits: str) -> float | None:
    value = float(digits)
    return value if abs(value) < float("inf") else None


def _shallow(text: str) -> str:
    """A document with null in place of all that is nested too deep."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return text
    kept, depth = [], 0
    for token in _TOKEN.findall(text):
        if token in {"]", "}"}:
            depth -= 1
            if depth < DEEPEST:
                kept.append(token)
        elif token in {"[", "{"}:
            depth += 1
            if depth <= DEEPEST:
                kept.append(token)
            elif depth == DEEPEST + 1:
                kept.append("null")
        elif depth <= DEEPEST:
            kept.append(token)
    return "".join(kept)
