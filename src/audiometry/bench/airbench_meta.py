"""What AIR-Bench says of a clip in ``meta_info``, as far as results can be sliced by it.

The text is written for the judge. For speech it is a Python dict as ``repr`` prints it; of mixed clips it is known
only that it says which clip is louder and which starts first, not in which words. So it is looked through for pairs
of a known key and a plain value, in Python's or JSON's notation or as ``Louder: speech``; whatever else it holds is
passed over, and nothing in it is ever evaluated.

Source: AIR-Bench (arXiv 2402.07729), §3.3, for louder and ahead.
"""

from __future__ import annotations

import math
import re
from typing import Final, TypeAlias

Tag: TypeAlias = str | float

LONGEST: Final = 200_000
"""Characters that are looked through; the descriptions of dialogues have some 20,000."""
LONGEST_VALUE: Final = 60
ABOUT_SPEAKERS: Final = ("emotion", "gender", "age", "accent")
ABOUT_MIXING: Final = ("louder", "ahead")
IN_NUMBERS: Final = {
    "level_difference": "level_difference",
    "level_difference_db": "level_difference",
    "offset": "offset_s",
    "offset_s": "offset_s",
}
NOTHING: Final = {"None", "null", "nan", "NaN"}

_TOKEN = re.compile(
    # a quotation that is never closed goes to the end, so that no text is looked through more than once
    r"""(?P<text>'(?:[^'\\]|\\(?:.|\Z))*+(?:'|\Z)|"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z))
      | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
      | (?P<word>\w+)
      | (?P<mark>[^\w\s])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(['\"\\])")
_IN_PROSE = re.compile(r"\b(louder|ahead)\b['\"]?\s*[:=]\s*['\"]?(\w[\w -]{0,40}?)\s*(?:[,;.\n}'\"]|$)", re.IGNORECASE)


def tags(meta_info: str, *, mixed: bool) -> dict[str, Tag]:
    r"""The facts in a description that results are sliced by; none if it cannot be read.

    >>> tags("{'emotion': 'neutral', 'transcription': \"it's here\"}", mixed=False)
    {'emotion': 'neutral'}
    >>> tags("{'Louder': 'speech', 'Level Difference': 6}", mixed=True)
    {'louder': 'speech', 'level_difference': 6.0}

    Args:
        meta_info: as the release has it.
        mixed: of a clip mixed from two: ``louder``, ``ahead``, ``level_difference`` and ``offset_s`` are looked for,
            in any case; else what is said of the speaker.

    Returns:
        Strings of at most `LONGEST_VALUE` characters; ``level_difference`` and ``offset_s`` as finite numbers.
    """
    if len(meta_info) > LONGEST:
        return {}
    found: dict[str, Tag] = {}
    for name, value in _pairs(meta_info):
        key = re.sub(r"[\s-]+", "_", name.strip().lower())
        if mixed and key in IN_NUMBERS and (number := _number(value)) is not None:
            found.setdefault(IN_NUMBERS[key], number)
        elif key in (ABOUT_MIXING if mixed else ABOUT_SPEAKERS) and _is_fact(value):
            found.setdefault(key, value.strip())
    if mixed and not found:
        found |= {name.lower(): value for name, value in _IN_PROSE.findall(meta_info) if _is_fact(value)}
    return found


def _pairs(text: str) -> list[tuple[str, str]]:
    """Every quoted key that is followed by a colon and a string, number or word, at any depth."""
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text)]
    found = []
    for place in range(len(tokens) - 3):
        (kind, key), (_, colon), (what, value), (_, after) = tokens[place : place + 4]
        if kind == "text" and colon == ":" and what in {"text", "number", "word"} and after in {",", "}"}:
            found.append((_said(key), _said(value) if what == "text" else value))
    return found


def _is_fact(value: str) -> bool:
    return 0 < len(value.strip()) <= LONGEST_VALUE and value not in NOTHING


def _said(quoted: str) -> str:
    return _ESCAPED.sub(r"\1", quoted[1:-1])


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
