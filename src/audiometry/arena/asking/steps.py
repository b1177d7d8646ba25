"""Two replies let out in equal steps: both begin together, grow alike and end together, whatever each model did.

Steps are cut once both replies are complete, so that neither their times nor a provider's pieces tell anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

STEPS: Final = 24
STEP_S: Final = 0.1


def steps(a: str, b: str, n: int = STEPS) -> Iterator[tuple[str, str]]:
    """What of both is out after each of ``n`` steps; after the last one all of both.

    >>> list(steps("one two three", "1 2 3 4", 2))
    [('one ', '1 '), ('one two three', '1 2 3 4')]
    """
    for step in range(1, n + 1):
        yield _first(a, step, n), _first(b, step, n)


def _first(text: str, step: int, n: int) -> str:
    """The first ``step`` of ``n`` equal parts, cut after a whole word unless that is longer than a part."""
    end = len(text) * step // n
    if end == len(text):
        return text
    blank = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end)) + 1
    return text[: blank if blank > end - max(len(text) // n, 12) else end]
