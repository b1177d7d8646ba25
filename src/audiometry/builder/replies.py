"""Reads what a writer replied: one JSON object of a known form, wherever in its prose it stands."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from audiometry.choices import clean
from audiometry.errors import UndecodableError
from audiometry.files import foreign
from audiometry.files.json_in_prose import objects

T = TypeVar("T", bound=msgspec.Struct)


def read(text: str, kind: type[T]) -> T | str:
    r"""The object of that form in a reply; else why there is none, in words.

    A reply that says it twice is read if both say the same. Reasoning is passed over, and so are objects of other
    forms: a form's fields are needed, what else an object has is left.

    >>> class Pair(msgspec.Struct):
    ...     question: str
    >>> read('Sure, here it is:\n```json\n{"question": "Who speaks?"}\n```', Pair)
    Pair(question='Who speaks?')
    >>> read('{"question": "Who speaks?"} or {"question": "Who sings?"}', Pair)
    'it holds 2 different answers'
    >>> read('{"question": "Who sp', Pair)
    'no whole JSON object of the form that was asked for is in it'
    """
    found = list[T]()
    for value in objects(clean.without_reasoning(text)):
        try:
            one = foreign.convert(value, kind)
        except UndecodableError:
            continue
        if one not in found:
            found.append(one)
    if len(found) > 1:
        return f"it holds {len(found)} different answers"
    return found[0] if found else "no whole JSON object of the form that was asked for is in it"


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it is empty, or the dots that stand for it in the form.

    >>> is_blank(" "), is_blank("…"), is_blank("a wren …")
    (True, True, False)
    """
    return not text.strip(" .…")
