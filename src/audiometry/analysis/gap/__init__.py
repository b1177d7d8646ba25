"""The gap: which static scores predict what people prefer, and whether so few systems can say so at all."""

from audiometry.analysis.gap.gap import gap
from audiometry.analysis.gap.result import BenchmarkGap, Gap
from audiometry.analysis.gap.scores import ScoreTable, from_file

__all__ = ["BenchmarkGap", "Gap", "ScoreTable", "from_file", "gap"]
