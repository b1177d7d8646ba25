"""What people ask for: topics of queries, and what a query is for."""

from __future__ import annotations
