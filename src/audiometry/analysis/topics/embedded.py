"""Queries as points by an embedding model behind a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.topics.words import LONGEST
from audiometry.dispatch import embedding
from audiometry.dispatch.cache import open_cache
from audiometry.score.judge.settings import JudgeSettings

KEPT: Final = "embeddings.sqlite"
ELSEWHERE: Final = "move it away, or name another folder with --asked; points are then asked for anew"
Reached: TypeAlias = Callable[[int, int], None]


class Embeds(Protocol):
    """Makes points of texts, and tells ``reached`` now and then how many of how many have theirs."""

    def __call__(
        self, texts: Sequence[str], reached: Reached | None = None, stopping: Callable[[], None] = ...
    ) -> NDArray[np.float64]:
        """``float64[n, d]``; ``stopping`` is called at the first Ctrl-C."""
        ...


def by_model(settings: JudgeSettings, folder: Path) -> Embeds:
    """What makes points of queries, of each the first 2,000 characters.

    Args:
        settings: which model, as ``provider/name``, and how it is asked.
        folder: where its points are kept.

    Raises:
        UsageError: the model cannot be asked.
    """
    from audiometry.models.chat_completions.embeddings import EmbeddingModel

    model = EmbeddingModel(settings.name, settings.of_model(card=""))  # the card is of a model that answers in text
    conditions = settings.conditions(model.card)

    def embed(
        texts: Sequence[str], reached: Reached | None = None, stopping: Callable[[], None] = lambda: None
    ) -> NDArray[np.float64]:
        with open_cache(str(folder / KEPT), what="the points kept in", do=ELSEWHERE) as cache:
            assert cache is not None  # noqa: S101  there is a path
            return embedding.points([one[:LONGEST] for one in texts], model, conditions, cache, reached, stopping)

    return embed
