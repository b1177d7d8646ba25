"""``audiometry reasons``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli.ask_options import asking, judge_option, refuse_idle_options
from audiometry.cli.file_options import say_result, with_files
from audiometry.cli.say import json_option
from audiometry.cli.voted import beside, read_votes, with_votes

if TYPE_CHECKING:
    from audiometry.analysis.reasons.result import Reasons

ASKED = ".asked"
"""Ends the name of the folder beside a vote file in which judges' answers are kept."""


@click.command()
@with_votes()
@judge_option("A language model that codes comments too; the first then counts. May be given several times.")
@click.option(
    "--book",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Your own code book, TOML with [[code]] name, title, about and, if rules are to code by it, rules, praise "
    "and complaint.  [default: the house's]",
)
@click.option(
    "--asked",
    "keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the answers of judges are kept, so that none is asked twice.  [default: FILE.asked]",
)
@asking("the judge")
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Also write all of it, as HTML.")
@with_files
@json_option
def command(
    voted: Path | str,
    judges: tuple[str, ...],
    book: Path | None,
    keep: Path | None,
    output: Path | None,
    *,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
    **how: object,
) -> int:
    """Say why people prefer one reply: reasons, counted, by model and quoted.

    FILE is a vote file, as audiometry arena rank takes it, with the tags that voters ticked (reasons) and
    what they wrote (comment). Tags count as they are; comments are coded by rules, or by a language model
    too (--judge). A comment has every code that fits; one that no rule reads is counted as uncoded, and
    never guessed. Praise is of the reply that is named or preferred, a complaint of the one that is named
    or was not: so it is said which models are preferred, and faulted, for what.

    The house's code book has rules for comments in fourteen languages; how far they, and a judge, agree
    with a labelled sample is printed with every result. Lines that cannot be used are counted and named;
    then the exit code is 1.

    \b
    Examples:
      audiometry reasons --votes votes.jsonl
      audiometry reasons --votes votes.jsonl --judge openai/gpt-6.1-terra
      audiometry reasons --votes votes.csv --book mine.toml -o reasons.html
    """
    from audiometry.cli.one_thread import load_numpy

    refuse_idle_options(judges)
    load_numpy()
    found = _found(voted, judges, book, keep or Path(f"{beside(voted)}{ASKED}"), how)
    if output is not None:
        from audiometry.report import reasons_page, section_page

        section_page.write(reasons_page.page(found), output)
    from audiometry.report.views import reasons as views

    blocks = views.reasons(found) if tables or figures or not as_json else ()
    ended = say_result(
        lambda: found,
        blocks,
        output,
        tables,
        figures,
        as_json=as_json,
        before=views.notes(found),
        after=[views.made(found)],
        warnings=found.warnings,
    )
    return int(found.n_unread > 0 or any(one.n_failed for one in found.coders) or ended)


def _found(
    voted: Path | str, judges: tuple[str, ...], book: Path | None, keep: Path, how: dict[str, object]
) -> Reasons:
    """The reasons; a judge is asked with a line that shows how it goes."""
    from audiometry.analysis.reasons import reasons
    from audiometry.cli import score_open
    from audiometry.files import code_book

    own = None if book is None else code_book.read(book)
    read = read_votes(voted, texts=True)
    with score_open.asked(judges, align="rules", panel="mean", injections=0, people=None, how=how) as asked:
        given = {name: asked[name] for name in ("judges", "follow") if name in asked}
        return reasons(read, book=own, keep=keep, **given)
