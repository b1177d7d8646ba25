"""``audiometry arena rank``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli.file_options import say_result, with_files
from audiometry.cli.numbers import Finite
from audiometry.cli.say import json_option
from audiometry.cli.voted import rates_of, read_votes, told, with_votes
from audiometry.errors import shown

if TYPE_CHECKING:
    from audiometry.arena.board import Board, Settings


class _Anchor(click.ParamType[tuple[str, float]]):
    """``MODEL=RATING``."""

    name = "anchor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """A model, whose name may hold ``=`` too, and a rating."""
        if isinstance(value, tuple):
            return value
        model, equals, rating = str(value).rpartition("=")
        if not equals or not model.strip():
            self.fail(f"{shown(str(value))} is not MODEL=RATING.", param, ctx)
        return model.strip(), Finite(min=-1e6, max=1e6).convert(rating, param, ctx)


def _listed(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Names with commas between them, or given several times."""
    return tuple(dict.fromkeys(one.strip().lower() for some in value for one in some.split(",") if one.strip()))


@click.command()
@with_votes()
@click.option(
    "--by",
    multiple=True,
    callback=_listed,
    metavar="COLUMN",
    help="A board for each topic or language, for short and long replies (length), fast and slow ones (latency), or "
    "each value of another column too; may be given several times.",
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop", "davidson"]),
    default="half",
    show_default=True,
    help="A tie is half a vote for each, or is left out, or Davidson's model says how often equals tie.",
)
@click.option("--anchor", type=_Anchor(), metavar="MODEL=RATING", help="Move ratings so that this model has this one.")
@click.option(
    "--prior",
    type=Finite(min=0, max=1e6),
    default=0.0,
    metavar="X",
    help="Rank all models: each is given X / 2 wins and losses against an average one.  [default: 0]",
)
@click.option("--first", is_flag=True, help="Take out what being shown first is worth.")
@click.option(
    "--control",
    multiple=True,
    callback=_listed,
    metavar="NAME",
    help="Hold replies at equal length, latency or what else the votes say of both, as style of style_a and style_b; "
    "several with commas.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="N",
    help="Intervals from N resamples of voters instead of the sandwich.",
)
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of the resamples.")
@click.option(
    "--set-apart",
    is_flag=True,
    help="Leave out votes that may be nobody's opinion: of voters who choose as a coin does or always the same side, "
    "cast in bursts or before both replies can be read.",
)
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Also write the board, as HTML.")
@with_files
@json_option
def command(
    voted: Path | str,
    by: tuple[str, ...],
    output: Path | None,
    *,
    tables: Path | None,
    figures: Path | None,
    set_apart: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Rank models from people's votes on pairs of replies.

    FILE has a vote a line, as JSON, CSV or parquet: model_a, model_b, and winner (model_a, model_b, tie or
    both_bad, or the winner's name); if known voter, battle, topic, language, length_a, length_b,
    latency_a, latency_b, propensity, first, at, seconds and characters. Query and audio are for audiometry topics,
    comment and reasons for audiometry reasons. A table of pair counts will do too: model_a, model_b,
    a_wins, b_wins, ties.

    Ratings are Bradley and Terry's on the Elo scale with 95 % intervals clustered by voter; a range of
    ranks holds for all models at once. A model that votes cannot place is listed apart, and it is said
    whether the votes fit one scale at all. Lines that cannot count are set apart and named; then the exit
    code is 1. Of an arena's database, what became of asking each model is said as well.

    \b
    Examples:
      audiometry arena rank --votes votes.jsonl
      audiometry arena rank --db sqlite:///arena.sqlite
      audiometry arena rank --votes votes.csv --by topic --by length -o board.html
      audiometry arena rank --votes pairs.csv --anchor GPT-4o=1000 --json
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.arena.board import Settings

    found = _board(voted, by, Settings(**given), set_apart=set_apart)
    if output is not None:
        from audiometry.report import board_page, section_page

        section_page.write(board_page.page(found), output)
    from audiometry.report.views import board

    blocks = board.board(found) if tables or figures or not as_json else ()
    from audiometry.arena.document import document

    ended = say_result(
        lambda: document(found),
        blocks,
        output,
        tables,
        figures,
        as_json=as_json,
        after=[*board.notes(found), board.made(found)],
    )
    return int(found.file.n_apart > 0 or ended)


def _board(voted: Path | str, by: tuple[str, ...], settings: Settings, *, set_apart: bool) -> Board:
    """The board, with progress for whoever sits at a terminal."""
    from msgspec.structs import replace

    from audiometry.arena.board import board
    from audiometry.arena.parts import columns

    read = read_votes(voted, groups=columns(by), times=True, covariates=settings.control)
    found = told("boards", lambda reached: board(read, settings, by, reached, set_apart=set_apart))
    return replace(found, rates=rates_of(voted))
