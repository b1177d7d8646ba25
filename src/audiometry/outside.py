"""Code of other packages: it is called through here alone, so that all it can do wrong ends in one line.

A package that somebody installed may raise what it likes, end the program (`SystemExit`) or have errors that cannot be
shown. Whatever that is becomes an error of ours that names the thing and its package, and costs that thing alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from audiometry.errors import UsageError, shown

T = TypeVar("T")
LONGEST: int = 200  # characters of an error's words


class OutsideError(UsageError):
    """What another package gives cannot be used.

    Args:
        message: one line.
        of: the thing that is broken, for whoever goes on without it.
    """

    def __init__(self, message: str, of: object = None) -> None:
        super().__init__(message)
        self.of = of


class Outside(msgspec.Struct, frozen=True):
    """A thing of another package, as messages call it.

    Attributes:
        what: kind of thing, in the singular (``measure``).
        name: under which it is found.
        origin: says what announces it, and the package.
        without: what to do without it.
    """

    what: str
    name: str
    origin: Callable[[], str]
    without: str = "score without it"

    def called(self, kind: type[T], call: Callable[[], Any], where: str = "", of: object = None) -> T:
        """What a call gives, which has to be of a type.

        Args:
            kind: that type; ``object``: any.
            call: of the package's code.
            where: it was called, for the message (`` at item 'a'``).
            of: see `OutsideError`; None: kind and name.

        Raises:
            OutsideError: it failed, or gives something else.
        """
        found = called(call, lambda said: self.error(f"failed{where} ({said})", of))
        if not isinstance(found, kind):
            raise self.error(f"gives no {kind.__name__} but {shown(type(found).__name__, 40)}{where}", of)
        return found

    def error(self, does: str, of: object = None) -> OutsideError:
        """The error that says what it does."""
        origin = self.origin()
        called = f"{self.what} '{shown(self.name, 60)}'{origin and f' ({origin})'}"
        return OutsideError(f"{called} {does}; mend it or {self.without}", (self.what, self.name) if of is None else of)


def called(call: Callable[[], T], failed: Callable[[str], Exception]) -> T:
    """What code of another package gives.

    Args:
        call: of it; not awaited.
        failed: makes the error to raise of one line on what it raised.
    """
    found, problem = _caught(call)
    if problem is not None:
        raise failed(said(problem)) from problem
    return found  # type: ignore[return-value]  # there is one if there was no problem


def said(problem: BaseException) -> str:
    """An error's class and words: one line, without secrets, whatever they are."""

    def words() -> str:
        from audiometry.files import secrets

        name, text = type(problem).__name__, secrets.shown(str(problem), LONGEST)
        return f"{secrets.shown(name, 60)}{text and ': '}{text}"

    return _caught(words)[0] or "an error that cannot be shown"


def _caught(call: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """What a call gives or raises; Ctrl-C alone goes on its way."""
    try:
        return call(), None
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # noqa: BLE001  the one place that calls other packages: nothing of theirs stops us
        return None, problem
