"""Scores with fewer options: the right one and some distractors, each with the chance of as many as were shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.choices.fewer import fewer
from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Block, Section, line
from audiometry.render.document import name as named
from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.report.views.score_rows import charted
from audiometry.score.chosen import LeaveOneOut

SHARE: Final = Scale(0.0, 1.0, share=True)
HOW: Final = (
    "The same items with their own clips, without worked examples, and with some of their options left out, in an "
    "order drawn anew. Fewer options are easier to guess among: hold each number against the chance beside it. None of "
    "them counts in the score."
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
    whole = Entry(title="all", rows=runs.scored, strong=True, last=True)
    each = [
        Entry(title=_title(name, card), rows=tuple(one and one.fewer.get(name) for one in runs.scored))
        for name in names
    ]
    caption = "The score with fewer options, with its 95 % interval and the chance of each"
    several = runs.labels if runs.several else ("",)
    for label, one in zip(several, runs.scored, strict=True):
        if one is not None and one.extras.leave_one_out is not None:
            yield line(*((named(label), ": ") if label else ()), _voted(one.extras.leave_one_out))
    yield from charted(runs, Entries(all=(whole, *each), place=place, corner="distractors", caption=caption))


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


def _voted(found: LeaveOneOut) -> str:
    chance = "" if found.chance is None else f"; chance {SHARE.number(found.chance)} %"
    ties = f"; a tie, which is not right, in {counted(found.n_tied, 'item')}" if found.n_tied else ""
    lost = (
        f" {counted(found.n_lost, 'reply')} did not come: an item whose vote they could change is not right; had all "
        f"been right, {SHARE.number(found.most)} %."
        if found.n_lost
        else ""
    )
    return (
        f"By a vote of the passes that leave out one distractor each, {SHARE.number(found.vote.value)} % of "
        f"{counted(found.n_items, 'item')} are right (95 %: {SHARE.span(found.vote.interval)}{chance}{ties}), where "
        f"single passes are right in {SHARE.number(found.each.value)} % (95 %: {SHARE.span(found.each.interval)})."
        f"{lost}"
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
    ('IR: incorrect but related', 'all but number 2')
    """
    how = fewer(name)
    if how is None or how.leaves:
        return f"all but number {how.leaves}" if how else name
    alone = len(how.kinds) == 1 and card.distractors.get(how.kinds[0])
    return f"{how.kinds[0]}: {shown(alone)}" if alone else " and ".join(how.kinds)
