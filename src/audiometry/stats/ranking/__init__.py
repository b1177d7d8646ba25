"""Ranking from votes: Bradley and Terry's model, with ties, intervals, and what the votes can not say.

``bradley_terry(votes, …)`` is the one door; `votes.coded` makes votes of labels.
"""

from audiometry.stats.ranking.ranked import bradley_terry
from audiometry.stats.ranking.result import Ranking
from audiometry.stats.ranking.reversals import Reversal, reversals
from audiometry.stats.ranking.votes import Outcome, Votes, chosen, coded

__all__ = ["Outcome", "Ranking", "Reversal", "Votes", "bradley_terry", "chosen", "coded", "reversals"]
