"""JSON that stands somewhere in a text: between fences, after a greeting, before an explanation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

LONGEST: Final = 200_000
"""Characters of a text that are looked at; whoever writes more was asked for something else."""
MOST_TRIED: Final = 500
"""Braces that may begin none before the rest of a text is given up."""


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_no_number)


def objects(text: str) -> Iterator[dict[str, Any]]:
    r"""The objects of JSON in a text, those that stand in no other; of a list its objects, and half of one is none.

    Line breaks inside of a text are let through, as language models write them; half a character, which nobody can
    write down again, is not.

    >>> list(objects('Sure! ```json\n{"a": [1, {"b": 2}]}\n``` or [{"a": 3}], but not {"a": "\\ud800"} or {"a": '))
    [{'a': [1, {'b': 2}]}, {'a': 3}]
    """
    text, at, tried = text[:LONGEST], 0, 0
    while tried < MOST_TRIED:
        at = min((place for mark in "{[" if (place := text.find(mark, at)) >= 0), default=-1)
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            at, tried = at + 1, tried + 1
            continue
        at = end
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))
