"""Models of other packages: what they do wrong is a failed reply, or one line that names the package."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, cast

import msgspec

from audiometry.errors import BrokenPackageWarning, ModelError
from audiometry.files import foreign
from audiometry.models.protocol import Batches, Decodes, Model, NeedsKey, Served, SharedWork, SlowStart
from audiometry.models.route import SETTINGS, Loader, Route
from audiometry.models.settings import ModelSettings
from audiometry.outside import (
    FLAG,
    FUNCTION,
    OURS,
    Fits,
    Outside,
    OutsideError,
    awaited,
    line,
    looked_at,
    undone,
    well_formed,
)
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply

MOST: Final = 10_000  # prompts of a batch
_ROUTE: Final[Mapping[str, Fits]] = {
    "load": FUNCTION,
    "example": line(),
    "takes": (f"a frozenset of {', '.join(SETTINGS)}", frozenset(SETTINGS).issuperset),
    "keys": ("names of environment variables", lambda keys: isinstance(keys, tuple) and all(map(line()[1], keys))),
    "key_needed": FLAG,
    "extra": ("a text", lambda text: isinstance(text, str)),
}
_MODEL: Final[Mapping[str, Fits]] = {
    "name": line(),
    "card": ("a ModelCard", lambda card: isinstance(card, ModelCard)),
    **dict.fromkeys(("answer", "stream", "close"), FUNCTION),
}


def route(given: Route, name: str, origin: Callable[[], str]) -> Route:
    """A provider of another package, all of its models guarded.

    Raises:
        TypeError: it says of itself what cannot be.
    """
    looked_at(given, _ROUTE)
    return msgspec.structs.replace(given, load=_loader(given.load, Outside("model", name, origin, "ask another")))


def _loader(given: Loader, outside: Outside) -> Loader:
    def load(name: str, settings: ModelSettings) -> Model:
        named = msgspec.structs.replace(outside, name=name)

        def loaded() -> Foreign:
            model = given(name, settings)
            besides = tuple(guard for part, guard in _BESIDES.items() if isinstance(model, part))
            guarded: type[Foreign] = type("Foreign", (*besides, Foreign), {})
            return guarded(model, named)

        with undone():
            return cast("Foreign", named.called(object, loaded, passing=OURS))

    return load


class Foreign:
    """A model of another package; what it says of itself is read, and looked at, when it is loaded.

    Args:
        model: what the package gives.
        outside: as messages call it.

    Raises:
        TypeError: it is no model, or says of itself what cannot be.
    """

    def __init__(self, model: Any, outside: Outside) -> None:
        said = looked_at(model, _MODEL)
        self.name, self.card = said["name"], well_formed(said["card"])
        self._model, self._outside = model, outside
        _ = self.parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """See `protocol.Model`."""
        return self._json(lambda: self._model.parameters)

    async def answer(self, prompt: Prompt) -> Reply:
        """See `protocol.Model`; an ordinary error is recorded by whoever asks."""
        return cast(
            "Reply",
            await awaited(
                lambda: self._model.answer(prompt), lambda said: ModelError("crash", said), passing=(Exception,)
            ),
        )

    def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """See `protocol.Model`."""
        return cast("AsyncIterator[Chunk]", self._model.stream(prompt))

    async def close(self) -> None:
        """See `protocol.Model`; all replies are kept, so that what goes wrong here costs nothing."""
        try:
            await awaited(self._model.close, self._not("let go"))
        except OutsideError as problem:
            warnings.warn(str(problem), BrokenPackageWarning, stacklevel=2)

    def _json(self, call: Callable[[], Any]) -> dict[str, Any]:
        """Something that can be written as JSON, as it is."""

        def found() -> Any:
            given = call()
            msgspec.json.encode(given, order="deterministic")
            return given

        return self._outside.called(dict, found, passing=OURS)

    def _not(self, done: str) -> Callable[[str], Exception]:
        return lambda said: self._outside.error(f"cannot {done} ({said})")


class _Starts(Foreign):
    async def start(self) -> None:
        await awaited(self._model.start, self._not("start"), OURS)


class _Needs(Foreign):
    def need_key(self) -> None:
        self._outside.called(object, self._model.need_key, passing=OURS)


class _Decodes(Foreign):
    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        return self._json(lambda: self._model.parameters_under(decoding))


class _Batches(Foreign):
    @property
    def batch(self) -> int:
        return max(1, min(MOST, self._outside.called(int, lambda: self._model.batch)))


class _Served(Foreign):
    @property
    def served_at(self) -> tuple[str, ...]:
        return self._outside.called(tuple, lambda: foreign.convert(self._model.served_at, tuple[str, ...], strict=True))


class _Shares(Foreign):
    @property
    def answered_by(self) -> dict[str, int]:
        return self._outside.called(dict, lambda: foreign.convert(self._model.answered_by, dict[str, int], strict=True))


_BESIDES: Final[Mapping[type, type[Foreign]]] = {
    SlowStart: _Starts,
    NeedsKey: _Needs,
    Decodes: _Decodes,
    Batches: _Batches,
    Served: _Served,
    SharedWork: _Shares,
}
