r"""What a judge's answer says: two scores, or nothing that can be read.

A score is a whole or a decimal number from 1 to 10. The scores stand on a line of their own: ``7 8``, ``7.5, 8``,
``7/10 8/10``, ``Assistant 1: 7, Assistant 2: 8``, in brackets or emphasis; or on two lines with a score each, one
after the other or labelled. Text before or after that line is let pass; numbers inside a sentence are never taken for
scores, since a judge may quote those of an answer. Two such lines that differ, ``7,8`` (two scores, or one with a
decimal comma?), and numbers outside the scale cannot be read.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from audiometry.choices import clean
from audiometry.choices.pattern import lazy

LOWEST, HIGHEST = 1.0, 10.0
LONGEST = 160  # characters of a line that holds two scores and nothing else

_NUMBER = r"(?<!\d)-?\d{1,9}(?:[.,]\d{1,9})?(?!\d)"
_OUT_OF = r"(?:\s*/\s*10|\s+out\s+of\s+10)?"
_LABEL = (
    r"(?:(?:the\s+)?(?:overall\s+)?(?:score|rating)s?(?:\s+(?:of|for))?\s*)?"
    r"(?:(?:the\s+)?(?:assistant|answer|response|model|score|rating)\s*[_#]?\s*(?P<NAME_label>[12AB]))?(?:'s)?"
    r"(?:\s+(?:score|rating))?\s*(?:[:=]|\bis\b)\s*"
)
_SCORE = rf"(?:{_LABEL})?(?P<NAME>{_NUMBER}){_OUT_OF}"
_FIRST, _SECOND = _SCORE.replace("NAME", "first"), _SCORE.replace("NAME", "second")
_BETWEEN = r"(?:\s*[;|&]\s*|\s*,\s+(?:and\s+)?|\s+and\s+|\s+)"
_BOTH = lazy(rf"{_FIRST}{_BETWEEN}{_SECOND}\.?", re.IGNORECASE)
_ONE = lazy(rf"{_FIRST}\.?", re.IGNORECASE)
_A_SCORE = lazy(_NUMBER + _OUT_OF, re.IGNORECASE)
_PAIRS = (("[", "]"), ("(", ")"), ("{", "}"))
_IN_ORDER = {("1", "2"), ("A", "B"), ("a", "b")}
_OFFICIAL_HIGHEST = 10
_PORT = lazy(r"\b(?:[1-9]|10)\b")


class Scores(msgspec.Struct, frozen=True):
    """What was read.

    Attributes:
        first, second: the scores of the answers as they were shown; None where none was read.
        how: the form in which they stood, or why they cannot be read.
    """

    first: float | None = None
    second: float | None = None
    how: str = ""

    @property
    def failed(self) -> bool:
        """Whether one of them could not be read."""
        return self.first is None or self.second is None


def read_scores(said: str) -> Scores:
    """Read a judge's answer strictly; see the module.

    >>> read_scores("8 6.5")
    Scores(first=8.0, second=6.5, how='line')
    >>> read_scores("I would give the first one an 8.").how
    'prose'
    """
    return _read_short(said) if len(said) <= LONGEST else _read(said)


def _read(said: str) -> Scores:
    bare = clean.undressed(clean.without_reasoning(clean.bounded(said))).replace('"', "")
    lines = [_unbracketed(" ".join(line.split())) for line in bare.splitlines() if line.strip()]
    if not lines:
        return Scores(how="empty")
    short = {row: line for row, line in enumerate(lines) if len(line) <= LONGEST}
    both = [m for m in map(_BOTH.fullmatch, short.values()) if m]
    singles = {row: m for row, line in short.items() if (m := _ONE.fullmatch(line))}
    if len({_values(m["first"], m["second"]) for m in both}) > 1:
        return Scores(how="several-score-lines")
    if both:
        names = (both[0]["first_label"], both[0]["second_label"])
        return _scores(both[0]["first"], both[0]["second"], names, "line")
    if len(singles) == 2:  # noqa: PLR2004  one a line
        (row, one), (next_row, two) = singles.items()
        names = (one["first_label"], two["first_label"])
        if not any(names) and next_row > row + 1:
            return Scores(how="scores-apart")  # the numbers of a list, or of its headings
        return _scores(one["first"], two["first"], names, "two-lines")
    return Scores(how=_why(lines, len(singles)))


_read_short = lru_cache(maxsize=4096)(_read)  # judges say the same few lines thousands of times


def official_scores(said: str) -> Scores:
    """As AIR-Bench's own script reads: line ends deleted, two whole numbers with one blank between, 0 is one.

    Above 10 that script ends; below 0 it counts what a limit on the mean could not allow for. Here neither can be read.

    Source: the facts of its ``cal_score.py``, not its code.
    """
    parts = said.strip().replace("\n", "").split(" ")
    if len(parts) != 2:  # noqa: PLR2004  two scores
        return Scores(how="not-two-words")
    try:
        first, second = (int(part) for part in parts)
    except ValueError:
        return Scores(how="not-whole-numbers")
    if max(first, second) > _OFFICIAL_HIGHEST:
        return Scores(how="above-10")
    if min(first, second) < 0:
        return Scores(how="below-0")
    return Scores(float(first), float(second), "two-words")


def port_scores(said: str) -> Scores:
    """As the port in lmms-eval reads: dots deleted, then the first two whole numbers from 1 to 10 anywhere in the text.

    With a single number, ``second`` is None: in the order in which the model's answer stands first that port counts it.
    """
    found = [float(number) for number in _PORT.findall(said.strip().replace(".", ""))]
    if not found:
        return Scores(how="no-number")
    return Scores(found[0], found[1], "first-two") if len(found) > 1 else Scores(found[0], None, "one-number")


def _values(first: str, second: str) -> tuple[float, float]:
    return float(first.replace(",", ".")), float(second.replace(",", "."))


def _unbracketed(line: str) -> str:
    """Without brackets that come in pairs; "1) 8" is the first of a list, not two scores."""
    for opens, closes in _PAIRS:
        if line.count(opens) == line.count(closes):
            line = line.replace(opens, "").replace(closes, "")
    return line.strip()


def _scores(one: str, two: str, names: tuple[str | None, str | None], how: str) -> Scores:
    if any(names) and names not in _IN_ORDER:
        return Scores(how="labels-out-of-order")
    first, second = _values(one, two)
    if all(LOWEST <= score <= HIGHEST for score in (first, second)):
        return Scores(first, second, how)
    return Scores(how="off-scale")


def _why(lines: list[str], singles: int) -> str:
    whole = " ".join(lines)
    rest, numbers = _A_SCORE.subn("", whole)
    if numbers == 0 or rest.strip(" ,;|/"):
        return "prose" if singles == 0 else "one-score"
    if "," in whole and " " not in whole:
        return "ambiguous-comma"
    return "one-score" if numbers == 1 else f"{numbers}-scores"
