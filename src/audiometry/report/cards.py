"""What is known of how a model is asked, in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from audiometry.errors import shown

Row = dict[str, Any]
NOTHING: Final = "nothing of its own"


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
    return [_whole(name, provider, today)]


def _row(name: str, written: Mapping[str, Any], today: date) -> Row:
    from audiometry.files import foreign
    from audiometry.models import cards
    from audiometry.records import ModelCard

    stated = {key: value for key, value in written.items() if key not in {"name", "sources"}}
    about = "; ".join(_facts(stated)) or NOTHING
    served = cards.ending(name, foreign.convert(written, ModelCard, strict=True), today)
    return {"name": name, "about": about, "served": served, "card": stated, "sources": dict(written.get("sources", {}))}


def _whole(name: str, provider: str, today: date) -> Row:
    """How one model is asked: what its cards state and, where they state nothing, what counts by default."""
    from audiometry import models
    from audiometry.models import cards
    from audiometry.models.cascade.model import OF_THE_READER, TAKES
    from audiometry.models.scripted import ANYTHING
    from audiometry.records import ModelCard

    reader = models.reader_of(name) if provider == "cascade" else ""
    written = {} if provider in CARDLESS else cards.written(name)[0]
    if reader:
        own = cards.written(reader)[0]
        written = {key: own[key] for key in OF_THE_READER if key in own}
        written["sources"] = {key: where for key, where in own.get("sources", {}).items() if key in written}
    row = _row(name, written, today)
    if reader:
        ends = {key: row["card"].get(key, "") for key in ("ends", "successor")}
        row |= {"reader": reader, "served": cards.ending(reader, ModelCard(**ends), today)}
        row["about"] = f"its reader {reader}: {row['about']}"
    usual = {"cascade": TAKES, "scripted": ANYTHING}.get(provider, ModelCard())
    default = {key: getattr(usual, key) for key in USUAL if key not in row["card"]}
    if provider == "hf":
        default.pop("rate", None)
    row |= {"default": default, "by_default": "; ".join(_facts(default)), "by_itself": BY_ITSELF.get(provider, "")}
    return row


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


USUAL: Final = ("formats", "rate", "channels", "part_order")
BY_ITSELF: Final[Mapping[str, str]] = {
    "cascade": "any clip as it is; what else a request takes, what it costs and how long it is served is its reader's",
    "exec": "its program says in its first line what it takes; what it leaves out is as by default",
    "hf": "rate and longest clip are measured on its processor, when it is loaded",
    "scripted": "made of rules: any clip as it is, since none is heard",
}
"""What is to be known of a provider's models besides cards."""
CARDLESS: Final = frozenset({"cascade", "exec", "scripted"})
"""Providers whose models no built-in card describes."""
TIMES: Final = (("h", 3600), ("min", 60), ("s", 1))
WORDS: Final[Mapping[str, Callable[[Any], str | None]]] = {
    "formats": lambda names: " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "any file as it is",
    "rate": lambda rate: f"{rate / 1000:g} kHz" if isinstance(rate, int) else "any rate",
    "channels": _channels,
    "longest_s": lambda seconds: f"clips of up to {_time(seconds)}",
    "cut": lambda done: "longer ones are cut" if done else None,
    "shortest_s": lambda seconds: f"clips of {seconds:g} s at least",
    "padded": lambda done: "shorter ones are padded with silence" if done else None,
    "largest_mb": lambda megabytes: f"requests of up to {megabytes:g} MB",
    "part_order": {"audio-first": "clip before words", "text-first": "words before clip"}.get,
    "fixed_order": lambda alone: "in that order alone" if alone else None,
    "system_role": lambda taken: None if taken else "no system turn",
    "needs_audio": lambda must: "refuses prompts without a clip" if must else None,
    "served_as": lambda other: f"served under the name '{other}'" if other else None,
    "parts": lambda kind: "clips as audio_url" if kind == "audio_url" else None,
    "data_prefix": lambda prefix: f"'{prefix}' before base64" if prefix else None,
    "stream": lambda always: "always streamed" if always else None,
    "temperature": lambda taken: None if taken else "no temperature",
    "temperature_if": lambda fields: "but one with " + _json(fields) if fields else None,
    "untaken": lambda names: "no " + ", ".join(names) if names else None,
    "max_tokens_key": lambda key: f"reply length sent as {key}" if key else "no limit on the reply",
    "fields": _json,
    "concurrency": lambda n: f"{n} at a time",
    "price_in": lambda dollars: f"${dollars:g} a million tokens in",
    "price_out": lambda dollars: f"${dollars:g} a million tokens out",
}
"""Fields of a card, in the order in which they are told, with their words."""
