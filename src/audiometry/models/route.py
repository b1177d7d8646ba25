"""What people are told of a provider, and which of the settings of a run do something there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from audiometry.errors import UsageError

Setting = str
SETTINGS: Mapping[Setting, str] = {
    "base_urls": "--base-url",
    "proxy": "--proxy",
    "stream": "--stream",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
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


def refuse_idle(name: str, given: Iterable[Setting], route: Route, routes: Mapping[str, Route]) -> None:
    """Refuse settings that would do nothing, which a person who gave them does not expect.

    Args:
        name: of the model, for the message.
        given: settings that a person has given, of `SETTINGS`.
        route: of the model.
        routes: of all providers, to say who takes such a setting.

    Raises:
        UsageError: one of them does nothing.
    """
    for setting in given:
        if setting not in route.takes:
            takers = ", ".join(f"{provider}/…" for provider, other in routes.items() if setting in other.takes)
            raise UsageError(
                f"{SETTINGS[setting]} does nothing with {name}; leave it out, or ask a model that takes it ({takers})"
            )
