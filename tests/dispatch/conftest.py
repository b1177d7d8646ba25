"""A model that does as it is told, and the asks for it."""

import asyncio

import pytest

from audiometry.dispatch.ask import Ask
from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.retry import RetryPolicy
from audiometry.files import jsonl
from audiometry.files.journal import Journal
from audiometry.records import Audio, Chunk, ModelCard, Prompt, Reply, ReplyRecord, Text, Turn

QUICK = RetryPolicy(first_wait_s=0.002, longest_wait_s=0.01)


class ToldModel:
    """Answers by a function of the prompt and the attempt; counts what is under way."""

    name = "told/model"

    def __init__(self, rule=lambda _prompt, _attempt: "A", *, delay_s=0.0, parameters=None):
        self.rule, self.delay_s, self.parameters = rule, delay_s, parameters or {}
        self.card = ModelCard()
        self.asked = []
        self.under_way = self.most_under_way = 0

    async def answer(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt.item)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.delay_s)
            said = self.rule(prompt, self.asked.count(prompt.item))
            if isinstance(said, BaseException):
                raise said
            return said if isinstance(said, Reply) else Reply(text=said, tokens_in=10, tokens_out=1)
        finally:
            self.under_way -= 1

    async def stream(self, prompt: Prompt):
        yield Chunk(text=(await self.answer(prompt)).text)

    async def close(self) -> None:
        pass


def prompt(item, variant="plain", words="What?", audio=b"RIFF", seconds=1.0):
    clip = Audio(data=audio, format="wav", sha256=f"sha-{audio.decode()}", rate=16000, channels=1, duration_s=seconds)
    return Prompt(turns=(Turn("user", (clip, Text(words))),), item=item, variant=variant)


def ask(item, variant="plain", **what):
    async def build():
        return prompt(item, variant, **what)

    return Ask(item, variant, build)


class Session:
    """One dispatcher over a journal in a folder; what it wrote and what it told."""

    def __init__(self, folder):
        self.path = folder / "replies.jsonl"
        self.dispatcher = None

    def run(self, model, asks, *, cache=None, tally=None, meanwhile=None, watch=lambda _: None, **conditions):
        async def go():
            with Journal(self.path) as journal:
                how = Conditions(**({"retry": QUICK} | conditions))
                self.dispatcher = Dispatcher(model, journal, how, cache=cache, tally=tally, watch=watch)
                if meanwhile is None:
                    return await self.dispatcher.run(asks)
                work = asyncio.ensure_future(self.dispatcher.run(asks))
                await meanwhile(self.dispatcher, work)
                return await work

        return asyncio.run(go())

    def records(self):
        return list(jsonl.read(self.path, ReplyRecord))


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


@pytest.fixture
def told():
    """The class of models that do as told."""
    return ToldModel


@pytest.fixture
def asks():
    """So many asks: ``asks(3)``, or one by name with its words: ``asks("i7", words="Why?")``."""
    return lambda which, **what: (
        [ask(f"i{i}", **what) for i in range(which)] if isinstance(which, int) else [ask(which, **what)]
    )


@pytest.fixture
def make_prompt():
    return prompt
