"""Why replies are wrong: failure modes by a code book, told by rules, judges and people."""

from __future__ import annotations

from audiometry.analysis.modes.modes import modes

__all__ = ["modes"]
