"""Options that stand in one text, each behind its letter: ``(A) a dog (B) a cat``, or a line each."""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = re.compile(r"(?:^|(?<=\s))(?:\(([A-Z])\)|([A-Z])[.):])[ \t]*", re.MULTILINE)


def lettered(text: str) -> tuple[str, ...]:
    r"""The options of a text, without their letters; none where the letters do not run on from A.

    A letter that is out of turn belongs to the option before it.

    >>> lettered("(A) He is late. (B) He left, plan B. (C) Neither")
    ('He is late.', 'He left, plan B.', 'Neither')
    >>> lettered("A. one\nB. two")
    ('one', 'two')
    >>> lettered("one or two")
    ()
    """
    marks: list[re.Match[str]] = []
    for found in _MARK.finditer(text):
        if (found[1] or found[2]) == chr(ord("A") + len(marks)):
            marks.append(found)
    if len(marks) < 2:  # noqa: PLR2004  one option is no choice
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return tuple(text[mark.end() : end].strip().rstrip(",;") for mark, end in zip(marks, ends, strict=True))
