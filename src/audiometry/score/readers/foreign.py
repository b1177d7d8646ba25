"""Readers of other packages: what they do wrong ends in one line that names them, and costs their own score alone."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, get_args

import msgspec

from audiometry.errors import shown
from audiometry.outside import (
    FLAG,
    FUNCTION,
    LONGEST,
    VERSION,
    Fits,
    Outside,
    exactly,
    line,
    looked_at,
    one_of,
    some_of,
)
from audiometry.records import Item, ReplyRecord, State, sensible
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.judge.scores import Scores
from audiometry.score.measures.measure import LARGEST
from audiometry.score.readers import Outcome, Reader, Said, lent
from audiometry.score.readers.golden import GoldenReader
from audiometry.score.readers.judged import JudgedReader, Panel

T = TypeVar("T")
LONGEST_READ: Final = 10**7  # characters of what a reader read
MOST_SCORES: Final = 1000  # of one outcome


def _is_number(value: object) -> bool:
    return (type(value) is float or type(value) is int) and abs(value) <= LARGEST


_NUMBER: Final[Fits] = "a number", _is_number
_OR_NONE: Final[Fits] = "a number or None", lambda value: value is None or _is_number(value)
_KINDS: Final = frozenset({"choice", "label", "transcript", "open"})
_ASKING: Final[Mapping[type, frozenset[str]]] = {JudgedReader: frozenset({"open"}), GoldenReader: frozenset({"choice"})}
_READER: Final[Mapping[str, Fits]] = {
    "name": line(),
    "version": VERSION,
    "kinds": some_of(*_KINDS),
    "read": FUNCTION,
}
_RULES: Final[Mapping[str, Fits]] = {
    "name": line(),
    "about": line(),
    "version": VERSION,
    "read": FUNCTION,
    **dict.fromkeys(("once", "both", "empty_judged"), FLAG),
    **dict.fromkeys(("unread", "failed"), _OR_NONE),
    **dict.fromkeys(("lowest", "highest"), _NUMBER),
}
_LETTERS: Final = frozenset(string.ascii_uppercase)
_WITHOUT_WORDS: Final = frozenset({State.FAILED, State.NOT_ASKED})
_MADE_ANEW: Final = frozenset({"shown_as", "for_task"})  # methods that give a reader for what they are told


class Guard(Outside, frozen=True):
    """A profile of another package, with all that is called of it."""

    def readers(self, given: Mapping[str, Any]) -> dict[str, Reader]:
        """Readers by kind of task, each guarded.

        Raises:
            TypeError: one is no reader of its kind.
        """
        for kind, one in given.items():
            kinds = frozenset(looked_at(one, _READER)["kinds"]) & _ASKING.get(type(one), _KINDS)
            if kind not in kinds:
                raise TypeError(f"its reader of {shown(str(kind), 40)} is one of {', '.join(sorted(kinds)) or 'none'}")
        return {str(kind): self._guarded(one) for kind, one in given.items()}

    def _guarded(self, reader: Any) -> Reader:
        """A reader by which nothing can go wrong but its own score; who asks a judge is the house's own."""
        if isinstance(reader, JudgedReader):
            return self._judged(reader)
        return reader if type(reader) is GoldenReader else _Guarded(reader, self)

    def guess(self, given: Callable[[int, str, str, int], str]) -> Callable[[int, str, str, int], str]:
        """What draws letters, guarded."""

        def drawn(seed: int, item: str, variant: str, n: int) -> str:
            where = f" at item '{shown(item, 40)}'"
            letter = self.called(str, lambda: given(seed, item, variant, n), where)
            if letter not in _LETTERS or ord(letter) - ord("A") >= n:
                raise self.error(f"guesses '{shown(letter, 20)}' of {n} options{where}")
            return letter

        return drawn

    def sound(self, kind: type[T], call: Callable[[], Any], wrong: Callable[[Any], str], where: str) -> T:
        """What a call gives, if nothing is wrong with it; it is looked at as it is called, since it may be anything.

        Args:
            kind: what it has to be.
            call: of the package's code.
            wrong: what one of that kind does that it should not; empty if nothing.
            where: it was called.

        Raises:
            OutsideError: it failed, or something is wrong.
        """

        def looked() -> tuple[Any, str]:
            found = call()
            return found, wrong(found) if type(found) is kind else ""

        found, says = self.called(tuple, looked, where)
        if says:
            raise self.error(f"{says}{where}")
        return self.called(kind, lambda: found, where)

    def _judged(self, reader: JudgedReader) -> JudgedReader:
        """The house's reader with somebody's rules, which read scores.

        Raises:
            TypeError: these are no rules.
        """
        rules = exactly(reader.rules, JudgeRules)
        looked_at(rules, _RULES)
        looked_at(exactly(reader, JudgedReader), {"panel": one_of(*get_args(Panel))})
        if not rules.lowest < rules.highest:
            raise TypeError(f"its lowest score is {rules.lowest:g}, its highest {rules.highest:g}")
        for name, worth in (("unread", rules.unread), ("failed", rules.failed)):
            if worth is not None and not rules.lowest <= worth <= rules.highest:
                raise TypeError(f"its {name} is {worth:g}, and scores are {rules.lowest:g} to {rules.highest:g}")

        def read(text: str) -> Scores:
            return self.sound(
                Scores, lambda: rules.read(text), lambda found: _misread(found, rules), " at what a judge said"
            )

        return msgspec.structs.replace(reader, rules=msgspec.structs.replace(rules, name=self.name, read=read))


