"""Judges: what readers have to ask them, their answers in a run folder, and how far they can be trusted."""
