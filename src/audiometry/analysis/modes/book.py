"""The house's code book of failure modes, whose codes rules know by these names."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from audiometry.files.code_book import Book, read

DECLINED, TEXT, FORMAT = "declined", "training-data-bias", "format-failure"
WORDS, SOUNDS, BESIDE = "language-hallucination", "auditory-hallucination", "beside-the-question"
UNEXPLAINED: Final = "unexplained"


@cache
def own() -> Book:
    """The house's: the failure modes that MuChoMusic (arXiv 2408.01337, section 5) names, and what else occurs."""
    return read(Path(__file__).with_name("book.toml"))
