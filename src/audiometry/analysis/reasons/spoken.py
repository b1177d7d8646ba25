"""What each vote says in words, as codes: ticked tags and coded comments, and which reply each speaks for or against.

A reason speaks of the reply that the comment names. Where it names none, praise is of the reply that was preferred (of
both in a tie, of none where both were bad) and a complaint of the other (of both in a tie, or where both were bad). A
tag that was ticked praises or faults nothing by itself: it is a reason for the vote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.coding.rules import Rules, Way, plain
from audiometry.analysis.reasons.sides import Named, named, references, side
from audiometry.files.code_book import Book
from audiometry.files.votes import VoteFile
from audiometry.records.votes import Outcome

HAS, FOR_A, FOR_B, AGAINST_A, AGAINST_B, OPEN = 1, 2, 4, 8, 16, 32
"""Bits of a flag: the vote has the code; it speaks for a, for b, against a, against b; it says not which way."""
FOR, AGAINST = FOR_A | FOR_B, AGAINST_A | AGAINST_B
MOST_TAGS: Final = 40  # tags of no code that have a place of their own
LONGEST_TAG: Final = 60  # characters
Flags: TypeAlias = NDArray[np.uint8]
Reason: TypeAlias = tuple[str, Way, Named | None]
"""A code, which way it goes, and the reply that it is about, as far as the words say so."""
Coding: TypeAlias = Callable[[str, Outcome | None], "Sequence[Reason] | None"]
"""From a comment and its vote the reasons; none: nothing could be read; None: the coder failed."""
_BETWEEN: Final = re.compile(r"[\s_-]+")


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """The votes that say something in words, a row a vote.

    Attributes:
        vote: ``int64[m]``, their rows in the file.
        voter: ``int64[m]``, who; each of nobody known is a number of its own, below 0.
        outcome: ``int8[m]``.
        a, b: ``int64[m]``, codes of the two models.
        comments: of each, empty for none.
        names: of the codes: those of the book, then tags that are none of its.
        tags: ``uint8[m, k]``, flags of what was ticked.
        is_tagged: ``bool[m]``.
        n_other_tags: ticks of tags that have no place of their own.
    """

    vote: NDArray[np.int64]
    voter: NDArray[np.int64]
    outcome: NDArray[np.int8]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    comments: tuple[str, ...]
    first: NDArray[np.int64]
    names: tuple[str, ...]
    tags: Flags
    is_tagged: NDArray[np.bool_]
    n_other_tags: int

    @property
    def is_commented(self) -> NDArray[np.bool_]:
        """``bool[m]``, whether there is a comment."""
        return np.array([bool(one) for one in self.comments], np.bool_)


def spoken(file: VoteFile, book: Book) -> Spoken:
    """The votes of a file that say something.

    Args:
        file: read with its texts.
        book: the codes; a tag is one of these by its name or title, in any case.
    """
    assert file.texts is not None  # noqa: S101  asked for by whoever reads it
    votes, comments = file.votes, [one.strip() for one in file.texts.comment]
    ticked = [tuple(filter(None, map(str.strip, some))) for some in file.texts.reasons]
    row = np.array([at for at, one in enumerate(comments) if one or ticked[at]], np.int64)
    known = {tag_of(word): one.name for one in book.code for word in (one.name, one.title)}
    others = Counter(_shown(tag) for at in row.tolist() for tag in ticked[at] if tag_of(tag) not in known)
    kept = sorted(others, key=lambda tag: (-others[tag], tag))[:MOST_TAGS]
    names = (*book.names, *kept)
    place = {name: at for at, name in enumerate(names)}
    tags = np.zeros((len(row), len(names)), np.uint8)
    for at, vote in enumerate(row.tolist()):
        for tag in ticked[vote]:
            column = place.get(known.get(tag_of(tag), _shown(tag)))
            if column is not None:
                tags[at, column] = HAS | OPEN
    voter = np.full(votes.n, -1, np.int64) if votes.voter is None else votes.voter.astype(np.int64)
    return Spoken(
        vote=row,
        voter=np.where(voter[row] < 0, -1 - row, voter[row]),
        outcome=votes.outcome[row],
        a=votes.a[row].astype(np.int64),
        b=votes.b[row].astype(np.int64),
        comments=tuple(comments[at] for at in row.tolist()),
        first=np.full(len(row), -1, np.int64) if votes.first is None else votes.first[row].astype(np.int64),
        names=names,
        tags=tags,
        is_tagged=np.array([bool(ticked[at]) for at in row.tolist()], np.bool_),
        n_other_tags=sum(others.values()) - sum(others[tag] for tag in kept),
    )


def tag_of(words: str) -> str:
    """A tag as it is compared: in small letters, one dash between words.

    >>> tag_of(" Level of detail"), tag_of("level_of-detail")
    ('level-of-detail', 'level-of-detail')
    """
    return _BETWEEN.sub("-", words.strip().casefold())


def _shown(tag: str) -> str:
    """A tag of no code, as it is: spaces at its ends and a case of its own stay out, one of any length is cut."""
    return " ".join(tag.split())[:LONGEST_TAG]


@cache
def by_rules(book: Book) -> Coding:
    """The coder by a book's rules."""
    rules = Rules(book)

    @lru_cache(maxsize=1 << 16)
    def read(comment: str) -> tuple[Reason, ...]:
        text = plain(comment)
        found = rules.mentions(text)
        there = references(text) if found else ()
        return tuple((one.code, one.way, named(text, there, one.start)) for one in found)

    return lambda comment, _: read(comment)


