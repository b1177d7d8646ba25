"""Labels in free words: which one of a task's labels a reply gives, or that it gives none.

The rules are those of `audiometry.choices.read` for options that are shown without letters, with more names for each:
its synonyms. What a reply quotes is taken out first, the question's own words and what somebody says in the clip, and
what it says that the clip is about, as these may hold names of labels too. A label that a card calls by the denial of
another ("not funny") is read where the other is denied in other words ("isn't trying to be funny"). Nothing is ever
guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from audiometry.choices.aside import others_words
from audiometry.choices.clean import bounded, without_reasoning
from audiometry.choices.families import family
from audiometry.choices.option_text import Names
from audiometry.choices.pattern import lazy
from audiometry.choices.read import read_named
from audiometry.choices.spelling import one_each
from audiometry.choices.whole import plain

_WORD = lazy(r"\w")
_WORDS = lazy(r"\w+")
_HEARD = lazy(  # what is heard in a clip: no answer, unless it is nothing but a label
    r"\b(?:hear[ds]?|reads?|goes|contains?|transcri\w+|voices?|speech|audio|recording|clip|line)\b[^\"\n]{0,40}?"
    r"\"[^\"\n]{1,300}\"",
    re.IGNORECASE,
)
_ABOUT = lazy(  # what a clip is about is not who speaks, nor how
    r"(?:(?P<who>\b(?:talk|speak|spoke|read|tell|told|sing|sang|think|ask|sentence|text|story|passage|line|song|question|lecture"
    r"|speech|clip|recording|poem|conversation)(?:s|ing|\b)(?:\s\w+){0,5}?)\sabout"
    r"(?!\s(?:\d|twen|thir|for|fif|six|sev|eigh|nin|teen))"
    r"|\b(?:talk|speak|spoke|think|tell|sing|history|story)(?:s|ing|\b)\sof"
    r"|\b(?:mention(?:s|ed|ing)?|discuss(?:es|ed|ing)?|refer(?:s|red|ring)? to)"
    r"|\b(?:song|music|film|book|story|event|war|sentence|text)s?\s(?:is|was|are|were|comes)\s(?:set\s)?(?:from|in|of))\s"
    r"[^.,;:!?\n\"]{1,200}?(?=[.,;:!?\n\"]|\s(?:but|while|so|as|with|though|although)\s|\sin an?\s"
    r"|\s(?:and|is|are)\s(?:is|are|sounds?|seems?|appears?|s?he|they|it|i|the speaker)\b|$)",
    re.IGNORECASE,
)
_MENTIONED = lazy(r"[^.,;:!?\n\"]{1,200}\s(?:is|are|was|were) mentioned\b", re.IGNORECASE)
_UNSURE = lazy(  # then a denial is none
    r"\b(?:whether|if|or|un\w+|sure|certain\w*|clear\w*|know\w*|tell|say|hard\w*|difficult|only|just|merely|simply|either|neither"
    r"|nor|enough|always|necessarily|entirely|completely|fully|purely|might|may|could|perhaps|maybe|\w*possibl[ey]|probabl[ey]|likely|doubt\w*)\b|\?",
    re.IGNORECASE,
)
_DENIAL = lazy(r"(?:not|no|non|isn't|without)(?:\s|-)(?:an?\s)?(.+)")
_QUOTATION = lazy(r"\"([^\"\n]{1,300})\"|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)")
_QUOTES = str.maketrans("“”„‟«»‘’‛", '""""""\'\'\'')  # one for one, so that places stay
_SPAN = re.compile(r"(\d{1,4})\s*(?:-|–|to)\s*(\d{1,4})")
_NUMBERED = ("{}", "{} years", "{} years old", "{} year old")
_WIDEST = 1_000  # numbers of a label
_FEW = 3  # words; of so few a quotation in a reply is a label more often than somebody's words
_SHORTEST_QUESTION = 20


class LabelRead(NamedTuple):
    """What was read of a reply: the label, as the task has it, or None; the rule; whether the reply declines."""

    label: str | None
    how: str
    refused: bool


def label_names(
    labels: Sequence[str], synonyms: Mapping[str, Sequence[str]], ranges: Mapping[str, tuple[int, int]] | None = None
) -> Names:
    """Labels and their other names, each name once, the labels first: synonyms, and of words the nouns made of them.

    >>> read_label("about 25 years old", label_names(["18 - 22", "23 - 30"], {})).label
    '23 - 30'

    Args:
        labels: of a task.
        synonyms: other names, by label.
        ranges: by label, the first and the last of the numbers that stand for it; None or none: where all labels are
            such ranges themselves, these.
    """
    spans = ranges or _spans(labels)
    named = [(label, place) for place, label in enumerate(labels)]
    named += [(name, place) for place, label in enumerate(labels) for name in synonyms.get(label, ())]
    named += [
        (form.format(number), place)
        for place, label in enumerate(labels)
        if label in spans
        for number in range(spans[label][0], spans[label][1] + 1)
        for form in _NUMBERED
    ]
    once: dict[str, tuple[str, int]] = {}
    for name, place in named:
        once.setdefault(plain(name), (name, place))
    for form, word in one_each(frozenset(once), family).items():
        if not form.endswith("ly"):  # "Sadly, …" is of the whole sentence
            once[form] = (form, once[word][1])
    texts, owners = zip(*once.values(), strict=True) if once else ((), ())
    return Names(texts, owners, tuple(labels))


def _spans(labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The numbers that labels such as ``18 - 22`` stand for; none unless all are such and none lies in two."""
    found = [_SPAN.fullmatch(label.strip()) for label in labels]
    spans = {label: (int(one[1]), int(one[2])) for label, one in zip(labels, found, strict=True) if one is not None}
    inside = [number for first, last in spans.values() if last - first < _WIDEST for number in range(first, last + 1)]
    return spans if len(spans) == len(labels) and inside and len(inside) == len(set(inside)) else {}


