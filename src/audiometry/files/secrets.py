"""Keeps secrets out of all that is written: whatever is echoed by whom, a key does not reach the disk.

A secret is the value of a variable of the environment whose name says so, a password in an address that stands in
one, or what `keep` was told. It is found as it is, in the escapes of JSON and of addresses, in base64 and hexadecimal.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import quote, quote_plus, unquote

import msgspec

from audiometry import errors
from audiometry.records import sensible

SHORTEST: Final = 8  # characters; shorter values are words such as EMPTY, which a reply may well contain
INSTEAD: Final = "***"
IDENTITY: Final = ("item", "variant")  # by which a record is found again: the user's own words, no one else's
_NAMES: Final = re.compile(r"(?:(?:^|_)(?:API)?KEY(?:_ID)?|(?:^|_)PASS|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)\Z")
_TOLD: Final = re.compile(r"(?:^|_)(?:AUTHORIZATION|BEARER|CREDENTIALS?|COOKIE)\Z")
_NOT_TOLD: Final = re.compile(r"(?:^|_)(?:CACHE_KEY|(?:BOS|EOS|PAD|UNK|SEP|CLS|MASK|STOP|IMAGE|AUDIO)_TOKEN)\Z")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_IN_ADDRESS: Final = re.compile(r"://[^/?#@\s:]*:([^/?#@\s]+)@")
_OURS: Final = frozenset({"id", "kind", "weight", "unit"})  # fields of words of ours, by which other code goes
_FIELD: Final = re.compile(r"[a-z_0-9]{1,40}")
_stated: set[str] = set()

T = TypeVar("T")


def keep(*values: str) -> None:
    """Treat values as secrets from now on, as if they stood in the environment under a secret's name."""
    _stated.update(value for value in values if len(value) >= SHORTEST)


@lru_cache(4096)
def is_secret(name: str) -> bool:
    """Whether a variable of that name holds a secret.

    >>> [is_secret(name) for name in ("OPENAI_API_KEY", "HF_TOKEN", "PGPASSWORD", "HOME", "TOKENIZERS_PARALLELISM")]
    [True, True, True, False, False]
    """
    return _NAMES.search(name.upper()) is not None


def is_told(name: str, value: str) -> bool:
    """Whether a field of that name and value tells a secret to whoever reads it.

    >>> [is_told(name, "x") for name in ("apiKey", "x-api-key", "Authorization", "prompt_cache_key", "top_p")]
    [True, True, True, False, False]
    >>> is_told("hook", "https://me:secret@host/")
    True
    """
    spelt = _HUMP.sub("_", name).upper()
    named = (is_secret(spelt) or _TOLD.search(spelt) is not None) and _NOT_TOLD.search(spelt) is None
    return (named and bool(value)) or _IN_ADDRESS.search(value) is not None


def without(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """An environment without its secrets but those that are named."""
    asked = set(named)
    return {name: value for name, value in environment.items() if name in asked or not is_secret(name)}


def shown(text: str, width: int = 80) -> str:
    """As `errors.shown`, secrets taken out before anything is cut: half a key would not be recognised later on."""
    return errors.shown(Scrubber().text(text), width)


def known() -> Scrubber:
    """A scrubber of what is secret now, made once as long as the environment stays."""
    return _known(frozenset(os.environ.items()), frozenset(_stated))


@lru_cache(1)
def _known(environment: frozenset[tuple[str, str]], _: frozenset[str]) -> Scrubber:
    return Scrubber(dict(environment))


class Scrubber:
    """Replaces secrets by ``***``.

    Args:
        environment: where they stand, besides what `keep` was told; None: that of this process.

    >>> Scrubber({"OPENAI_API_KEY": "sk-123456789"}).text("bad key sk-123456789")
    'bad key ***'
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        found = _secrets(os.environ if environment is None else environment)
        forms = {form for secret in found for form in _forms(secret)}
        self._texts = sorted(forms, key=len, reverse=True)  # one may contain another
        self._bytes = [form.encode(errors="surrogateescape") for form in self._texts]
        self._encoded = [_inside(form) for form in self._texts if sensible.text(form) == form]

    def text(self, text: str) -> str:
        """A text without secrets."""
        for form in self._texts:
            if form in text:
                text = text.replace(form, INSTEAD)
        return text

    def raw(self, raw: bytes) -> bytes:
        """Bytes without secrets."""
        for form in self._bytes:
            if form in raw:
                raw = raw.replace(form, INSTEAD.encode())
        return raw

    def document(self, encoded: bytes) -> bytes:
        """A JSON document without secrets in its values; the same object if there are none.

        Only values are touched, so that it stays the document that it was: a secret may read like the name of a
        field, or like the end of an escape.
        """
        for form in self._encoded:
            if form in encoded:
                return msgspec.json.encode(self._values(msgspec.json.decode(encoded)))
        return encoded

    def record(self, record: T) -> T:
        """A struct without secrets; the same one if there are none."""
        encoded = msgspec.json.encode(record)
        clean = self.document(encoded)
        return record if clean is encoded else msgspec.json.decode(clean, type=type(record))

    def shown(self, value: T) -> T:
        """What is to be shown, made of structs, without secrets in its texts; the same object if none are known."""
        cleaned: T = self._values(value) if self._texts else value
        return cleaned

    def _values(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return type(value)(map(self._values, value))
        if isinstance(value, msgspec.Struct):
            fields = (name for name in value.__struct_fields__ if name not in _OURS)
            return msgspec.structs.replace(value, **{name: self._values(getattr(value, name)) for name in fields})
        if isinstance(value, dict):
            return {
                key if _FIELD.fullmatch(key) else self.text(key): one if key in IDENTITY else self._values(one)
                for key, one in value.items()
            }
        return value


def _secrets(environment: Mapping[str, str]) -> set[str]:
    found = {value.strip() for name, value in environment.items() if is_secret(name)}
    found.update(password for value in environment.values() for password in _IN_ADDRESS.findall(value))
    return {value for value in found | _stated if len(value) >= SHORTEST}


def _forms(secret: str) -> set[str]:
    """A secret as it is, and as addresses and JSON write it, also JSON in a text of JSON."""
    forms = {secret, unquote(secret)}
    forms |= {way(one, errors="surrogateescape") for one in forms for way in (quote, quote_plus)}
    forms |= {quote(one, safe="", errors="surrogateescape") for one in forms}
    for _ in range(2):
        forms |= {json.dumps(one, ensure_ascii=ascii_only)[1:-1] for one in forms for ascii_only in (True, False)}
    return {form for form in forms | _coded(secret) if len(form) >= SHORTEST}


def _coded(secret: str) -> set[str]:
    """A secret inside of what is written in base64, in hexadecimal or all in percent: no bytes of its neighbours."""
    raw = secret.encode(errors="surrogateescape")
    forms = {raw.hex(), raw.hex().upper(), "".join(f"%{b:02x}" for b in raw), "".join(f"%{b:02X}" for b in raw)}
    for before in range(3):  # bytes of a neighbour in the first four characters
        whole = base64.b64encode(bytes(before) + raw).decode()
        own = whole[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        forms |= {own, own.replace("+", "-").replace("/", "_")}
    return forms


def _inside(text: str) -> bytes:
    """A text as it stands between the quotes of a JSON string."""
    return msgspec.json.encode(text)[1:-1]
