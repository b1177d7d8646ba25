"""The gap: which static scores predict what people prefer, and whether so few systems can say so at all."""

from audiometry.analysis.gap.gap import gap
from audiometry.analysis.gap.result import BenchmarkGap, Gap
from audiometry.analysis.gap.scores import ScoreTable, from_file
from audiometry.analysis.gap.system_ratings import SystemRatings

__all__ = ["BenchmarkGap", "Gap", "ScoreTable", "SystemRatings", "from_file", "gap"]
