"""What a user can set about a model, common to all providers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import parse_qsl

import msgspec

from audiometry.errors import UnknownNameError, UsageError, shown
from audiometry.models.protocol import Model
from audiometry.records import Decoding


class AnswerTable(Protocol):
    """The right answers, for scripted models only."""

    def answer(self, item: str) -> str | None:
        """The text of the item's right option; None if the item is not known."""
        ...

    def audio_sha256(self, item: str) -> str:
        """Hash of the item's own clip files, several joined by ``+``."""
        ...

    def kind(self, item: str) -> str:
        """Of the item's task: choice, label, transcript or open; empty if the item is not known."""
        ...

    def labels(self, item: str) -> Sequence[str]:
        """What the answer may be in a task of labels; of others none."""
        ...


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is to be used. None means: the model's own default, left alone.

    Attributes:
        base_urls: addresses of the same model, sharing the work; empty: the provider's.
        proxy: address of a proxy that requests go through, ``none`` for none; empty: as the environment says.
        card: path of a model card that replaces the built-in one; empty: built in.
        temperature, max_tokens: decoding of requests that state none (`Prompt.decoding`); None: not sent.
        extra: further fields of each request, or settings of decoding, as the provider knows them.
        recipe: name of the recipe that these three are of; empty: a person gave them.
        judging: whether temperature and limit are those of a judge, which nobody gave either.
        timeout_s: longest wait for one attempt, seconds.
        stream: ask for replies piece by piece (gives the time to the first words).
        seed: for models that are random by construction.
        reader: the model that reads what a cascade heard; None: rules.
        answers: for scripted models.
        connections: how many requests will be under way at once.
        key_later: whether anybody is to be asked is not known yet: a key that is missing is for `NeedsKey.need_key`.
    """

    base_urls: tuple[str, ...] = ()
    proxy: str = ""
    card: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    extra: Mapping[str, Any] = {}
    recipe: str = ""
    judging: bool = False
    timeout_s: float = 120.0
    stream: bool = False
    seed: int = 0
    reader: Model | None = None
    answers: AnswerTable | None = None
    connections: int | None = None
    key_later: bool = False


class NameOptions(Mapping[str, str]):
    """The ``?key=value&…`` part of a model name; a key that nobody asked for is an error, not a silence.

    Args:
        values: as written.
        name: of whom, for messages.
        kind: what that is ("model", "metric").

    >>> bare, options = split_options("noisy-oracle?p=0.7")
    >>> bare, options.number("p", default=0.5, low=0, high=1)
    ('noisy-oracle', 0.7)
    """

    def __init__(self, values: dict[str, str], name: str, kind: str = "model") -> None:
        self._values, self._name, self._kind = values, name, kind

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def allow(self, *keys: str) -> None:
        """Refuse any option but these.

        Raises:
            UsageError: there is another one.
        """
        for key in self._values:
            if key not in keys:
                raise UnknownNameError(f"option of {self._kind} '{self._name}'", key, keys)

    def number(self, key: str, *, default: float, low: float, high: float) -> float:
        """A number between ``low`` and ``high``.

        Raises:
            UsageError: it is not one.
        """
        raw = self._values.get(key)
        if raw is None:
            return default
        try:
            value = float(raw)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise UsageError(f"{self._kind} '{self._name}': {key}={raw} is not a number between {low:g} and {high:g}")
        return value


def under(settings: ModelSettings, decoding: Decoding | None) -> ModelSettings:
    """The settings of a request that states its decoding; of one that states none they are as they were."""
    if decoding is None:
        return settings
    return msgspec.structs.replace(settings, temperature=decoding.temperature, max_tokens=decoding.max_tokens)


def split_options(name: str) -> tuple[str, NameOptions]:
    """A model name without its options, and the options; a plus stands for itself.

    Raises:
        UsageError: an option is there twice, or is no text.
    """
    bare, _, query = name.partition("?")
    try:
        pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise UsageError(f"model '{shown(bare)}': '{shown(query)}' holds bytes that are no UTF-8") from None
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key in values if sum(key == other for other, _ in pairs) > 1)
        raise UsageError(f"model '{shown(bare)}': {shown(twice)}= stands there twice; leave out one of them")
    return bare, NameOptions(values, bare)


def addressed(name: str) -> tuple[str, str]:
    """A model's name and, if it brings one, its address.

    >>> addressed("vllm/Qwen/Qwen3-32B@http://localhost:8000/v1")
    ('vllm/Qwen/Qwen3-32B', 'http://localhost:8000/v1')
    >>> addressed("openai/gpt-6.1-terra")
    ('openai/gpt-6.1-terra', '')
    """
    for scheme in ("@http://", "@https://"):
        before, mark, after = name.partition(scheme)
        if mark:
            return before, mark[1:] + after
    return name, ""
