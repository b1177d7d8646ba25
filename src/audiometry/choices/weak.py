"""Words that are options and small words of any sentence: yes, no, one, left, right, first, and their like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audiometry.choices.counting import one_counts
from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import Token, word_set

#: Options of one such word name nothing in the middle of a sentence ("this one", "there is no piano").
WEAK = word_set(
    "yes no one other on off in out up down and or not none both all it is a i the same right left to too more "
    "less first last neither either any some can may"
)
CLAUSE_ENDS = lazy(r"[\"')\]]*\s*(?:[.,!?;:…\n]|$|[–—]|-\s)")
_STARTS, _GOES_ON = frozenset(".!?\n:"), frozenset(",;–—…")
_LEADS = word_set("is was are were be a answer says said word to from option choice so therefore thus hence")
_PLACES = frozenset({"first", "last", "same"})
#: "You are right" and "the right answer" name no side.
_BEFORE_SIDES = {
    "left": word_set("the from to on is answer front back rear"),
    "right": word_set("the from to on front back rear"),
}
_SIDE_ENDS = lazy(r"[\"')\]]*\s*(?:[.,!?;:\n]|$|(?:side|channel|ear|speaker|hand)\b)")
_YES_NO = frozenset({"yes", "no"})
_LEADS_TO_YES_NO = _LEADS | word_set(
    "say guess think probably definitely clearly likely with choose pick select absolutely certainly surely simply "
    "actually meant mean rather definite clear"
)
_AFTER_YES_NO = word_set("it there he she they i we this that you")
_AFTER_YES = word_set("of yes indeed")
_REASON = lazy(r"\s(?:\(|because\b|since\b|as\b)", re.IGNORECASE)


def weak_counts(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether the weak word that is the ``i``-th token names its option there."""
    word = words[i]
    raw = text[word.start : word.end].casefold()
    before = words[i - 1].key if i else ""
    if raw in _BEFORE_SIDES:
        across = before == "to" and i > 1 and words[i - 2].key in _BEFORE_SIDES  # "from left to right"
        return before in _BEFORE_SIDES[raw] and not across and _SIDE_ENDS.match(text, word.end) is not None
    gap = frozenset(text[words[i - 1].end : word.start]) if i else _STARTS
    if raw in _YES_NO:
        return _yes_or_no_counts(
            text, words, i, raw, begins=not gap.isdisjoint(_STARTS | _GOES_ON) or gap >= {" ", "-"}
        )
    if raw == "one" and one_counts(text, words, i):
        return True
    leads = before in _LEADS or (before == "the" and raw in _PLACES)
    return (leads or not gap.isdisjoint(_STARTS)) and CLAUSE_ENDS.match(text, word.end) is not None


def _yes_or_no_counts(text: str, words: Sequence[Token], i: int, raw: str, *, begins: bool) -> bool:
    """Whether a "yes" or "no" answers: it begins what is said or is led to, and ends it or has a reason behind it."""
    following = words[i + 1].key if i + 1 < len(words) else ""
    if begins and (following in _AFTER_YES_NO or (raw == "yes" and following in _AFTER_YES)):
        return True
    end = words[i].end
    ends = CLAUSE_ENDS.match(text, end) is not None or _REASON.match(text, end) is not None
    return ends and (begins or words[i - 1].key in _LEADS_TO_YES_NO)
