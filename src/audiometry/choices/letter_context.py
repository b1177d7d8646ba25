"""Whether a single letter in a text is the letter of an option, or a word, a key, a speaker, an initial."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audiometry.choices.needing import Needing
from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import Token, word_set

#: Letters of other scripts that look like one of ours and stand at its place, or look like none.
LOOKALIKES = {"А": "A", "Б": "B", "С": "C", "Е": "E", "Α": "A", "Β": "B", "Γ": "C", "Δ": "D", "Ε": "E"}

_WORDS_OF_ONE_LETTER = frozenset("AEIOUYaeiouy")
_AFTER_A_LETTER = word_set(
    "is was seems sounds looks appears fits matches would should must because since as for given "
    "describes represents corresponds makes best correct rather ist es est"
)
_NOUNS = word_set("option choice letter opt answer")
_JOINING = word_set("and or y et und e o ou oder nor")
_MUSIC = word_set("major minor sharp flat maj min dur moll chord note string clef section natural part side scale")
_NAMED_BY_LETTER = word_set(
    "speaker person vitamin part section note chord plan grade hepatitis string type verse in mr mrs ms dr class "
    "player voice group team dj side high low middle open top bottom concert drop"
)
_MARKED_BY_LETTER = word_set("grade side key chord mark")
_NOUN_OF_ANSWER = (
    r"options?|choices?|answer|correct|letter|alternative|selection|response|antwort|lösung|réponse|respuesta|opción|opcion"
    r"|resposta|opção|risposta|opzione|antwoord|svaret|svar|odpowiedź|odpowiedz|cevap|jawaban(?:nya)?|đáp án"
    r"|ответ|вариант"
    r"|الإجابة|الجواب|उत्तर|pick|choose|select|go with"
)
_DESIGNATED = Needing(
    lazy(
        rf"(?:(?:\b|^)(?:{_NOUN_OF_ANSWER})(?:\W+(?:is|was|would be|should be|must be|could be|might be|ist|es|est|é"
        rf"|è|to|là))?"
        r"|答案[是为]?|选项?|正解は|答えは)[\s:=\"'(\[-]*(?:(?:option|choice|letter|the|la|opción)[\s:(\"']+)?$",
        re.IGNORECASE,
    ),
    "option",
    "choice",
    "answer",
    "correct",
    "letter",
    "alternative",
    "selection",
    "response",
    "antwort",
    "respuesta",
    "opcion",
    "resposta",
    "risposta",
    "opzione",
    "antwoord",
    "svar",
    "odpowied",
    "cevap",
    "jawaban",
    "pick",
    "choose",
    "select",
    "go with",
)
_MUSICAL = lazy(
    r"\b(?:notes?|pitch(?:es)?|keys?|chords?|tone|tonic|tuned|tuning|root|scale|progression|form|structure|pattern|sections?)\b"
    r"[^.!?\n,;]{0,30}(?:\b[A-G][#b]?m?\W{1,4}(?:(?:and|then|to)\s)?){0,8}$",
)
_INITIALS = lazy(r"[A-Z]\.\s?(?:[A-Z]\.\s?){1,9}[A-Z][a-z]")
_NAMED_THING = lazy(
    r"\b(?!answer|option|choice|response|alternative|selection|letter\W+of\W+the\W+answer)[^\W\d_]{3,}"
    r"(?:\s(?:played|spoken|heard|said|pronounced|sung|name|sound))?\s(?:is|was|says|said|spells)\s(?:an?\s"
    r"|the\s)?[\"'(]?$",
    re.IGNORECASE,
)
_WINDOW = 60
_CLAUSE_ENDS = lazy(r"[\"')\]}]*(?:[.,!?;:)\]\n。、，]|\s*$|\s[-–—]\s|\s\()")


def bracketed(text: str, word: Token) -> bool:
    """Whether the letter stands between brackets."""
    return word.start > 0 and text[word.start - 1] in "([{" and text[word.end : word.end + 1] in {")", "]", "}"}


def labels(text: str, word: Token) -> bool:
    """Whether the letter stands at the start of a line, before a full stop, bracket, colon or dash."""
    line = text.rfind("\n", max(0, word.start - 9), word.start) + 1
    before = text[line : word.start] if line else text[max(0, word.start - 9) : word.start]
    starts = not before.strip(" \t-•(\"'[") and (bool(line) or word.start <= len(before))
    return starts and text[word.end : word.end + 1] in {".", ")", ":", "]"}


def designated(text: str, word: Token) -> bool:
    """Whether words such as "option", "the answer is" stand right before the letter."""
    return _DESIGNATED.search(text[max(0, word.start - _WINDOW) : word.start]) is not None


def names_a_thing(text: str, word: Token) -> bool:
    """Whether the letter is said to be something other than the answer: "the note is D"."""
    before = text[max(0, word.start - _WINDOW) : word.start]
    return _NAMED_THING.search(before) is not None and not designated(text, word)


def is_letter(text: str, words: Sequence[Token], i: int) -> bool:  # noqa: PLR0911  a rule a line
    """Whether the single Latin letter that is the ``i``-th token can be the letter of an option."""
    word = words[i]
    start, end = word.start, word.end
    if bracketed(text, word) or _after_underscore(text, words, i):
        return True
    if _glued(text, start, end):
        return False
    following = words[i + 1] if i + 1 < len(words) else None
    before = words[i - 1].key if i else ""
    ends = _CLAUSE_ENDS.match(text, end) is not None
    raw = text[start]
    if raw.islower():
        return _is_lower_letter(text, words, i, ends=ends)
    adjacent = following is not None and text[end : following.start].isspace()
    if following and adjacent and following.key in _MUSIC:
        return False
    article = i > 1 and text[words[i - 1].start : start] in {"a ", "an "}
    if article and words[i - 2].key != "é" and not designated(text, word):
        return False  # a grade, a note
    gap = text[words[i - 1].end : start] if i else ""
    if (before in _NAMED_BY_LETTER and gap == " ") or (before in _MARKED_BY_LETTER and gap == ": "):
        return False
    if _MUSICAL.search(text[max(0, start - _WINDOW) : start]) and not designated(text, word):
        return False
    if raw in _WORDS_OF_ONE_LETTER and not ends:
        return _not_a_word(text, words, i)
    return raw != "I" or text[end : end + 1] != ","


def _after_underscore(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether the letter ends a name such as "option_b"."""
    word = words[i]
    joined = i > 0 and words[i - 1].key in _NOUNS and text[words[i - 1].end : word.start] == "_"
    return joined and not text[word.end : word.end + 1].isalnum()


