"""Reads run folders and says what the replies are worth. Never calls the evaluated model.

``audiometry.score.score(run, …)`` and ``audiometry.score.compare(run_a, run_b, …)`` are the one door to all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audiometry.score.door import score
    from audiometry.score.two_runs import compare

__all__ = ["compare", "score"]


def __getattr__(name: str) -> Any:
    """The two functions, loaded when they are used: listing profiles needs none of what they need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from audiometry.score import door, two_runs

    return getattr(door if name == "score" else two_runs, name)
