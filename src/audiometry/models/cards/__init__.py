"""Model cards: what a model takes and costs, found by its name.

Each ``*.toml`` here holds ``[[card]]`` tables; ``name`` may be a pattern. To add a model, add a file. All cards that
fit a name are laid over one another, the one with the longest pattern on top, so that each says only what is its own.
Of limits the least counts, and notes follow one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign, request_fields
from audiometry.records import ModelCard

HERE = Path(__file__).parent
Written: TypeAlias = dict[str, Any]
TABLES: Final = ("fields", "sources")  # of a card: laid over one another key by key
LIMITS: Final = ("longest_s", "largest_mb")  # a model's and its server's hold at once: the least counts


class _File(msgspec.Struct, forbid_unknown_fields=True):
    card: tuple[ModelCard, ...]


def find(name: str, own: str = "") -> ModelCard:
    """The card for a model name, made of all that fit; a name without a card gets the cautious default.

    Args:
        name: ``provider/name``.
        own: path of a user's card file, looked at first; empty for none.

    Raises:
        UsageError: the user's file cannot be read, or has no card that fits.
    """
    fitting = _fitting(name, _read(Path(own)) if own else _built_in())
    if own and not fitting:
        raise UsageError(f'{own} has no card for {name}; give it name = "{name}"')
    try:
        return foreign.convert(_laid(fitting), ModelCard, strict=True)
    except UndecodableError as problem:
        raise UsageError(f"the model cards for {shown(name, 200)} laid over one another: {problem}") from None


def written(name: str = "") -> tuple[Written, ...]:
    """Every built-in card as its file has it or, for a name, the one that they make; what none states is not there."""
    return (_laid(_fitting(name, _built_in())),) if name else _built_in()


def _laid(fitting: Iterable[Written]) -> Written:
    """Cards as one, each over those before it."""
    merged: Written = {}
    for written in fitting:
        card = _beside(merged, written)
        tables = {key: {**merged.get(key, {}), **card[key]} for key in TABLES if key in card}
        merged |= card | tables
    return merged


def _beside(below: Written, card: Written) -> Written:
    """A card without the limits that those below it undercut, and with their notes before its own."""
    undercut = {key for key in LIMITS if key in below and key in card and below[key] <= card[key]}
    sources = {key: where for key, where in card.get("sources", {}).items() if key not in undercut}
    kept = {key: value for key, value in card.items() if key not in undercut} | {"sources": sources}
    if below.get("note") and card.get("note"):
        kept["note"] = f"{below['note']} {card['note']}"
        sources["note"] = "; ".join(filter(None, (below.get("sources", {}).get("note"), sources.get("note"))))
    return kept


def ending(name: str, card: ModelCard, today: date | None = None) -> str:
    """What its card says of how long a model is served, and what comes after it, in one line; empty if nothing.

    >>> ending("openai/old", ModelCard(ends="2027-01-20", successor="openai/new"), date(2026, 11, 1))
    'openai/old is served until 2027-01-20; its successor is openai/new'
    """
    if not card.ends:
        return f"{name} is to be followed by {shown(card.successor, 200)}" if card.successor else ""
    over = is_over(card, today)
    said = f"{name} {'was' if over else 'is'} served until {card.ends}"
    if not card.successor:
        return said
    successor = shown(card.successor, 200)
    return f"{said}; {f'ask {successor} instead' if over else f'its successor is {successor}'}"


def unless(card: ModelCard) -> str:
    """Beside which request fields a model takes a temperature after all, to be put behind a refusal; empty: none."""
    fields = ", ".join(f"{key} = {msgspec.json.encode(value).decode()}" for key, value in card.temperature_if.items())
    return f", or give {shown(fields, 100)} in --extra too" if fields else ""


def is_over(card: ModelCard, today: date | None = None) -> bool:
    """Whether the last day on which a model is served is past, as its card says."""
    return bool(card.ends) and (today or datetime.now(UTC).date()) > date.fromisoformat(card.ends)


def notices(name: str, card: ModelCard, extra: Mapping[str, Any]) -> list[str]:
    """What a person should know before a model is asked: how long it is served, what of its card is replaced.

    Args:
        name: of the model.
        card: of it.
        extra: further fields of each request.
    """
    lines = [line] if (line := ending(name, card)) else []
    for key, value in extra.items():
        if key in card.fields and card.fields[key] != value:
            given, own = (shown(msgspec.json.encode(one).decode(), 40) for one in (value, card.fields[key]))
            lines.append(f"--extra sends {shown(key)} = {given} to {name} in place of its card's {own}")
    return lines


def _fitting(name: str, cards: tuple[Written, ...]) -> list[Written]:
    return sorted((c for c in cards if fnmatchcase(name, c.get("name", ""))), key=lambda c: len(c["name"]))


@lru_cache(maxsize=1)
def _built_in() -> tuple[Written, ...]:
    return tuple(card for path in sorted(HERE.glob("*.toml")) for card in _read(path))


def _read(path: Path) -> tuple[Written, ...]:
    """The cards of a file as they were written, known to be right."""
    try:
        raw = foreign.read_file(path, foreign.LARGEST_TOML)
        written = foreign.toml(raw, dict[str, Any])
        try:
            read = foreign.convert(written, _File, strict=True)
        except UndecodableError:
            read = foreign.toml(raw, _File)  # reads it anew, to say what is wrong by its line
        for card in read.card:
            for table in ("fields", "temperature_if"):
                request_fields.refuse(getattr(card, table), table)
        return tuple(written["card"])
    except UndecodableError as problem:
        raise UsageError(f"model card {problem.at(path)}") from None
