"""What a reader of a split has to know of it: of which items it is, and what makes its errors other than they seem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from audiometry.errors import counted
from audiometry.render.table import Column

if TYPE_CHECKING:
    from audiometry.analysis.variance.result import Split


def whose(found: Split) -> str:
    """Of which items the score is, where some were not asked in all of these ways: a run not finished has none of all.

    Args:
        found: of a score.
    """
    if found.n_items == found.n_of:
        return "The score"
    return f"Over the {found.n_items:,} of {counted(found.n_of, 'item')} that were asked in all of these ways the score"


def unordered(found: Split) -> str:
    """Which orders are repeats; where there are options, how many items have none.

    Args:
        found: of a score.
    """
    if found.drawn:
        return " Each item's orders are drawn, so that orders have nothing in common: they count as repeats."
    if not found.unordered:
        return ""
    those = "They" if found.unordered == found.n_items else f"{found.unordered:,} of them"
    counting = ", and those of the few others count as such too" if found.unordered < found.n_items else ""
    return f" {those} have no options: further orders are repeats{counting if found.orders == 1 else ''}."


def doubts(found: Split, score: Column) -> Iterator[str]:
    """What makes the errors of a split other than they seem.

    Args:
        found: of a score.
        score: how its numbers are printed.
    """
    if found.n_lost:
        ends = [score.number(end) for end in found.bounds or () if end is not None]
        where = ("at worst", "at best") if found.direction == "up" else ("at best", "at worst")
        said = "".join(f"; {of} the score is {end}" for of, end in zip(where, ends, strict=False))
        yield (
            f"Incomplete: {found.n_lost:,} of {counted(found.n_replies, 'reply')} failed or are unjudged{said}. They "
            "count as in the score, so that a wording, an order or chance may be nothing but these failures."
        )
    if found.few:
        clips, of = counted(found.n_clusters, "clip"), f"{found.n_effective:.1f} of equal weight"
        yield f"Its {clips} weigh as {of}: too few to tell how far others would move the score."
    if found.n_alone:
        alone = "task has" if found.n_alone == 1 else "tasks have"
        yield (
            f"{found.n_alone:,} {alone} one clip only: how far it is from other tasks counts as a difference between "
            "items, which is more than there is."
        )
    if found.n_single:
        single = "class has" if found.n_single == 1 else "classes have"
        yield (
            f"{found.n_single:,} {single} one clip only: nothing tells how far another would move it, so that items "
            "and chance come out too small."
        )
