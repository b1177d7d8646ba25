"""Values of private columns, which stand in nothing that is made."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SHORTEST: Final = 4
"""Characters of a private value from which on a text that holds it tells it; shorter ones are words of any text."""
_WORDS: Final = re.compile(r"\w+")


class Private:
    """All private values of a build; says which texts repeat one, in whatever case, as whole words."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], str] = {}
        self._longest = 0

    def add(self, column: str, value: str) -> None:
        """A value of a private column; one of less than `SHORTEST` characters is left out."""
        words = _words(value)
        if len(value.strip()) >= SHORTEST and words:
            self._values[words] = column
            self._longest = max(self._longest, len(words))

    def told(self, texts: Iterable[str]) -> str:
        """The column of which a text repeats a value; empty if none does.

        >>> private = Private()
        >>> private.add("patient", "Anna Meyer")
        >>> private.told(["How does anna  meyer cough?"]), private.told(["How does Anna cough?"])
        ('patient', '')
        """
        if not self._values:
            return ""
        for text in texts:
            words = _words(text)
            for start in range(len(words)):
                for end in range(start + 1, min(start + self._longest, len(words)) + 1):
                    if column := self._values.get(words[start:end]):
                        return column
        return ""

    def hidden(self, text: str) -> str:
        """A text, or in place of one that repeats a value that it does."""
        return "what is wrong would repeat a private value; see the source" if self.told([text]) else text


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(text.casefold().replace("_", " ")))
