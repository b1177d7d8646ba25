"""The house's code book of reasons, and the sample that its rules are held against."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from audiometry.files.code_book import Book, read

SAMPLE: Final = Path(__file__).with_name("labelled.jsonl")


@cache
def own() -> Book:
    """The house's; helpfulness, level of detail and language are what the voters of Talk Arena named first."""
    return read(Path(__file__).with_name("book.toml"))
