"""A judge as coder: what is wrong with a reply, by the code book."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from audiometry.analysis.coding.answers import FENCE, bare_lines
from audiometry.analysis.modes.wrong import Replied, Wrong
from audiometry.choices import render
from audiometry.files.code_book import Book
from audiometry.score.judge.question import Content, Questions, Try, written
from audiometry.score.readers import Said

MAX_TOKENS: Final = 32
_LEAD: Final = re.compile(r"^(?:(?:the|my)-)?(?:final-)?(?:code|answer)-(?:is-)?")
_ROLE: Final = (
    "Somebody heard a recording and was asked a single-choice question about it. The reply below is wrong, or chooses "
    "none of the options. You say what is wrong with it, by a list of codes. You do not hear the recording; what is "
    "known of it is written below."
)


class Asked(Content, frozen=True):
    """What a judge is shown of one reply.

    Attributes:
        question, options, right: of the item; the options as they were shown.
        known: what else the benchmark says of the clip; empty for nothing.
        reply: without reasoning.
    """

    question: str
    options: tuple[str, ...]
    right: str
    known: str
    reply: str


def asked(wrong: Wrong) -> Asked:
    """What a judge is shown of a reply."""
    return Asked(wrong.item.question, wrong.shown, wrong.right, wrong.item.meta, wrong.text)


def contents(given: Replied) -> Iterator[tuple[str, Asked]]:
    """Every reply there is to explain, with its key."""
    for wrong in given.each():
        about = asked(wrong)
        yield about.key, about


@cache
def questions(book: Book) -> Questions[Asked]:
    """The question for a code book."""
    listed = "\n".join(f"{one.name}: the reply {one.about}" for one in book.code)
    names = ", ".join(book.names)
    task = (
        f"The codes, of which the first that fits counts:\n{listed}\n\nWhich code does the reply get? Answer with its "
        "name and nothing else."
    )
    once_more = f"An earlier answer could not be read. Your whole answer has to be one of these names: {names}."

    def words(about: Asked, which: Try) -> str:
        texts = {
            "question": about.question,
            "options": render(about.options),
            "right answer": about.right,
            **({"known of the recording": about.known} if about.known else {}),
            "reply": about.reply or "(nothing)",
        }
        return written((_ROLE, FENCE, task, once_more), texts, about.key, which)

    return Questions(
        kind="code",
        words=words,
        unreadable=lambda _, said: read(said, book) is None,
        samples=(Asked("?", ("a", "b"), "a", "", "!"), Asked("?", ("a", "b"), "a", "!", "!")),
        max_tokens=MAX_TOKENS,
    )


def code_of(said: Said, book: Book) -> str | None:
    """The code that a judge gives; None if it gave no whole answer that can be read."""
    return None if said.text is None or said.cut else read(said.text, book)


def read(said: str, book: Book) -> str | None:
    """The code whose name alone makes a line of a judge's answer; None if there is none, or several.

    >>> from audiometry.analysis.modes.book import own
    >>> read("**Format_failure**.", own()), read("I would not say declined.", own())
    ('format-failure', None)
    """
    # "the code is …" may lead to it
    named = (name for line in bare_lines(said) for name in (line, _LEAD.sub("", line)))
    found = {name for name in named if name in book.names}
    return found.pop() if len(found) == 1 else None
