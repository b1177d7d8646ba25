"""A judge as coder of comments: every reason that one gives, which way it goes, and which reply it is about."""

from __future__ import annotations

from functools import cache
from typing import Final

from audiometry.analysis.coding.answers import FENCE, bare_lines
from audiometry.analysis.coding.rules import LONGEST, Way
from audiometry.analysis.reasons.sides import Named
from audiometry.analysis.reasons.spoken import Reason
from audiometry.files.code_book import Book
from audiometry.records.votes import Outcome
from audiometry.score.judge.question import Content, Questions, Try, written

MAX_TOKENS: Final = 96
NONE: Final = "none"
_ROLE: Final = (
    "Somebody compared two replies to the same question, A and B, and said which is better. The comment below says "
    "why. You say which reasons it gives, by a list of codes. You do not see the replies."
)
_CHOSE: Final = {
    Outcome.A: "A",
    Outcome.B: "B",
    Outcome.TIE: "neither: they are equally good",
    Outcome.BOTH_BAD: "neither: both are bad",
    None: "not known",
}
_WAYS: Final[dict[str, Way]] = {
    **dict.fromkeys(("praise", "praises", "praised", "positive"), "praise"),
    **dict.fromkeys(("fault", "faults", "faulted", "complaint", "negative"), "complaint"),
}
_SIDES: Final[dict[str, Named]] = {"a": "a", "b": "b", "both": "both"}
_FILLING: Final = frozenset({"reply", "replies", "response", "of", "for", "the", "by"})


class Asked(Content, frozen=True):
    """What a judge is shown of one vote.

    Attributes:
        comment: its words, or their beginning.
        chose: which reply was chosen.
    """

    comment: str
    chose: str


def asked(comment: str, outcome: Outcome | None) -> Asked:
    """What a judge is shown of a comment.

    Args:
        comment: the words.
        outcome: of the vote; None: not known.
    """
    return Asked(comment[:LONGEST], _CHOSE[outcome])


@cache
def questions(book: Book) -> Questions[Asked]:
    """The question for a code book."""
    listed = "\n".join(f"{one.name}: the comment {one.about}" for one in book.code)
    task = (
        f"The codes, of which all that fit count:\n{listed}\n\nAnswer with one line for each code that the comment "
        "gives, and nothing else: the code's name, then praise or fault, then A, B or both for the reply that it "
        f"praises or faults. Leave out what the comment does not tell. If no code fits, answer {NONE}. "
        "Two lines of an answer could be:\n"
        f"{book.names[0]} praise A\n{book.names[-1]} fault B"
    )
    once_more = (
        "An earlier answer could not be read. Each line of your answer has to begin with one of these names: "
        f"{', '.join(book.names)}, {NONE}."
    )

    def words(about: Asked, which: Try) -> str:
        texts = {"chosen": about.chose, "comment": about.comment}
        return written((_ROLE, FENCE, task, once_more), texts, about.key, which)

    return Questions(
        kind="code",
        words=words,
        unreadable=lambda _, said: read(said, book) is None,
        samples=(Asked("!", "A"),),
        max_tokens=MAX_TOKENS,
    )


def read(said: str, book: Book) -> tuple[Reason, ...] | None:
    r"""The reasons that a judge's answer names, one a line; none at all where it says so; None: it cannot be read.

    >>> from audiometry.analysis.reasons.book import own
    >>> read("tone: praise, A\n- accuracy fault", own()), read("None.", own()), read("I like it.", own())
    ((('tone', 'praise', 'a'), ('accuracy', 'complaint', None)), (), None)
    """
    lines = bare_lines(said)
    names = sorted(book.names, key=len, reverse=True)
    found = tuple(dict.fromkeys(one for line in lines for one in [_of_line(line, names)] if one is not None))
    if NONE in lines and NONE not in book.names:
        return None if found else ()
    return found or None


def _of_line(line: str, names: list[str]) -> Reason | None:
    line = line.lstrip("0123456789-")
    name = next((one for one in names if line == one or line.startswith(f"{one}-")), None)
    if name is None:
        return None
    words = [word for word in line.removeprefix(name).split("-") if word and word not in _FILLING]
    ways: set[Way] = {_WAYS[word] for word in words if word in _WAYS}
    sides: set[Named] = {_SIDES[word] for word in words if word in _SIDES}
    if any(word not in _WAYS and word not in _SIDES for word in words) or len(ways) > 1 or len(sides) > 1:
        return None
    return name, ways.pop() if ways else "", sides.pop() if sides else None
