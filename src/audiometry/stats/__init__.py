"""Numbers in, numbers out: intervals, paired tests, agreement, ranking. No input or output.

``audiometry.stats.bradley_terry(votes, …)`` ranks models; all else is imported from its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audiometry.stats.ranking.ranked import bradley_terry

__all__ = ["bradley_terry"]


def __getattr__(name: str) -> Any:
    """The ranking, loaded when it is used: an interval needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from audiometry.stats.ranking import ranked

    return getattr(ranked, name)
