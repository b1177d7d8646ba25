"""Keeps a program at work: starts it, hands it prompts, matches replies, ends it when stuck, starts it again."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Coroutine, Mapping
from itertools import count
from typing import Any, Final, TypeVar

import msgspec

from audiometry.errors import AudiometryError, ModelError, UsageError
from audiometry.models.exec import wire
from audiometry.models.exec.clips import ClipFolder
from audiometry.programs import waiting
from audiometry.programs.lines import Line
from audiometry.programs.lives import Lives
from audiometry.programs.places import Places
from audiometry.programs.program import End, Program
from audiometry.programs.terms import Terms
from audiometry.records import Prompt, Reply

T = TypeVar("T")
STUCK: Final = 0.5  # of a prompt's wait: silent for longer than this share, a program is stuck and not just slow


class _Asked(msgspec.Struct, frozen=True):
    """A prompt under way: where its reply goes, what it is known by, when it was sent."""

    reply: asyncio.Future[Reply]
    key: tuple[str, ...]
    sent: float

    @property
    def open(self) -> bool:
        """Whether it has no reply: waited for still, or waited for in vain."""
        return not self.reply.done() or self.reply.cancelled()


class Supervisor:
    """One program, started as often as needed. All its methods belong to one event loop.

    Args:
        terms: what to start and how long to wait.
        most: prompts that the program is sent at a time; None: as many as it says that it takes.

    Raises:
        StorageError: there is no place for temporary files.
    """

    def __init__(self, terms: Terms, most: int | None = None) -> None:
        self._terms, self._limit = terms, most or sys.maxsize
        self._clips = ClipFolder()
        self._hello: wire.Hello | None = None
        self._greeting: asyncio.Future[wire.Hello] | None = None
        self._lives = Lives(terms, self._clips.path, self._hear)
        self._starting: asyncio.Task[Program] | None = None
        self._mourning: asyncio.Task[None] | None = None
        self._over: ModelError | None = None
        self._asked: dict[str, _Asked] = {}
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._places = Places(self._most)
        self._heard = 0.0  # any line, be it printed on the side: a program that prints is not stuck

    async def hello(self) -> wire.Hello:
        """What the program says of itself; starts it if that was not asked before.

        Raises:
            UsageError: it does not start, or not as the protocol says.
        """
        while self._hello is None:
            await self._running()
        return self._hello

    async def ask(self, prompt: Prompt, decoding: Mapping[str, Any]) -> Reply:
        """One attempt. A prompt whose asker gives up stays with the program, which is busy with it still.

        Raises:
            ModelError: no reply; says whether to try again.
            StorageError: a clip cannot be handed over.
        """
        await self.hello()
        with contextlib.ExitStack() as place:
            await self._places.take()
            place.callback(self._places.give_back)
            program = await self._running()
            exchange = self._task(self._exchange(program, prompt, decoding))
            leave = place.pop_all().close
            exchange.add_done_callback(lambda _: leave())
        return await asyncio.shield(exchange)

    async def close(self) -> None:
        """End the program and all it started; the supervisor is not used again."""
        self._over = self._over or ModelError("closed", f"{self._terms.called} was ended", fatal=True)
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._lives.program is not None:
            await self._lives.program.leave()
        for task in list(self._tasks):
            task.cancel()
        self._places.look()
        self._clips.close()

    def _most(self) -> int:
        """How many prompts may be with the program; when all is over anybody may come in, to be told so."""
        if self._over is not None:
            return sys.maxsize
        return 1 if self._lives.endurance.careful or self._hello is None else min(self._hello.batch, self._limit)

    async def _exchange(self, program: Program, prompt: Prompt, decoding: Mapping[str, Any]) -> Reply:
        number = f"p{next(self._numbers)}"
        by_path = self._hello is not None and self._hello.clips == "path"
        paths = self._clips.write(number, prompt) if by_path else None
        asked = _Asked(asyncio.get_running_loop().create_future(), _key(prompt), time.monotonic())
        self._asked[number] = asked
        try:
            if program.ended.done():
                raise self._crash(program.ended.result(), asked)
            program.send(wire.request(number, prompt, paths, decoding))
            async with asyncio.timeout(self._terms.reply_s):
                return await asked.reply
        except TimeoutError:
            raise await self._late(program, asked) from None
        finally:
            del self._asked[number]
            self._clips.remove(() if paths is None else paths.values())

    async def _late(self, program: Program, asked: _Asked) -> ModelError:
        """No reply in time: end a program that is stuck; one that answers others is just slow."""
        now = time.monotonic()
        waited, silent = now - asked.sent, now - max(asked.sent, self._heard)
        said = [f"no reply within {self._terms.timeout_s:g} s", self._lives.aside.told()]
        if silent >= STUCK * waited and self._mourning is not None and self._lives.program is program:
            said.append(f"{self._terms.called} was stuck and is started again")
            program.kill(f"gave no reply for {silent:.3g} s and was ended", "stuck")
            await asyncio.wait({self._mourning})
        if self._over is not None:
            return _again(self._over)
        message = "; ".join(filter(None, said))
        return ModelError("timeout", message, retry=not self._lives.endurance.to_blame(asked.key))

    async def _running(self) -> Program:
        """The program, started if it is not there."""
        if self._over is not None:
            raise _again(self._over)
        if self._starting is None or self._starting.done():
            if self._lives.program is not None and not self._lives.program.ended.done():
                return self._lives.program
            self._starting = self._task(self._start())
        try:
            return await asyncio.shield(self._starting)
        except asyncio.CancelledError:
            if self._over is not None:  # closed while it was starting
                raise _again(self._over) from None
            raise

    async def _start(self) -> Program:
        if self._mourning is not None:
            await asyncio.wait({self._mourning})  # what the last end means decides how long to wait
        called = self._terms.called
        self._greeting = greeting = asyncio.get_running_loop().create_future()
        try:
            program = await self._lives.begin()
        except OSError as problem:
            raise self._not_started(f"{called} cannot be started: {problem.strerror}") from problem
        await waiting.for_hello(greeting, program, self._terms)
        if greeting.done():
            fault = self._meet(greeting)
        elif program.ended.done():
            fault = f"{called} {program.ended.result()} before it said what it is"
        else:
            fault = f"{called} did not say within {self._terms.start_s:g} s what it is; {_patience(program)}"
        if not fault:
            self._mourning = self._task(self._mourn(program))
            return program
        program.kill("was ended")
        await program.ended
        raise self._not_started("; ".join(filter(None, [fault, self._lives.aside.take()])))

    def _meet(self, greeting: asyncio.Future[wire.Hello]) -> str:
        """Keep what the program says of itself; a program that changes in mid-run is another model."""
        fault = greeting.exception()
        if fault is not None:
            return str(fault)
        if self._hello is None:
            self._hello = greeting.result()
        if greeting.result() == self._hello:
            return ""
        return f"{self._terms.called} says something else of itself than at the start of the run"

    def _not_started(self, message: str) -> AudiometryError:
        """The error for a start that failed: at first a wrong request, later a failure to be tried again."""
        message = "; ".join(filter(None, [message, self._terms.missed(message)]))
        if self._hello is None:
            return UsageError(message)
        self._lives.ended(())
        self._give_up(message)
        return _again(self._over) if self._over else ModelError("start", message, retry=True)

    def _hear(self, line: Line) -> bool:
        """A line of the program's standard output; whether it meant something."""
        self._heard = time.monotonic()
        if self._greeting is not None and not self._greeting.done():
            self._hear_hello(line, self._greeting)
            return True
        said = wire.read_said(line)
        asked = None if said is None else self._asked.get(said.id)
        if said is None or asked is None or asked.reply.done():
            return False
        reply = wire.reply(said, self._terms.called, self._lives.answered())
        if isinstance(reply, Reply):
            asked.reply.set_result(msgspec.structs.replace(reply, latency_s=self._heard - asked.sent))
        else:
            asked.reply.set_exception(reply)
        return True

    def _hear_hello(self, line: Line, greeting: asyncio.Future[wire.Hello]) -> None:
        try:
            hello = wire.read_hello(line, self._terms.called)
        except UsageError as problem:
            greeting.set_exception(problem)
            return
        if hello is not None:
            greeting.set_result(hello)
            return
        self._lives.aside.add(line)
        if self._lives.aside.too_much:
            greeting.set_exception(UsageError(f"{self._terms.called} did not say what it is"))

    async def _mourn(self, program: Program) -> None:
        """Wait for the program's end, draw the conclusions, and tell whoever waits for a reply of it."""
        end = await program.ended
        asked = [one for one in self._asked.values() if one.open]
        self._lives.ended([one.key for one in asked])
        self._give_up(f"{self._terms.called} {end}")
        for one in asked:
            if not one.reply.done():
                one.reply.set_exception(self._crash(end, one, beside=len(asked) - 1))
        self._places.look()

    def _crash(self, end: End, asked: _Asked, beside: int = 0) -> ModelError:
        if self._over is not None:
            return _again(self._over)
        message = f"{self._terms.called} {end}"
        if self._lives.endurance.to_blame(asked.key):
            return ModelError(end.kind, f"{message}, each time that it was asked this prompt alone")
        others = f"; {beside} other prompts were under way" if beside else ""
        return ModelError(end.kind, message + others, retry=True)

    def _give_up(self, message: str) -> None:
        if self._lives.endurance.exhausted and self._over is None:
            times = self._lives.endurance.fruitless
            self._over = ModelError(
                "crash", f"{message}; that is {times} times in a row without a single reply: mend it first", fatal=True
            )

    def _task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that is kept until it is done, and whose failure is no surprise if nobody waits for it any more."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()


def _key(prompt: Prompt) -> tuple[str, ...]:
    """What is the same each time a prompt is asked, and different for any other."""
    return (prompt.text, *(clip.sha256 for clip in prompt.audio))


def _again(error: ModelError) -> ModelError:
    """The same error, to be raised once more elsewhere."""
    return ModelError(error.kind, str(error), retry=error.retry, fatal=error.fatal)


def _patience(program: Program) -> str:
    words = f"its last words on standard error: {program.last_words}; " if program.last_words else ""
    return f"{words}if it needs longer, add ?start=SECONDS to the model's name"
