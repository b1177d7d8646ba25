"""Where a model server is asked, and through which proxy: what is sent there, and what may be shown of it.

An address may hold a user and password, or a key in its query. They are sent, and treated as secrets everywhere else.
"""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import os
import re
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

import msgspec

from audiometry.errors import UsageError
from audiometry.files import secrets

DIRECT: Final = "none"
_COMPLETIONS: Final = "/chat/completions"
EMBEDDINGS: Final = "/embeddings"
_SECRET: Final = re.compile(r"key|token|secret|passw|pwd|sig|auth|cred|code", re.IGNORECASE)
_USER: Final = re.compile(r"//.*@", re.DOTALL)


class Proxy(msgspec.Struct, frozen=True):
    """A proxy: its address without user and password, for people, and the header that they make; empty for none."""

    url: str
    where: str
    authorization: str = ""


class Address(msgspec.Struct, frozen=True):
    """A server.

    Attributes:
        url: that requests go to, with its query, without user and password.
        where: for people: host and port.
        authorization: header that user and password make; empty for none. It takes the place of a key.
        proxy: between here and there; None for none.
    """

    url: str
    where: str
    authorization: str = ""
    proxy: Proxy | None = None

    @property
    def place(self) -> str:
        """The server as it is written down: without query, and without the path to completions."""
        parts = urlsplit(self.url)
        path = parts.path.removesuffix(_COMPLETIONS)
        return urlunsplit(parts._replace(netloc=parts.netloc.lower(), path=path, query=""))


def read(base: str, proxy: str = "") -> Address:
    """The address of a server as a user writes it, with or without the path to completions.

    Args:
        base: the address; may hold a user and password, and a query.
        proxy: address of a proxy; ``none`` for none; empty: as the variables of the environment say.

    Raises:
        UsageError: one of them is not an address.
    """
    url, where, authorization = _split(base, "write it like http://localhost:8000/v1")
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix(_COMPLETIONS) + _COMPLETIONS
    return Address(
        url=urlunsplit(parts._replace(path=path)),
        where=where,
        authorization=authorization,
        proxy=_stated(proxy) if proxy else _usual(url),
    )


def elsewhere(one: Address, path: str) -> Address:
    """The same server under another path in place of that to completions, such as `EMBEDDINGS`."""
    parts = urlsplit(one.url)
    moved = parts._replace(path=parts.path.removesuffix(_COMPLETIONS) + path)
    return msgspec.structs.replace(one, url=urlunsplit(moved))


def _stated(proxy: str) -> Proxy | None:
    if proxy == DIRECT:
        return None
    hint = f"write the proxy like http://proxy:3128, or '{DIRECT}'"
    return Proxy(*_split(proxy if "://" in proxy else f"http://{proxy}", hint))


def _usual(url: str) -> Proxy | None:
    """What HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, in capitals or not; never a proxy on the way to this machine."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    stated, parts = getproxies_environment(), urlsplit(url)
    proxy = stated.get(parts.scheme, "")
    if not proxy or _here(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    name = f"{parts.scheme.upper()}_PROXY"
    hint = f"set {name} like http://proxy:3128, or leave it out with --proxy {DIRECT}"
    return Proxy(*_split(proxy if "://" in proxy else f"http://{proxy}", hint))


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _split(url: str, hint: str) -> tuple[str, str, str]:
    """An address without user and password, its host and port, and the header that user and password make."""
    parts: SplitResult | None = None
    with contextlib.suppress(ValueError):  # a port that is none, half an IPv6 address
        stated = urlsplit(url)
        parts = stated if stated.scheme in {"http", "https"} and stated.hostname and stated.port != 0 else None
    if url.strip().lower().startswith("socks"):
        raise UsageError(f"'{_harmless(url)}': SOCKS is not supported; {hint}")
    if parts is None:
        raise UsageError(f"'{_harmless(url)}' is not an address; {hint}")
    user, _, host = parts.netloc.rpartition("@")
    secrets.keep(*(value for name, value in parse_qsl(parts.query) if _SECRET.search(name)))
    return urlunsplit(parts._replace(netloc=host, fragment="")), secrets.shown(host), _basic(user)


def _basic(user: str) -> str:
    if not user:
        return ""
    name, _, password = user.partition(":")
    pair = base64.b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    secrets.keep(password or name, unquote(password or name), pair)
    return f"Basic {pair}"


def _harmless(url: str) -> str:
    """An address that is none, as far as it can be shown: where user, password and query may be, stars are."""
    before, query, _ = _USER.sub(f"//{secrets.INSTEAD}@", url).partition("?")
    return secrets.shown(before + query + (secrets.INSTEAD if query else ""))
