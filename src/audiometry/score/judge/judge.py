"""A judge: a model that is loaded once, whatever it is asked and about however many runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from audiometry import models
from audiometry.dispatch import event_loop
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.session import dispatch
from audiometry.dispatch.tally import Price
from audiometry.errors import UsageError
from audiometry.models import Model
from audiometry.models.protocol import Decodes
from audiometry.records import Decoding
from audiometry.score.judge.settings import JudgeSettings


class Judge:
    """A judge under one way to ask it; used in a ``with``, at whose end its model is closed.

    Args:
        settings: which, and how.

    Raises:
        UsageError: (when first used) there is no such model, or it cannot be used.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self._models: dict[Decoding | None, Model] = {}
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def model(self, max_tokens: int | None) -> tuple[Model, Decoding | None]:
        """The model, and what a request states for that limit on the length of its answer.

        One model serves all limits. Only one of another package whose requests state no decoding is loaded for each.

        Raises:
            UsageError: there is no such model, or it cannot judge.
        """
        decoding = Decoding(self.settings.temperature, max_tokens)
        one = self._models.get(None)
        if one is None and decoding not in self._models:
            loaded = self._loaded(max_tokens)
            one = self._models[None if isinstance(loaded, Decodes) else decoding] = loaded
        return (one, decoding) if isinstance(one, Decodes) else (self._models[decoding], None)

    def ask(self, dispatcher: Dispatcher, asks: Iterable[Ask], stopping: Callable[[], None]) -> bool:
        """Ask everything, and say whether the person stopped it; see `dispatch`."""
        if self._runner is None:
            self._runner = event_loop.opened()
        return dispatch(dispatcher, asks, stopping, within=self._runner)

    def close(self) -> None:
        """Let go of what was loaded; what was never asked has opened nothing that does not end by itself."""
        models_, runner = list(self._models.values()), self._runner
        self._models, self._runner = {}, None
        if runner is not None:
            with runner:
                for model in models_:
                    runner.run(model.close())

    def _loaded(self, max_tokens: int | None) -> Model:
        settings = self.settings
        wanted = settings.of_model(temperature=settings.temperature, judging=True, max_tokens=max_tokens)
        model = models.load(settings.name, wanted)
        if model.card.needs_audio:
            from audiometry.models.registry import READS

            raise UsageError(
                f"{settings.role} {settings.name} takes no prompt without a clip, as its card says; "
                f"name one that reads text, for example {READS}"
            )
        return model

    def price(self, model: Model) -> Price:
        """As stated, else its card's."""
        return self.settings.price or Price(tokens_in=model.card.price_in, tokens_out=model.card.price_out)
