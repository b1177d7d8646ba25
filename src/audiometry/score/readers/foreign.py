"""Readers of other packages: what they do wrong ends in one line that names them, and costs their own score alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from audiometry.errors import UsageError, shown
from audiometry.records import Item, ReplyRecord, State
from audiometry.registry import RAISED
from audiometry.score.judge.scores import Scores
from audiometry.score.readers import Outcome, Reader, Said
from audiometry.score.readers.judged import JudgedReader

T = TypeVar("T")
_NEEDED: Final = ("name", "version", "kinds", "read")
_MADE_ANEW: Final = frozenset({"shown_as", "for_task"})  # methods that give a reader for what they are told


class ReaderError(UsageError):
    """A reader does not do what readers do.

    Args:
        profile: whose.
        origin: says which package that is.
        what: it does.
    """

    def __init__(self, profile: str, origin: str, what: str) -> None:
        self.profile = profile
        super().__init__(f"profile '{shown(profile, 60)}' ({origin}) {what}; mend it or score without it")


class Guard(msgspec.Struct, frozen=True):
    """Calls what is of a profile of another package.

    Attributes:
        profile: its name.
        origin: says which package that is.
    """

    profile: str
    origin: Callable[[], str]

    def called(self, kind: type[T], call: Callable[[], Any], of: str = "") -> T:
        """What a call gives, which has to be of a type; ``of`` says what it was called with."""
        try:
            found = call()
        except RAISED as problem:
            raise self.error(f"failed{of} ({type(problem).__name__}: {shown(str(problem), 200)})") from problem
        if not isinstance(found, kind):
            raise self.error(f"gives no {kind.__name__} but {shown(type(found).__name__, 40)}{of}")
        return found

    def error(self, what: str) -> ReaderError:
        """The error that says so."""
        return ReaderError(self.profile, self.origin(), what)

    def readers(self, given: Mapping[str, Any]) -> dict[str, Reader]:
        """Readers by kind of task, each guarded.

        Raises:
            TypeError: one is no reader.
        """
        return {
            kind: self._judged(one) if isinstance(one, JudgedReader) else _Guarded(one, self)
            for kind, one in given.items()
        }

    def guess(self, given: Callable[[int, str, str, int], str]) -> Callable[[int, str, str, int], str]:
        """What draws letters, guarded."""

        def drawn(*of: Any) -> str:
            letter = self.called(str, lambda: given(*of))
            if len(letter) != 1:
                raise self.error(f"guesses '{shown(letter, 20)}', which is no letter")
            return letter

        return drawn

    def _judged(self, reader: JudgedReader) -> JudgedReader:
        """The house's reader with somebody's rules, which read scores."""
        read = reader.rules.read
        rules = msgspec.structs.replace(reader.rules, read=lambda text: self.called(Scores, lambda: read(text)))
        return msgspec.structs.replace(reader, rules=rules)


class _Guarded:
    """A reader of another package; what it has besides is looked at as it is."""

    def __init__(self, reader: Any, guard: Guard) -> None:
        if lacks := [name for name in _NEEDED if not hasattr(reader, name)]:
            raise TypeError(f"a reader has {', '.join(lacks)} too")
        self._reader, self._guard = reader, guard

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._reader, name)
        if name not in _MADE_ANEW:
            return found
        return lambda *told: self._guard.called(_Guarded, lambda: _Guarded(found(*told), self._guard))

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """See `readers.Reader`."""
        of = f" at a reply to item '{_short(item.id)}'"
        found = self._guard.called(Outcome, lambda: self._reader.read(reply, item, shown, said), of)
        texts = (found.read or "", found.how, found.letter or "A")
        if not (isinstance(found.state, State) and all(isinstance(one, str) for one in texts) and len(texts[-1]) == 1):
            raise self._guard.error(f"gives an Outcome that is none{of}")
        return found


def _short(text: str) -> str:
    return shown(text, 40)
