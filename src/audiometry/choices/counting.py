"""Whether a number in a text is the count, name or value that an option is, or one of something else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audiometry.choices.number_words import HOW_OFTEN, ORDINALS
from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import Token, is_number, word_set

#: A bare number before one of these is a measure, not the count or name that an option is.
UNITS = word_set(
    "s sec secs second seconds ms min minute minutes hour hours hz khz db bpm percent % year years th st nd rd"
)
_BEFORE_LABEL = word_set("step part question track clip figure section speaker person example line")
_BOUND = lazy(
    r"\b(?:than|at (?:least|most)|below|above|under|over|beyond|up to|exceed(?:s|ing)|within|after|out of)\s$"
    r"|\b(?:at least|at most|up to)\s\w+(?:\s\w+)?,?\s(?:(?:and|or)\s)?(?:possibly|maybe|perhaps|even|probably)\s$",
    re.IGNORECASE,
)
_BOUND_AFTER = lazy(
    r"\s?\+|\s(?:\w+\s)?or\s(?:more|less|fewer|higher|lower|greater|above|below|over|under)\b", re.IGNORECASE
)
_CERTAIN = lazy(
    r"\s?(?:%|per\s?cent)?[\s)]{0,2}(?:sure|certain|certainty|confident|confidence|positive|convinced|probability"
    r"|probable|likely|likelihood|chance|accuracy)\b",
    re.IGNORECASE,
)
_CERTAINTY = lazy(
    r"(?<!%\s)(?<!percent\s)\b(?:confidence|certainty|probability|likelihood)\b"
    r"(?:\s(?:score|level|rating))?[\s:=(]{0,3}(?:(?:is|of|about|at|around|level)\s){0,2}$",
    re.IGNORECASE,
)
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3})"
_SUM_AFTER = lazy(rf"\s(?:\w+\s){{1,2}}?(?:and|plus|&)\s{_NUMBER}\s\w", re.IGNORECASE)
_SUM_BEFORE = lazy(rf"\b{_NUMBER}\s(?:\w+\s){{1,2}}(?:and|plus|&)\s$", re.IGNORECASE)
_COMPARED = word_set("as more the faster slower louder quieter higher lower longer shorter bigger larger better")
_WINDOW = 40

# "one" counts only before the thing that is counted; else it is a pronoun
_NO_COUNT_BEFORE = word_set(
    "this that which these those each every no any some another other such first second third last next right wrong "
    "correct best good bad hard tricky easy great nice the at for by on in not"
)
_NOT_COUNTED = word_set(
    "of by after more less another can could may might would will must should has is was does who that which moment "
    "point thing hand side day way second minute word reason example note here there above below i you we they it he "
    "she in on at and but so because if hears sounds seems fits please cannot can't"
)
_COUNTING = word_set("only just exactly precisely there hear about single")
_OTHERS = lazy(r"[^.!?\n]{0,120}?\b(?:another|others?|second|additional|further|one|and an?)\b", re.IGNORECASE)
_OR_NUMBER = word_set("or to and")
_ONLY_ONE = word_set("a one only just")
_OF_TIME = word_set("a per every each one last")
_AFTER_ONCE = word_set("in and during at or")
_CLAUSE_ENDS = lazy(r"[\"')\]]*\s*(?:[.,!?;:\n]|$)")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_ORDINALS = [((word,), (str(i), _ENDINGS.get(i, "th"))) for word, i in ORDINALS.items()]
#: Numbers, counts and ordinals by their tokens, and how else they are said.
OTHER_WAYS: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
    ("1",): (("once",), ("single",)),
    ("2",): (("twice",),),
    ("1", "time"): (("once",),),
    ("2", "times"): (("twice",),),
    **{(word,): ((count, "times"), (count, "time")) for word, count in HOW_OFTEN.items()},
    **{word: (digits,) for word, digits in _ORDINALS},
    **{digits: (word,) for word, digits in _ORDINALS},
}


def is_bound(text: str, word: Token) -> bool:
    """Whether a number is a bound, as in "above 440" or "3 or more"."""
    before = text[max(0, word.start - _WINDOW) : word.start]
    return _BOUND.search(before) is not None or _BOUND_AFTER.match(text, word.end) is not None


def counted(words: tuple[str, ...]) -> tuple[str, ...]:
    """A text's tokens, "once" as one time and "twice" as two."""
    return (HOW_OFTEN[words[0]], "times") if len(words) == 1 and words[0] in HOW_OFTEN else words


def is_counted(text: str, words: Sequence[Token], i: int) -> bool:  # noqa: PLR0911  a rule a line
    """Whether the number, ordinal or "once" that is the ``i``-th token counts or names what an option does."""
    word = words[i]
    raw = text[word.start : word.end].casefold()
    before = words[i - 1].key if i else ""
    following = words[i + 1].key if i + 1 < len(words) else ""
    if raw == "second":
        return before not in _OF_TIME and not (before and is_number(before))
    if raw == "once":
        return before != "at" and (following in _AFTER_ONCE or _CLAUSE_ENDS.match(text, word.end) is not None)
    if raw == "twice":
        return following not in _COMPARED
    if raw == "single":
        return before in _ONLY_ONE and following not in _NOT_COUNTED and not _OTHERS.match(text, word.end)
    if following in UNITS or before in _BEFORE_LABEL:
        return False
    if following == "times" and i + 2 < len(words) and words[i + 2].key in _COMPARED:
        return False
    around = text[max(0, word.start - _WINDOW) : word.start]
    if is_bound(text, word) or _CERTAINTY.search(around) or _CERTAIN.match(text, word.end):
        return False
    return not _SUM_AFTER.match(text, word.end) and not _SUM_BEFORE.search(around)


def one_counts(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether the word "one" that is the ``i``-th token is a number: "one speaker", "just one", not "this one"."""
    before = words[i - 1].key if i else ""
    if before in _NO_COUNT_BEFORE:
        return False
    following = words[i + 1] if i + 1 < len(words) else None
    if following is None or text[words[i].end : following.start] != " ":
        return before in _COUNTING
    if following.key in _OR_NUMBER and i + 2 < len(words) and is_number(words[i + 2].key):
        return True
    return following.key not in _NOT_COUNTED and not _OTHERS.match(text, words[i].end)