def coded(said: Spoken, coding: Coding) -> tuple[Flags, NDArray[np.bool_]]:
    """What a coder finds in the comments.

    Returns:
        Flags, ``uint8[m, k]``, and whether the coder failed, ``bool[m]``.
    """
    place = {name: at for at, name in enumerate(said.names)}
    flags, failed = np.zeros((len(said.vote), len(place)), np.uint8), np.zeros(len(said.vote), np.bool_)
    for at, comment in enumerate(said.comments):
        if not comment:
            continue
        outcome = Outcome(int(said.outcome[at]))
        reasons = coding(comment, outcome)
        failed[at] = reasons is None
        for code, way, which in reasons or ():
            flags[at, place[code]] |= flag(way, which, outcome, int(said.first[at]))
    return flags, failed


_OF: Final[Mapping[Way, Mapping[str, int]]] = {
    "praise": {"a": FOR_A, "b": FOR_B, "both": FOR},
    "complaint": {"a": AGAINST_A, "b": AGAINST_B, "both": AGAINST},
}
_UNNAMED: Final[Mapping[Way, Mapping[Outcome, int]]] = {
    "praise": {Outcome.A: FOR_A, Outcome.B: FOR_B, Outcome.TIE: FOR, Outcome.BOTH_BAD: 0},
    "complaint": {Outcome.A: AGAINST_B, Outcome.B: AGAINST_A, Outcome.TIE: AGAINST, Outcome.BOTH_BAD: AGAINST},
}


def flag(way: Way, which: Named | None, outcome: Outcome, first: int) -> int:
    """The flag of one reason.

    Args:
        way: praise or complaint; empty: not told.
        which: the reply that the words name.
        outcome: of the vote.
        first: the side that was shown first; -1: not known.
    """
    if not way:
        return HAS | OPEN
    told = side(which, outcome, first)
    return HAS | (_UNNAMED[way][outcome] if told is None else _OF[way][told])


def ways(reasons: Iterable[Reason]) -> dict[str, tuple[bool, bool]]:
    """By code whether a comment praises and whether it faults by it.

    >>> ways([("tone", "praise", None), ("tone", "complaint", "b"), ("speed", "", None)])
    {'tone': (True, True), 'speed': (False, False)}
    """
    found: dict[str, tuple[bool, bool]] = {}
    for code, way, _ in reasons:
        praised, faulted = found.get(code, (False, False))
        found[code] = (praised or way == "praise", faulted or way == "complaint")
    return found
