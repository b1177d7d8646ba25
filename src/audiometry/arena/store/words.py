"""Foreign words as a database takes them: without secrets, lone surrogates and the character 0."""

from __future__ import annotations

import base64
import hashlib
from typing import Final, TypeVar

from audiometry.files.secrets import known
from audiometry.records import sensible

T = TypeVar("T")

_CODE: Final = 16  # characters of a personal code, five bits each
_GROUP: Final = 4


def clean(value: T) -> T:
    r"""A text, or what is made of texts, as it is kept.

    >>> clean("a\x00b"), clean({"x": ["\ud800"]}) == {"x": ["\ufffd"]}
    ('a\ufffdb', True)
    """
    return _cleaned(known().shown(value))


def _cleaned(value: T) -> T:
    made: object = value
    if isinstance(value, str):
        made = sensible.text(value).replace("\0", "\ufffd")  # PostgreSQL has no such character
    elif isinstance(value, dict):
        made = {_cleaned(name): _cleaned(one) for name, one in value.items()}
    elif isinstance(value, list | tuple):
        made = [_cleaned(one) for one in value]
    return made  # type: ignore[return-value]  # of the same kind, but for tuples, which JSON has none of


def sha256(text: str) -> str:
    """The hash of a text, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key_of(*names: str) -> int:
    """A number of 63 bits for names, to hold others out by."""
    return int(sha256("\0".join(names))[:16], 16) >> 1


def code_of(key: str) -> str:
    """The personal code of whoever has a key, by which her data are deleted: the key cannot be found from it.

    >>> code_of("a"), code_of("b") == code_of("a")
    ('P3O2-4ILP-E5I5-Y7YD', False)
    """
    whole = base64.b32encode(hashlib.sha256(f"code\0{key}".encode("utf-8", "surrogatepass")).digest()).decode()[:_CODE]
    return "-".join(whole[at : at + _GROUP] for at in range(0, _CODE, _GROUP))


def code_sha256(code: str) -> str:
    """The hash of a personal code, however it is spelt.

    >>> code_sha256("p3o2 4ilp-e5i5-y7yd") == code_sha256(code_of("a"))
    True
    """
    return sha256("".join(c for c in code.upper() if c.isalnum()))
