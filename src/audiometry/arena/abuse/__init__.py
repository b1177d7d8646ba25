"""Votes that may be nobody's opinion: found by stated tests, set apart with the reason, never deleted."""
