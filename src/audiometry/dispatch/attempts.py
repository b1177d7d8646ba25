"""Attempts at one prompt: in turns that the limits grant, each under its time, until a reply comes or none is due."""

from __future__ import annotations

import asyncio
import time

import msgspec

from audiometry import seeds
from audiometry.dispatch import recording, shortage
from audiometry.dispatch.limits import Limiter
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.waiting import PROCESS, REPLIES
from audiometry.errors import AudioError, AudiometryError, ModelError, short_of, shown
from audiometry.models import Model
from audiometry.models.protocol import Batches
from audiometry.outside import said
from audiometry.records import Prompt, Reply

TOKENS_A_SECOND = 25.0  # of audio, a usual encoding; only an estimate to pace by, corrected by each reply
CHARACTERS_A_TOKEN = 4.0
REPLY_TOKENS = 64.0
LONG_S = 2.0  # a wait that a person may ask about
MESSAGE = 160  # characters of why one waits


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """Under which prompts are sent.

    Attributes:
        concurrency: the most requests under way.
        requests_per_minute, tokens_per_minute: limits; None: none.
        timeout_s: longest wait for one attempt, seconds.
        retry: when to try again.
        seed: of the jitter between tries.
    """

    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float = 120.0
    retry: RetryPolicy = RetryPolicy()
    seed: int = 0


class Tried(msgspec.Struct, frozen=True):
    """What came of the attempts at a prompt.

    Attributes:
        came: the reply, or why there is none.
        attempts: how many were made.
        latency_s: seconds of the last one, sending to last byte.
    """

    came: Reply | ModelError
    attempts: int
    latency_s: float


class Attempts:
    """Asks one model, whoever keeps what comes.

    Args:
        model: whom to ask.
        conditions: how.
        drained: once it is set, nothing new goes out; what is under way may still arrive.
    """

    def __init__(self, model: Model, conditions: Conditions, drained: asyncio.Event | None = None) -> None:
        self.conditions = _one_batch_ahead(conditions, model)
        self._model, self._drained = model, drained or asyncio.Event()
        self._limiter = Limiter(conditions.requests_per_minute, conditions.tokens_per_minute)

    async def at(self, prompt: Prompt, item: str, variant: str = "") -> Tried | None:
        """Try until a reply comes or the retry policy gives up; None if draining cut it short.

        Args:
            prompt: what to ask.
            item: names, with ``variant``, the stream that spreads the waits between tries.
            variant: see ``item``.
        """
        conditions, attempt, waited = self.conditions, 0, 0.0
        tokens = _estimated_tokens(prompt) if conditions.tokens_per_minute else 0.0
        while await self._turn(tokens):
            attempt += 1
            started = time.perf_counter()
            came = await self._one(prompt)
            took_s = time.perf_counter() - started
            if isinstance(came, Reply):
                if tokens and came.tokens_in is not None:
                    self._limiter.used(tokens, came.tokens_in + (came.tokens_out or 0))
                return Tried(came, attempt, round(took_s if came.latency_s is None else came.latency_s, 4))
            jitter = seeds.stream(conditions.seed, "retry", item, variant, str(attempt))
            wait = None if came.fatal else conditions.retry.wait_s(came, attempt, waited, jitter)
            if wait is None:
                return Tried(came, attempt, round(took_s, 4))
            if came.retry_after_s is not None:
                self._limiter.pause(came.retry_after_s)
            waited += wait
            why = shown(recording.message(came), MESSAGE)
            PROCESS.explain(f"waiting: {why}, try {attempt + 1} of {conditions.retry.max_tries}")
            if not await self.sleep(wait):
                break
        return None

    async def _turn(self, tokens: float) -> bool:
        """Wait until a request may go out; False as soon as draining begins."""
        limiter = self._limiter
        while not self._drained.is_set():
            pauses, wait = limiter.pauses, limiter.reserve(tokens)
            if wait <= 0:
                return True
            if wait > LONG_S and PROCESS.what == REPLIES:
                PROCESS.explain("waiting for the next request's turn, by --rpm, --tpm or a pause the server asked for")
            # A pause that began while this one slept holds for it as well.
            if await self.sleep(wait) and pauses == limiter.pauses:
                return True
        return False

    async def _one(self, prompt: Prompt) -> Reply | ModelError:
        """One request, whatever comes of it."""
        try:
            async with asyncio.timeout(self.conditions.timeout_s):
                return recording.checked(await self._model.answer(prompt))
        except TimeoutError:
            return ModelError("timeout", f"no reply within {self.conditions.timeout_s:g} s", retry=True)
        except Exception as problem:  # noqa: BLE001  the one place that meets foreign code: record it and go on
            return _as_failure(problem)

    async def sleep(self, seconds: float) -> bool:
        """Wait; False as soon as draining begins."""
        try:
            await asyncio.wait_for(self._drained.wait(), seconds)
        except TimeoutError:
            return True
        return False


def _as_failure(problem: Exception) -> ModelError:
    if isinstance(problem, ModelError):
        return problem
    if isinstance(problem, AudioError):
        return ModelError(problem.kind, str(problem))
    if short := short_of(problem):
        return ModelError(shortage.KIND, short, retry=True)
    if isinstance(problem, AudiometryError):  # a missing package, a wrong setting: the same for every item
        return ModelError("not-usable", str(problem), fatal=True)
    return ModelError("crash", said(problem, recording.LONGEST_MESSAGE))


def _one_batch_ahead(conditions: Conditions, model: Model) -> Conditions:
    """For a model that answers batches: while it works on one the next is made ready, whose wait is granted as well."""
    if not isinstance(model, Batches):
        return conditions
    most = max(conditions.concurrency, 2 * model.batch)
    return msgspec.structs.replace(conditions, concurrency=most, timeout_s=2 * conditions.timeout_s)


def _estimated_tokens(prompt: Prompt) -> float:
    seconds = sum(clip.duration_s for clip in prompt.audio)
    return seconds * TOKENS_A_SECOND + len(prompt.text) / CHARACTERS_A_TOKEN + REPLY_TOKENS
