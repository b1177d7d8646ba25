"""Fields of a request that a person wrote into a file, before anybody is sent them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from audiometry.errors import UndecodableError, shown
from audiometry.files import secrets

DEEPEST: Final = 50  # lists and objects inside one another; a schema of replies has a dozen


def fault(fields: Mapping[str, Any]) -> str:
    """What is wrong with fields as JSON that is kept and shown, in one clause; empty if nothing.

    They hold what JSON has, are not nested without end, and hold no secret: what they say is recorded and published.

    >>> fault({"top_p": 0.5, "stop": ["x"]}), fault({"top_p": float("nan")})
    ('', "'top_p' holds what JSON does not have (a date, nan or inf)")
    """
    if not fields:
        return ""  # as of nearly every card: looking for the secrets of the environment takes a while
    scrub = secrets.Scrubber().text
    left = [(key, key, value, 1) for key, value in fields.items()]
    while left:
        field, name, value, depth = left.pop()
        at = shown(scrub(field if name == field else f"{field}: … {name}"))
        if scrub(name) != name:
            return "a name of a field holds a key of the environment; keys belong into the environment alone"
        if isinstance(value, str) and secrets.is_told(name, value):
            return f"'{at}' is a secret, which would be recorded; keys belong into the environment"
        if isinstance(value, dict | list):
            if depth > DEEPEST:
                return f"'{at}' is nested more than {DEEPEST} deep; a few are meant"
            inner = value.items() if isinstance(value, dict) else ((name, one) for one in value)
            left += [(field, key, one, depth + 1) for key, one in inner]
        elif not (value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))):
            return f"'{at}' holds what JSON does not have (a date, nan or inf)"
    return ""


def refuse(fields: Mapping[str, Any], name: str) -> None:
    """Refuse fields with a `fault`.

    Args:
        fields: as they were read.
        name: of the table that they stand in.

    Raises:
        UndecodableError: something is wrong with them.
    """
    if found := fault(fields):
        raise UndecodableError(f"'{name}': {found}")
