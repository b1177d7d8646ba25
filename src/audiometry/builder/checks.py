"""What no written question, answer or option may be: our own checks, each with the name of its rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from audiometry.bench.check_leaks import holds, words
from audiometry.bench.check_wording import left, twin
from audiometry.builder.language import is_foreign
from audiometry.errors import shown

Flaw = tuple[str, str]
"""The rule that is broken, and the reason in words; both empty: none is."""
FINE: Final[Flaw] = ("", "")
_SHORT: Final = 60  # characters of a text in a reason
_LONG_WORD: Final = 4  # letters from which on a word says what a text is about
_MOST_GIVEN: Final = 0.8  # share of an answer's longer words that a question may hold
_OVER_AND_OVER: Final = 4  # times in a row that a phrase is said
_PHRASE: Final = range(3, 13)  # words of one
_ECHO: Final = 8  # words in a row of what a writer was told
_OTHER_SENSE: Final = re.compile(
    r"\b(?:in|on|from|of|to|by|read|see)\s+(?:the|this|that)\s+(?:\w+\s+)?(?:text|passage|picture|image|photo|video|"
    r"paragraph|article|caption|captions|metadata|description|transcript|transcription|document|table|json)\b",
    re.IGNORECASE,
)
_HEARD: Final = re.compile(
    r"\b(?:hear|heard|hears|hearing|listen\w*|sound\w*|audio|audible|clip|recording\w*|record|track|noise\w*|nois\w+|loud\w*|"
    r"quiet\w*|music\w*|song\w*|sing\w*|sung|sang|melod\w*|rhythm\w*|tempo|beat\w*|instrument\w*|play\w*|piece|genre|"
    r"mood|vocal\w*|voice\w*|speak\w*|spoke\w*|speech|say|says|said|saying|talk\w*|tell\w*|told|conversation\w*|"
    r"dialogue\w*|utter\w*|accent|tone|emotion\w*|language|transcri\w+|translat\w+|chord\w*|harmon\w*|timbre|pitch\w*|"
    r"compos\w+|perform\w*|background|foreground)\b",
    re.IGNORECASE,
)


def of_question(question: str, language: str) -> Flaw:
    """What is wrong with a question, or a wording of one, by itself."""
    if not question.strip():
        return "unreadable", "the question is empty"
    if what := left(question):
        return "residue", f"the question has {what}: '{shown(question, _SHORT)}'"
    if loops(question):
        return "residue", f"the question says the same over and over: '{shown(question, _SHORT)}'"
    if is_foreign(question, language):
        return "language", f"the question is not in {shown(language, 20)}: '{shown(question, _SHORT)}'"
    if _OTHER_SENSE.search(question):
        return "not-about-audio", f"the question asks about a text or a picture: '{shown(question, _SHORT)}'"
    return FINE


def of_answer(answer: str, language: str) -> Flaw:
    """What is wrong with an answer or an option by itself; in any language for an empty one."""
    if not answer.strip():
        return "unreadable", "the answer is empty"
    if what := left(answer, asked=False):
        return "residue", f"an answer has {what}: '{shown(answer, _SHORT)}'"
    if loops(answer):
        return "residue", f"an answer says the same over and over: '{shown(answer, _SHORT)}'"
    if language and is_foreign(answer, language):
        return "language", f"an answer is not in {shown(language, 20)}: '{shown(answer, _SHORT)}'"
    return FINE


def loops(text: str) -> bool:
    """Whether a phrase is said four times in a row, as small models do that come to no end.

    >>> loops("What is heard, and what is said, and what is said, and what is said, and what is said?")
    True
    >>> loops("Which bird calls no, no, no, no, no, no, no, no, no, no, no, no?")
    False
    """
    said = words(text)
    return any(
        len({*said[at : at + n]}) >= _PHRASE.start
        and said[at : at + n * (_OVER_AND_OVER - 1)] == said[at + n : at + n * _OVER_AND_OVER]
        for n in _PHRASE
        for at in range(len(said) - n * _OVER_AND_OVER + 1)
    )


def of_echo(texts: Iterable[str], told: str) -> Flaw:
    """Texts that hold eight words in a row of what the writer was told to do."""
    for text in texts:
        if not _runs(told).isdisjoint(_runs(text)):
            return "residue", f"repeats what the writer was told: '{shown(text, _SHORT)}'"
    return FINE


@lru_cache(maxsize=1 << 10)  # of what writers are told; texts come once
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    said = words(text)
    return frozenset(said[at : at + _ECHO] for at in range(len(said) - _ECHO + 1))


def of_open(question: str, answer: str, meta: str, language: str) -> Flaw:
    """What is wrong with an open question and its answer together.

    Args:
        question: as it was written.
        answer: as it was written.
        meta: all that is known of the clip.
        language: of the question.
    """
    own, known = _long(question), _long(meta)
    if language.casefold().startswith("en") and not _HEARD.search(question) and not own & known:
        return "not-about-audio", f"the question asks nothing about what is heard: '{shown(question, _SHORT)}'"
    told, said = words(question), words(answer)
    offers = "or" in told  # "is it a dog or a cat?" offers both
    given = _long(answer)
    if not offers and (
        (said and holds(told, said))
        or (len(given) > 1 and len(given & own) >= _MOST_GIVEN * len(given) and len(said) <= len(told))
    ):
        return "gives-away", f"the question holds its answer: '{shown(question, _SHORT)}'"
    return FINE


def of_choice(question: str, answer: str, wrong: Sequence[str]) -> Flaw:
    """What is wrong with the options of a question together."""
    if len(set(wrong)) < len(wrong) or twin((answer, *wrong)) is not None:
        return "repeated", f"two options are alike: '{shown(twin((answer, *wrong)) or wrong[0], _SHORT)}'"
    told = words(question)
    named = [bool(said) and holds(told, said) for said in map(words, (answer, *wrong))]
    if named[0] and not any(named[1:]):
        return "gives-away", f"the question names the right option: '{shown(question, _SHORT)}'"
    return FINE


def of_wrong(wrong: Iterable[str], known: Sequence[str]) -> Flaw:
    """Options that have to be false of the clip, by what is known of it."""
    for option in wrong:
        if true := true_of(option, known):
            what = f"the wrong option '{shown(option, 60)}' is true of the clip ('{shown(true, 60)}')"
            return "distractor-true", what
    return FINE


def true_of(text: str, known: Iterable[str]) -> str:
    """The known value that says what a text says, or holds all of it in this order; empty if none does.

    >>> true_of("a dog barks", ["At dawn a dog barks.", "rain"]), true_of("a cat", ["a dog"])
    ('At dawn a dog barks.', '')
    """
    own = words(text)
    return next((value for value in known if own and holds(words(value), own)), "")


def _long(text: str) -> set[str]:
    return {word for word in words(text) if len(word) >= _LONG_WORD}
