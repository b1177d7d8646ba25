"""How many items were asked, how many of them without a clip, and how many rows were left out, in words."""

from __future__ import annotations

from audiometry.errors import counted


def said_of_rows(n_items: int, n_without_clip: int, n_left_out: int) -> str:
    """The three numbers for a terminal or a page; nobody has to guess whether there was audio.

    >>> said_of_rows(1200, 0, 0), said_of_rows(1, 1, 3)
    ('1,200 items, each with a clip', '1 item, 1 of them without a clip, 3 rows left out')
    """
    clips = f"{n_without_clip:,} of them without a clip" if n_without_clip else "each with a clip"
    left_out = f", {counted(n_left_out, 'row')} left out" if n_left_out else ""
    return f"{counted(n_items, 'item')}, {clips}{left_out}"
