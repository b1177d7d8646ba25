"""Models made of rules, to test an evaluation with.

They tell whether a benchmark, a harness or a statistic does what it should: an oracle that hears, one
that only knows the questions, one that guesses. No request leaves the machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from audiometry import seeds
from audiometry.choices import letters
from audiometry.errors import ModelError, UnknownNameError, UsageError, shown
from audiometry.files import presence, replies
from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import AnswerTable, ModelSettings, NameOptions, split_options
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply, ReplyRecord

Rule: TypeAlias = Callable[[Prompt], str | Reply]
ANYTHING = ModelCard(rate=None, channels=None, formats=(), concurrency=32)


class ScriptedModel:
    """A rule that answers prompts.

    Args:
        name: as the user wrote it.
        rule: gives the text, or the whole reply, for a prompt.
        seed: all its randomness comes from it, by item.
        knows_answers: see `KnowsAnswers`.
        never_varies: see `NeverVaries`.
    """

    def __init__(
        self, name: str, rule: Rule, seed: int, *, knows_answers: bool = False, never_varies: bool = False
    ) -> None:
        self.name, self._rule, self._seed = name, rule, seed
        self.knows_answers, self.never_varies = knows_answers, never_varies
        self.card = ANYTHING

    @property
    def parameters(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self._seed}

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:  # noqa: ARG002  rules decode nothing
        """The seed."""
        return self.parameters

    async def answer(self, prompt: Prompt) -> Reply:
        """What the rule says."""
        await asyncio.sleep(0)
        said = self._rule(prompt)
        return said if isinstance(said, Reply) else Reply(text=said, finish_reason="stop")

    async def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """What the rule says, in one piece."""
        reply = await self.answer(prompt)
        yield Chunk.whole(reply)

    async def close(self) -> None:
        """Nothing to let go of."""


def load(name: str, settings: ModelSettings) -> Model:
    """The scripted model of that name.

    ``oracle`` knows the answer that belongs to the clip it is sent and guesses when the clip is not
    the item's own; ``noisy-oracle?p=0.7`` is right with probability p instead of always (a wrong
    transcript lacks a word); ``deaf`` knows the item's answer whatever it is sent; ``random`` guesses
    one of the options or labels; ``constant?text=B`` always says the same; ``replay?file=replies.jsonl``
    says again what another run recorded.

    Raises:
        UnknownNameError: there is no such rule, or it has no such option.
        UsageError: an option is wrong or missing.
    """
    bare, options = split_options(name.partition("/")[2])
    maker = RULES.get(bare)
    if maker is None:
        raise UnknownNameError("scripted model", bare, RULES)
    rule, knows, fixed = maker(options, settings), bare not in IGNORANT, bare in FIXED
    return ScriptedModel(name, rule, settings.seed, knows_answers=knows, never_varies=fixed)


def _oracle(options: NameOptions, settings: ModelSettings) -> Callable[[Prompt], str]:
    options.allow()
    return _listener(settings, 1.0)


def _noisy_oracle(options: NameOptions, settings: ModelSettings) -> Callable[[Prompt], str]:
    options.allow("p")
    return _listener(settings, options.number("p", default=0.7, low=0, high=1))


def _listener(settings: ModelSettings, p: float) -> Callable[[Prompt], str]:
    table = _table(settings)

    def rule(prompt: Prompt) -> str:
        draw = seeds.stream(settings.seed, "oracle", prompt.item, prompt.variant)
        heard = "+".join(clip.sha256 for clip in prompt.own_audio)
        own = table.audio_sha256(prompt.item)
        if not own or heard != own:
            return _guess(prompt, table, draw)
        right = _letter(prompt, table)
        if draw.random() < p:
            return right
        wrong = [said for said in _ways_to_say(prompt, table) if said != right] or _slips(prompt, right, table)
        if not wrong:
            raise ModelError("no-options", f"item {prompt.item} has no options or labels; no wrong answer is known")
        return draw.pick(wrong)

    return rule


def _deaf(options: NameOptions, settings: ModelSettings) -> Callable[[Prompt], str]:
    options.allow()
    table = _table(settings)
    return lambda prompt: _letter(prompt, table)


def _random(options: NameOptions, settings: ModelSettings) -> Callable[[Prompt], str]:
    options.allow()
    table = settings.answers
    return lambda prompt: _guess(prompt, table, seeds.stream(settings.seed, "guess", prompt.item, prompt.variant))


def _constant(options: NameOptions, settings: ModelSettings) -> Callable[[Prompt], str]:  # noqa: ARG001  a rule's maker
    options.allow("text")
    text = options.get("text", "A")
    return lambda _: text


def _replay(options: NameOptions, settings: ModelSettings) -> Rule:  # noqa: ARG001  a rule's maker
    options.allow("file")
    file = options.get("file", "")
    path = Path(file)
    if not presence.is_file(path):
        wrong = f"{shown(file, 200)} is not there" if file else "scripted/replay needs the replies of another run"
        raise UsageError(f"{wrong}: write scripted/replay?file=RUN/replies.jsonl")
    said = {(r.item, r.variant): _said(r) for r in replies.that_count(path, ReplyRecord, failures=False)}

    def rule(prompt: Prompt) -> Reply:
        reply = said.get((prompt.item, prompt.variant))
        if reply is None:
            raise ModelError("not-recorded", f"{path} has no reply for item {prompt.item}, variant {prompt.variant}")
        return reply

    return rule


def _said(record: ReplyRecord) -> Reply:
    return Reply(
        text=record.text or "",
        finish_reason=record.finish_reason,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        notes=record.notes,
    )


def _table(settings: ModelSettings) -> AnswerTable:
    if settings.answers is None:
        raise UsageError("this scripted model needs a benchmark's answers; it works in `audiometry run` only")
    return settings.answers


def _letter(prompt: Prompt, table: AnswerTable) -> str:
    answer = table.answer(prompt.item)
    if answer is None:
        raise ModelError("no-answer", f"item {prompt.item} has no known answer, so a scripted model cannot give it")
    if not prompt.options:
        return answer
    return _ways_to_say(prompt, table)[prompt.options.index(answer)]


def _guess(prompt: Prompt, table: AnswerTable | None, draw: seeds.Stream) -> str:
    ways = _ways_to_say(prompt, table)
    if not ways:
        raise ModelError("no-options", f"item {prompt.item} has no options or labels; it cannot be guessed")
    return draw.pick(ways)


def _ways_to_say(prompt: Prompt, table: AnswerTable | None) -> Sequence[str]:
    """What stands for each option in a reply: its letter, or its text where no letters are shown; or the labels."""
    if prompt.options:
        return letters(len(prompt.options)) if prompt.lettered else prompt.options
    return () if table is None else table.labels(prompt.item)


def _slips(prompt: Prompt, right: str, table: AnswerTable) -> Sequence[str]:
    """Transcripts with one word left out."""
    words = right.split() if table.kind(prompt.item) == "transcript" else []
    return [" ".join([*words[:place], *words[place + 1 :]]) for place in range(len(words))]


RULES: dict[str, Callable[[NameOptions, ModelSettings], Rule]] = {
    "oracle": _oracle,
    "noisy-oracle": _noisy_oracle,
    "deaf": _deaf,
    "random": _random,
    "constant": _constant,
    "replay": _replay,
}
IGNORANT = frozenset({"constant", "replay"})  # of the benchmark's answers and labels
FIXED = frozenset({"oracle", "deaf", "constant"})  # say the same to the same prompt with its own clip
ROUTES = {"scripted": Route(load=load, example="scripted/noisy-oracle?p=0.7", takes=frozenset({"price"}))}
