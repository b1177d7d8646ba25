"""Texts to points by a model: in batches, with limits and retry, each kept as it comes and never asked for again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
import pybase64
from numpy.typing import NDArray

from audiometry.dispatch import event_loop, session
from audiometry.dispatch.ask import reply_key
from audiometry.dispatch.attempts import Attempts, Conditions
from audiometry.dispatch.cache import ReplyCache
from audiometry.dispatch.stopped import PersonStoppedError, StoppedError
from audiometry.errors import AudiometryError, ModelError, UsageError, counted
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
    stopping: Callable[[], None] = lambda: None,
) -> NDArray[np.float64]:
    """The points that a model makes of texts.

    Args:
        texts: any.
        model: whose replies are lists of points (`models.chat_completions.embeddings`); it is closed at the end.
        conditions: how it is asked.
        cache: where points are kept, each under the hash of its text, the model and its parameters.
        reached: told how many different texts of how many have theirs.
        stopping: called at the first Ctrl-C, after which the batches under way are still waited for, and kept.

    Returns:
        ``float64[n, d]``.

    Raises:
        StoppedError: a batch has no reply for good, or the person stopped it; all points that came are kept.
        UsageError: points of a model have different lengths, so that another model had its name before.
    """
    shaped = msgspec.json.encode(model.parameters, order="deterministic")
    keys = {text: reply_key(model.name, shaped, hashlib.sha256(text.encode()).hexdigest(), "") for text in texts}
    kept = {text: _kept(cache, key) for text, key in keys.items()}
    found = {text: point for text, point in kept.items() if point is not None}
    left = list(_batches([text for text in keys if text not in found]))

    def take(batch: Sequence[str], said: str) -> None:
        for text, point in zip(batch, foreign.json(said.encode(), list[list[float]]), strict=True):
            found[text] = np.array(point, np.float32)
            cache.put(keys[text], Reply(text=pybase64.b64encode(found[text].tobytes()).decode()))
        if reached is not None:
            reached(len(found), len(keys))

    stopped, why = event_loop.run(lambda: _ask(left, keys, model, conditions, take, stopping))
    if len(found) < len(keys):
        why = why or f"stopped with {len(keys) - len(found):,} of {counted(len(keys), 'text')} left"
        said = f"{model.name}: {why}; what came is kept, the same command goes on from there"
        raise (PersonStoppedError if stopped else StoppedError)(said)
    if len({len(one) for one in found.values()}) > 1:
        raise UsageError(
            f"{model.name} made points of different lengths, so that another model had its name before; "
            "keep points elsewhere, with --asked"
        )
    return np.array([found[text] for text in texts], np.float64)


async def _ask(
    batches: Sequence[list[str]],
    keys: Mapping[str, str],
    model: Model,
    conditions: Conditions,
    take: Callable[[Sequence[str], str], None],
    stopping: Callable[[], None],
) -> tuple[bool, str]:
    """Ask for batches: whether the person stopped it, and why one failed; what was under way then was waited for."""
    left, drained, failed = iter(batches), asyncio.Event(), list[str]()
    attempts = Attempts(model, conditions, drained)

    async def work() -> None:
        for batch in left:
            turn = Turn("user", tuple(map(Text, batch)))
            tried = await attempts.at(Prompt(turns=(turn,)), keys[batch[0]])
            if tried is None:
                return
            if isinstance(tried.came, ModelError):
                failed.append(str(tried.came))
                drained.set()
                return
            take(batch, tried.came.text)

    async def every() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(conditions.concurrency):
                    group.create_task(work())
        except* AudiometryError as problems:  # such as a full disk
            raise problems.exceptions[0] from None

    def drain() -> None:
        drained.set()
        stopping()

    try:
        return await session.drainable(every(), drain), next(iter(failed), "")
    finally:
        await model.close()


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
