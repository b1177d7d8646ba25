"""Values of private columns, which stand in nothing that is made."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final

from audiometry.bench.cells import text_of
from audiometry.bench.dimensions import listed

SHORTEST: Final = 4
"""Characters of a private value from which on a text that holds it tells it; shorter ones are words of any text."""
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\U00020000-\U000323af"
"""Letters of scripts without blanks between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese): each is a word."""
_WORDS: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


class Private:
    """All private values of a build; says which texts repeat one, in whatever case, as whole words."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], str] = {}
        self._lengths: dict[str, set[int]] = {}  # in words, by the first one

    def add(self, column: str, cell: Any) -> None:
        """What a private column holds, each value of a list or an object for itself; short ones are left out.

        Short is less than `SHORTEST` characters, of which a letter that is a word is two.
        """
        for value in _within(cell):
            words = _words(value)
            if words and len(value.strip()) + len(re.findall(f"[{_UNSPACED}]", value)) >= SHORTEST:
                self._values[words] = column
                self._lengths.setdefault(words[0], set()).add(len(words))

    @property
    def is_empty(self) -> bool:
        """Whether there is none, so that no text tells any."""
        return not self._values

    def told(self, texts: Iterable[str]) -> str:
        """The column of which a text repeats a value; empty if none does.

        >>> private = Private()
        >>> private.add("patient", ["Anna Meyer", "田中太郎"])
        >>> [private.told([said]) for said in ("Does anna  meyer cough?", "田中太郎さんの猫", "Does Anna cough?")]
        ['patient', 'patient', '']
        """
        for text in texts if self._values else ():
            words = _words(text)
            for start, word in enumerate(words):
                for length in self._lengths.get(word, ()):
                    if column := self._values.get(words[start : start + length]):
                        return column
        return ""

    def hidden(self, text: str) -> str:
        """A text, or in place of one that repeats a value that it does."""
        return "what is wrong would repeat a private value; see the source" if self.told([text]) else text


def texts_in(found: Any) -> Iterator[str]:
    """All texts within a value: itself, and those in lists and objects."""
    if isinstance(found, dict):
        found = [*found.values()]
    if isinstance(found, list | tuple):
        for one in found:
            yield from texts_in(one)
    elif found is not None:
        yield text_of(found)


def _within(cell: Any) -> Iterator[str]:
    """The texts of a cell; of one that is a list written as a text, those in it."""
    yield from texts_in(cell)
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        yield from listed(cell) or ()


def _words(text: str) -> tuple[str, ...]:
    """The words of a text, however its letters are composed and whatever their case and width."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return tuple(_WORDS.findall(folded.replace("_", " ")))
