"""The embedded model: speech recognition and signal measurements, described in words, then read.

``cascade/pocketsphinx`` needs nothing but the ``[cascade]`` extra and no network;
``cascade/whisper-tiny.en``, any other faster-whisper name, or ``cascade/whisper:PATH`` take the same
way with a better recogniser. Rules read the description unless a reader is given: any chat model,
as in the baseline of AIR-Bench §4.1, where a recogniser's transcript is read by a language model.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from audiometry.errors import UnknownNameError, UsageError
from audiometry.models.local import identity
from audiometry.models.protocol import Model, Served
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings, split_options
from audiometry.records import Audio, Chunk, ModelCard, Prompt, Reply, Text, Turn

if TYPE_CHECKING:
    from audiometry.models.cascading.pool import Workers
    from audiometry.models.cascading.question import Question
    from audiometry.models.cascading.worker import Focus

_KEPT_DESCRIPTIONS = 4096
_PREAMBLE = (
    "You cannot hear the recording yourself. Instruments measured it and a speech recogniser listened to it; "
    "their notes stand in its place below. Recognised words may be wrong. Answer from the notes."
)


def load(name: str, settings: ModelSettings) -> Cascade:
    """The cascade of that name; nothing is started yet.

    Raises:
        UsageError: its package is missing, or the name has options that it does not know.
        UnknownNameError: no such recogniser.
    """
    bare, options = split_options(name)
    options.allow()
    _, _, recogniser = bare.partition("/")
    if recogniser == "pocketsphinx":
        _need("pocketsphinx", "cascade", bare)
    elif recogniser.startswith(("whisper-", "whisper:")) and len(recogniser) > len("whisper-"):
        _need("faster_whisper", "whisper", bare)
    else:
        raise UnknownNameError(
            "cascade", recogniser, ("pocketsphinx", "whisper-tiny.en", "whisper-base"), hint="or whisper:PATH"
        )
    return Cascade(bare, recogniser, settings.reader)


PROVIDERS = {"cascade": load}
ROUTES = {"cascade": Route(example="cascade/pocketsphinx", takes=frozenset({"reader"}), extra="cascade")}


def _need(package: str, extra: str, name: str) -> None:
    if find_spec(package) is None:
        raise UsageError(f"model '{name}' needs the package '{package}'; run: pip install 'audiometry[{extra}]'")


class Cascade:
    """Describes clips in processes of its own and has the descriptions read.

    A clip is described once, however many questions about it are asked at the same time or later.

    Args:
        name: as the user wrote it.
        recogniser: ``pocketsphinx``, ``whisper-NAME`` or ``whisper:NAME_OR_PATH``.
        reader: the chat model that reads descriptions; None: rules.
    """

    def __init__(self, name: str, recogniser: str, reader: Model | None) -> None:
        self._name, self._reader = name, reader
        self._recogniser = recogniser.replace("whisper-", "whisper:", 1)
        self._workers: Workers | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._described: OrderedDict[Hashable, asyncio.Task[str]] = OrderedDict()

    @property
    def name(self) -> str:
        """As the user wrote it."""
        return self._name

    @property
    def card(self) -> ModelCard:
        """Clips as they are, any rate and channels: music keeps its bandwidth, the recogniser resamples."""
        return ModelCard(
            name=self._name,
            rate=None,
            channels=None,
            formats=("wav", "flac", "ogg"),
            concurrency=_cpus() if self._reader is None else max(_cpus(), self._reader.card.concurrency),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Versions of everything that shapes the description, and who reads it how."""
        from audiometry.models.cascading import describe, rules, transcribe

        kind, _, model = self._recogniser.partition(":")
        versions = transcribe.Whisper.versions() if kind == "whisper" else transcribe.PocketSphinx.versions()
        if self._weights:
            versions |= {"weights": self._weights}
        reader: dict[str, Any] = {"name": "rules", "version": rules.VERSION}
        if self._reader is not None:
            reader = {"name": self._reader.name, "parameters": self._reader.parameters}
        recogniser = {"name": model or kind, **versions}
        return {"recogniser": recogniser, "description": describe.VERSION, "reader": reader}

    @property
    def served_at(self) -> tuple[str, ...]:
        """Where the reader is asked; see `Served`."""
        return self._reader.served_at if isinstance(self._reader, Served) else ()

    @cached_property
    def _weights(self) -> str:
        """Which weights a recogniser's folder holds; empty for one that is known by its name."""
        folder = Path(self._recogniser.partition(":")[2])
        return identity.of_folder(folder) if folder.name and folder.is_dir() else ""

    async def answer(self, prompt: Prompt) -> Reply:
        """Describe the clips of the prompt, then answer from the descriptions.

        Raises:
            ModelError: a clip cannot be heard, the listening process ended, or the reader gave no reply.
        """
        from audiometry.models.cascading import question as questions
        from audiometry.models.cascading import rules

        question = questions.of(prompt)
        notes = [await self._describe(audio, question) for audio in prompt.audio]
        told = "\n\n".join(notes) if len(notes) == 1 else "\n\n".join(f"Clip {i}\n{n}" for i, n in enumerate(notes, 1))
        if self._reader is None:
            return Reply(text=rules.read(question, told).text, finish_reason="stop", notes=told)
        reply = await self._reader.answer(_in_words(prompt, notes))
        return msgspec.structs.replace(reply, notes=told)

    async def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """The whole reply as one piece: the description has to be finished before its first word."""
        reply = await self.answer(prompt)
        yield Chunk.whole(reply)

    async def close(self) -> None:
        """End the processes, and the reader."""
        for task in self._described.values():
            if not task.get_loop().is_closed():
                task.cancel()
        self._described.clear()
        if self._workers is not None:
            await self._workers.close()
            self._workers = None
        if self._reader is not None:
            await self._reader.close()

    async def _describe(self, audio: Audio, question: Question) -> str:
        """What is always measured, and what the question asks to listen for if there is speech."""
        from audiometry.models.cascading import question as questions
        from audiometry.models.cascading.description import Description

        notes = await self._once(audio.sha256, lambda: self._listen(audio, None))
        focus = questions.focus(question)
        if focus is None or not Description(notes)["Transcript"]:
            return notes
        more = await self._once((audio.sha256, focus), lambda: self._listen(audio, focus))
        return f"{notes}\n{more}" if more else notes

    async def _listen(self, audio: Audio, focus: Focus | None) -> str:
        from audiometry.models.cascading.pool import Workers
        from audiometry.models.cascading.worker import Request

        if self._workers is None:
            cpus = _cpus()
            size, threads = (1, cpus) if self._recogniser.startswith("whisper") else (cpus, 1)
            self._workers = Workers(self._recogniser, size, threads)
        return await self._workers.ask(Request(audio.data, focus))

    async def _once(self, key: Hashable, start: Callable[[], Any]) -> str:
        """The result for that key: found, waited for with whoever asked first, or begun now."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._described.clear()
            self._loop = loop
        task = self._described.get(key)
        if task is None:
            task = self._described[key] = asyncio.ensure_future(start())
            while len(self._described) > _KEPT_DESCRIPTIONS:
                self._described.popitem(last=False)
        self._described.move_to_end(key)
        try:
            # one asker that gives up must not take the description from the others
            return await asyncio.shield(task)
        finally:
            if task.done() and (task.cancelled() or task.exception() is not None):
                self._described.pop(key, None)


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _in_words(prompt: Prompt, notes: list[str]) -> Prompt:
    """The prompt with each clip replaced by its description: what a text-only reader can be sent."""
    waiting = iter(notes)
    several = len(notes) > 1
    turns: list[Turn] = []
    count = 0
    for turn in prompt.turns:
        parts: list[Text] = []
        for part in turn.parts:
            if isinstance(part, Text):
                parts.append(part)
                continue
            count += 1
            title = f"Notes on recording {count}:" if several else "Notes on the recording:"
            preamble = f"{_PREAMBLE}\n\n" if count == 1 else ""
            parts.append(Text(f"{preamble}{title}\n{next(waiting)}"))
        turns.append(Turn(turn.role, tuple(parts)))
    return msgspec.structs.replace(prompt, turns=tuple(turns))
