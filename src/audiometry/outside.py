"""Code of other packages: it is called through here alone, so that all it can do wrong ends in one line.

A package that somebody installed may raise what it likes, end the program (`SystemExit`) or have errors that cannot be
shown. Whatever that is becomes an error of ours that names the thing and its package, and costs that thing alone.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import msgspec

from audiometry.errors import AudioError, AudiometryError, UndecodableError, UsageError, shown

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Kinds: TypeAlias = tuple[type[BaseException], ...]
OURS: Final[Kinds] = (AudiometryError,)  # what a package says in our words for the person at the terminal
LONGEST: Final = 200  # characters of an error's words, and of a line that a thing says of itself
Fits: TypeAlias = tuple[str, Callable[[Any], bool]]
"""What something has to be, in words, and whether a value is that; a wrong type may raise."""


def _is_line(value: Any, longest: int = LONGEST) -> bool:
    return type(value) is str and 0 < len(value.strip()) <= len(value) <= longest and value.isprintable()


def line(longest: int = LONGEST) -> Fits:
    """A text of one line that can be shown."""
    return f"a text of one line of at most {longest} characters", lambda value: _is_line(value, longest)


def one_of(*values: str) -> Fits:
    """One of some words."""
    return " or ".join(values), lambda value: type(value) is str and value in frozenset(values)


def some_of(*values: str) -> Fits:
    """A set of some words that is not empty."""
    known = frozenset(values)
    return (
        f"a set of {', '.join(values)}",
        lambda these: len(these) > 0 and all(type(one) is str for one in these) and known.issuperset(these),
    )


FUNCTION: Final[Fits] = "a function", callable
FLAG: Final[Fits] = "True or False", lambda value: type(value) is bool
VERSION: Final[Fits] = "a whole number from 0", lambda value: type(value) is int and 0 <= value < 10**6


class VariantError(AudioError):
    """What a variant makes of an item's clips is no clip, or it raises: the clips are not to blame."""

    kind = "variant"


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

    def called(
        self, kind: type[T], call: Callable[[], Any], where: str = "", of: object = None, passing: Kinds = ()
    ) -> T:
        """What a call gives, which has to be of a type.

        Args:
            kind: that type, and none that is made of it, whose methods nobody would look at; ``object``: any.
            call: of the package's code.
            where: it was called, for the message (`` at item 'a'``).
            of: see `OutsideError`; None: kind and name.
            passing: errors that go on their way as they are.

        Raises:
            OutsideError: it failed, or gives something else.
        """
        found: T = called(call, lambda said: self.error(f"failed{where} ({said})", of), passing)
        if kind is not object and type(found) is not kind:
            own = ", which is made of it" if isinstance(found, kind) else ""
            raise self.error(f"gives no {kind.__name__} but {shown(type(found).__name__, 40)}{own}{where}", of)
        return found

    def error(self, does: str, of: object = None) -> OutsideError:
        """The error that says what it does."""
        origin = self.origin()
        called = f"{self.what} '{shown(self.name, 60)}'{origin and f' ({origin})'}"
        return OutsideError(f"{called} {does}; mend it or {self.without}", (self.what, self.name) if of is None else of)


def exactly(thing: Any, kind: type[T]) -> T:
    """A thing of that type and of none that is made of it, whose methods nobody would look at.

    Raises:
        TypeError: it is another.
    """
    if type(thing) is not kind:
        own = f", but one made of {kind.__name__}" if isinstance(thing, kind) else ""
        raise TypeError(f"{shown(type(thing).__name__, 40)} is no {kind.__name__}{own}")
    return thing


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
        except (TypeError, ValueError, AttributeError):
            good = False
        if not good:
            raise TypeError(f"its {name} is {shown(repr(value), 40)}, not {what}")
    return found


def well_formed(thing: T) -> T:
    """A struct, if all its fields are of their types, and texts can be written.

    Raises:
        TypeError: one is not.
    """
    from audiometry.files import foreign

    try:
        fields = msgspec.to_builtins(thing, builtin_types=(bytes,))
        foreign.convert(fields, type(thing), strict=True)
        msgspec.json.encode({name: value for name, value in fields.items() if not isinstance(value, bytes)})
    except (UndecodableError, UnicodeEncodeError) as problem:
        raise TypeError(f"{shown(type(thing).__name__, 40)}: {problem}") from problem
    return thing


@contextmanager
def undone() -> Iterator[None]:
    """Put back what is changed of this process while it lasts: folder, locale, Ctrl-C, how numbers are computed.

    Packages do so when they are imported; relative paths, figures and whoever presses Ctrl-C would be the worse for it.
    """
    import decimal
    import locale
    import os
    import signal

    here, spoken, exact = _here(), locale.setlocale(locale.LC_ALL), decimal.getcontext().copy()
    numpy = sys.modules.get("numpy")
    rounded = numpy.geterr() if numpy else {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    pressed = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        decimal.setcontext(exact)
        if numpy := sys.modules.get("numpy"):
            numpy.seterr(**rounded)
        with suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, spoken)
        if here and here != _here():
            with suppress(OSError):
                os.chdir(here)
        if signal.getsignal(signal.SIGINT) is not pressed and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, pressed)


def _here() -> str:
    """The current folder; empty if it is gone."""
    with suppress(OSError):
        return str(Path.cwd())
    return ""


def called(call: Callable[[], T], failed: Callable[[str], Exception], passing: Kinds = ()) -> T:
    """What code of another package gives.

    Args:
        call: of it; what it gives is not awaited.
        failed: makes the error to raise of one line on what it raised.
        passing: errors that go on their way as they are.
    """
    caught: list[BaseException] = []
    with _catching(caught):
        found = call()
    if caught:
        raise _error(caught[0], failed, passing)
    return found


async def awaited(call: Callable[[], Awaitable[T]], failed: Callable[[str], Exception], passing: Kinds = ()) -> T:
    """As `called`, of what is awaited; a task that waits for it may still be cancelled."""
    import asyncio

    task = asyncio.current_task()
    caught: list[BaseException] = []
    with _catching(caught):
        found = await call()
    if not caught:
        return found
    if isinstance(caught[0], asyncio.CancelledError | GeneratorExit) and (task is None or _is_ended(task)):
        raise caught[0]
    raise _error(caught[0], failed, passing)


def said(problem: BaseException, longest: int = LONGEST) -> str:
    """An error's class and words: one line, without secrets, whatever they are."""
    from audiometry.files import secrets

    parts = ["an error that cannot be shown"]
    with _catching([]):
        parts = [secrets.shown(type(problem).__name__, 60), secrets.shown(str(problem), longest)]
    return ": ".join(filter(None, parts))


def _error(problem: BaseException, failed: Callable[[str], Exception], passing: Kinds) -> BaseException:
    if isinstance(problem, passing):
        return problem
    error = failed(said(problem))
    error.__cause__ = problem
    return error


def _is_ended(task: asyncio.Task[Any]) -> bool:
    """Whether somebody cancels a task, or lets go of it, so that what ends its work is not that work's own error."""
    import asyncio

    try:
        return bool(task.cancelling()) or asyncio.current_task() is not task
    except RuntimeError:  # no loop runs any more
        return True


@contextmanager
def _catching(caught: list[BaseException]) -> Iterator[None]:
    """Notes what is raised, whatever it is; Ctrl-C alone goes on its way."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # noqa: BLE001  the one place that calls other packages: nothing of theirs stops us
        caught.append(problem)
