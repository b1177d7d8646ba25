"""Texts to points by a model: in batches, with limits and retry, each kept as it comes and never asked for again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec
import numpy as np
import pybase64
from numpy.typing import NDArray

from audiometry.dispatch import event_loop
from audiometry.dispatch.ask import reply_key
from audiometry.dispatch.attempts import Attempts, Conditions
from audiometry.dispatch.cache import ReplyCache
from audiometry.dispatch.stopped import StoppedError
from audiometry.errors import ModelError, UsageError
from audiometry.files import foreign
from audiometry.models import Model
from audiometry.records import Prompt, Reply, Text, Turn

BATCH: Final = 64  # texts of a request
CHARACTERS: Final = 60_000  # of all of them


def points(
    texts: Sequence[str],
    model: Model,
    conditions: Conditions,
    cache: ReplyCache,
    reached: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """The points that a model makes of texts.

    Args:
        texts: any.
        model: whose replies are lists of points (`models.chat_completions.embeddings`); it is closed at the end.
        conditions: how it is asked.
        cache: where points are kept, each under the hash of its text, the model and its parameters.
        reached: told how many different texts of how many have theirs.

    Returns:
        ``float64[n, d]``.

    Raises:
        StoppedError: a batch has no reply for good; all points that came are kept.
        UsageError: points of a model have different lengths, so that another model had its name before.
    """
    shaped = msgspec.json.encode(model.parameters, order="deterministic")
    keys = {text: reply_key(model.name, shaped, hashlib.sha256(text.encode()).hexdigest(), "") for text in texts}
    kept = {text: _kept(cache, key) for text, key in keys.items()}
    found = {text: point for text, point in kept.items() if point is not None}
    left = iter(list(_batches([text for text in keys if text not in found])))

    async def work(attempts: Attempts) -> None:
        for batch in left:
            turn = Turn("user", tuple(map(Text, batch)))
            tried = await attempts.at(Prompt(turns=(turn,)), keys[batch[0]])
            if tried is None or isinstance(tried.came, ModelError):
                why = "stopped" if tried is None else str(tried.came)
                raise StoppedError(f"{model.name}: {why}; what came is kept, the same command goes on from there")
            for text, point in zip(batch, foreign.json(tried.came.text.encode(), list[list[float]]), strict=True):
                found[text] = np.array(point, np.float32)
                cache.put(keys[text], Reply(text=pybase64.b64encode(found[text].tobytes()).decode()))
            if reached is not None:
                reached(len(found), len(keys))

    async def all_of_it() -> None:
        attempts = Attempts(model, conditions)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(conditions.concurrency):
                    group.create_task(work(attempts))
        except* StoppedError as problems:
            raise problems.exceptions[0] from None
        finally:
            await model.close()

    event_loop.run(all_of_it)
    if len({len(one) for one in found.values()}) > 1:
        raise UsageError(
            f"{model.name} made points of different lengths, so that another model had its name before; "
            "keep points elsewhere, with --asked"
        )
    return np.array([found[text] for text in texts], np.float64)


def _kept(cache: ReplyCache, key: str) -> NDArray[np.float32] | None:
    """The point that is kept; None where there is none, or what is there is none: it is asked for anew."""
    if (reply := cache.get(key)) is None:
        return None
    try:
        point = np.frombuffer(pybase64.b64decode(reply.text, validate=True), np.float32)
    except ValueError:
        point = np.empty(0, np.float32)
    if len(point) and np.isfinite(point).all():
        return point
    cache.spoilt(key)
    return None


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH or size + len(text) > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
