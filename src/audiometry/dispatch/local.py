"""Prompts to replies on this machine: a bounded number under way, each reply kept as it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator

import msgspec

from audiometry.choices.variant import asked
from audiometry.dispatch import recording, shortage
from audiometry.dispatch.ask import Ask, reply_key
from audiometry.dispatch.attempts import Attempts, Conditions
from audiometry.dispatch.cache import ReplyCache
from audiometry.dispatch.open_files import fitted
from audiometry.dispatch.retry import Patience
from audiometry.dispatch.stopped import KEPT, StoppedError
from audiometry.dispatch.tally import Tally
from audiometry.dispatch.waiting import PROCESS, REPLIES
from audiometry.errors import AudioError, AudiometryError, StorageError, shown
from audiometry.files.journal import Journal
from audiometry.models import Model
from audiometry.models.protocol import SharedWork, SlowStart, parameters_of
from audiometry.records import Decoding, Prompt, Reply, ReplyRecord


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
        self._drained = asyncio.Event()
        self._attempts = Attempts(model, conditions, self._drained)
        self.model, self.journal, self.cache, self.watch = model, journal, cache, watch
        self.conditions = self._attempts.conditions
        self.tally = tally or Tally()
        self._decoding = decoding
        self._parameters = msgspec.json.encode(parameters_of(model, decoding), order="deterministic")
        self._stopping: AudiometryError | None = None
        self._unwritten: list[ReplyRecord] = []
        self._patience = Patience(self.conditions.concurrency)

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
            prompt = await shortage.outlasted(ask.build, self._attempts.sleep)
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
        """The record of what the attempts gave; None if draining cut them short."""
        tried = await self._attempts.at(prompt, ask.item, ask.variant)
        if tried is None:
            return None
        if isinstance(tried.came, Reply):
            self._patience.reply()
            return recording.with_reply(
                base, tried.came, latency_s=tried.latency_s, attempts=tried.attempts, cached=False
            )
        error, message = tried.came, recording.message(tried.came)
        if error.fatal:
            raise StoppedError(f"{message}; {KEPT}", message, error.kind)
        if error.kind == shortage.KIND:
            raise shortage.stopped(message)
        if self._patience.failure(error):
            self._stop(_given_up(self._patience.failed, message))
        return recording.failed(base, error, tried.attempts)


def _given_up(failures: int, message: str) -> StoppedError:
    return StoppedError(
        f"stopped after {failures} failures in a row, the last: {message}; "
        f"{KEPT}, run the same command again once this is mended"
    )
