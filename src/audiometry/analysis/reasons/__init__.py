"""Why people prefer one reply: reasons by a code book, told by ticked tags, rules and judges."""

from __future__ import annotations

from audiometry.analysis.reasons.reasons import reasons

__all__ = ["reasons"]
