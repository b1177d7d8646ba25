"""Finds the code behind a model name: the house's own providers, then those of installed packages.

A provider is a module in this package with ``PROVIDERS = {"provider": load}``, or an entry point in
the group ``audiometry.models``. Nothing else has to be edited to add one. A module of this package also says in
``ROUTES = {"provider": Route(…)}`` what people should know of it, and which settings it takes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Final, TypeAlias

import msgspec

import audiometry.models as package
from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.models import reading
from audiometry.models.protocol import Model
from audiometry.models.route import SETTINGS, Route, Setting
from audiometry.models.settings import ModelSettings

READS: Final = "openai/gpt-6.1-terra"
"""An example of a model that reads text."""
Loader: TypeAlias = Callable[[str, ModelSettings], Model]


def providers() -> dict[str, str]:
    """Every provider, with the module or entry point that serves it."""
    found = {e.name: e.value for e in entry_points(group="audiometry.models")}
    for module in _modules():
        found.update(dict.fromkeys(getattr(module, "PROVIDERS", {}), module.__name__))
    return dict(sorted(found.items()))


def about() -> dict[str, str]:
    """A line for people on every provider: what stands behind it."""
    modules = {module.__name__: (module.__doc__ or "").partition("\n")[0].replace("``", "") for module in _modules()}
    return {f"{name}/…": modules.get(where, f"from {where}") for name, where in providers().items()}


def routes() -> dict[str, Route]:
    """Every provider as it says of itself; one of another package is taken to heed all settings."""
    found = {name: Route(example=f"{name}/NAME") for name in providers()}
    for module in _modules():
        found |= getattr(module, "ROUTES", {})
    return found


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
    known = routes()
    everybody = [*names, *(reader for name in names if (reader := reader_of(name)))]
    asked = [known[name.partition("/")[0]] for name in everybody if name.partition("/")[0] in known]
    if not asked:
        return
    takes = frozenset[Setting]().union(*(route.takes for route in asked))
    for setting in given:
        if setting not in takes:
            takers = ", ".join(f"{provider}/…" for provider, other in known.items() if setting in other.takes)
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
    loader = _loader(provider)
    if loader is None:
        raise UnknownNameError("model provider", provider, providers(), hint="see `audiometry list models`")
    if reader := reader_of(name):
        settings = msgspec.structs.replace(settings, reader=_reader(name, reader, settings))
    return loader(name, settings)


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
    return "reader" in routes().get(name.partition("/")[0], Route(example="", takes=frozenset())).takes


def _modules() -> Iterator[ModuleType]:
    """The modules of this package; its subpackages are parts of them and too heavy to look into."""
    for info in pkgutil.iter_modules(package.__path__):
        if not info.ispkg:
            yield importlib.import_module(f"{package.__name__}.{info.name}")


def _loader(provider: str) -> Loader | None:
    for module in _modules():
        own: dict[str, Loader] = getattr(module, "PROVIDERS", {})
        if provider in own:
            return own[provider]
    for entry in entry_points(group="audiometry.models", name=provider):
        try:
            loaded: Loader = entry.load()
        except (ImportError, AttributeError) as problem:
            raise UsageError(
                f"model provider '{provider}' is announced as {entry.value}, which cannot be loaded "
                f"({shown(str(problem), 200)}); mend or uninstall the package that announces it"
            ) from problem
        return loaded
    return None
