"""What people ask for: topics of queries, and what a query is for."""

from __future__ import annotations

from audiometry.analysis.topics.topics import topics

__all__ = ["topics"]
