"""How far to trust a judge, a metric, a person: ratings of the same things held against each other."""

from __future__ import annotations

from audiometry.analysis.agreement.agree import agree
from audiometry.analysis.agreement.result import Agreement, Measure

__all__ = ["Agreement", "Measure", "agree"]
