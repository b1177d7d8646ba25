"""The options of every command that asks a model, so that they are spelt and mean the same wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from audiometry.cli.numbers import Finite
from audiometry.cli.say import say

if TYPE_CHECKING:
    from audiometry.dispatch.tally import Price
    from audiometry.score.extras import Mode
    from audiometry.score.judge.settings import JudgeSettings

Command = TypeVar("Command", bound=Callable[..., Any])
_FIELD = re.compile("[A-Za-z_]")  # begins the name of one
AT_LEAST_ONE = click.IntRange(min=1)
ASKING = frozenset(
    {"concurrency", "rpm", "tpm", "max_tries", "timeout", "base_urls", "proxy", "card", "extra", "prices", "cache"}
)
"""Names of the options of `asking`."""
ABOUT_JUDGES = ASKING | {"panel", "injections", "people"}
"""Names of the options of `audiometry score` that do nothing without a judge."""
ABOVE_ZERO = Finite(min=0, min_open=True)


def _read_extra(_context: click.Context, _option: click.Parameter, path: str | None) -> dict[str, Any] | None:
    """The fields in a file of ``--extra``; None without one.

    Raises:
        UsageError: there are none, or what JSON does not have.
    """
    if path is None:
        return None
    from audiometry.errors import UndecodableError, UsageError
    from audiometry.files import foreign, request_fields
    from audiometry.files.secrets import shown

    try:
        raw = foreign.read_file(Path(path), foreign.LARGEST_TOML)
        found = foreign.json_or_toml(raw)
    except UndecodableError as problem:
        raise UsageError(f"--extra {problem.at(path)}; write fields of a request, such as top_p = 0.9") from None
    if not found:
        raise UsageError(f"--extra {path} holds no fields; write some, such as top_p = 0.9, or leave it out")
    for key in found:
        if not _FIELD.match(key):
            raise UsageError(f"--extra {path}: '{shown(key)}' is no name of a field; write fields, such as top_p = 0.9")
    if fault := request_fields.fault(found):
        raise UsageError(f"--extra {path}: {fault}")
    return found


_FILES = (
    click.option(
        "--card",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="A model card instead of all the built-in ones.  [default: those, laid over one another]",
    ),
    click.option(
        "--extra",
        callback=_read_extra,
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="Further fields of each request (TOML or JSON), such as top_p or reasoning_effort; in place of the "
        "card's where both name one.",
    ),
    click.option(
        "--prices",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="Prices in US dollars a million tokens (TOML).  [default: the card's]",
    ),
    click.option(
        "--cache",
        type=click.Path(dir_okay=False),
        default="",
        metavar="FILE",
        help="Take replies from this cache, and add new ones.",
    ),
)


def asking(whom: str) -> Callable[[Command], Command]:
    """Options on how somebody is asked: concurrency, limits, tries, time, address and price.

    Args:
        whom: is asked, as the help says it: ``the model``, ``the judge``.
    """
    options = (
        click.option(
            "--concurrency", type=AT_LEAST_ONE, metavar="N", help="Requests under way.  [default: the card's]"
        ),
        click.option("--rpm", type=ABOVE_ZERO, metavar="N", help="At most N requests a minute."),
        click.option("--tpm", type=ABOVE_ZERO, metavar="N", help="At most N tokens a minute."),
        click.option(
            "--max-tries",
            type=AT_LEAST_ONE,
            default=5,
            metavar="N",
            show_default=True,
            help="Requests for one answer before it counts as failed.",
        ),
        click.option(
            "--timeout",
            type=ABOVE_ZERO,
            default=120.0,
            metavar="S",
            show_default=True,
            help="Longest wait for one answer, in seconds.",
        ),
        click.option(
            "--base-url",
            "base_urls",
            multiple=True,
            metavar="URL",
            help=f"Where {whom} is served; several share the work.",
        ),
        click.option(
            "--proxy",
            default="",
            metavar="URL",
            help="Ask through this proxy; none: through none.  [default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY]",
        ),
        *_FILES,
    )

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def judge_option(says: str) -> Callable[[Command], Command]:
    """The option that names judges; ``says``: its help."""
    return click.option("--judge", "judges", multiple=True, metavar="MODEL[@URL]", help=says)


def judge_settings(
    name: str,
    *,
    timeout: float,
    base_urls: tuple[str, ...],
    prices: str | None,
    card: str | None = None,
    extra: Mapping[str, Any] | None = None,
    **how: Any,
) -> JudgeSettings:
    """The options of `asking` as settings of a judge.

    Args:
        name: of the judge, as ``provider/name``, or ``provider/name@URL`` with an address of its own.
        timeout: longest wait for one answer, seconds.
        base_urls: where it is served; empty: the provider's address.
        prices: path of a price table; None: the card's prices.
        card: path of a model card; None: built in.
        extra: further fields of each request; None: none.
        how: the other options, which are called as in `JudgeSettings`.

    Raises:
        UsageError: the price table cannot be read.
        UnknownNameError: the judge is not in it.
    """
    from audiometry.models.settings import addressed
    from audiometry.score.judge.settings import JudgeSettings

    name, own = addressed(name)
    return JudgeSettings(
        name=name,
        base_urls=(own,) if own else base_urls,
        timeout_s=timeout,
        price=price(name, prices),
        card=card or "",
        extra=extra or {},
        **how,
    )


def say_of_cards(models: tuple[str, ...], card: str | None, extra: Mapping[str, Any] | None) -> None:
    """Say on standard error what a person should know of models before they are asked.

    Args:
        models: as they were named.
        card: path of the card that is given; None: built in.
        extra: fields that are given; None: none.

    Raises:
        UsageError: the card cannot be used.
    """
    from audiometry.models import cards
    from audiometry.models.settings import addressed

    for model in models:
        name, _ = addressed(model)
        for line in cards.notices(name, cards.find(name, card or ""), extra or {}):
            say(line, err=True)


def refuse_idle_options(judges: tuple[str, ...]) -> None:
    """Refuse options about judges where there is none, or where none of them heeds such an option.

    Raises:
        UsageError: one does nothing.
    """
    context = click.get_current_context()
    options = {param.name: param.opts[0] for param in context.command.params if param.name in ABOUT_JUDGES}
    given = [name for name in options if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if given and not judges:
        from audiometry.errors import UsageError

        raise UsageError(f"{options[given[0]]} is about judges; name one with --judge, or leave it out")
    settings = [
        {"prices": "price"}.get(name, name) for name in given if name in {"base_urls", "card", "extra", "prices"}
    ]
    if settings:
        from audiometry.models import refuse_idle

        refuse_idle(judges, settings)


def as_aligned(command: Command) -> Command:
    """Options on whose reading of the replies to use, where a run folder holds one of a judge."""
    command = click.option(
        "--judge",
        "judge",
        default="",
        metavar="MODEL",
        help="Whose verdicts, where a run holds those of several judges.",
    )(command)
    return click.option(
        "--align",
        type=click.Choice(["rules", "judge", "always"]),
        default="rules",
        show_default=True,
        help="Who read the replies: rules alone, or a judge too, as `score --align` has stored it.",
    )(command)


def alignment(align: str) -> Mode | None:
    """The option ``--align`` of `as_aligned`; None for rules alone."""
    return None if align == "rules" else cast("Mode", align)


def price(model: str, path: str | None) -> Price | None:
    """The price of a model from a table ``["provider/name"] tokens_in = …, tokens_out = …``; None without a table.

    Of a cascade its reader is paid for.

    Raises:
        UsageError: the table cannot be read.
        UnknownNameError: the model is not in it.
    """
    if path is None:
        return None
    from audiometry.dispatch.tally import Price
    from audiometry.errors import UndecodableError, UnknownNameError, UsageError
    from audiometry.files import foreign
    from audiometry.models import reader_of

    model = reader_of(model) or model
    try:
        table = foreign.toml(foreign.read_file(Path(path), foreign.LARGEST_TOML), dict[str, Price])
    except UndecodableError as problem:
        raise UsageError(f'prices {problem.at(path)}; write ["{model}"], tokens_in and tokens_out') from None
    if model not in table:
        raise UnknownNameError("model in the price table", model, table)
    return table[model]
