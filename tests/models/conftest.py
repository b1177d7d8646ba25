"""Clips and prompts for models."""

import asyncio
import contextlib
import hashlib
import io
import wave

import pytest

from audiometry.models import load
from audiometry.records import Audio, Prompt, Text, Turn


def wav(frames=1600, rate=16_000, seed=0):
    """The bytes of a 16-bit mono WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(
            b"".join(((i * (37 + seed)) % 8000 - 4000).to_bytes(2, "little", signed=True) for i in range(frames))
        )
    return out.getvalue()


def clip(data=None, form="wav", **what):
    data = wav(**what) if data is None else data
    return Audio(
        data=data, format=form, sha256=hashlib.sha256(data).hexdigest(), rate=16000, channels=1, duration_s=0.1
    )


def ask(*parts, role="user", system="", item="i0", options=()):
    turns = (Turn(role, tuple(Text(p) if isinstance(p, str) else p for p in parts)),)
    before = (Turn("system", (Text(system),)),) if system else ()
    return Prompt(turns=before + turns, item=item, variant="plain", options=tuple(options))


def answer(model, *prompts, close=True):
    """The replies of a model to prompts, one after the other, in one event loop."""

    async def go():
        try:
            return [await model.answer(prompt) for prompt in prompts]
        finally:
            if close:
                await model.close()

    return asyncio.run(go())


def collect(model, prompt):
    async def go():
        try:
            async with contextlib.aclosing(model.stream(prompt)) as chunks:
                return [chunk async for chunk in chunks]
        finally:
            await model.close()

    return asyncio.run(go())


@pytest.fixture
def say():
    """``say(model, prompt, …)`` gives the replies."""
    return answer


@pytest.fixture
def chunks_of():
    return collect


@pytest.fixture
def make_clip():
    return clip


@pytest.fixture
def make_prompt():
    return ask


@pytest.fixture
def no_keys(monkeypatch):
    """No provider's key or address in the environment."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "VLLM_API_KEY",
        "VLLM_BASE_URL",
        "OPENROUTER_API_KEY",
        "OPENROUTER_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)


class Served:
    """A server, and models in front of it."""

    def __init__(self, server):
        self.server = server

    def model(self, name="openai/mock", **settings):
        return load(name, base_urls=(self.server.url,), **settings)

    def both(self, name="openai/mock", **settings):
        """The same model, whole and streamed."""
        return [self.model(name, stream=stream, **settings) for stream in (False, True)]


@pytest.fixture
def served(chat_server, no_keys):
    """``served(faults=[…], answer="B").model("openai/mock", stream=True)``."""
    return lambda **how: Served(chat_server(**how))
