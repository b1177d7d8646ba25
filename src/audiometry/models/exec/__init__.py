"""Programs over a pipe, as models."""
