"""Any program that speaks JSON lines over a pipe, for research code in an environment of its own."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from audiometry.errors import UsageError
from audiometry.files.secrets import Scrubber, shown
from audiometry.models import cards
from audiometry.models.exec.supervisor import Supervisor
from audiometry.models.exec.wire import Hello
from audiometry.models.protocol import Model
from audiometry.models.settings import ModelSettings, NameOptions, under
from audiometry.programs.background import Background
from audiometry.programs.terms import Terms
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply

START_S: Final = 600.0  # seconds; weights of 7 billion parameters from a slow disk
LONGEST_START_S: Final = 86_400.0
_OPTION = r"(?:start|env)=[^\s'\"&?]*"
_OPTIONS = re.compile(rf"\?({_OPTION}(?:&{_OPTION})*)\Z")


def load(name: str, settings: ModelSettings) -> Model:
    """The model behind a program: ``exec/python serve.py --weights 7B``.

    The command is split into words as a shell does, and started without one when its card is first
    asked for. ``?start=SECONDS`` at its end sets how long it may take to say what it is (600), ``?env=NAME,NAME`` which
    secrets of the environment it gets: none, if they are not named; both are joined by ``&``.

    Raises:
        UsageError: there is no such program, the command cannot be split, or the option is wrong.
    """
    command = name.partition("/")[2]
    stated = _OPTIONS.search(command)
    if stated is not None:
        command = command[: stated.start()]
    options = NameOptions(dict(parse_qsl(stated[1] if stated else "")), f"exec/{shown(command)}")
    start_s = options.number("start", default=START_S, low=1, high=LONGEST_START_S)
    terms = Terms.of(command, start_s=start_s, timeout_s=settings.timeout_s, env=options.get("env", ""))
    return ExecModel(f"exec/{command}", terms, settings)


class ExecModel:
    """A program that is asked over a pipe.

    Args:
        name: as the user wrote it, without options.
        terms: what to start, and how long to wait.
        settings: how to use it.
    """

    def __init__(self, name: str, terms: Terms, settings: ModelSettings) -> None:
        scrub = Scrubber().text
        self.name, self._command = scrub(name), [scrub(word) for word in terms.command]
        self._terms, self._settings = terms, settings

    @property
    def card(self) -> ModelCard:
        """What the program says that it takes; a card of the user's own goes before that."""
        return self._card

    @property
    def parameters(self) -> dict[str, Any]:
        """The command, what the program says of itself, and the decoding settings it was given."""
        return self._parameters(None)

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        """See `Decodes.parameters_under`."""
        return self._parameters(decoding)

    def _parameters(self, decoding: Decoding | None) -> dict[str, Any]:
        program = {"name": self._hello.name, "version": self._hello.version}
        return {"command": self._command, "program": program, **self._heeded(decoding)}

    def _heeded(self, decoding: Decoding | None) -> dict[str, Any]:
        """What is sent of a request's decoding.

        Raises:
            UsageError: the program does not say that it obeys it.
        """
        settings = under(self._settings, decoding)
        stated = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        given = {key: value for key, value in stated.items() if value is not None}
        for key in given:
            if key not in self._greeting.decoding:
                leave = "" if settings.judging else f"leave --{key.replace('_', '-')} out, or "
                raise UsageError(
                    f"{self._terms.called} does not say that it obeys {key}; {leave}"
                    f'let it heed that and put "decoding": ["{key}"] into its first line'
                )
        return given

    @cached_property
    def _card(self) -> ModelCard:
        hello = self._hello
        own = cards.find(self.name, self._settings.card) if self._settings.card else None
        if own is not None:
            return msgspec.structs.replace(own, concurrency=hello.batch)
        return ModelCard(
            name=self.name,
            rate=hello.rate,
            channels=hello.channels,
            formats=hello.formats,
            longest_s=hello.longest_s,
            part_order=hello.part_order,
            fixed_order=hello.fixed_order,
            needs_audio=hello.needs_audio,
            concurrency=hello.batch,
        )

    @property
    def batch(self) -> int:
        """How many prompts the program is sent at a time."""
        return min(self._hello.batch, self._settings.connections or self._hello.batch)

    async def answer(self, prompt: Prompt) -> Reply:
        """One line to the program, one back; see `Model.answer`."""
        background, supervisor = self._at_work
        if "_greeting" not in self.__dict__:  # which `_heeded` looks at: it is waited for beside the event loop
            await asyncio.to_thread(lambda: self._greeting)
        return await asyncio.wrap_future(background.submit(supervisor.ask(prompt, self._heeded(prompt.decoding))))

    async def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """The whole reply as one piece: the protocol has no smaller ones."""
        reply = await self.answer(prompt)
        yield Chunk.whole(reply)

    async def close(self) -> None:
        """End the program and all it started."""
        if "_at_work" in self.__dict__:
            background, supervisor = self._at_work
            await asyncio.wrap_future(background.submit(supervisor.close()))
            self._finalizer()

    @cached_property
    def _greeting(self) -> Hello:
        background, supervisor = self._at_work
        return background.submit(supervisor.hello()).result()

    @cached_property
    def _hello(self) -> Hello:
        """What it says of itself, once it is known to do what is wanted of it."""
        hello = self._greeting
        self._heeded(None)
        under_way = self._settings.connections
        if under_way is not None and under_way > hello.batch:  # the others would wait until their time is over
            raise UsageError(
                f"--concurrency {under_way}: {self._terms.called} takes {hello.batch} at a time; leave it out, "
                "or let the program take more and say so (batch)"
            )
        return hello

    @cached_property
    def _at_work(self) -> tuple[Background, Supervisor]:
        supervisor, background = Supervisor(self._terms, self._settings.connections), Background()
        # also when nobody closes it: a dry run, a folder that belongs to another run, an error on the way
        self._finalizer = weakref.finalize(self, background.stop_after, supervisor.close)
        return background, supervisor