def _is_lower_letter(text: str, words: Sequence[Token], i: int, *, ends: bool) -> bool:
    """Whether a small letter is an option's: "option b is", "answer: b"; "option a" with a noun behind it is not."""
    word = words[i]
    if i and words[i - 1].key in _NOUNS and text[words[i - 1].end : word.start] == " ":
        following = words[i + 1].key if i + 1 < len(words) else ""
        return ends or text[word.start] not in _WORDS_OF_ONE_LETTER or following in _AFTER_A_LETTER
    return ends and (labels(text, word) or designated(text, word))


def _not_a_word(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether a letter that is also a word, with text behind it, is the letter all the same."""
    word = words[i]
    following = words[i + 1] if i + 1 < len(words) else None
    if following is None or text[word.end : following.start].strip():
        return True
    if text[word.start] != "I" and following.key in _AFTER_A_LETTER:
        return True
    if following.key in _JOINING and i + 2 < len(words):
        following = words[i + 2]
    if following.end - following.start == 1 and text[following.start].isupper():
        return True
    return designated(text, word)


def _glued(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if after == "." and _INITIALS.match(text, start):
        return True
    further_before, further = text[start - 2 : start - 1] if start > 1 else "", text[end + 1 : end + 2]
    if before.isdigit() or before in {"_", "&", "#", "+", "@"} or after in {"_", "&", "#", "+", "@"}:
        return True
    if before in {"-", "'", "."} and further_before.isalnum():
        return True
    if after in {"-", "'"} and further.isalnum():
        return True
    if after == "." and further.isalnum() and not text[end + 2 : end + 3].isalnum():
        return True
    return before == "/" and further_before in {"N", "n"}
