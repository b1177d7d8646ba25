"""Fewer items that foretell what the whole benchmark is asked for: so far, what people prefer."""

from audiometry.analysis.subset.by_votes import Subset, by_votes
from audiometry.analysis.subset.written import write

__all__ = ["Subset", "by_votes", "write"]
