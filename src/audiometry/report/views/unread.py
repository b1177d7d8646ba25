"""Replies without an answer: how many, why, and what one of each kind says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from audiometry.render.document import Section, line
from audiometry.render.table import Column, RowInfo, Table
from audiometry.report.examples import Reason

MEANINGS: Final = {
    "not asked": "The run has no reply: it was stopped before. The same command asks for it.",
    "failed": "No reply came. It does not count as correct, and the run is incomplete until it is asked again.",
    "refused": "The reply declines to answer, or no reply came because the provider blocked the item (content_filter); "
    "neither is correct.",
    "empty": "The reply holds no text, so it is not correct.",
    "unjudged": "The reply came, and no verdict of its judge can be read.",
    "unanswered": "No rule could read one answer from the reply. It is never guessed, so it is not correct.",
}


def unread(reasons: Sequence[Reason], runs: Sequence[str], signature: str) -> Section:
    """Replies without an answer by what became of them and why, with the number in each run.

    Args:
        reasons: as the tables count them.
        runs: names.
        signature: how all scores are made.
    """
    several = len(runs) > 1
    columns = (
        Column(id="reason", title="reason", kind="name"),
        Column(id="state", title="what became of it", kind="text"),
        *(
            Column(id=f"replies-{n}", title=run if several else "replies", kind="count", series=n if several else None)
            for n, run in enumerate(runs)
        ),
        Column(id="said", title="one of them", kind="text"),
    )
    table = Table(
        id="unread",
        caption="Replies to items with their own clips that have no answer, by reason",
        signature=signature,
        columns=columns,
        rows=tuple((one.how, one.verdict, *one.counts, one.said) for one in reasons),
        info=tuple(
            RowInfo(items=urlencode({"verdict": one.verdict, "how": one.how}), note=MEANINGS[one.verdict])
            for one in reasons
        ),
        series=tuple(runs),
    )
    none = line("None: every item has a reply, and an answer was read from each.")
    return Section(
        id="unread", title="Replies without an answer", short="No answer", blocks=(table,) if reasons else (none,)
    )
