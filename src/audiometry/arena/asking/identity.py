"""Who the model is: queries that ask it, and replies that say it. Such a battle is not blind and is set apart.

A reply counts if it says it of itself, in the first person or as *as an AI made by …*; that a company or a model is
mentioned in an answer says nothing of who answers. The patterns are in ``identity.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from audiometry.choices.clean import undressed
from audiometry.files import foreign

ASKED: Final = "identity-asked"
CLAIMED: Final = "identity-claim"
"""Why a battle is set apart."""
_SHORTEST: Final = 4  # letters of a word in a model's name that is its own
_COMMON: Final = frozenset(
    {
        *(
            "audio",
            "base",
            "chat",
            "flash",
            "instruct",
            "large",
            "latest",
            "lite",
            "mini",
            "model",
            "models",
            "nano",
            "omni",
        ),
        *("multimodal", "preview", "realtime", "small", "speech", "text", "thinking", "turbo", "vision", "voice"),
        *("constant", "python", "random", "replay"),
    }
)


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    makers: tuple[str, ...]
    models: tuple[str, ...]
    phrases: Mapping[str, str]
    patterns: Mapping[str, tuple[str, ...]]


@cache
def _words() -> _Words:
    return foreign.toml(Path(__file__).with_suffix(".toml").read_bytes(), _Words)


@cache
def _compiled(which: str, own: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern of all patterns of a kind, over the known names and some more."""
    words = _words()
    phrases = {**words.phrases, "NAME": f"(?:{'|'.join((*map(_called, own), *words.makers, *words.models))})"}
    source = "|".join(words.patterns[which])
    for _ in range(2):  # a phrase may hold another one
        source = re.sub(r"THE|YOU|MADE|KIND|BREAK|NAME|LANGUAGE|\bI(?=,)", lambda found: phrases[found[0]], source)
    return re.compile(source, re.IGNORECASE)


class Identity:
    """Finds queries that ask who answers, and replies that say who they are.

    Args:
        models: names of those that answer; what in them is their own counts as a name beside the known ones.

    >>> its = Identity(["vllm/acme/ears-2-audio"])
    >>> its.asks("Who made you?"), its.asks("Who made the Eiffel tower?"), its.asks("Are you Ears?")
    (True, False, True)
    >>> its.claim("As a model made by OpenAI, I cannot."), its.claim("OpenAI made ChatGPT in 2022.")
    ('As a model made by OpenAI', '')
    >>> its.claim("I am Ears, your assistant.")
    'I am Ears'
    """

    def __init__(self, models: Iterable[str] = ()) -> None:
        self._own = tuple(sorted({word for name in models for word in _own(name)}))

    def asks(self, query: str) -> bool:
        """Whether a query asks who answers, beside words that are to be translated, quoted or sung."""
        return bool(_compiled("asks", self._own).search(_compiled("others", ()).sub(" ; ", _plain(query))))

    def claim(self, reply: str) -> str:
        """The first place where a reply says who it is; empty if there is none."""
        found = _compiled("says", self._own).search(_plain(reply))
        return found[0].strip() if found else ""


def _called(word: str) -> str:
    """A word of a model's own name where it stands as a name: with a capital letter, or a number after it."""
    return f"(?-i:{word.capitalize()}|{word.upper()})|{word}(?=[- ]?\\d)"


def _plain(text: str) -> str:
    return " ".join(undressed(text).split())


def _own(name: str) -> Iterable[str]:
    """Words of a model's name: ``vllm/acme/ears-2-audio`` gives acme and ears."""
    for word in re.split(r"[^a-z]+", name.partition("/")[2].partition("?")[0].partition("@")[0].lower()):
        if len(word) >= _SHORTEST and word not in _COMMON:
            yield word
