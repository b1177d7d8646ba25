"""Benchmarks from a person's own recordings and a table of what is known about them."""
