"""``audiometry topics``."""

from __future__ import annotations

import functools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from audiometry.cli.ask_options import asking, judge_option, refuse_idle_options
from audiometry.cli.file_options import say_result, with_files
from audiometry.cli.say import json_option, say
from audiometry.cli.voted import beside, read_votes, recordings, told, with_votes
from audiometry.errors import UsageError, counted, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from audiometry.analysis.topics.result import Asked, Heard, Topics
    from audiometry.arena.board import Board
    from audiometry.files.votes import VoteFile


@click.command()
@with_votes()
@click.option(
    "--topics",
    "n_topics",
    type=click.IntRange(2, 100),
    metavar="N",
    help="Make N clusters.  [default: as many as half of the queries make again best]",
)
@judge_option("A language model that says what each query is for, in place of rules.")
@click.option(
    "--embed",
    default="",
    metavar="MODEL[@URL]",
    help="An embedding model behind a server's /v1/embeddings, in place of words and letters.",
)
@click.option(
    "--transcribe",
    default="",
    metavar="MODEL[@URL]",
    help="A model that writes down recordings (column audio) of votes without a query, such as cascade/pocketsphinx.",
)
@click.option("--namer", default="", metavar="MODEL[@URL]", help="A language model that names the topics.")
@click.option(
    "--write",
    "written_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the votes anew, as JSON lines, with the columns topic and use.",
)
@click.option(
    "--asked",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the answers of models are kept, so that none is asked twice.  [default: FILE.asked]",
)
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of draws.")
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Also write all of it, as HTML.")
@asking("the model")
@with_files
@json_option
def command(
    voted: Path | str,
    written_to: Path | None,
    output: Path | None,
    *,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Say what people ask for: topics of the queries in a vote file, and what queries are for.

    FILE is a vote file, as audiometry arena rank takes it, with a column query. Equal queries count as one for
    topics, and as often as they were asked in shares. Topics are clusters of words, and it is said how firm
    they are: whether half of the queries make the same ones.

    What a query is for (task execution, knowledge expansion, chat, advice) is told by rules in nineteen
    languages, or by a model; how far either agrees with labelled queries is said, and the share for
    efficiency has its errors taken out. The page has a board of models for each topic and use; with --write,
    audiometry arena rank makes such boards too. Lines that cannot count, and queries of which a model says
    nothing, are told; then the exit code is 1.

    \b
    Examples:
      audiometry topics --votes votes.jsonl -o topics.html
      audiometry topics --votes votes.csv --topics 12 --write with-topics.jsonl
      audiometry topics --votes votes.jsonl --namer openai/gpt-6.1-terra
    """
    ways = _ways(voted, given)
    if written_to is not None:
        _refuse_to_write(written_to, voted)
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    read = read_votes(voted, texts=True)
    heard = _heard(read, voted, ways) if ways.transcribe else None
    asked = _asked(read, ways, heard)
    unread = 0 if written_to is None else _written(written_to, asked)
    ended = _shown(asked, output, tables, figures, as_json=as_json)
    lost = asked.found.uses.n_unknown > 0 or (heard is not None and bool(heard.failures))
    return int(read.n_apart > 0 or unread > 0 or lost or ended)


class _Ways(NamedTuple):
    """How topics are made, and of which models what is asked.

    Attributes:
        n_topics: clusters; None: as many as are firm.
        judge, namer, embed, transcribe: names of models; empty: none.
        folder: where their answers are kept.
        seed: of draws.
        how: models are asked.
    """

    n_topics: int | None
    judge: str
    namer: str
    embed: str
    transcribe: str
    folder: Path
    seed: int
    how: dict[str, Any]


def _ways(voted: Path | str, given: dict[str, Any]) -> _Ways:
    """The ways that options give; options that would do nothing are refused."""
    judges: tuple[str, ...] = given.pop("judges")
    if len(judges) > 1:
        raise UsageError("one model says what queries are for; name it once with --judge")
    own = {name: given.pop(name) for name in ("n_topics", "namer", "embed", "transcribe", "seed")}
    refuse_idle_options((*judges, *(own[name] for name in ("namer", "embed", "transcribe") if own[name])))
    folder = given.pop("folder") or Path(f"{beside(voted)}.asked")
    return _Ways(judge="".join(judges), folder=folder, how=given, **own)


def _refuse_to_write(path: Path, voted: Path | str) -> None:
    """Refuse what cannot be written, before anything is worked out."""
    if isinstance(voted, str):
        raise UsageError(
            "--write writes a vote file anew, and what people said leaves an arena only once it was looked through: "
            "audiometry arena export --texts -o votes.jsonl makes the file to give with --votes; the page (-o) has the "
            "boards of topics and uses without it"
        )
    from audiometry.analysis.topics import written

    written.refuse(path, voted)


def _asked(read: VoteFile, ways: _Ways, heard: Heard | None) -> Asked:
    """What people ask for; models are loaded for it and let go."""
    from audiometry.analysis.topics import topics
    from audiometry.cli.score_open import asked

    names = tuple(filter(None, (ways.judge, ways.namer)))
    made: dict[str, Any] = {"n_topics": ways.n_topics, "seed": ways.seed, "folder": ways.folder, "heard": heard}
    made["embed"] = _embed(ways) if ways.embed else None
    with asked(names, align="rules", panel="mean", injections=0, people=None, how=ways.how) as loaded:
        models = iter(loaded.get("judges", ()))
        by_role = {"judge": next(models) if ways.judge else None, "namer": next(models) if ways.namer else None}
        if names or ways.embed:  # whose own line shows how it goes
            return topics(read, **{"follow": loaded.get("follow"), **by_role, **made})
        return told("steps", lambda reached: topics(read, **{"reached": reached, **made}))


def _heard(read: VoteFile, voted: Path | str, ways: _Ways) -> Heard:
    """The queries of recordings, while a line shows how it goes."""
    from audiometry.analysis.topics.heard import heard
    from audiometry.cli.ask_options import judge_settings
    from audiometry.cli.progress import ProgressLine, WaitingLine
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.score.judge.settings import Follow

    line = ProgressLine()
    try:
        with WaitingLine(PROCESS, line.line):
            follow = Follow(line.watch, line.start, line.stopping)
            return heard(read, judge_settings(ways.transcribe, **ways.how), ways.folder, follow, recordings(voted))
    finally:
        line.end()


def _embed(ways: _Ways) -> tuple[str, Any]:
    """The embedding model's name, and what makes points of queries, with progress for whoever sits at a terminal."""
    from audiometry.analysis.topics.embedded import by_model
    from audiometry.cli.ask_options import judge_settings
    from audiometry.cli.progress import Steps

    settings = judge_settings(ways.embed, **ways.how)
    model = by_model(settings, ways.folder)  # which is looked for before anything is worked out

    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        steps = Steps("queries embedded")

        def stopping() -> None:
            steps.end()
            say("Stopping: waiting for the requests under way. Ctrl-C again leaves them.", err=True)

        try:
            return model(texts, steps.show, stopping)
        finally:
            steps.end()

    return settings.name, embed


def _written(path: Path, asked: Asked) -> int:
    """Write the votes; how many lines could not be read."""
    from audiometry.analysis.topics import written

    n, unread = written.write(path, asked.file, asked.said)
    more = f", and not {counted(unread, 'line')} that cannot be read" if unread else ""
    where = visible(str(path))
    say(f"{counted(n, 'vote')} written to {where} with topic and use{more}", err=True)
    say(f"next: audiometry arena rank --votes {visible(shlex.quote(str(path)))} --by topic --by use", err=True)
    return unread


def _shown(asked: Asked, output: Path | None, tables: Path | None, figures: Path | None, *, as_json: bool) -> int:
    """Write the page, and say what was found; see `say_result`."""
    from audiometry.arena.board import Settings, board
    from audiometry.files.votes import said_of
    from audiometry.report.views import topics as views

    found, by_part = asked.found, ("topic", "use")
    ranked = functools.cache(lambda: board(asked.file, Settings(), by_part))
    if output is not None:
        from audiometry.report import section_page, topics_page

        section_page.write(topics_page.page(found, ranked()), output)
    return say_result(
        lambda: _document(found, ranked()),
        views.topics(found) if tables or figures or not as_json else (),
        output,
        tables,
        figures,
        as_json=as_json,
        before=views.notes(found, said_of(asked.file)),
        after=[views.made(found)],
        warnings=found.warnings,
    )


def _document(found: Topics, ranked: Board) -> dict[str, Any]:
    """What JSON says: the topics, and who is liked for which of them."""
    import msgspec

    from audiometry.arena.document import document

    of_votes = document(ranked)
    return {**msgspec.to_builtins(found), "by": of_votes["by"], "file": of_votes["file"]}
