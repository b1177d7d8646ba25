"""Readers of other packages: what they do wrong ends in one line that names them, and costs their own score alone."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from audiometry.errors import shown
from audiometry.outside import FLAG, FUNCTION, VERSION, Fits, Outside, exactly, line, looked_at, one_of, some_of
from audiometry.records import Item, ReplyRecord, State, sensible
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.judge.scores import Scores
from audiometry.score.readers import Outcome, Reader, Said
from audiometry.score.readers.judged import JudgedReader, Panel

_NUMBER: Final[Fits] = "a number", lambda value: type(value) in {int, float} and math.isfinite(value)
_OR_NONE: Final[Fits] = "a number or None", lambda value: value is None or _NUMBER[1](value)
_READER: Final[Mapping[str, Fits]] = {
    "name": line(),
    "version": VERSION,
    "kinds": some_of("choice", "label", "transcript", "open"),
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
_MADE_ANEW: Final = frozenset({"shown_as", "for_task"})  # methods that give a reader for what they are told


class Guard(Outside, frozen=True):
    """A profile of another package, with all that is called of it."""

    def readers(self, given: Mapping[str, Any]) -> dict[str, Reader]:
        """Readers by kind of task, each guarded.

        Raises:
            TypeError: one is no reader of its kind.
        """
        for kind, one in given.items():
            if kind not in looked_at(one, _READER)["kinds"]:
                raise TypeError(f"its reader of {shown(str(kind), 40)} is one of {', '.join(sorted(one.kinds))}")
        return {
            kind: self._judged(one) if isinstance(one, JudgedReader) else _Guarded(one, self)
            for kind, one in given.items()
        }

    def guess(self, given: Callable[[int, str, str, int], str]) -> Callable[[int, str, str, int], str]:
        """What draws letters, guarded."""

        def drawn(seed: int, item: str, variant: str, n: int) -> str:
            where = f" at item '{shown(item, 40)}'"
            letter = self.called(str, lambda: given(seed, item, variant, n), where)
            if letter not in _LETTERS or ord(letter) - ord("A") >= n:
                raise self.error(f"guesses '{shown(letter, 20)}' of {n} options{where}")
            return letter

        return drawn

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

        def read(text: str) -> Scores:
            found = self.called(Scores, lambda: rules.read(text), " at what a judge said")
            for score in (found.first, found.second):
                if score is not None and not (_NUMBER[1](score) and rules.lowest <= score <= rules.highest):
                    raise self.error(
                        f"reads a score of {shown(repr(score), 40)}, and scores are {rules.lowest:g} to "
                        f"{rules.highest:g}"
                    )
            if not _is_text(found.how):
                raise self.error("says how it read a judge in what is no text")
            return found

        return msgspec.structs.replace(reader, rules=msgspec.structs.replace(rules, name=self.name, read=read))


class _Guarded:
    """A reader of another package; what it has besides is looked at as it is."""

    def __init__(self, reader: Any, guard: Guard) -> None:
        said = looked_at(reader, _READER)
        self.name, self.version, self.kinds = said["name"], said["version"], frozenset(said["kinds"])
        self._reader, self._guard = reader, guard

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._guard.called(object, lambda: getattr(self._reader, name, _NONE))
        if found is _NONE:
            raise AttributeError(name)
        if not callable(found):
            return found
        if name in _MADE_ANEW:
            return lambda *told: self._guard.called(_Guarded, lambda: _Guarded(found(*told), self._guard))
        return lambda *told: self._guard.called(object, lambda: found(*told))

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """See `readers.Reader`."""
        where = f" at a reply to item '{_short(item.id)}'"
        found = self._guard.called(Outcome, lambda: self._reader.read(reply, item, shown, said), where)
        if wrong := _wrong(found):
            raise self._guard.error(f"gives an Outcome whose {wrong}{where}")
        return found


_NONE: Final = object()


def _wrong(found: Any) -> str:
    """What is wrong with an outcome; empty if nothing is."""
    if not isinstance(found.state, State):
        return f"state is {_short(repr(found.state))}, which is none of State"
    for name, text in (("read", found.read or ""), ("how", found.how)):
        if not _is_text(text):
            return f"{name} is {_short(repr(text))}, which is no text that can be written"
    if found.letter is not None and found.letter not in _LETTERS:
        return f"letter is {_short(repr(found.letter))}, which is none of A to Z"
    if not all(type(score) in {int, float} and not math.isinf(score) for score in found.scores):
        return f"scores are {_short(repr(found.scores))}, which are no numbers"
    return ""


def _is_text(given: object) -> bool:
    return isinstance(given, str) and sensible.text(given) == given


def _short(text: str) -> str:
    return shown(text, 40)
