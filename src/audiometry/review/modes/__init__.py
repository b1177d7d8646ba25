"""What people can be asked: one module a mode."""

from __future__ import annotations

from typing import Final

from audiometry.review.modes import approve
from audiometry.review.modes.mode import Mode

MODES: Final[dict[str, Mode]] = {one.name: one for one in (approve.MODE,)}
"""By name."""
