"""The coder by a book's own rules: expressions found in a text, and which way words before them turn what they say.

An expression stands at the borders of words, but in scripts that write none. Where one spans another's place it counts
alone: "wrong language" is no word on facts. What praises becomes a complaint behind "too", and either turns round
behind a negation or "less" within three words of the same clause; languages that deny behind the word are looked at
there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.choices import clean
from audiometry.files.code_book import Book

VERSION: Final = 1
LONGEST: Final = 4_000  # characters of a text that are read
Way: TypeAlias = Literal["praise", "complaint", ""]
_BEFORE: Final = 3  # words before that may turn it round
_BEHIND: Final = 8  # characters behind it, where languages deny there
_BORDERLESS: Final = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "ARABIC", "THAI", "LAO", "KHMER", "MYANMAR")
_CLAUSE: Final = re.compile(r"[.,;:!?()\n。，、；！？।]|\b(?:but|pero|aber|mais|mas|ma|maar|tapi|но)\b", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\.")
_WORD: Final = re.compile(r"[\w']+")
_DENIES: Final = (
    "not no never without less neither nor cannot cant hardly barely isnt wasnt dont didnt doesnt wont",  # English
    "sin menos ni nunca não nao sem non meno senza pas moins sans jamais ne",  # Spanish, Portuguese, Italian, French
    "nicht kein keine keinen keiner weniger ohne nie niet geen minder zonder",  # German, Dutch
    "не без менее tidak bukan kurang tanpa नहीं غير ليست ليس لا لم 안 못",  # Russian, Indonesian, Hindi, Arabic, Korean
)
_DENIAL: Final = frozenset(word for words in _DENIES for word in words.split())
_TOO: Final = frozenset(["too", "overly", "zu", "trop", "demasiado", "troppo", "te", "terlalu", "слишком", "너무"])
_DENIES_AT: Final = re.compile(r"(?:不|没|沒|没有|沒有|不太|不够|不夠|太不)$")
_TOO_AT: Final = re.compile(r"(?:太|过于|過於)$")
_DENIES_BEHIND: Final = re.compile(
    r"^\S{0,4}?(?:ない|なかった|なくて|ません|지 ?않|지 ?못|하지 ?않)|^\s?नहीं|^\s?(?:demais)$"
)


class Mention(msgspec.Struct, frozen=True):
    """Where a text has a code.

    Attributes:
        code: its name.
        way: whether it praises or faults what it speaks of; empty: it cannot be told.
        start, end: where, in the text as `plain` has it.
    """

    code: str
    way: Way
    start: int
    end: int


def plain(text: str) -> str:
    """A text as rules read it: its beginning, in one form of Unicode, without marks of Markdown."""
    return clean.undressed(text[:LONGEST]).replace("\u00a0", " ")


class Rules:
    """A book's rules, made ready.

    Args:
        book: with rules.
    """

    def __init__(self, book: Book) -> None:
        ways: tuple[tuple[Way, str], ...] = (("", "rules"), ("praise", "praise"), ("complaint", "complaint"))
        self._each: list[tuple[str, Way, re.Pattern[str]]] = [
            (code.name, way, pattern)
            for code in book.code
            for way, field in ways
            for pattern in _compiled(getattr(code, field))
        ]
        self._order = {name: at for at, name in enumerate(book.names)}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """What a text says, in the order of the book; empty: no rule reads it.

        Args:
            text: as `plain` has it.
        """
        small = _small(text)
        found = [
            Mention(code, way, one.start(), one.end())
            for code, way, pattern in self._each
            for one in pattern.finditer(small)
        ]
        longest = [one for one in found if not any(_spans(other, one) for other in found)]
        turned = {Mention(one.code, _turned(one, text), one.start, one.end) for one in longest}
        return tuple(sorted(turned, key=lambda one: (self._order[one.code], one.start, one.end, one.way)))


def _spans(longer: Mention, one: Mention) -> bool:
    return longer.start <= one.start and one.end <= longer.end and longer.end - longer.start > one.end - one.start


def _small(text: str) -> str:
    """A text in small letters, each in its place: a letter that would become two stays as it is."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _compiled(patterns: tuple[str, ...]) -> Iterator[re.Pattern[str]]:
    """Expressions that together find any of them in a text of small letters.

    Borders stand outside of the alternatives and case is not looked at where none of these has a capital: so most
    places of a text are passed over at their first letter, in a ninth of the time.
    """
    kinds: dict[tuple[bool, bool], list[str]] = {}
    for pattern in patterns:
        normal = unicodedata.normalize("NFKC", pattern)
        bordered = not any(unicodedata.name(c, "").startswith(_BORDERLESS) for c in normal)
        kinds.setdefault((bordered, _ESCAPE.sub("", normal) != _ESCAPE.sub("", normal).lower()), []).append(normal)
    for (bordered, capitals), some in kinds.items():
        either = "|".join(f"(?:{one})" if "|" in one else one for one in some)
        yield re.compile(
            rf"(?<!\w)(?:{either})(?!\w)" if bordered else either, re.IGNORECASE if capitals else re.NOFLAG
        )


def _turned(one: Mention, text: str) -> Way:
    """Which way a mention goes once the words around it are heard."""
    if not one.way:
        return ""
    before = _CLAUSE.split(text[max(0, one.start - 80) : one.start])[-1]
    words = [word.casefold() for word in _WORD.findall(before)][-_BEFORE:]
    faults = one.way == "complaint" or bool(_TOO & set(words)) or _TOO_AT.search(before.rstrip()) is not None
    denied = sum(_denials(words, before, text[one.end : one.end + _BEHIND])) % 2
    return "complaint" if faults != bool(denied) else "praise"


def _denials(words: list[str], before: str, behind: str) -> Iterator[bool]:
    """Whether it is denied, each way that languages have once."""
    yield any(word in _DENIAL or word.endswith("n't") for word in words)
    yield _DENIES_AT.search(before.rstrip()) is not None
    yield _DENIES_BEHIND.search(behind) is not None
