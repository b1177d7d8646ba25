"""Contestants of an arena: what each of them is, and as what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from audiometry.arena.store.nouns import Listed
from audiometry.errors import shown
from audiometry.render.table import Column, Table

DIGITS: Final = 12  # of a hash, by which one is named
_LONGEST: Final = 60


def contestants(found: Sequence[Listed]) -> Table:
    """A row each, in the order in which they came."""
    return Table(
        id="contestants",
        caption="Contestants: a model exactly as it is asked",
        signature="",
        columns=(
            Column(id="hash", title="hash", kind="name"),
            Column(id="model", title="model", kind="text"),
            Column(id="as", title="counts as", kind="text"),
            Column(id="battles", title="battles", kind="count"),
            Column(id="since", title="first seen", kind="text", drop=1),
            Column(id="how", title="asked with", kind="text", drop=2),
        ),
        rows=tuple(
            (
                one.sha256[:DIGITS],
                one.model,
                one.counts_as,
                one.battles,
                datetime.fromtimestamp(one.first_seen, UTC).strftime("%Y-%m-%d %H:%M"),
                _how(one),
            )
            for one in found
        ),
    )


def _how(one: Listed) -> str:
    parameters = msgspec.json.encode(one.parameters).decode() if one.parameters else ""
    return "; ".join(shown(text, _LONGEST) for text in (one.release, one.system_prompt, parameters) if text)
