"""What a reply that names no option by its letter or text may answer all the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audiometry.choices.families import family, in_family_forms
from audiometry.choices.mentions import Mention, mentions
from audiometry.choices.number_words import ORDINALS
from audiometry.choices.option_text import OptionIndex
from audiometry.choices.pattern import lazy
from audiometry.choices.spelling import without_slip
from audiometry.choices.tokens import Token, word_set

_BY_PLACE = lazy(rf"\W*(?:(?:it's|it is)\s)?the\s(?P<place>{'|'.join(ORDINALS)}|last)\sone\W*", re.IGNORECASE)
#: With options such as these "the second one" may be a speaker or a clip.
_OF_PAIRS = word_set("both neither same equal equally former latter last earlier later before after yes no clip sound")
_LOOSELY = {"yep": "yes", "yeah": "yes", "yup": "yes", "nope": "no", "nah": "no"}
_ENDS = lazy(r"\s*(?:[,.!;\n–—]|$)")
_UNSURE = lazy(
    r"\b(?:unsure|uncertain|(?:not|n't) (?:\w+ )?(?:sure|know|certain|tell)|no idea|hard to)\b", re.IGNORECASE
)


def otherwise_named(text: str, words: Sequence[Token], known: OptionIndex) -> tuple[Sequence[Token], list[Mention]]:
    """The words of an undressed text that names no option, and what they mention taken less strictly."""
    if known.n and (place := _by_place(text, known)) is not None:
        return words, [Mention(0, len(text), frozenset({place}), "letter")]
    for right in (_loosely(text, words), in_family_forms(text, words, known.words), _put_right(words, known)):
        if right and (found := mentions(text, right, known)):
            return right, found
    return words, []


def _loosely(text: str, words: Sequence[Token]) -> list[Token] | None:
    """The words, with "yeah", "nope" and their like at the start made yes or no; as all that is said, if several."""
    if not words or words[0].start or words[0].key not in _LOOSELY:
        return None
    if not _ENDS.match(text, words[0].end) or _UNSURE.search(text):
        return None
    made = [word._replace(key=_LOOSELY.get(word.key, word.key)) for word in words]
    return made if len({word.key for word in made} & {"yes", "no"}) == 1 else None


def _put_right(words: Sequence[Token], known: OptionIndex) -> list[Token] | None:
    """The words without a slip of spelling; another word of an option's family is none: "to my surprise"."""
    right = without_slip(words, known.words)
    if right is None or any(was.key in family(now.key) for was, now in zip(words, right, strict=True)):
        return None
    return right


def _by_place(text: str, known: OptionIndex) -> int | None:
    """The place of the option that a reply names by its place and says nothing else: "The second one."."""
    said = _BY_PLACE.fullmatch(text)
    if said is None or known.numbered or known.single or not _OF_PAIRS.isdisjoint(known.by_first):
        return None
    place = known.n - 1 if said["place"].lower() == "last" else ORDINALS[said["place"].lower()] - 1
    return place if place < known.n else None