class _Guarded:
    """A reader of another package, of which nothing is looked at but `readers.Reader` and ``_MADE_ANEW``."""

    def __init__(self, reader: Any, guard: Guard) -> None:
        said = looked_at(reader, _READER)
        self.name, self.version, self.kinds = said["name"], said["version"], frozenset(said["kinds"])
        self._reader, self._guard = reader, guard

    def __getattr__(self, name: str) -> Any:
        if name not in _MADE_ANEW:
            raise AttributeError(name)
        found: Any = self._guard.called(object, lambda: getattr(self._reader, name, _NONE))
        if found is _NONE:
            raise AttributeError(name)
        return lambda *told: self._guard.called(_Guarded, lambda: _Guarded(found(*told), self._guard))

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """See `readers.Reader`."""
        where = f" at a reply to item '{_short(item.id)}'"
        own, options, words = lent(item), tuple(shown), tuple(said)
        return self._guard.sound(
            Outcome,
            lambda: self._reader.read(reply, own, options, words),
            lambda found: _misjudged(found, len(options)) or _misseen(found, reply),
            where,
        )


_NONE: Final = object()


def _misjudged(found: Outcome, n_options: int) -> str:
    """What is wrong with an outcome; empty if nothing is."""
    if type(found.state) is not State:
        return f"gives an Outcome whose state is {_said(found.state)}, which is none of State"
    for name, text, longest in (("read", found.read, LONGEST_READ), ("how", found.how, LONGEST)):
        if not _is_text(text, longest) and (text is not None or name == "how"):
            return f"gives an Outcome whose {name} is {_said(text)}, which is no text of at most {longest:,} characters"
    if found.letter is not None and not (type(found.letter) is str and found.letter in _LETTERS):
        return f"gives an Outcome whose letter is {_said(found.letter)}, which is none of A to Z"
    if found.letter and found.read is not None and 0 < n_options <= ord(found.letter) - ord("A"):
        return f"gives an Outcome whose letter is {found.letter} of {n_options} options, and whose read is one of them"
    return _misscored(found.scores)


def _misseen(found: Outcome, reply: ReplyRecord | None) -> str:
    """Where no words came there is nothing to read: a failure may not raise what is made of the others."""
    if (reply is None or reply.error is not None) and found.state not in _WITHOUT_WORDS:
        what = "was not asked for" if reply is None else "failed"
        return f"gives an Outcome whose state is {found.state} of a reply that {what}"
    return ""


def _misscored(scores: Any) -> str:
    if type(scores) is not tuple or len(scores) > MOST_SCORES:
        return f"gives an Outcome whose scores are {_said(scores)}, which is no tuple of at most {MOST_SCORES}"
    if not all(_is_number(score) or (type(score) is float and math.isnan(score)) for score in scores):
        return f"gives an Outcome whose scores are {_said(scores)}, which are no numbers"
    return ""


def _misread(found: Scores, rules: JudgeRules) -> str:
    """What is wrong with scores that somebody's rules read; empty if nothing is."""
    for score in (found.first, found.second):
        if score is not None and not (_is_number(score) and rules.lowest <= score <= rules.highest):
            return f"reads a score of {_said(score)}, and scores are {rules.lowest:g} to {rules.highest:g}"
    return "" if _is_text(found.how, LONGEST) else f"says how it read a judge in {_said(found.how)}, which is no text"


def _is_text(given: object, longest: int) -> bool:
    return type(given) is str and len(given) <= longest and sensible.text(given) == given


def _said(given: Any) -> str:
    """A value for a message, without what is made of a huge one."""
    return (
        f"a {type(given).__name__} of {len(given)}"
        if hasattr(given, "__len__") and len(given) > LONGEST
        else _short(repr(given))
    )


def _short(text: str) -> str:
    return shown(text, 40)
