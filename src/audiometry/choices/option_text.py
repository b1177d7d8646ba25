"""Option texts as phrases of tokens, and where a text names one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from audiometry.choices import counting, spelling
from audiometry.choices.clean import undressed
from audiometry.choices.number_words import HOW_OFTEN, ORDINALS
from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import ARTICLES, Token, is_number, keys, word_set
from audiometry.choices.weak import CLAUSE_ENDS, WEAK, weak_counts

#: Words between the two ends of a range, or after a number of one.
FILLERS = word_set("s sec secs second seconds ms msec m min minutes hz to and until till through from bis à")
_RANGE_FILLERS = FILLERS | word_set(
    "ends ending end stops stopping finishes finishing lasts lasting continues at about approximately around roughly"
)
_COPULAS = word_set("is are was were")
_RELATIVES = word_set("that which who")
_SMALL = ARTICLES | _RELATIVES | word_set("my your his her its our their")
_UNMARKED = lazy(r"[\w' ]*")
_KEY_QUALITIES = frozenset({"major", "minor", "flat", "sharp"})
_FUNCTION_WORDS = word_set(
    "in on at and or but from during with while for as to by of is are was can could then because since which so not "
    "sound sounds noise noises again twice once repeatedly outside inside somewhere nearby"
)
_LONGEST_NESTED = 8  # tokens
_GLAD = frozenset({"happy", "glad"})
_POLITE = _GLAD | {"fear", "surprise", "surprised"}
_MINE = frozenset({"i", "i'm", "my"})
_BEFORE_POLITE = word_set("i'm am be than always")
_COUNT_WORDS = frozenset({*HOW_OFTEN, *ORDINALS, "single"})
#: Words of options that have no other forms here.
_FORMLESS = WEAK | FILLERS | ARTICLES | _COUNT_WORDS | counting.UNITS | _KEY_QUALITIES
_NOTE = lazy(r"([a-g])(#|b)(-?\d*)")


class Phrase(NamedTuple):
    """A way to name an option: tokens, which options are named so, and what it takes to count."""

    keys: tuple[str, ...]
    options: frozenset[int]
    is_range: bool


class Names(NamedTuple):
    """What may be answered where each has several names.

    Attributes:
        texts: all names.
        owners: of each name, the place of what it stands for.
        of: what they stand for.
    """

    texts: tuple[str, ...]
    owners: tuple[int, ...]
    of: tuple[str, ...]


class OptionIndex(NamedTuple):
    """What the reader knows of a set of options.

    Attributes:
        n: how many there are.
        by_first: phrases by their first token, longest first.
        single: options whose whole text is one Latin letter, by that letter in lower case.
        forms: other forms of the options' words (`spelling.forms`), and the words.
        verb_forms: forms that are of a word only if it is a verb.
        inflected: all these forms.
        stems: what the words in "-ing" after a text's first are made of.
        words: all words of the options that are no numbers.
        numbered: "option 2" names none by its place: their texts hold numbers or ordinals, or they have no places.
        nested: a way to name one ends another's, as "piano" does "electric piano".
        lettered: they were shown under letters.
    """

    n: int
    by_first: dict[str, tuple[Phrase, ...]]
    single: dict[str, frozenset[int]]
    forms: dict[str, str]
    verb_forms: dict[str, str]
    inflected: frozenset[str]
    stems: dict[str, str]
    words: frozenset[str]
    numbered: bool
    nested: bool
    lettered: bool = True


@lru_cache(maxsize=512)
def index(options: tuple[str, ...], *, lettered: bool = True, owners: tuple[int, ...] = ()) -> OptionIndex:
    """What is known of the options in the order they are shown in.

    Args:
        options: their texts.
        lettered: whether they were shown under letters.
        owners: where several texts may name one: of each text, the place of what it names, those first that are no
            other names; empty: each text is an option.
    """
    whose = owners or range(len(options))
    n = len(set(whose))
    texts = [_keys(option) for option in options]
    named: dict[tuple[str, ...], set[int]] = {}
    single: dict[str, set[int]] = {}
    for i, text in enumerate(texts):
        if len(text) == 1 and len(text[0]) == 1 and text[0].isascii() and text[0].isalpha():
            single.setdefault(text[0], set()).add(whose[i])
            continue
        for way in _ways((*text, "%") if text and "%" in options[i] else text):
            named.setdefault(way, set()).add(whose[i])
    for ways in (_cores(texts[:n]), _without_unit([counting.counted(text) for text in texts[:n]])):
        for i, way in enumerate(ways):
            if way not in named:
                named[way] = {i}
    for known, places in list(named.items()):
        for way in counting.OTHER_WAYS.get(known, ()):
            named.setdefault(way, places)
    by_first: dict[str, list[Phrase]] = {}
    for way, places in sorted(named.items(), key=lambda entry: -len(entry[0])):
        of_first = by_first.setdefault(way[0], [])
        of_first.append(Phrase(way, frozenset(places), len(way) > 1 and all(map(is_number, way))))
    words = frozenset(k for way in named for k in way if k.isalpha() and k not in _FORMLESS)
    forms, verb_forms = spelling.one_each(words, spelling.forms), spelling.one_each(words, spelling.verb_forms)
    return OptionIndex(
        n,
        {first: tuple(phrases) for first, phrases in by_first.items()},
        {letter: frozenset(places) for letter, places in single.items()},
        forms,
        verb_forms,
        frozenset(forms.keys() | verb_forms.keys()),
        spelling.one_each({k for way in named for k in way[1:] if k in words and k.endswith("ing")}, spelling.stems),
        words,
        bool(owners) or any(is_number(k) or k in ORDINALS for text in texts for k in text),
        any(way[-k:] in named for way in named for k in range(1, min(len(way), _LONGEST_NESTED))),
        lettered,
    )


@lru_cache(maxsize=4096)
def _keys(option: str) -> tuple[str, ...]:
    return keys(undressed(option))


@lru_cache(maxsize=4096)
def _ways(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """A text's tokens, with and without a leading article, as a range of numbers, accidentals as signs or words."""
    ways = {words} if words else set()
    if words[-1:] == ("%",):
        words = words[:-1]
        ways = {words, (*words, "percent")}
    if len(words) > 1 and words[0] in ARTICLES and words[1] not in _KEY_QUALITIES:
        words = words[1:]
        ways.add(words)
    numbers = tuple(k for k in words if k not in FILLERS)
    if len(numbers) > 1 and all(map(is_number, numbers)):
        ways.add(numbers)
    spelt: list[str] = []
    for k in words:
        note = _NOTE.fullmatch(k)
        spelt += [k] if not note else [note[1], "sharp" if note[2] == "#" else "flat", *filter(None, [note[3]])]
    if spelt and tuple(spelt) != words:
        ways.add(tuple(spelt))
    return frozenset(ways)


