"""What people are told of a provider, and which of the settings of a run do something there."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

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
        example: a model name of it.
        takes: of `SETTINGS`, those that do something there.
        keys: environment variables that may hold its key, the first one asked first.
        key_needed: without a key only a server of one's own answers.
        extra: of audiometry, to be installed for it; empty for none.
    """

    example: str
    takes: frozenset[Setting] = frozenset(SETTINGS)
    keys: tuple[str, ...] = ()
    key_needed: bool = False
    extra: str = ""
