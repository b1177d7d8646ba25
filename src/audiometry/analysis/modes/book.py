"""The code book: what can be wrong with a reply, each with a name, in an order in which the first that fits counts."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign

DECLINED, TEXT, FORMAT = "declined", "training-data-bias", "format-failure"
WORDS, SOUNDS, BESIDE = "language-hallucination", "auditory-hallucination", "beside-the-question"
UNEXPLAINED: Final = "unexplained"
MOST: Final = 40  # codes: more fit into no head and no table
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OWN: Final = Path(__file__).with_name("book.toml")


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that can be wrong with a reply.

    Attributes:
        name: in small letters, digits and dashes; what coders write.
        title: for people, in a few words.
        about: when it holds, to follow "the reply".
    """

    name: str
    title: str
    about: str


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A code book.

    Attributes:
        code: what there is, in the order in which the first that fits counts.
    """

    code: tuple[Code, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of its codes."""
        return tuple(one.name for one in self.code)

    @property
    def sha256(self) -> str:
        """Of all that it says."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @property
    def short(self) -> str:
        """The first digits of that."""
        return self.sha256[:12]


@cache
def own() -> Book:
    """The house's: the failure modes that MuChoMusic (arXiv 2408.01337, section 5) names, and what else occurs."""
    return read(_OWN)


def read(path: Path) -> Book:
    """A code book from a TOML file with a ``[[code]]`` for each code.

    Raises:
        UsageError: it cannot be used.
    """
    try:
        book = foreign.toml(foreign.read_file(path), Book)
    except OSError as problem:
        raise UsageError(f"cannot read the code book {shown(str(path), 200)}: {problem.strerror}") from problem
    except UndecodableError as problem:
        raise UsageError(f"{shown(str(path), 200)} is no code book: {problem}") from problem
    wrong = next((one.name for one in book.code if not _NAME.fullmatch(one.name) or not one.about.strip()), None)
    if wrong is not None:
        raise UsageError(
            f"{shown(str(path), 200)}: the code '{shown(wrong)}' needs a name in small letters, digits and dashes, and "
            "an about"
        )
    if not 1 < len(book.code) <= MOST or len(set(book.names)) < len(book.code):
        raise UsageError(f"{shown(str(path), 200)} needs 2 to {MOST} codes, each under a name of its own")
    return book
