"""What is kept of the side fields of a foreign reply: each is used if it makes sense, and nothing is lost if not."""

from __future__ import annotations

import math
import re
from typing import Any, Final

MOST: Final = 10**9  # tokens of one reply; more is no count
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}")


def count(value: Any) -> int | None:
    """A number of tokens, or None.

    >>> [count(value) for value in (12, 12.0, 0, 12.5, -1, True, "12", 10**30, None)]
    [12, 12, 0, None, None, None, None, None, None]
    """
    if type(value) is int:
        return value if 0 <= value <= MOST else None
    return count(int(value)) if type(value) is float and value.is_integer() else None


def seconds(value: Any) -> float | None:
    """A length of time, or None.

    >>> [seconds(value) for value in (1.5, 2, -1.0, float("nan"), float("inf"), "1", None)]
    [1.5, 2.0, None, None, None, None, None]
    """
    return float(value) if (type(value) is float or type(value) is int) and 0 <= value < math.inf else None


def word(value: Any) -> str | None:
    """A short word such as ``stop``: ``other`` for a text that is none, None for no text.

    >>> [word(value) for value in ("content_filter", "MAX_TOKENS", "it was done", "", 0, None)]
    ['content_filter', 'MAX_TOKENS', 'other', None, None, None]
    """
    if value == "stop":  # nearly always
        return "stop"
    if not isinstance(value, str) or not value:
        return None
    return value if _WORD.fullmatch(value) else "other"


def text(value: str) -> str:
    r"""A text that can be written as UTF-8: surrogates joined where they are pairs, else replaced by ``�``.

    >>> text("caf\u00e9 \ud83d\ude00 \ud800") == "caf\u00e9 \U0001f600 \ufffd"
    True
    """
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value
