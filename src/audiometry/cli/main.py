"""The ``audiometry`` command: finds the command group that is asked for and loads nothing else."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

import audiometry
from audiometry.cli import streams
from audiometry.cli.help_text import HelpContext
from audiometry.cli.say import say
from audiometry.errors import AudiometryError, BrokenPackageWarning, UsageError, short_of, shown
from audiometry.files import extras

INTERRUPTED = 130
_EMPTY = re.compile(r"--[\w-]+=")
LONGEST_MESSAGE = 4000  # characters
WRITTEN = {"output", "tables", "figures", "payment", "participants"}  # options that name a place to write to
_LESS = " or lower --concurrency"  # advice of `short_of`

# name: (module, what --help says of it); modules are imported only when their command runs
COMMANDS = {
    "demo": ("demo", "Evaluate a real model on real audio, offline, and write a report."),
    "list": ("listing", "List benchmarks, models, runs, measures, profiles or the tasks of a benchmark."),
    "build": ("build", "Turn recordings and a table of what is known of them into a benchmark."),
    "mix": ("mix", "Mix two recordings, or pairs of many, at a set difference in loudness and a set onset."),
    "check": ("check", "Look for defects in a benchmark: audio, labels, letters, leaks of the answer."),
    "probe": ("probe", "Test whether audio reaches a model: tones, spoken digits, rates, channels, long clips."),
    "run": ("run", "Ask a model every item of a benchmark; resumes where it stopped."),
    "score": ("score", "Score runs again, by other rules or with a judge; asks the model nothing."),
    "report": ("report", "Write a self-contained HTML report of one or several runs."),
    "compare": ("compare", "Compare two runs on the same items, in pairs."),
    "variance": ("variance", "Split a score into items, wordings, orders and chance; how firm the places of runs are."),
    "modes": ("modes", "Say why wrong replies are wrong: failure modes, by rules, a judge or people."),
    "review": ("review", "Have people approve items or judge replies, on a page in the browser."),
    "agree": ("agree", "Hold judges, metrics and people against each other: how far to trust a judge."),
    "subset": ("subset", "Choose the few items of a benchmark that foretell best what people prefer."),
    "gap": ("gap", "Say which static scores predict what people prefer, and whether so few systems can say so."),
    "reasons": ("reasons", "Say why people prefer one reply: ticked tags and comments, by a code book."),
    "topics": ("topics", "Say what people ask for: topics of queries, and what queries are for."),
    "arena serve": ("arena_serve", "Serve an arena: people speak, two hidden models answer, and the vote counts."),
    "arena study": ("arena_study", "Run a paid study in the arena: consent, screening, votes, codes, a payment sheet."),
    "arena rank": ("arena", "Rank models from votes: ratings, intervals, ranks, whether they fit one scale."),
    "arena contestants": ("arena_contestants", "List the contestants of an arena, or count one as another."),
    "arena export": ("arena_export", "Write an arena's votes as a file, without words that nobody looked through."),
}
FAMILIES = {"arena": "The arena: people's votes on two replies, and the board that they make."}


class Commands(click.Group):
    """The commands by name, each imported when it is needed.

    Args:
        family: the word that begins their names (``arena``); empty: all commands, of families their first word.
    """

    def __init__(self, *args: Any, family: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._before = f"{family} " if family else ""
        self.context_class = HelpContext

    def _table(self) -> dict[str, tuple[str, str]]:
        """The commands of this family, without the word that they share."""
        return {name.removeprefix(self._before): of for name, of in COMMANDS.items() if name.startswith(self._before)}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """In the order of a person's work."""
        return list(dict.fromkeys(name.partition(" ")[0] for name in self._table()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or the family."""
        if cmd_name not in self.list_commands(ctx):
            return None
        if not self._before and cmd_name in FAMILIES:
            return Commands(cmd_name, family=cmd_name, help=FAMILIES[cmd_name])
        module = importlib.import_module(f"audiometry.cli.{self._table()[cmd_name][0]}")
        command: click.Command = module.command
        command.context_class = HelpContext
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command suggested for a slip."""
        if args and args[0] not in (known := self.list_commands(ctx)) and not args[0].startswith("-"):
            from audiometry.errors import UnknownNameError

            raise UnknownNameError("command", args[0], known)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_twice(click.Context(command, parent=ctx, resilient_parsing=True), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        """From the table, so that ``--help`` imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self._table().items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(audiometry.__version__, prog_name="audiometry")
def group() -> None:
    """A hearing test for audio-language models.

    \b
    Try it:    audiometry demo
    Your own:  audiometry run my-benchmark/ --model openai/gpt-audio-1.5
               audiometry report runs/my-benchmark--gpt-audio-1.5--7f3a
    """


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 done, 1 failed in part, 2 wrong usage."""
    streams.secure()
    with streams.held(), streams.hang_up_as_ctrl_c(), warnings.catch_warnings():
        warnings.showwarning = _once(_warned)
        warnings.simplefilter("always", BrokenPackageWarning)  # a broken package stops no command
        try:
            code = _ended(arguments)
            lost = streams.lost_output()
        except KeyboardInterrupt:
            code, lost = _say("stopped", INTERRUPTED), None
    if lost is not None:
        code = code or 1
        if lost.errno != errno.EPIPE:  # whoever read our output has left: nobody is there to be told
            _say(f"error: the output could not be written: {lost.strerror}; all that was to be kept is kept", code)
    sys.exit(code)


def _ended(arguments: list[str] | None) -> int:
    """Run a command; its code, after one line on what went wrong."""
    try:
        _refuse_unusable(sys.argv[1:] if arguments is None else arguments)
        code: Any = group.main(arguments, standalone_mode=False)
    except click.exceptions.Abort:
        return _say("stopped", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as problem:
        say(problem.format_message(), err=True)
        return problem.exit_code
    except click.ClickException as problem:
        return _say(_with_hint(problem), problem.exit_code)
    except AudiometryError as problem:
        return _say(_of_command(f"error: {problem}", arguments), problem.exit_code)
    except (OSError, MemoryError, RuntimeError, ImportError, SystemError) as problem:
        absent = extras.missing(problem) if isinstance(problem, ModuleNotFoundError) else ""
        short = absent or short_of(problem)
        if not short:
            raise
        return _say(_of_command(f"error: {short}", arguments), UsageError.exit_code if absent else 1)
    return code if isinstance(code, int) else 0


def _of_command(line: str, arguments: Sequence[str] | None) -> str:
    """Without the advice to lower what the command does not have."""
    name = next(iter(sys.argv[1:] if arguments is None else arguments), "")
    module = sys.modules.get(f"audiometry.cli.{COMMANDS.get(name, ('', ''))[0]}")
    params = getattr(getattr(module, "command", None), "params", ())
    return line if any(one.name == "concurrency" for one in params) else line.replace(_LESS, "")


def _refuse_unusable(arguments: Sequence[str]) -> None:
    """Refuse before anything is asked what is empty, or no UTF-8, which cannot be written into a run folder."""
    for before, given in zip(("", *arguments), arguments, strict=False):
        option = given.removesuffix("=") if _EMPTY.fullmatch(given) else "" if given else before
        if option.startswith("-"):  # as of a variable of the shell that is not set
            raise UsageError(f"what follows {shown(option)} is empty; give {shown(option)} a value or leave it out")
        if not given:
            raise UsageError("an argument is empty; give it a value or leave it out")
    here = ""
    with contextlib.suppress(OSError):  # the folder is gone: whoever needs it says so
        here = str(Path.cwd())
    for name in (*arguments, here):
        if any("\ud800" <= c <= "\udfff" for c in name):
            raise UsageError(f"'{shown(name, 400)}' holds bytes that are no UTF-8; rename it")


def _refuse_twice(context: click.Context, arguments: Sequence[str]) -> None:
    """Refuse a place to write to that is named twice, and a page where a folder is to be: one of the two would not be.

    Raises:
        UsageError: one is.
    """
    with contextlib.suppress(click.UsageError):  # which the command says itself
        values, _, given = context.command.make_parser(context).parse_args(list(arguments))
        for one in given:
            if isinstance(one, click.Option) and one.name in WRITTEN and given.count(one) > 1:
                raise UsageError(f"{one.opts[0]} is given twice; leave one out")
        for name in sorted({"tables", "figures"} & values.keys()) if "output" in values else ():
            folder = Path(os.path.realpath(values[name]))
            if Path(os.path.realpath(values["output"])) in (folder, *folder.parents):
                raise UsageError(f"-o and --{name} name the same place; give each its own")


def _with_hint(problem: click.ClickException) -> str:
    message = " ".join(problem.format_message().split())  # click lists choices a line each
    context = getattr(problem, "ctx", None)
    command = context.command_path if context else "audiometry"
    return f"error: {message.rstrip('.')}; see `{command} --help`"


def _once(show: Callable[..., None]) -> Callable[..., None]:
    """Shows every warning once, wherever it comes from."""
    seen: set[str] = set()

    def shows(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            show(message, category, *where)

    return shows


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001  Python's signature
    line: str | None = None,
) -> None:
    """A warning of ours as one line, such as of a broken package; others as Python shows them."""
    if category.__module__.partition(".")[0] == "audiometry":
        _say(f"warning: {message}", 0)
    else:
        say(warnings.formatwarning(message, category, filename, lineno, line).rstrip(), err=True)


def _say(message: str, code: int) -> int:
    """One line on standard error; the code."""
    from audiometry.files import secrets

    say(secrets.shown(f"audiometry: {message}", LONGEST_MESSAGE), err=True)
    return code
