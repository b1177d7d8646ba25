"""The registry: finds things of a kind by name, in modules of a folder of ours and in what other packages announce.

A thing of ours is a module (or a package) in the folder of its kind that holds it: ``PROFILE = …`` with a ``name``, or
``ROUTES = {name: …}`` where one module has several. Other packages announce theirs by entry points in the group of
the kind. Nothing else has to be edited to add one.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, distributions, entry_points
from importlib.util import find_spec
from typing import Any, Generic, TypeVar, cast

from audiometry.errors import BrokenPackageWarning, UnknownNameError, UsageError, shown
from audiometry.outside import OutsideError, called, line, undone

T = TypeVar("T")
LONGEST_NAME = 100  # characters
OURS = "audiometry."  # how groups of entry points begin that are looked at


class Kind(Generic[T]):
    """A kind of thing that is found by name. What there is to find is looked up once for every ``sys.path``.

    Args:
        group: of entry points (``audiometry.profiles``).
        package: whose modules and packages hold ours (``audiometry.score.profiles``); None: none do.
        what: it is, in the singular, for messages (``model provider``).
        holds: what a module calls it: a thing with a ``name``, or a mapping from name to thing. A module without it is
            not imported. Empty: the last word of ``what`` in capitals.
        own: gives those of ours that are no modules (folders, data files), by name.
        made: turns what an entry point gives into a thing, given its name; raises what cannot be used. None: as it is.
        hint: what else to do about an unknown name, a sentence without its full stop.
    """

    def __init__(
        self,
        group: str,
        package: str | None,
        what: str,
        *,
        holds: str = "",
        own: Callable[[], Mapping[str, T]] | None = None,
        made: Callable[[str, Any], T] | None = None,
        hint: str = "",
    ) -> None:
        self.group, self.package, self.what, self.hint = group, package, what, hint
        self.holds = holds or what.rpartition(" ")[2].upper()
        self._own, self._made = own, made

    def names(self) -> tuple[str, ...]:
        """The names that there are, sorted; nothing of another package is loaded."""
        return tuple(self.where())

    def where(self) -> dict[str, str]:
        """The module or the entry point that each stands for, by name, sorted."""
        found = {entry.name: entry.value for entry in self._announced()}
        for where, things in self._ours():
            found |= dict.fromkeys(things, where)
        return dict(sorted(found.items()))

    def named(self, name: str) -> T:
        """The thing of that name; of the others none is loaded that is not beside it in its module.

        Raises:
            UnknownNameError: there is none; the nearest is named.
            UsageError: packages announce two of that name, or the one that announces it is broken.
        """
        entries = self._announced(name)
        for where, things in self._ours(first=name):
            if name in things:
                self._tell_of_two(name, where, *map(_said, entries))
                return things[name]
        self._refuse_two(name, *map(_said, entries))
        if not entries:
            raise UnknownNameError(self.what, name, self.names(), self.hint)
        return self._load(entries[0])

    def announced(self, name: str) -> str:
        """What announces the thing of that name, and which package, for a message; empty if it is ours."""
        return " and ".join(map(_said, self._announced(name)))

    def all(self) -> dict[str, T]:
        """Every thing by name, sorted.

        One that cannot be loaded is left out, with a `BrokenPackageWarning`, as are two that packages announce under
        one name; what is called like one of ours leaves ours in its place.

        Raises:
            UsageError: two of ours have one name.
        """
        found: dict[str, T] = {}
        places: dict[str, str] = {}
        for where, things in self._ours():
            for name, thing in things.items():
                self._refuse_two(name, *filter(None, [places.get(name)]), where)
                found[name], places[name] = thing, where
        entries: dict[str, list[EntryPoint]] = {}
        for entry in self._announced():
            entries.setdefault(entry.name, []).append(entry)
        for name, named in entries.items():
            if name in places:
                self._tell_of_two(name, places[name], *map(_said, named))
                continue
            try:
                self._refuse_two(name, *map(_said, named))
                found[name] = self._load(named[0])
            except UsageError as problem:
                warnings.warn(str(problem), BrokenPackageWarning, stacklevel=2)
        return dict(sorted(found.items()))

    def _ours(self, first: str = "") -> Iterator[tuple[str, Mapping[str, T]]]:
        """Where ours are and what is there; the module that is called like ``first`` comes first."""
        if self._own is not None:
            yield self.group, self._own()
        if self.package is None:
            return
        names = _modules(self.package, tuple(importlib.import_module(self.package).__path__), self.holds)
        for name in sorted(names, key=lambda one: one != first.replace("-", "_")):
            where = f"{self.package}.{name}"
            thing = getattr(importlib.import_module(where), self.holds)
            yield where, thing if isinstance(thing, Mapping) else {thing.name: thing}

    def _announced(self, name: str | None = None) -> list[EntryPoint]:
        """What other packages announce, of one name or all; the same twice counts once."""
        found = [one for one in _installed(tuple(sys.path)).get(self.group, ()) if name in {None, one.name}]
        return list({(entry.name, entry.value): entry for entry in found}.values())

    def _load(self, entry: EntryPoint) -> T:
        what, fits = line(LONGEST_NAME)

        def made() -> T:
            if not fits(entry.name):
                raise TypeError(f"its name is not {what}")
            thing = entry.load()
            return cast("T", thing) if self._made is None else self._made(entry.name, thing)

        def failed(said: str) -> OutsideError:
            return OutsideError(
                f"{self.what} '{shown(entry.name)}' is announced as {_said(entry)}, which cannot be loaded ({said}); "
                "mend or uninstall the package",
                (self.what, entry.name),
            )

        with undone():
            return called(made, failed)

    def _tell_of_two(self, name: str, ours: str, *others: str) -> None:
        """Say that another package cannot take the place of what is ours: it would stop, or change, every command."""
        if others:
            both = " and ".join(others)
            warnings.warn(
                f"{self.what} '{shown(name)}' is announced as {both}, but is ours ({ours}), which stays; uninstall or "
                "rename the other",
                BrokenPackageWarning,
                stacklevel=3,
            )

    def _refuse_two(self, name: str, *places: str) -> None:
        if len(places) > 1:
            both = " and ".join(places)
            raise UsageError(f"{self.what} '{shown(name)}' is there twice, as {both}; uninstall or rename one of them")


@cache
def _installed(path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points on ``sys.path``, by group of ours. Reading all packages' metadata for them takes some ms."""
    del path  # what is read depends on it
    try:
        every = called(_of_all, UsageError)
    except UsageError:  # the file of one package is damaged, whatever it is for
        every = tuple(_readable())
    groups = sorted({entry.group for entry in every if entry.group.startswith(OURS)})
    return {group: tuple(entry for entry in every if entry.group == group) for group in groups}


