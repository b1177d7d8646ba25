"""Code books as a format: codes that texts or replies are given by people, judges and rules, each with a name."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign

MOST: Final = 40  # codes: more fit into no head and no table
MOST_PATTERNS: Final = 2_000  # of a book
LONGEST_PATTERN: Final = 1_000  # characters
MOST_TIMES: Final = 9  # what repeats may be repeated: without bound, a text of 40 letters can take for ever
_REPEATED: Final = re.compile(r"[*+]|\{(?:\d*,)?(\d*)\}")
_PIECE: Final = re.compile(rf"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|{_REPEATED.pattern}|.", re.DOTALL)
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that can be said of a reply, a comment or a query.

    Attributes:
        name: in small letters, digits and dashes; what coders write.
        title: for people, in a few words.
        about: when it holds, to follow "the reply", or whatever is coded.
        rules: regular expressions; a text in which one is found has the code.
        praise, complaint: the same, where the text thereby praises or faults what it speaks of.
    """

    name: str
    title: str
    about: str
    rules: tuple[str, ...] = ()
    praise: tuple[str, ...] = ()
    complaint: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """All of its regular expressions."""
        return self.rules + self.praise + self.complaint


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A code book.

    Attributes:
        code: what there is; where a thing gets one code only, in the order in which the first that fits counts.
        languages: of texts that its rules were written for (BCP 47); empty: not said.
    """

    code: tuple[Code, ...]
    languages: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of its codes."""
        return tuple(one.name for one in self.code)

    @property
    def has_rules(self) -> bool:
        """Whether any code can be told by a regular expression."""
        return any(one.patterns for one in self.code)

    @property
    def sha256(self) -> str:
        """Of all that it says."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @property
    def short(self) -> str:
        """The first digits of that."""
        return self.sha256[:12]


def read(path: Path) -> Book:
    """A code book from a TOML file with a ``[[code]]`` for each code.

    Raises:
        UsageError: it cannot be used.
    """
    try:
        book = foreign.toml(foreign.read_file(path), Book)
    except UndecodableError as problem:
        raise UsageError(f"{shown(str(path), 200)} is no code book: {problem}") from problem
    if wrong := next(_faults(book), ""):
        raise UsageError(f"{shown(str(path), 200)}{wrong}")
    return book


def _faults(book: Book) -> Iterator[str]:
    """What is wrong with a book, to follow its path."""
    for one in book.code:
        if not _NAME.fullmatch(one.name) or not one.about.strip():
            yield f": the code '{shown(one.name)}' needs a name in small letters, digits and dashes, and an about"
    if not 1 < len(book.code) <= MOST or len(set(book.names)) < len(book.code):
        yield f" needs 2 to {MOST} codes, each under a name of its own"
    every = [(one.name, pattern) for one in book.code for pattern in one.patterns]
    if len(every) > MOST_PATTERNS:
        yield f" has {len(every):,} rules; {MOST_PATTERNS:,} at most"
    for name, pattern in every:
        if why := _unusable(pattern):
            yield f": a rule of '{shown(name)}' {why} ({shown(pattern, 60)})"


def _unusable(pattern: str) -> str:
    """Why a rule cannot be used; empty if it can."""
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    try:
        with warnings.catch_warnings(action="error", category=FutureWarning):  # what another Python may read otherwise
            re.compile(pattern)
        found = re.compile(f"(?:{pattern})")  # as it stands among others
    except (re.error, RecursionError, OverflowError, FutureWarning) as problem:
        return f"is no regular expression: {problem}"
    if _is_endless(pattern):
        return f"repeats a repeat, which some comments take for ever to read; bound it, as {{0,{MOST_TIMES}}}"
    if found.groups:
        return "captures a group; write (?:…)"
    return "is found in an empty text" if found.search("") else ""


def _is_endless(pattern: str) -> bool:
    """Whether it repeats without bound, or more than a few times, what holds a repeat without bound."""
    repeats, ended = [False], False  # of each open group, whether one stands in it; whether one stood in the last
    for found in _PIECE.finditer(pattern):
        piece = found[0]
        if most := _REPEATED.fullmatch(piece):
            unbounded = not most[1] or int(most[1][:4]) > MOST_TIMES
            if unbounded and ended:
                return True
            repeats[-1] |= unbounded
        ended = piece == ")" and len(repeats) > 1 and repeats.pop()
        if piece == "(":
            repeats.append(False)
        repeats[-1] |= ended
    return False
