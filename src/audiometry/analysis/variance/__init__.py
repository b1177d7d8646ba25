"""What a score is made of: items, wordings, orders of options and chance; and how firm a ranking is."""

from audiometry.analysis.variance.places import DRAWS, places
from audiometry.analysis.variance.result import Consistency, Contrast, Level, Place, Places, Source, Split, Variance
from audiometry.analysis.variance.split import split
from audiometry.analysis.variance.variance import variance, whole

__all__ = [
    "DRAWS",
    "Consistency",
    "Contrast",
    "Level",
    "Place",
    "Places",
    "Source",
    "Split",
    "Variance",
    "places",
    "split",
    "variance",
    "whole",
]
