"""Options of ``audiometry score`` about judges, and how they are asked while a person waits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli.ask_options import judge_settings

if TYPE_CHECKING:
    from audiometry.files.ratings import Ratings
    from audiometry.score.result import Scores


@contextlib.contextmanager
def asked(
    names: tuple[str, ...],
    *,
    align: str,
    panel: str,
    injections: int,
    people: Ratings | None,
    how: dict[str, object],
) -> Iterator[dict[str, Any]]:
    """What `score` is told of judges: these stay loaded, whatever they are asked, and a line shows how it goes.

    Args:
        names: of the judges.
        align: who reads replies to questions with options.
        panel: how the scores of several judges are put together.
        injections: how many replies each judge is tempted with.
        people: people's ratings of some replies; None: none.
        how: the options of asking, by name.

    Raises:
        UsageError: an option cannot be used.
    """
    if not names:
        yield {}
        return
    from audiometry.cli.progress import ProgressLine, WaitingLine
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.score.judge.planning import loaded
    from audiometry.score.judge.settings import Follow

    line = ProgressLine()
    settings = [judge_settings(name, **how) for name in names]  # type: ignore[arg-type]  # options by name
    try:
        with WaitingLine(PROCESS, line.line), loaded(settings) as judges:
            yield {
                "judges": judges,
                "align": None if align == "rules" else align,
                "panel": panel,
                "injections": injections,
                "people": people,
                "follow": Follow(line.watch, line.start, line.stopping),
            }
    finally:
        line.end()


def people_of(path: Path | None) -> Ratings | None:
    """What people said, from the file of ``--people``; None without one.

    Raises:
        UsageError: it is no rating file.
    """
    from audiometry.files import ratings

    return None if path is None else ratings.read([path])


def lacks_people(scores: Sequence[Scores], people: Ratings) -> bool:
    """Whether what people would give could not be told of some score, or lines of the file could not be used."""
    judged = [one for run in scores for one in run.scores.values() if one.extras.judges and one.average != "none"]
    return any(one.n_unread for one in people.sources) or any(one.extras.people is None for one in judged)


panel_options = (
    click.option(
        "--panel",
        type=click.Choice(["mean", "median", "majority"]),
        default="mean",
        show_default=True,
        help="How the scores of several judges are put together.",
    ),
    click.option(
        "--injections",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Try on N replies whether the judge obeys one that demands a ten.  [default: none]",
    ),
    click.option(
        "--people",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="People's scores of a random sample of the replies: estimate what people would give to all.",
    ),
)