def read_label(reply: str, names: Names, question: str = "") -> LabelRead:
    """Which label a reply gives.

    >>> names = label_names(["angry", "happy", "neutral"], {"angry": ["furious"]})
    >>> read_label("The speaker sounds furious, not happy.", names).label
    'angry'
    >>> read_label('He says "I am so very happy today" in a neutral voice.', names).label
    'neutral'
    >>> read_label("Either angry or happy.", names)
    LabelRead(label=None, how='several-options', refused=False)

    Args:
        reply: its text, however long.
        names: of the labels.
        question: what was asked; where the reply repeats it, these words are no answer.
    """
    text = _without_question(without_reasoning(reply).strip(), question)
    said = _without_topics(_without_quotations(text, names), names) if text else reply
    answer = read_named(said, names)
    if answer.how == "only-denied" and not answer.refused and (other := _opposite(said, names)) is not None:
        return LabelRead(other, "opposite-denied", refused=False)
    return LabelRead(answer.letter, answer.how, answer.refused)


def _opposite(text: str, names: Names) -> str | None:
    """The label that is the denial of the one that a text denies; None where it denies others too, or is unsure."""
    denials = _denials(names)
    if not denials or _UNSURE.search(text):
        return None
    denied = [place for place in range(len(names.of)) if read_named(text, _of_one(names, place)).how == "only-denied"]
    return names.of[denials[denied[0]]] if len(denied) == 1 and denied[0] in denials else None


@lru_cache(maxsize=64)
def _denials(names: Names) -> dict[int, int]:
    """By the place of a label that of the one which is called its denial ("not funny"), where there is one."""
    owner = dict(zip(map(plain, names.texts), names.owners, strict=True))
    found = {
        (owner[other[1]], place)
        for name, place in owner.items()
        if (other := _DENIAL.fullmatch(name)) and owner.get(other[1], place) != place
    }
    return {one: place for one, place in found if sum(other == one for other, _ in found) == 1}


@lru_cache(maxsize=64)
def _of_one(names: Names, place: int) -> Names:
    its = tuple(name for name, owner in zip(names.texts, names.owners, strict=True) if owner == place)
    return Names(its, (0,) * len(its), (names.of[place],))


def _without_question(text: str, question: str) -> str:
    asked = question.strip()
    if len(asked) < _SHORTEST_QUESTION or asked[-_SHORTEST_QUESTION:] not in text:
        return text
    rest = text.replace(asked, " ")
    return rest if _WORD.search(rest) else text


def _without_quotations(text: str, names: Names) -> str:
    """The text without what it quotes of somebody, unless that is a label or nothing else is said."""
    even = text.translate(_QUOTES)
    if '"' not in even and "'" not in even:
        return text
    spans = sorted([*others_words(even), *(m.span() for m in _HEARD.finditer(even))])
    kept, here = [], 0
    for start, end in spans:
        for quoted in _QUOTATION.finditer(even, start, end):
            said = quoted[1] or quoted[2]
            if quoted.start() >= here and len(said.split()) >= _FEW and plain(said) not in _plain_names(names):
                kept.append(text[here : quoted.start()])
                here = quoted.end()
    rest = " … ".join([*kept, text[here:]])
    return rest if _WORD.search(rest) else text


def _without_topics(text: str, names: Names) -> str:
    """The text without what it says that the clip is about, and where a name is all capitals without that word.

    "Tell us" names no "US", though "us" alone does, and "US English" in small letters.
    """
    if plain(text) in _plain_names(names):
        return text
    rest = _ABOUT.sub(lambda found: f"{found['who'] or ''} … ", bounded(text))
    if "mentioned" in rest:
        rest = _MENTIONED.sub(" … ", rest)
    pattern, capitals = _capitals(names)
    if pattern is not None:
        rest = pattern.sub(lambda found: " … " if found["small"] in capitals else found[0], rest)
    return rest if _WORD.search(rest) else "…"


@lru_cache(maxsize=64)
def _capitals(names: Names) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """Finds small words, and before them names that hold one of those in capitals; and these, written small."""
    small = frozenset(n.lower() for n in names.texts if n.isalpha() and n.isascii() and n.isupper())
    held = [
        name for name in names.texts if name.lower() not in small and not small.isdisjoint(_WORDS.findall(name.lower()))
    ]
    ways = "".join(f"(?i:{re.escape(name)})|" for name in sorted(held, key=len, reverse=True))
    return re.compile(rf"\b(?:{ways}(?P<small>[a-z]+))\b") if small else None, small


@lru_cache(maxsize=64)
def _plain_names(names: Names) -> frozenset[str]:
    return frozenset(map(plain, names.texts))
