"""What every model offers, whoever wrote it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final, Protocol, runtime_checkable

from audiometry.errors import UsageError
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply

FIELD_REFUSED: Final = "field-refused"
"""Kind of the failure of a model that does not take something which every request to it states."""


class Model(Protocol):
    """Anything that answers a prompt with a reply, whole or as it comes.

    One call is one attempt: retries, rates and bookkeeping belong to the dispatcher.
    Several calls may be under way at once.
    """

    @property
    def name(self) -> str:
        """As the user wrote it, without keys: ``openai/gpt-audio-1.5``."""
        ...

    @property
    def card(self) -> ModelCard:
        """What it takes and what it costs."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """All that shapes its replies besides the prompt, as JSON; a change makes cached replies void.

        Of a request that states its decoding see `Decodes`.
        """
        ...

    async def answer(self, prompt: Prompt) -> Reply:
        """One attempt at a whole reply.

        Raises:
            ModelError: none came; says whether trying again makes sense.
        """
        ...

    def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """One attempt, piece by piece; raises as `answer` does."""
        ...

    async def close(self) -> None:
        """Let go of connections, processes and memory; the model is not used again."""
        ...


@runtime_checkable
class SlowStart(Protocol):
    """What a model offers besides, if getting ready takes longer than a reply may: weights to load, for example."""

    async def start(self) -> None:
        """Get ready, under no time limit; the dispatcher waits for it before the first prompt. Again does nothing.

        Raises:
            AudiometryError: it cannot be used.
        """
        ...


@runtime_checkable
class NeedsKey(Protocol):
    """What a model offers besides, if it is asked with a key that need not be there before."""

    def need_key(self) -> None:
        """Make sure that it can be asked.

        Raises:
            UsageError: the key is not there.
        """
        ...


@runtime_checkable
class Decodes(Protocol):
    """What a model offers besides, if each request may state its decoding: one that is loaded serves all kinds."""

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        """What `Model.parameters` would be of a model that is told so for every request.

        Raises:
            UsageError: it does not heed that.
        """
        ...


def parameters_of(model: Model, decoding: Decoding | None) -> dict[str, Any]:
    """All that shapes the replies to requests that state this decoding; None: that state none.

    Raises:
        UsageError: the model does not heed it.
    """
    if decoding is None:
        return model.parameters
    if not isinstance(model, Decodes):
        raise UsageError(f"{model.name} takes no decoding with a request; load it with its own")
    return model.parameters_under(decoding)


@runtime_checkable
class Batches(Protocol):
    """What a model offers besides, if it answers several prompts together, one batch after the other."""

    @property
    def batch(self) -> int:
        """The most prompts that it works on at a time; whoever asks keeps as many more ready, and grants their wait."""
        ...


@runtime_checkable
class Served(Protocol):
    """What a model offers besides, if it is asked at addresses: another model may answer to the same name elsewhere."""

    @property
    def served_at(self) -> tuple[str, ...]:
        """The addresses, sorted, without user, password and query."""
        ...


@runtime_checkable
class SharedWork(Protocol):
    """What a model offers besides, if several addresses of it may share the work."""

    @property
    def answered_by(self) -> dict[str, int]:
        """Replies by address; empty where there is only one."""
        ...


@runtime_checkable
class NeverVaries(Protocol):
    """What a model offers besides, if it may be one that says the same to the same prompt each time."""

    @property
    def never_varies(self) -> bool:
        """Whether it is: then asking it again shows nothing."""
        ...


@runtime_checkable
class KnowsAnswers(Protocol):
    """What a model offers besides, if what it replies may rest on the benchmark's right answers, as a rule's does."""

    @property
    def knows_answers(self) -> bool:
        """Whether it does: then its replies hold for this content of the benchmark alone."""
        ...
