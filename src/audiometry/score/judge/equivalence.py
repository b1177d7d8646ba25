"""Whether an open answer says the same as the reference, as a judge that is shown both sees it.

Unlike the scores of `comparisons`, from 1 to 10 for how good an answer is, this is right or wrong: for questions with a
short answer, and instructions of which the reference says what was to come out.
"""

from __future__ import annotations

from typing import Final

from audiometry.records import Item
from audiometry.score.judge.golden import CORRECT, INCORRECT, GoldenContent, read_ruling, ruling_words
from audiometry.score.judge.question import Questions, Try, shown_reply

_ROLE = (
    "You check answers to questions and instructions about recordings against answers that are known to be right. You "
    "cannot hear the recording, and you do not need to."
)
_TASK = (
    "Does the reply give the right answer? It does if it says what a right answer says, be it in other words, at "
    "greater length or in another language, and says nothing that is against it. It does not if it says something "
    "else, leaves out what the right answer is about, gives several answers that exclude one another, or declines. "
    f"Your whole answer is one word: {CORRECT} or {INCORRECT}."
)


def content(item: Item, text: str) -> GoldenContent:
    """What a judge is to see of a reply.

    Args:
        item: with a reference answer, or several.
        text: the reply.
    """
    right = "\n(or) ".join(item.references)
    return GoldenContent(item.question, right, shown_reply(text), item.meta.strip())


def words(found: GoldenContent, which: Try) -> str:
    """The prompt for one content; ``again`` states the format once more."""
    return ruling_words(_ROLE, _TASK, "right answer", found, which)


EQUIVALENCE: Final = Questions(
    kind="equivalence",
    words=words,
    unreadable=lambda _, said: read_ruling(said) is None,
    samples=tuple(GoldenContent("?", "a", "!", description) for description in ("", "d")),
    max_tokens=16,  # a word, however it is dressed
)
