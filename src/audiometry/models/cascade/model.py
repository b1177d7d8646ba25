"""The embedded model: speech recognition and signal measurements, described in words, then read.

``cascade/pocketsphinx`` needs nothing but the ``[cascade]`` extra and no network;
``cascade/whisper-tiny.en``, any other faster-whisper name, or ``cascade/whisper:PATH`` take the same
way with a better recogniser. Rules read what was heard unless a reader is named, any chat model or local one:
``?reader=openai/gpt-6.1-terra``. With ``?hears=words`` the transcript is all that is heard, as in the baselines of
AIR-Bench (§4.1: Whisper-large-v2, then GPT-4 Turbo) and Mind the Gap (speech to text, then Llama 3).
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import msgspec

from audiometry.errors import UnknownNameError, UsageError
from audiometry.files import extras
from audiometry.files.secrets import Scrubber
from audiometry.models import identity, reading
from audiometry.models.cascade.wording import Hears
from audiometry.models.protocol import Batches, Model, NeedsKey, Served, SharedWork, SlowStart, parameters_of
from audiometry.models.settings import ModelSettings, split_options
from audiometry.programs.parallel import processors
from audiometry.records import Audio, Chunk, Decoding, ModelCard, Prompt, Reply

if TYPE_CHECKING:
    from audiometry.models.cascade.pool import Workers
    from audiometry.models.cascade.question import Question

_KEPT_DESCRIPTIONS = 4096
OF_THE_READER = ("temperature", "max_tokens_key", "fields", "ends", "successor", "price_in", "price_out")
"""Fields of a reader's card that are the cascade's too."""
TAKES = ModelCard(rate=None, channels=None, formats=("wav", "flac", "ogg"))
"""What it takes: clips as they are, since music keeps its bandwidth and the recogniser resamples."""


def load(name: str, settings: ModelSettings) -> Cascade:
    """The cascade of that name; nothing is started yet.

    Raises:
        UsageError: its package is missing, or the name has options that it does not know.
        UnknownNameError: no such recogniser.
    """
    bare, options = split_options(name)
    options.allow("hears", reading.READER)
    hears = options.get("hears", "all")
    if hears not in get_args(Hears):
        raise UnknownNameError(f"'hears' of model '{bare}'", hears, get_args(Hears))
    _, _, recogniser = bare.partition("/")
    if recogniser == "pocketsphinx":
        _need("pocketsphinx", "cascade", bare)
    elif recogniser.startswith(("whisper-", "whisper:")) and len(recogniser) > len("whisper-"):
        _need("faster_whisper", "whisper", bare)
    else:
        raise UnknownNameError(
            "cascade", recogniser, ("pocketsphinx", "whisper-tiny.en", "whisper-base"), hint="or whisper:PATH"
        )
    read_by = options.get(reading.READER) or (settings.reader.name if settings.reader is not None else "")
    stated = ["hears=words"] if hears == "words" else []
    stated += [f"{reading.READER}={reading.quoted(Scrubber().text(read_by))}"] if read_by else []
    full = f"{bare}?{'&'.join(stated)}" if stated else bare
    return Cascade(full, recogniser, settings.reader, cast("Hears", hears))


def _need(package: str, extra: str, name: str) -> None:
    if find_spec(package) is None:
        raise UsageError(f"model '{name}' needs the package '{package}'; run: {extras.install(extra)}")


class Cascade:
    """Describes or transcribes clips in processes of its own and has the words read.

    A clip is heard once, however many questions about it are asked at the same time or later.

    Args:
        name: with its options in one order, the default ones left out.
        recogniser: ``pocketsphinx``, ``whisper-NAME`` or ``whisper:NAME_OR_PATH``.
        reader: the model that reads what was heard; None: rules.
        hears: all that instruments and the recogniser tell, or the recogniser's words alone.
    """

    batch: int  # only with a reader that answers batches; see `Batches`

    def __init__(self, name: str, recogniser: str, reader: Model | None, hears: Hears = "all") -> None:
        self._name, self._reader = name, reader
        self._hears: Hears = hears
        if reader is not None and isinstance(reader, Batches):
            self.batch = reader.batch
        self._recogniser = recogniser.replace("whisper-", "whisper:", 1)
        self._workers: Workers | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._described: OrderedDict[Hashable, asyncio.Task[str]] = OrderedDict()

    @property
    def name(self) -> str:
        """With its reader, so that no two runs with different readers look alike."""
        return self._name

    @property
    def never_varies(self) -> bool:
        """Whether rules read what a recogniser without chance heard; see `NeverVaries`."""
        return self._reader is None and not self._recogniser.startswith("whisper")

    @property
    def card(self) -> ModelCard:
        """Clips as they are, any rate and channels: music keeps its bandwidth, the recogniser resamples.

        What else a request takes, what it costs and how long it is served is the reader's.

        Raises:
            UsageError: the reader takes no prompt without a clip.
        """
        read = self._reader.card if self._reader is not None else ModelCard(concurrency=1)
        if read.needs_audio:
            raise UsageError(
                f"{self._name}: its reader takes no prompt without a clip, as its card says; name one that reads text"
            )
        return msgspec.structs.replace(
            TAKES,
            name=self._name,
            concurrency=max(processors(), read.concurrency),
            **{field: getattr(read, field) for field in OF_THE_READER},
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Versions of everything that shapes what is heard, and who reads it how."""
        return self._parameters(self._reader.parameters if self._reader is not None else {})

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        """Decoding is the reader's; see `Decodes.parameters_under`."""
        return self._parameters({} if self._reader is None else parameters_of(self._reader, decoding))

    def _parameters(self, of_reader: dict[str, Any]) -> dict[str, Any]:
        from audiometry.models.cascade import describe, rules, transcribe, wording

        kind, _, model = self._recogniser.partition(":")
        versions: dict[str, Any] = transcribe.PocketSphinx.versions() if kind != "whisper" else {}
        if kind == "whisper":
            versions = transcribe.Whisper.versions() | transcribe.Whisper.decoding(model, times=self._hears == "all")
        if self._weights:
            versions |= {"weights": self._weights}
        reader: dict[str, Any] = {"name": "rules", "version": rules.VERSION}
        if self._reader is not None:
            read_by = reading.reader_in(self._name) or self._reader.name
            reader = {"name": read_by, "parameters": of_reader}
        recogniser = {"name": model or kind, **versions}
        if self._hears == "words":
            return {"hears": self._hears, "recogniser": recogniser, "wording": wording.VERSION, "reader": reader}
        return {"recogniser": recogniser, "description": describe.VERSION, "reader": reader}

    @property
    def served_at(self) -> tuple[str, ...]:
        """Where the reader is asked; see `Served`."""
        return self._reader.served_at if isinstance(self._reader, Served) else ()

    @property
    def answered_by(self) -> dict[str, int]:
        """The reader's replies by address; see `SharedWork`."""
        return self._reader.answered_by if isinstance(self._reader, SharedWork) else {}

    def need_key(self) -> None:
        """Make sure that the reader can be asked; see `NeedsKey`."""
        if self._reader is not None and isinstance(self._reader, NeedsKey):
            self._reader.need_key()

    async def start(self) -> None:
        """Load the recogniser and the reader, whose weights may have to be fetched; see `SlowStart`."""
        await self._listeners().start()
        if self._reader is not None and isinstance(self._reader, SlowStart):
            await self._reader.start()

    @cached_property
    def _weights(self) -> str:
        """Which weights a recogniser's folder holds; empty for one that is known by its name."""
        folder = Path(self._recogniser.partition(":")[2])
        return identity.of_folder(folder) if folder.name and folder.is_dir() else ""

    async def answer(self, prompt: Prompt) -> Reply:
        """Describe or transcribe the clips of the prompt, then answer from the words.

        Raises:
            ModelError: a clip cannot be heard, the listening process ended, or the reader gave no reply.
        """
        from audiometry.models.cascade import describe, rules, wording
        from audiometry.models.cascade import question as questions

        question = questions.of(prompt)
        clips = prompt.own_audio if self._reader is None else prompt.audio  # rules learn nothing from examples
        began = time.perf_counter()
        if self._hears == "words":
            heard = [await self._transcribe(audio) for audio in clips]
            notes = [describe.transcript(words) for words in heard]
        else:
            heard = notes = [await self._describe(audio, question) for audio in clips]
        told = "\n\n".join(notes) if len(notes) == 1 else "\n\n".join(f"Clip {i}\n{n}" for i, n in enumerate(notes, 1))
        if self._reader is None:
            return Reply(text=rules.read(question, told).text, finish_reason="stop", notes=told)
        to_hear_s = time.perf_counter() - began
        reply = await self._reader.answer(wording.in_words(prompt, heard, self._hears))
        first, last = (
            None if after is None else round(to_hear_s + after, 4) for after in (reply.first_token_s, reply.latency_s)
        )
        told = f"{told}\n{reply.notes}" if reply.notes else told  # why the reader was blocked, for example
        return msgspec.structs.replace(reply, notes=told, first_token_s=first, latency_s=last)

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

    async def _transcribe(self, audio: Audio) -> str:
        """What is said; the recogniser is not told what will be asked, nor whether instruments take it for speech."""
        from audiometry.models.cascade.messages import Request

        return await self._once(audio.sha256, lambda: self._listeners().ask(Request(audio.data, wanted="words")))

    async def _describe(self, audio: Audio, question: Question) -> str:
        """What is always measured, and what the question asks to listen for if there is speech."""
        from audiometry.models.cascade import question as questions
        from audiometry.models.cascade.description import Description
        from audiometry.models.cascade.messages import Request

        notes = await self._once(audio.sha256, lambda: self._listeners().ask(Request(audio.data)))
        focus = questions.focus(question)
        if focus is None or not Description(notes)["Transcript"]:
            return notes
        more = await self._once((audio.sha256, focus), lambda: self._listeners().ask(Request(audio.data, focus)))
        return f"{notes}\n{more}" if more else notes

    def _listeners(self) -> Workers:
        from audiometry.models.cascade.pool import Workers

        if self._workers is None:
            cpus = processors()
            size, threads = (1, cpus) if self._recogniser.startswith("whisper") else (cpus, 1)
            self._workers = Workers(self._recogniser, size, threads)
        return self._workers

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
