"""What people can be asked: one module a mode."""

from __future__ import annotations

from typing import Final

from audiometry.review.modes import align, answer, approve, code, errata, prefer, score
from audiometry.review.modes.mode import Mode

OF_ITEMS: Final[dict[str, Mode]] = {one.name: one for one in (approve.MODE, answer.MODE)}
"""By name, those about the items of a benchmark."""

OF_REPLIES: Final[dict[str, Mode]] = {
    one.name: one for one in (align.MODE, prefer.MODE, score.MODE, errata.MODE, code.mode(()))
}
"""By name, those about the replies of runs; ``code`` is made anew by `code.mode` with a code book."""
