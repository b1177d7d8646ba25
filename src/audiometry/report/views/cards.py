"""What is known of how models are asked, and which of them end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from audiometry.errors import shown
from audiometry.render.document import Block, Facts, Section
from audiometry.render.table import Column, Table
from audiometry.report.cards import NOTHING, Row
from audiometry.report.views.listings import entry

GROUPS: Final = {
    "openai": "openai/… (and others in its format)",
    "google": "google/…",
    "openrouter": "openrouter/…",
    "vllm": "vllm/… (any vLLM server)",
    "*": "Any route (open models, and others)",
}
"""Providers by the first part of a card's name, in the order in which they are shown."""
_CLASS: Final = re.compile(r"\[([^\]]+)\]")
_TWO: Final = 2


def cards(rows: Iterable[Row]) -> Iterator[Section]:
    """All cards: by provider, each with what is known of it, then which models end, and when."""
    rows = tuple(rows)
    for title, group in _groups(rows):
        told = Facts(tuple((plain(row["name"]), (". ".join(_known(row)),)) for row in group))
        yield Section(id=title, title=title, blocks=(told,))
    ending = sorted((row for row in rows if row["served"]), key=lambda row: row["card"].get("ends") or "9999")
    if ending:
        columns = (
            Column(id="model", title="model", kind="name"),
            Column(id="ends", title="last day", kind="text"),
            Column(id="successor", title="ask instead", kind="text"),
        )
        table = Table(
            id="ends", caption="Models that end", signature="", columns=columns, rows=tuple(map(_end, ending))
        )
        yield Section(id="ends", title="Models that end", blocks=(table,))


def card(row: Row) -> Iterator[Block]:
    """How one model is asked, with what counts by default marked as that, and the address of each value."""
    by_default = f"by default: {row['by_default']}" if row["by_default"] else ""
    *known, note = _known(row) if row["card"].get("note") else (*_known(row), "")
    sources = Facts(tuple((key, (at,)) for key, at in row["sources"].items() if row["card"].get(key) != ""))
    yield entry(row["name"], (*known, by_default, row["by_itself"], row["served"], note), (sources,))


def _known(row: Row) -> list[str]:
    """What its card states, and then its note."""
    return [one for one in (row["about"].replace(NOTHING, ""), row["card"].get("note", "")) if one]


def _groups(found: Iterable[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Cards by provider, known ones first, by plain name in any case of letters."""
    groups: dict[str, list[Row]] = {provider: [] for provider in GROUPS}
    for row in sorted(found, key=lambda row: plain(row["name"]).casefold()):
        if _known(row):
            provider = row["name"].partition("/")[0]
            groups.setdefault("*" if set(provider) & set("*?[") else provider, []).append(row)
    for provider, group in groups.items():
        if group:
            yield GROUPS.get(provider, f"{shown(provider)}/…"), group


def plain(pattern: str) -> str:
    """A card's name without its provider and without the marks of a pattern.

    >>> [plain(one) for one in ("*/[Ss]tep-[Aa]udio-2*", "*/gemma-4-E[24]B*", "google/gemini-3.[6-9]*", "vllm/*")]
    ['Step-Audio-2…', 'gemma-4-E2B… or gemma-4-E4B…', 'gemini-3.6… to gemini-3.9…', '…']
    """
    _, _, name = pattern.rpartition("/") if pattern.startswith("*") else pattern.partition("/")
    name = (name or pattern).replace("*", "…")
    ends = [_CLASS.sub(member, name) for member in (lambda m: _members(m[1])[0], lambda m: _members(m[1])[-1])]
    several = _CLASS.findall(name)
    between = " to " if any(len(_members(one)) > _TWO for one in several) or len(several) > 1 else " or "
    return shown(between.join(dict.fromkeys(ends)))


def _members(letters: str) -> str:
    """What stands in brackets, one by one; of one letter in both cases the capital."""
    low, dash, high = letters.partition("-")
    if dash and len(low) == len(high) == 1:
        return "".join(map(chr, range(ord(low), ord(high) + 1)))
    return letters.upper()[:1] if len(set(letters.lower())) == 1 else letters


def _end(row: Row) -> tuple[str, str, str]:
    over = ", over" if "was served" in row["served"] else ""
    return shown(row["name"].replace("*", "…")), row["card"].get("ends", "") + over, row["card"].get("successor", "")
