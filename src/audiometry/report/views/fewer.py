"""Scores with fewer options: the right one and some distractors, each with the chance of as many as were shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from audiometry.choices.fewer import fewer
from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Block, Section, line
from audiometry.render.document import name as named
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.score_rows import charted
from audiometry.score.chosen import LeaveOneOut
from audiometry.score.result import Row, Scored
from audiometry.score.signature import asked_once

VOTED: Final = ("majority vote of the passes", "single passes")
COUNTS: Final = frozenset({
    *("n_replies", "n_answered", "n_unanswered", "n_refused", "n_empty", "n_failed", "n_not_asked", "n_unjudged"),
    *("n_counted", "n_guessed", "n_guessed_right"),
})  # fmt: skip
HOW: Final = (
    "The same items with their own clips, without worked examples, and with some of their options left out, in an "
    "order drawn anew. Fewer options are easier to guess among: hold each number against the chance beside it. None of "
    "them counts in the score, which stands here only where it is asked likewise."
)


def rows(runs: Runs, card: Card, place: str = "fewer") -> Iterator[Block]:
    """The row of each variant with fewer options below that of the score; nothing without any.

    Args:
        runs: whose.
        card: of their benchmark, which says what kinds of distractor are called.
        place: the id of figure and table.
    """
    names = sorted({name for one in runs.scored if one is not None for name in one.fewer}, key=_Place(card))
    if not names:
        return
    made = "; ".join(asked_once(one, shots=False) for one in runs.signature.split("; "))
    alike = made == runs.signature  # else all options are asked otherwise than these, and no number to hold them to
    whole = [Entry(title="all", rows=runs.scored, strong=True, last=True)] if alike else []
    voted = [(None, None) if one is None else _voted(one) for one in runs.scored]
    summed = [
        Entry(title=title, rows=tuple(both[at] for both in voted), strong=True, last=at == 1)
        for at, title in enumerate(VOTED)
        if any(both[at] for both in voted)
    ]
    each = [
        Entry(title=_title(name, card), rows=tuple(one and one.fewer.get(name) for one in runs.scored))
        for name in names
    ]
    caption = "The score with fewer options, with its 95 % interval and the chance of each"
    several = runs.labels if runs.several else ("",)
    for label, one in zip(several, runs.scored, strict=True):
        if one is not None and one.extras.leave_one_out is not None:
            yield line(*((named(label), ": ") if label else ()), _about(one.extras.leave_one_out))
    yield from charted(
        runs, Entries(all=(*whole, *summed, *each), place=place, corner="distractors", caption=caption, signature=made)
    )


def section(runs: Runs, card: Card, place: str, of: str = "") -> Iterator[Section]:
    """The same as a section of a page.

    Args:
        runs: whose.
        card: of their benchmark.
        place: the section's id.
        of: which score it is, where there are several.
    """
    blocks = tuple(rows(runs, card, place))
    if blocks:
        about = line(HOW, weight="about")
        yield Section(id=place, title="With fewer options", of=of, blocks=(about, *blocks), short="Fewer options")


def _voted(one: Scored) -> tuple[Row | None, Row | None]:
    """The rows of the vote and of single passes; none of a run that was not asked in all of them."""
    found = one.extras.leave_one_out
    passes = [row for name, row in one.fewer.items() if (how := fewer(name)) is not None and how.leaves]
    if found is None or not passes:
        return None, None
    chances = [row.chance for row in passes if row.chance is not None]
    summed = {field: sum(getattr(row, field) for row in passes) for field in COUNTS}
    each = msgspec.structs.replace(
        passes[0],
        **summed,
        value=found.each.value,
        interval=found.each.interval,
        bounds=None,
        n_items=found.n_items,
        chance=sum(chances) / len(chances) if chances else None,
    )
    bounds = (found.vote.value, found.most) if found.n_lost else None
    vote = msgspec.structs.replace(
        each, value=found.vote.value, interval=found.vote.interval, bounds=bounds, chance=found.chance
    )
    return vote, each


def _about(found: LeaveOneOut) -> str:
    """How a vote is made."""
    ties = f" A tie, which is not right, in {counted(found.n_tied, 'item')}." if found.n_tied else ""
    lost = f" {counted(found.n_lost, 'reply')} did not come: an item whose vote they could change is not right."
    return (
        "The vote is of the passes that leave out one wrong option each: right is an item of which more take the right "
        f"option than take any other.{ties}{lost if found.n_lost else ''}"
    )


class _Place:
    """In which place a variant is shown: kinds of distractor as the card lists them, alone before together."""

    def __init__(self, card: Card) -> None:
        self._kinds = list(card.distractors)

    def __call__(self, variant: str) -> tuple[int, int, list[int], str]:
        how = fewer(variant)
        kinds = how.kinds if how is not None else ()
        at = [self._kinds.index(kind) if kind in self._kinds else len(self._kinds) for kind in kinds]
        return (0 if how is None else how.leaves), len(kinds), at, variant


def _title(name: str, card: Card) -> str:
    """What people call the distractors that such a variant keeps.

    >>> _title("distractors=IR", Card(distractors={"IR": "incorrect but related"})), _title("leave-2", Card())
    ('IR: incorrect but related', 'without wrong option 2')
    """
    how = fewer(name)
    if how is None or how.leaves:
        return f"without wrong option {how.leaves}" if how else name
    alone = len(how.kinds) == 1 and card.distractors.get(how.kinds[0])
    return f"{how.kinds[0]}: {shown(alone)}" if alone else " and ".join(how.kinds)
