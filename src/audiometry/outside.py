"""Code of other packages: it is called through here alone, so that all it can do wrong ends in one line.

A package that somebody installed may raise what it likes, end the program (`SystemExit`) or have errors that cannot be
shown. Whatever that is becomes an error of ours that names the thing and its package, and costs that thing alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from audiometry.errors import UsageError, shown

T = TypeVar("T")
LONGEST: Final = 200  # characters of an error's words, and of a line that a thing says of itself
Fits: TypeAlias = tuple[str, Callable[[Any], bool]]
"""What something has to be, in words, and whether a value is that; a wrong type may raise."""


def _is_line(value: Any, longest: int = LONGEST) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= len(value) <= longest and value.isprintable()


def line(longest: int = LONGEST) -> Fits:
    """A text of one line that can be shown."""
    return f"a text of one line of at most {longest} characters", lambda value: _is_line(value, longest)


def one_of(*values: str) -> Fits:
    """One of some words."""
    return " or ".join(values), lambda value: value in frozenset(values)


def some_of(*values: str) -> Fits:
    """A set of some words that is not empty."""
    known = frozenset(values)
    return f"a set of {', '.join(values)}", lambda these: len(these) > 0 and known.issuperset(these)


FUNCTION: Final[Fits] = "a function", callable
FLAG: Final[Fits] = "True or False", lambda value: type(value) is bool
VERSION: Final[Fits] = "a whole number from 0", lambda value: type(value) is int and 0 <= value < 10**6


class OutsideError(UsageError):
    """What another package gives cannot be used.

    Args:
        message: one line.
        of: the thing that is broken, for whoever goes on without it.
    """

    def __init__(self, message: str, of: object = None) -> None:
        super().__init__(message)
        self.of = of

    @property
    def profile(self) -> str:
        """The profile that is broken; empty if it is something else."""
        return self.of[1] if isinstance(self.of, tuple) and self.of[0] == "profile" else ""


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


def looked_at(thing: Any, has: Mapping[str, Fits], may_have: Mapping[str, Fits] | None = None) -> dict[str, Any]:
    """What a thing says of itself, by attribute.

    Raises:
        TypeError: it lacks something, or something is not what it has to be.
    """
    kind = type(thing).__name__
    if lacks := [name for name in has if not hasattr(thing, name)]:
        raise TypeError(f"{shown(kind, 40)} has no {', '.join(lacks)}")
    found = {name: getattr(thing, name) for name in (*has, *(may_have or ())) if hasattr(thing, name)}
    for name, value in found.items():
        what, fits = has.get(name) or (may_have or {})[name]
        try:
            good = fits(value)
        except (TypeError, ValueError):
            good = False
        if not good:
            raise TypeError(f"its {name} is {shown(repr(value), 40)}, not {what}")
    return found


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
