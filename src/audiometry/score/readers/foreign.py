"""Readers of other packages: what they do wrong ends in one line that names them, and costs their own score alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from audiometry.errors import shown
from audiometry.outside import Outside
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.scores import Scores
from audiometry.score.readers import Outcome, Reader, Said
from audiometry.score.readers.judged import JudgedReader

_NEEDED: Final = ("name", "version", "kinds", "read")
_MADE_ANEW: Final = frozenset({"shown_as", "for_task"})  # methods that give a reader for what they are told


class Guard(Outside, frozen=True):
    """A profile of another package, with all that is called of it."""

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
