"""What ``audiometry score`` does with open questions: judges score the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from audiometry.cli.ask_options import judge_settings

if TYPE_CHECKING:
    from audiometry.files.ratings import Ratings
    from audiometry.score.chat.values import Panel
    from audiometry.score.judged import OpenRun
    from audiometry.score.result import Scores


def score_open(
    runs: Sequence[OpenRun],
    profiles: tuple[str, ...],
    judges: tuple[str, ...],
    *,
    panel: str,
    injections: int,
    people: Ratings | None,
    how: dict[str, object],
) -> list[Scores]:
    """Have judges score the open items of runs.

    Args:
        runs: the runs.
        profiles: names.
        judges: names.
        panel: how the scores of several judges are put together.
        injections: how many replies each judge is tempted with.
        people: people's ratings of some replies; None: none.
        how: the options of asking, by name.

    Raises:
        UsageError: no judge is named, or it cannot be used; or what people rated is of no use.
    """
    from audiometry.cli.progress import ProgressLine, WaitingLine
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.errors import UsageError
    from audiometry.score.chat.score import ChatSettings, score_chat
    from audiometry.score.judging.loaded import kept_open
    from audiometry.score.judging.settings import Follow

    if not judges:
        raise UsageError(
            f"{runs[0].folder.path}: the questions of {runs[0].info.benchmark.name} are open, no rule can score them; "
            "name a judge with --judge, for example openai/gpt-6.1-terra, or a metric with --metric"
        )
    settings = ChatSettings(
        judges=tuple(judge_settings(name, **how) for name in judges),  # type: ignore[arg-type]  # options by name
        panel=cast("Panel", panel),
        injections=injections,
        people=people,
    )
    scores: list[Scores] = []
    with kept_open():
        for run in runs:
            line = ProgressLine()
            try:
                with WaitingLine(PROCESS, line.line):
                    scores.append(score_chat(run, profiles, settings, Follow(line.watch, line.start, line.stopping)))
            finally:
                line.end()
    return scores


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
