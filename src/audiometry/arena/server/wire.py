"""What the page and the server say to each other, as JSON. Nothing here names a model before the vote."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

LONGEST_TEXT = 2000
"""Characters of a typed query and of a comment."""
_Id: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
_Words: TypeAlias = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]


class Nothing(msgspec.Struct, frozen=True):
    """What needs no words."""


class Consent(msgspec.Struct, frozen=True):
    """What a voter has to agree to before anything else."""

    version: str
    text: str


class Processing(msgspec.Struct, frozen=True):
    """What the browser is asked to do to the sound."""

    echo_cancellation: bool
    noise_suppression: bool
    auto_gain_control: bool


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the page has to know; see `settings.Settings`. ``consent`` is null once it was given."""

    title: str
    outcomes: tuple[str, ...]
    tags: tuple[str, ...]
    comment: bool
    shortcuts: bool
    longest_s: float
    largest_bytes: int
    typed: bool
    upload: bool
    processing: Processing
    reveal: bool
    steps: bool
    board: bool
    consent: Consent | None
    languages: tuple[str, ...]


class Progress(msgspec.Struct, frozen=True):
    """How many votes a participant has given, of how many."""

    done: int
    wanted: int


class Query(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was asked: typed words, or the address of a recording; neither after a deletion."""

    text: str = ""
    href: str = ""


class Battle(msgspec.Struct, frozen=True, kw_only=True):
    """A battle as its voter sees it; ``a`` and ``b`` are empty before both replies are complete."""

    battle: str
    state: str
    query: Query
    a: str = ""
    b: str = ""
    outcome: str | None = None
    comment: str = ""
    tags: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Where a voter is."""

    settings: PageSettings
    battle: Battle | None = None
    progress: Progress | None = None


class Agreed(msgspec.Struct, frozen=True):
    """Consent to a version of the text."""

    version: Annotated[str, msgspec.Meta(max_length=40)]


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A recording that is kept; see `web.upload.Heard`."""

    recording: str
    href: str
    duration_s: float
    peak_dbfs: float | None
    level_dbfs: float | None
    silent: bool
    clipped: bool


class Asked(msgspec.Struct, frozen=True):
    """A query: a recording's id, or typed words."""

    recording: Annotated[str, msgspec.Meta(max_length=64)] = ""
    text: _Words = ""


class Said(msgspec.Struct, frozen=True):
    """A vote."""

    battle: _Id
    outcome: Annotated[str, msgspec.Meta(max_length=40)]
    comment: _Words = ""
    tags: Annotated[tuple[str, ...], msgspec.Meta(max_length=40)] = ()


class Which(msgspec.Struct, frozen=True):
    """A battle's id."""

    battle: _Id


class Side(msgspec.Struct, frozen=True):
    """Who stood on a side, and how long it took, seconds."""

    name: str
    latency_s: float | None
    first_token_s: float | None


class Sides(msgspec.Struct, frozen=True):
    """Who the two were."""

    a: Side
    b: Side


class Revealed(Battle, frozen=True, kw_only=True):
    """A battle that is closed."""

    models: Sides


class Code(msgspec.Struct, frozen=True):
    """A voter's personal code, by which all that she said is deleted."""

    code: Annotated[str, msgspec.Meta(max_length=100)]


class Deleted(msgspec.Struct, frozen=True):
    """What was removed or emptied of words."""

    recordings: int
    battles: int
    votes: int


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether people can use the arena: ``ok``, ``degraded`` or ``stopping``."""

    status: str
    database: bool
    disk: bool
    models_awake: int
    models: int
    asking: int


Document: TypeAlias = dict[str, Any]
