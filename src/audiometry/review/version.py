"""The version of a benchmark after a review, and a card that says it."""

from __future__ import annotations

import re
from typing import Final

_VERSION: Final = re.compile(r"(.*)-reviewed\.(\d+)")
_LINE: Final = re.compile(rb"(?m)^([ \t]*version[ \t]*=[ \t]*)(\"[^\"\n]*\"|'[^'\n]*')")
_TABLE: Final = re.compile(rb"(?m)^[ \t]*\[benchmark\][^\n]*\n")


def next_version(version: str) -> str:
    """The version after a review.

    >>> next_version("1"), next_version("1-reviewed.1")
    ('1-reviewed.1', '1-reviewed.2')
    """
    found = _VERSION.fullmatch(version)
    return f"{found[1]}-reviewed.{int(found[2]) + 1}" if found else f"{version}-reviewed.1"


def with_version(card: bytes, version: str) -> bytes:
    """A card that says another version, everything else to the byte."""
    table = _TABLE.search(card)
    start = table.end() if table else 0
    end = min((at for at in (card.find(b"\n[", start),) if at >= 0), default=len(card))
    line = _LINE.search(card, start, end + 1)
    said = b'"' + version.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
    if line:
        return card[: line.start(2)] + said + card[line.end(2) :]
    head = card[:start] if table else b"[benchmark]\n"
    return head + b"version = " + said + b"\n" + card[start:]
