"""A provider of models: what loads them, what people are told of it, which settings of a run do something there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from audiometry.models.protocol import Model
from audiometry.models.settings import ModelSettings

Loader: TypeAlias = Callable[[str, ModelSettings], Model]
Setting = str
SETTINGS: Mapping[Setting, str] = {
    "base_urls": "--base-url",
    "proxy": "--proxy",
    "stream": "--stream",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
    "extra": "--extra",
    "card": "--card",
    "reader": "--reader",
    "price": "--prices",
}
"""Settings that not every provider takes, with the option that people know each by."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A provider as it says of itself.

    Attributes:
        load: gives the model of a whole name, ``provider/name``; nothing is contacted yet.
        example: a model name of it.
        takes: of `SETTINGS`, those that do something there.
        keys: environment variables that may hold its key, the first one asked first.
        key_needed: without a key only a server of one's own answers.
        extra: of audiometry, to be installed for it; empty for none.
    """

    load: Loader
    example: str
    takes: frozenset[Setting] = frozenset(SETTINGS)
    keys: tuple[str, ...] = ()
    key_needed: bool = False
    extra: str = ""