def _of_all() -> tuple[EntryPoint, ...]:
    found = entry_points()
    return tuple(one for group in found.groups if group.startswith(OURS) for one in found.select(group=group))


def _readable() -> Iterator[EntryPoint]:
    """The entry points of all packages but those whose file cannot be read."""
    for package in distributions():
        try:
            yield from called(lambda: tuple(package.entry_points), UsageError)  # noqa: B023  called at once
        except UsageError as problem:
            where = shown(str(getattr(package, "_path", "")), 200)
            warnings.warn(
                f"what the package in {where} announces cannot be read ({problem}); reinstall it",
                BrokenPackageWarning,
                stacklevel=2,
            )


@cache
def _modules(package: str, folder: tuple[str, ...], variable: str) -> tuple[str, ...]:
    """The modules of a package's folder that set a variable, sorted."""
    names = sorted(info.name for info in pkgutil.iter_modules(folder))
    return tuple(name for name in names if _mentions(f"{package}.{name}", variable))


def _said(entry: EntryPoint) -> str:
    """An entry point and its package, for a message."""
    parts: list[str] = []
    with suppress(OSError, TypeError, AttributeError):  # without a file of metadata
        about: Any = entry.dist.metadata if entry.dist else {}
        parts = [shown(str(about[key]), 60) for key in ("Name", "Version") if about.get(key)]
    return f"{shown(entry.value)}{' by the package ' if parts else ''}{' '.join(parts)}"


def _mentions(module: str, variable: str) -> bool:
    """Whether a module sets a variable: looked up in its text, since importing all of a folder takes long."""
    spec = find_spec(module)
    text = getattr(spec.loader, "get_source", lambda _: None)(module) if spec else None
    if text is None:  # no text is shipped beside what is compiled
        return hasattr(importlib.import_module(module), variable)
    return re.search(rf"^{variable}\b", text, re.MULTILINE) is not None
