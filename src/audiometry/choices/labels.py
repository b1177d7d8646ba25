"""Labels in free words: which one of a task's labels a reply gives, or that it gives none.

The rules are those of `audiometry.choices.read` for options that are shown without letters, with more names for each:
its synonyms. What a reply quotes is taken out first, the question's own words and what somebody says in the clip, as
these may hold names of labels too. Nothing is ever guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from audiometry.choices.aside import others_words
from audiometry.choices.clean import without_reasoning
from audiometry.choices.families import family
from audiometry.choices.option_text import Names
from audiometry.choices.pattern import lazy
from audiometry.choices.read import read_named
from audiometry.choices.spelling import one_each
from audiometry.choices.whole import plain

_WORD = lazy(r"\w")
_HEARD = lazy(  # what is heard in a clip: no answer, unless it is nothing but a label
    r"\b(?:hear[ds]?|reads?|goes|contains?|transcri\w+|voices?|speech|audio|recording|clip|line)\b[^\"\n]{0,40}?"
    r"\"[^\"\n]{1,300}\"",
    re.IGNORECASE,
)
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
    answer = read_named(_without_quotations(text, names) if text else reply, names)
    return LabelRead(answer.letter, answer.how, answer.refused)


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


@lru_cache(maxsize=64)
def _plain_names(names: Names) -> frozenset[str]:
    return frozenset(map(plain, names.texts))
