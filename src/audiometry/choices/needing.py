"""Patterns that are not tried where they cannot match: looking for a few words first is many times faster."""

from __future__ import annotations

import re
from collections.abc import Iterator


class Needing:
    """A pattern of which every match in an ASCII text holds one of a few words; without one the text is not searched.

    Beyond ASCII, where case has more forms than two, the pattern is always tried.

    Args:
        pattern: that ignores case.
        words: in lower case, any of them anywhere in the match.
    """

    def __init__(self, pattern: re.Pattern[str], *words: str) -> None:
        self.pattern, self.words = pattern, words

    def may_match(self, text: str) -> bool:
        """Whether it is worth trying the pattern on a text."""
        if not text.isascii():
            return True
        low = text.lower()
        for word in self.words:  # noqa: SIM110  the generator that `any` needs takes as long as what is saved
            if word in low:
                return True
        return False

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        """As the pattern does; ``span`` as its ``pos`` and ``endpos``."""
        within = text[slice(*span)] if span else text
        return self.pattern.search(text, *span) if self.may_match(within) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As the pattern does."""
        return self.pattern.finditer(text) if self.may_match(text) else iter(())

    def match(self, text: str) -> re.Match[str] | None:
        """As the pattern does."""
        return self.pattern.match(text) if self.may_match(text) else None

    def sub(self, plain: str, text: str) -> str:
        """As the pattern does."""
        return self.pattern.sub(plain, text) if self.may_match(text) else text
