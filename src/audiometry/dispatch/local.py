"""Prompts to replies on this machine: a bounded number under way, each reply kept as it arrives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from audiometry import seeds
from audiometry.choices.variant import asked
from audiometry.dispatch import recording, shortage
from audiometry.dispatch.ask import Ask, reply_key
from audiometry.dispatch.cache import ReplyCache
from audiometry.dispatch.limits import Limiter
from audiometry.dispatch.open_files import fitted
from audiometry.dispatch.retry import Patience, RetryPolicy
from audiometry.dispatch.stopped import KEPT, StoppedError
from audiometry.dispatch.tally import Tally
from audiometry.dispatch.waiting import PROCESS, REPLIES
from audiometry.errors import AudioError, AudiometryError, ModelError, StorageError, short_of, shown
from audiometry.files.journal import Journal
from audiometry.models import Model
from audiometry.models.protocol import Batches, SharedWork, SlowStart, parameters_of
from audiometry.outside import said
from audiometry.records import Decoding, Prompt, Reply, ReplyRecord

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


class Dispatcher:
    """Asks a model and journals what comes.

    Args:
        model: whom to ask.
        journal: where records go; flushed line by line.
        conditions: how.
        cache: replies known already; None: none.
        tally: the accounts; a new one if None.
        watch: called after every record.
        decoding: that its requests state; None: none, and the model decodes as it was told when it was loaded.

    Raises:
        UsageError: the model does not heed the decoding.
    """

    def __init__(
        self,
        model: Model,
        journal: Journal,
        conditions: Conditions,
        *,
        cache: ReplyCache | None = None,
        tally: Tally | None = None,
        watch: Callable[[ReplyRecord], None] = lambda _: None,
        decoding: Decoding | None = None,
    ) -> None:
        conditions = _one_batch_ahead(conditions, model)
        self.model, self.journal, self.conditions, self.cache, self.watch = model, journal, conditions, cache, watch
        self.tally = tally or Tally()
        self._limiter = Limiter(conditions.requests_per_minute, conditions.tokens_per_minute)
        self._decoding = decoding
        self._parameters = msgspec.json.encode(parameters_of(model, decoding), order="deterministic")
        self._stopping: AudiometryError | None = None
        self._unwritten: list[ReplyRecord] = []
        self._drained = asyncio.Event()
        self._patience = Patience(conditions.concurrency)

    def drain(self) -> None:
        """Hand out nothing new; what is under way may still arrive."""
        self._drained.set()

    async def run(self, asks: Iterable[Ask]) -> Tally:
        """Ask everything; returns when all ended, or when draining is done.

        Raises:
            StoppedError: no further reply can be had (a rejected key, nobody answers).
            StorageError: the disk refused a record.
        """
        if isinstance(self.model, SlowStart):
            PROCESS.begin(f"waiting for {shown(self.model.name)} to start")
            await self.model.start()
        PROCESS.begin(REPLIES)
        before = self._answered_by()
        queue = iter(asks)
        many = fitted(self.conditions.concurrency)
        workers = [asyncio.create_task(self._work(queue)) for _ in range(many)]
        try:
            await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            self.drain()  # whatever ended one of them, what is under way is paid for: it may still arrive
            await asyncio.wait(workers)
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            PROCESS.begin("")
            self.tally.answered_by.update({name: n - before.get(name, 0) for name, n in self._answered_by().items()})
        self._write_the_rest()
        if isinstance(self._stopping, StoppedError) and not self.tally.replies:
            raise self._stopping.unanswered()
        if self._stopping is not None:
            raise self._stopping
        return self.tally

    def _write_the_rest(self) -> None:
        """Try once more to keep what the disk refused; says how many replies are lost all the same."""
        refused, self._unwritten = self._unwritten, []
        for record in refused:
            self._keep(record)
        if lost := sum(record.error is None for record in self._unwritten):
            self._stopping = StorageError(f"{self._stopping} ({lost} that came in the meantime could not be kept)")

    async def _work(self, queue: Iterator[Ask]) -> None:
        while not self._drained.is_set():
            ask = next(queue, None)
            if ask is None:
                return
            try:
                record = await self._record(ask)
            except StoppedError as error:
                self._stop(error)
                return
            if record is None:
                return
            self._keep(record)

    def _keep(self, record: ReplyRecord) -> None:
        """Journal a record; a full disk ends the run once all that is under way is kept too, if there is room."""
        try:
            record = self.journal.append(record)  # from here on without secrets
        except StorageError as error:
            self._unwritten.append(record)
            self._stop(error)
            return
        if self.journal.full is not None:
            self._stop(self.journal.full)
        self.tally.add(record)
        if record.error is None:
            PROCESS.begin(REPLIES)
        self.watch(record)
        if self.cache is not None and record.attempts and record.error is None:
            self.cache.put(self._key(record), recording.reply_of(record))  # journalled before

    def _answered_by(self) -> dict[str, int]:
        return self.model.answered_by if isinstance(self.model, SharedWork) else {}

    def _stop(self, error: StoppedError | StorageError) -> None:
        self._stopping = self._stopping or error
        self.drain()

    def _key(self, record: ReplyRecord) -> str:
        own = asked(record.variant)
        repeat = 0 if own is None else own.repeat
        heard = "+".join([*(clip.sha256 for clip in record.examples), record.audio_sha256])
        return reply_key(self.model.name, self._parameters, record.prompt_sha256, heard, repeat)

    async def _record(self, ask: Ask) -> ReplyRecord | None:
        try:
            prompt = await shortage.outlasted(ask.build, self._sleep)
        except AudioError as error:
            return recording.unreadable(ask, error)
        if prompt is None:
            return None
        prompt = prompt if self._decoding is None else msgspec.structs.replace(prompt, decoding=self._decoding)
        base = recording.begun(ask, prompt)
        if self.cache is not None:
            kept = self.cache.get(self._key(base))
            if kept is not None:
                return recording.with_reply(base, kept, latency_s=None, attempts=0, cached=True)
        return await self._ask(ask, prompt, base)

    async def _ask(self, ask: Ask, prompt: Prompt, base: ReplyRecord) -> ReplyRecord | None:
        """Try until a reply comes or the retry policy gives up; None if draining cut it short."""
        conditions, attempt, waited = self.conditions, 0, 0.0
        tokens = _estimated_tokens(prompt) if conditions.tokens_per_minute else 0.0
        while await self._turn(tokens):
            attempt += 1
            started = time.perf_counter()
            reply = await self._attempt(prompt)
            if isinstance(reply, Reply):
                waited_s = time.perf_counter() - started if reply.latency_s is None else reply.latency_s
                self._patience.reply()
                if tokens and reply.tokens_in is not None:
                    self._limiter.used(tokens, reply.tokens_in + (reply.tokens_out or 0))
                return recording.with_reply(base, reply, latency_s=round(waited_s, 4), attempts=attempt, cached=False)
            error, message = reply, recording.message(reply)
            if error.fatal:
                raise StoppedError(f"{message}; {KEPT}", message, error.kind)
            jitter = seeds.stream(conditions.seed, "retry", ask.item, ask.variant, str(attempt))
            wait = conditions.retry.wait_s(error, attempt, waited, jitter)
            if wait is None and error.kind == shortage.KIND:
                raise shortage.stopped(message)
            if wait is None:
                if self._patience.failure(error):
                    self._stop(_given_up(self._patience.failed, message))
                return recording.failed(base, error, attempt)
            if error.retry_after_s is not None:
                self._limiter.pause(error.retry_after_s)
            waited += wait
            PROCESS.explain(f"waiting: {shown(message, MESSAGE)}, try {attempt + 1} of {conditions.retry.max_tries}")
            if not await self._sleep(wait):
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
            if await self._sleep(wait) and pauses == limiter.pauses:
                return True
        return False

    async def _attempt(self, prompt: Prompt) -> Reply | ModelError:
        """One request, whatever comes of it."""
        try:
            async with asyncio.timeout(self.conditions.timeout_s):
                return recording.checked(await self.model.answer(prompt))
        except TimeoutError:
            return ModelError("timeout", f"no reply within {self.conditions.timeout_s:g} s", retry=True)
        except Exception as problem:  # noqa: BLE001  the one place that meets foreign code: record it and go on
            return _as_failure(problem)

    async def _sleep(self, seconds: float) -> bool:
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


def _given_up(failures: int, message: str) -> StoppedError:
    return StoppedError(
        f"stopped after {failures} failures in a row, the last: {message}; "
        f"{KEPT}, run the same command again once this is mended"
    )


def _one_batch_ahead(conditions: Conditions, model: Model) -> Conditions:
    """For a model that answers batches: while it works on one the next is made ready, whose wait is granted as well."""
    if not isinstance(model, Batches):
        return conditions
    most = max(conditions.concurrency, 2 * model.batch)
    return msgspec.structs.replace(conditions, concurrency=most, timeout_s=2 * conditions.timeout_s)


def _estimated_tokens(prompt: Prompt) -> float:
    seconds = sum(clip.duration_s for clip in prompt.audio)
    return seconds * TOKENS_A_SECOND + len(prompt.text) / CHARACTERS_A_TOKEN + REPLY_TOKENS