def _cores(texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """What is left of each text without the words that all begin and all end with; nothing unless it is telling."""
    shortest = min(map(len, texts), default=0)
    if len(texts) < 2 or not shortest:  # noqa: PLR2004  two are needed to have something in common
        return []
    head = 0
    while head < shortest and len({t[head] for t in texts}) == 1:
        head += 1
    tail = 0
    while tail < shortest - head and len({t[-1 - tail] for t in texts}) == 1:
        tail += 1
    if not head and not tail:
        return []
    cores = [t[head : len(t) - tail] for t in texts]
    telling = all(any(len(k) > 2 and k.isalpha() and k not in WEAK for k in core) for core in cores)  # noqa: PLR2004
    return cores if telling and len(set(cores)) == len(cores) else []


def _without_unit(texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The bare numbers, where every text is a number and the same unit."""
    shape = all(len(t) == 2 and is_number(t[0]) for t in texts)  # noqa: PLR2004  a number and its unit
    same_unit = len({t[1].rstrip("s") for t in texts}) == 1 if shape else False
    return [t[:1] for t in texts] if same_unit and len({t[0] for t in texts}) == len(texts) else []


def named_at(text: str, words: Sequence[Token], i: int, known: OptionIndex) -> tuple[Phrase, int] | None:
    """The longest phrase that the ``i``-th token begins, as some phrase does, and the place after its last token."""
    start = words[i].start
    labelled = words[i].key == "a" and not text[words[i].end : words[i].end + 1].isspace()  # "A. slow"
    if start > 1 and text[start - 1] == "-" and text[start - 2].isalpha():
        return None  # the second part of a compound: non-speech
    for phrase in known.by_first[words[i].key]:
        after = _match_range(words, i, phrase) if phrase.is_range else _match(text, words, i, phrase, known)
        if not after or (labelled and after > i + 1):
            continue
        whole = len(phrase.keys) > 1 and (phrase.is_range or not is_number(words[i].key))
        if whole or (not counting.is_bound(text, words[i]) if len(phrase.keys) > 1 else _counts(text, words, i)):
            return phrase, after
    return None


def in_options_forms(text: str, words: Sequence[Token], known: OptionIndex) -> Sequence[Token]:
    """The tokens, with those that are another form of an option's word made that word."""
    if known.inflected.isdisjoint([word.key for word in words]):
        return words
    made = list(words)
    for i, word in enumerate(words):
        wanted = known.forms.get(word.key)
        if wanted is None and word.key in known.verb_forms and _is_verb(text, words, i, known):
            wanted = known.verb_forms.get(word.key)
        if wanted is not None:
            made[i] = word._replace(key=wanted)
    return made


def _is_verb(text: str, words: Sequence[Token], i: int, known: OptionIndex) -> bool:
    """Whether a form in "-ing" or "-ed" says what is done: "a man coughing", not "a parked car"."""
    if i and words[i - 1].key in ARTICLES:
        return False
    following = words[i + 1].key if i + 1 < len(words) else ""
    if following in _FUNCTION_WORDS or following in ARTICLES or following in known.words:
        return True
    return following.endswith("ly") or CLAUSE_ENDS.match(text, words[i].end) is not None


def _match(text: str, words: Sequence[Token], i: int, phrase: Phrase, known: OptionIndex) -> int:
    for k, wanted in enumerate(phrase.keys):
        if k and i < len(words) and words[i].key != wanted:
            i = _after_small_words(text, words, i, wanted)
        if i >= len(words) or (words[i].key != wanted and (not k or known.stems.get(words[i].key) != wanted)):
            return 0
        i += 1
    return i


def _after_small_words(text: str, words: Sequence[Token], i: int, wanted: str) -> int:
    """The place after words that change nothing: "a dog is barking", "set an alarm", "an engine that is idling"."""
    if words[i].key in _COPULAS and wanted.endswith("ing"):
        return i + 1
    if words[i].key not in _SMALL or not wanted.isalpha():
        return i
    after = i + 1
    if words[i].key in _RELATIVES:
        if after >= len(words) or words[after].key not in _COPULAS:
            return i
        after += 1
    end = words[after].start if after < len(words) else len(text)
    return after if _UNMARKED.fullmatch(text, words[i - 1].end, end) else i


def _match_range(words: Sequence[Token], i: int, phrase: Phrase) -> int:
    for wanted in phrase.keys:
        while i < len(words) and words[i].key in _RANGE_FILLERS:
            i += 1
        if i >= len(words) or words[i].key != wanted:
            return 0
        i += 1
    return i


def _is_polite(words: Sequence[Token], i: int) -> bool:
    """Whether the word is the model's own: "I'd be happy to listen", "I fear that", "to my surprise"."""
    if words[i].key not in _GLAD:
        before = words[i - 1].key if i else ""
        return before in _MINE or (before in {"am", "was"} and i > 1 and words[i - 2].key == "i")
    following = [word.key for word in words[i + 1 : i + 3]]
    if following[:1] != ["to"]:
        return False
    return following[1:] in (["help"], ["assist"]) or (i > 0 and words[i - 1].key in _BEFORE_POLITE)


def _counts(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether a phrase of one token at that place names its option."""
    word = words[i]
    raw = text[word.start : word.end].casefold()
    if raw in _POLITE and _is_polite(words, i):
        return False
    if (is_number(word.key) or raw in _COUNT_WORDS) and not counting.is_counted(text, words, i):
        return False
    return raw not in WEAK or weak_counts(text, words, i)
