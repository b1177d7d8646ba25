"""``audiometry list models --cards``: what is known of how a model is asked, in words."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from audiometry.cli.say import say
from audiometry.errors import shown

Row = dict[str, Any]


def rows(name: str | None, today: date) -> list[Row]:
    """Every card as it was written or, for a model's name, the one that all its cards make.

    Args:
        name: ``provider/name``, or None.
        today: by which a model has ended or not.

    Raises:
        UsageError: the name is none of a model of a known provider.
    """
    from audiometry.errors import UnknownNameError, UsageError
    from audiometry.models import cards
    from audiometry.models.registry import routes

    if name is None:
        return [_row(card["name"], card, today) for card in sorted(cards.written(), key=lambda card: card["name"])]
    provider, slash, rest = name.partition("/")
    if not slash or not rest:
        raise UsageError(f"'{shown(name)}' is not a model name; write provider/name, for example openai/gpt-audio-1.5")
    if provider not in (known := routes()):
        raise UnknownNameError("model provider", provider, known, hint="see `audiometry list models`")
    return [_row(name, cards.written(name)[0], today)]


def _row(name: str, written: Mapping[str, Any], today: date) -> Row:
    from audiometry.files import foreign
    from audiometry.models import cards
    from audiometry.records import ModelCard

    stated = {key: value for key, value in written.items() if key not in {"name", "sources"}}
    about = "; ".join(_facts(stated)) or "nothing of its own"
    served = cards.ending(name, foreign.convert(written, ModelCard, strict=True), today)
    return {"name": name, "about": about, "served": served, "card": stated, "sources": dict(written.get("sources", {}))}


def _facts(card: Mapping[str, Any]) -> Iterator[str]:
    """What a card states, each in a few words."""
    for key, words in WORDS.items():
        if key in card and (said := words(card[key])):
            yield said


def _channels(most: int | str | None) -> str:
    return (
        {1: "mono", 2: "mono or stereo"}.get(most, f"up to {most} channels")
        if isinstance(most, int)
        else "any channels"
    )


def _time(seconds: float) -> str:
    unit, size = next((unit, size) for unit, size in TIMES if seconds >= 2 * size or size == 1)
    return f"{seconds / size:g} {unit}"


def _json(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {json.dumps(value)}" for key, value in fields.items())


TIMES: Final = (("h", 3600), ("min", 60), ("s", 1))
WORDS: Final[Mapping[str, Callable[[Any], str | None]]] = {
    "formats": lambda names: " or ".join(names) or "any file as it is",
    "rate": lambda rate: f"{rate / 1000:g} kHz" if isinstance(rate, int) else "any rate",
    "channels": _channels,
    "longest_s": lambda seconds: f"clips of up to {_time(seconds)}",
    "largest_mb": lambda megabytes: f"requests of up to {megabytes:g} MB",
    "part_order": {"audio-first": "clip before words", "text-first": "words before clip"}.get,
    "system_role": lambda taken: None if taken else "no system turn",
    "needs_audio": lambda must: "refuses prompts without a clip" if must else None,
    "served_as": lambda other: f"asked as '{other}'" if other else None,
    "parts": lambda kind: "clips as audio_url" if kind == "audio_url" else None,
    "data_prefix": lambda prefix: f"'{prefix}' before base64" if prefix else None,
    "stream": lambda always: "always streamed" if always else None,
    "temperature": lambda taken: None if taken else "no temperature",
    "temperature_if": lambda fields: "but one with " + _json(fields) if fields else None,
    "untaken": lambda names: "no " + ", ".join(names) if names else None,
    "max_tokens_key": lambda key: f"limit as {key}" if key else "no limit of length",
    "fields": _json,
    "concurrency": lambda n: f"{n} at a time",
}
"""Fields of a card, in the order in which they are told, with their words."""


def show(found: list[Row], *, sources: bool, width: int) -> None:
    """Print cards, each name on a line of its own and what is known below it, wrapped to the terminal.

    Args:
        found: of `rows`.
        sources: with the address of each value.
        width: columns of the terminal.
    """
    for row in found:
        say(shown(row["name"]))
        card = row["card"]
        lines = [row["about"], row["served"], card.get("note", "")]
        if sources:
            lines += [f"{key}: {where}" for key, where in row["sources"].items() if card.get(key) != ""]
        for line in filter(None, lines):
            said = textwrap.wrap(
                line, max(width, 20), initial_indent="  ", subsequent_indent="    ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            say("\n".join(said))
