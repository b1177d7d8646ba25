"""Who comes in: on this machine by a name that one gives, from elsewhere by a link of one's own."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from audiometry.errors import UsageError, shown, visible

LONGEST_NAME = 60  # characters


class Door:
    """Knows a browser again by a cookie, which holds a name, or a link's token where links are asked for.

    Args:
        cookie: its name; reviews beside each other on one machine need different ones.
        links: by the sha256 of a link's token whose it is; None: whoever is on this machine comes in by any name.
    """

    def __init__(self, cookie: str, links: Mapping[str, str] | None = None) -> None:
        self._cookie, self._links = cookie, links

    @property
    def open(self) -> bool:
        """Whether a name is enough."""
        return self._links is None

    def who(self, request: Request) -> str | None:
        """Whose request it is; None for somebody who has not come in."""
        held = request.cookies.get(self._cookie, "")
        return self._of_link(held) if self._links is not None else _decoded(held)

    def _of_link(self, token: str) -> str | None:
        digest, links = hashed(token), self._links or {}
        return next((name for known, name in links.items() if hmac.compare_digest(known, digest)), None)

    def let_in(self, response: Response, given: str) -> str | None:
        """Have a browser known again.

        Args:
            response: carries the cookie.
            given: the name, or the link's token.

        Returns:
            Who it is; None: the link is nobody's.

        Raises:
            UsageError: the name cannot be one.
        """
        name = named(given) if self._links is None else self._of_link(given)
        if name is not None:
            value = given if self._links is not None else base64.urlsafe_b64encode(name.encode()).decode()
            response.set_cookie(self._cookie, value, max_age=90 * 86_400, path="/", httponly=True, samesite="lax")
        return name


def named(given: str) -> str:
    """A rater's name as it is kept.

    Raises:
        UsageError: it is empty, too long, or holds what cannot be seen.

    >>> named("  Anna  B. ")
    'Anna B.'
    """
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name or len(name) > LONGEST_NAME or visible(name) != name:
        why = f"'{shown(name, 40)}' cannot be a name" if name else "a name is missing"
        raise UsageError(f"{why}; give 1 to {LONGEST_NAME} letters, digits and signs")
    return name


def token() -> str:
    """A new link's token: 128 random bits."""
    return secrets.token_urlsafe(16)


def hashed(given: str) -> str:
    """A token as it is kept, from which nobody gets the link back."""
    return hashlib.sha256(given.encode()).hexdigest()


def _decoded(held: str) -> str | None:
    try:
        return named(base64.urlsafe_b64decode(held).decode())
    except (binascii.Error, ValueError, UsageError):
        return None
