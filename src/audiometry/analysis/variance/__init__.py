"""What a score is made of: items, wordings, orders of options and chance; and how firm a ranking is."""

from audiometry.analysis.variance.result import Consistency, Contrast, Level, Place, Places, Source, Split, Variance
from audiometry.analysis.variance.variance import variance

__all__ = ["Consistency", "Contrast", "Level", "Place", "Places", "Source", "Split", "Variance", "variance"]
