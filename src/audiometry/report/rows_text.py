"""How many items were asked, how many of them without a clip, and how many rows were left out, in words."""

from __future__ import annotations


def said_of_rows(n_items: int, n_without_clip: int, n_left_out: int) -> str:
    """The three numbers for a terminal or a page; nobody has to guess whether there was audio.

    >>> said_of_rows(1200, 0, 0), said_of_rows(12, 2, 3)
    ('1,200 items, each with a clip', '12 items, 2 of them without a clip, 3 rows left out')
    """
    clips = f"{n_without_clip:,} of them without a clip" if n_without_clip else "each with a clip"
    left_out = f", {n_left_out:,} rows left out" if n_left_out else ""
    return f"{n_items:,} items, {clips}{left_out}"
