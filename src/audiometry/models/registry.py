"""Model names to models: the routes of the house, and the providers that installed packages announce.

A route is a module or package of `audiometry.models` with ``ROUTES = {"provider": Route(…)}``; another package's is an
entry point in the group ``audiometry.models`` that gives ``load(name, settings) -> Model``, or a `Route`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import msgspec

from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.models import foreign, reading
from audiometry.models.protocol import Model
from audiometry.models.route import SETTINGS, Loader, Route, Setting
from audiometry.models.settings import ModelSettings
from audiometry.registry import Kind

READS: Final = "openai/gpt-6.1-terra"
"""An example of a model that reads text."""


def _announced(name: str, given: Any) -> Route:
    """A provider of another package; one that gives no `Route` is taken to heed all settings."""
    if not isinstance(given, Route):
        if not callable(given):
            raise TypeError("it is no function load(name, settings) and no Route")
        given = Route(load=cast("Loader", given), example=f"{name}/NAME")
    return foreign.route(given, name, lambda: PROVIDERS.announced(name))


PROVIDERS: Final[Kind[Route]] = Kind(
    "audiometry.models",
    "audiometry.models",
    "model provider",
    holds="ROUTES",
    made=_announced,
    hint="see `audiometry list models`",
)


def providers() -> dict[str, str]:
    """Every provider, with the module or entry point that serves it."""
    return PROVIDERS.where()


def about() -> dict[str, str]:
    """A line for people on every provider: what stands behind it."""
    said = {f"{name}/…": f"from {where}" for name, where in providers().items() if ":" in where}
    for name, where in providers().items():
        if ":" not in where:
            said[f"{name}/…"] = (importlib.import_module(where).__doc__ or "").partition("\n")[0].replace("``", "")
    return said


def routes() -> dict[str, Route]:
    """Every provider as it says of itself; one that cannot be loaded is left out."""
    return PROVIDERS.all()


def reader_of(name: str) -> str:
    """The reader that a model's name names, where the model is one that has its words read; empty: none.

    Raises:
        UsageError: the name cannot be read.
    """
    return reading.reader_in(name) if _has_reader(name) else ""


def with_reader(name: str, reader: str) -> str:
    """A model's name with its reader in it; as it is where the model has none, which `refuse_idle` says.

    Raises:
        UsageError: the name has another one already.
    """
    return reading.with_reader(name, reader) if _has_reader(name) else name


def refuse_idle(names: Sequence[str], given: Iterable[Setting]) -> None:
    """Refuse settings that would do nothing, which a person who gave them does not expect.

    Args:
        names: of the models that are asked, a cascade's with its reader, which heeds settings of its own; loading one
            that there is not says so.
        given: what a person has set, of `SETTINGS`.

    Raises:
        UsageError: one of them does nothing with any of the models.
    """
    everybody = [*names, *(reader for name in names if (reader := reader_of(name)))]
    asked = [route for name in everybody if (route := _route(name)) is not None]
    if not asked:
        return
    takes = frozenset[Setting]().union(*(route.takes for route in asked))
    for setting in given:
        if setting not in takes:
            takers = ", ".join(f"{provider}/…" for provider, other in routes().items() if setting in other.takes)
            raise UsageError(
                f"{SETTINGS[setting]} does nothing with {' and '.join(names)}; leave it out, "
                f"or ask a model that takes it ({takers})"
            )


def load(name: str, settings: ModelSettings | None = None, **changes: Any) -> Model:
    """The model of that name, ready to answer; nothing is contacted yet.

    Args:
        name: ``provider/name``, with options after a question mark where the provider has some.
        settings: how to use it.
        **changes: fields of `ModelSettings` that replace those of ``settings``.

    Raises:
        UnknownNameError: no such provider or model.
        UsageError: an option is wrong, a package or a key is missing.
    """
    unknown = set(changes) - set(ModelSettings.__struct_fields__)
    if unknown:
        raise UnknownNameError("model setting", min(unknown), ModelSettings.__struct_fields__)
    settings = msgspec.structs.replace(settings or ModelSettings(), **changes)
    provider, slash, rest = name.partition("/")
    if not slash or not rest:
        example = READS if settings.judging else "cascade/pocketsphinx"
        raise UsageError(f"'{name}' is not a model name; write provider/name, for example {example}")
    route = PROVIDERS.named(provider)
    if reader := reader_of(name):
        settings = msgspec.structs.replace(settings, reader=_reader(name, reader, settings))
    return route.load(name, settings)


def _reader(name: str, reader: str, settings: ModelSettings) -> Model:
    """The model that reads for another, under the same settings."""
    if settings.reader is not None:
        raise UsageError(f"'{shown(name)}' names its reader, and another one is given; leave out one of them")
    if "/" not in reader:
        raise UsageError(f"reader '{shown(reader)}' is not a model name; write provider/name, for example {READS}")
    if _has_reader(reader):
        raise UsageError(f"'{shown(reader)}' has no use for a transcript; let a chat model or a local one read")
    return load(reader, msgspec.structs.replace(settings, answers=None))


def _has_reader(name: str) -> bool:
    route = _route(name)
    return route is not None and "reader" in route.takes


def _route(name: str) -> Route | None:
    """Of a model's provider; None: there is none, which loading the model says."""
    try:
        return PROVIDERS.named(name.partition("/")[0])
    except UnknownNameError:
        return None
