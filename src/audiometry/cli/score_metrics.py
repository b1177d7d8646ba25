"""``audiometry score --measure``: replies measured against their references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from audiometry.cli.progress import ProgressLine

C = TypeVar("C", bound=Callable[..., Any])
by_option = click.option(
    "--by",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Rows for each value of a tag of the items, such as genre, over all its items as one, whatever their task; "
    "may be given several times.",
)
metric_option = click.option(
    "--measure",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Score by this measure too: macro-f1, balanced-accuracy, wer, cer, bleu, chrf, rouge-l, token-f1, exact-match "
    "(see audiometry list measures), or a program, exec/COMMAND; may be given several times.",
)


def one_measure(does: str) -> Callable[[C], C]:
    """The option of a command that goes by one measure; ``does``: what it then does, as its help begins."""
    said = f"{does} by this measure alone, such as wer (see audiometry list measures); otherwise every kind by its own."
    return click.option("--measure", "--metric", "measure", default="", metavar="NAME", help=said)


@contextmanager
def watched(*, waits: bool = True) -> Iterator[Callable[[int, int, int], None]]:
    """What is told how a program gets on, and shows it; and how long it has said nothing, unless others show that."""
    from contextlib import nullcontext

    from audiometry.cli.progress import ProgressLine, WaitingLine
    from audiometry.dispatch.waiting import PROCESS

    line = ProgressLine()
    try:
        with WaitingLine(PROCESS, line.line) if waits else nullcontext():
            yield _told(line)
    finally:
        line.end()


def _told(line: ProgressLine) -> Callable[[int, int, int], None]:
    """Shows how a metric program gets on."""
    from audiometry.dispatch.tally import Tally
    from audiometry.records import ReplyRecord

    tally = Tally()

    def watch(scored: int, failed: int, planned: int) -> None:
        if scored + failed == 1:
            line.start(planned, 0)
        tally.replies, tally.failures["unscored"] = scored, failed
        line.watch(ReplyRecord(item=""), tally)

    return watch
