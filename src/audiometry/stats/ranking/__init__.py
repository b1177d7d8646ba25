"""Ranking from votes: Bradley and Terry's model, with ties, intervals, and what the votes can not say."""
