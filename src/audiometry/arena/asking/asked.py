"""One query put to two models at the same time, and what became of each."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import msgspec

from audiometry.arena.asking.rest import Rest
from audiometry.arena.store.nouns import Contestant, Recording, Replied, ReplyState
from audiometry.audio.prepare import prepare_file
from audiometry.dispatch import recording
from audiometry.dispatch.attempts import Attempts, Conditions
from audiometry.dispatch.retry import RetryPolicy
from audiometry.errors import AudioError, ModelError, ShortageError
from audiometry.models import Model
from audiometry.records import Audio, ModelCard, Prompt, Reply, ReplyRecord, State, Text, Turn
from audiometry.score.judge.question import shown_reply
from audiometry.score.readers.judged import became

PATIENCE: Final = RetryPolicy(max_tries=3, max_wait_s=20.0, longest_wait_s=8.0)
"""Of people who wait, which is less than that of a run."""
_STATES: Final[dict[State, ReplyState]] = {
    State.ANSWERED: "answered",
    State.REFUSED: "refused",
    State.EMPTY: "empty",
    State.FAILED: "failed",
}


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks: a recording or words.

    Attributes:
        id: of the battle, which spreads waits between tries.
        clip: the recording's file; None: it was typed.
        text: the words.
        said: what is said on the recording, where that is written down already.
        untold: the recording's id, if it is not written down yet what is said on it.
    """

    id: str
    clip: Path | None = None
    text: str = ""
    said: str = ""
    untold: str = ""

    @classmethod
    def of(cls, battle: str, asked: Recording | str) -> Query:
        """The query of a battle."""
        if isinstance(asked, str):
            return cls(id=battle, text=asked)
        untold = "" if asked.transcript else asked.id
        return cls(id=battle, clip=asked.path, said=asked.transcript, untold=untold)


class Entrant:
    """A model that takes part.

    Args:
        model: loaded.
        contestant: as the store knows it.
        timeout_s: seconds for one attempt.
        whole_s: seconds for all of them together.
        rest: see `Rest`.
    """

    def __init__(
        self, model: Model, contestant: Contestant, *, timeout_s: float, whole_s: float, rest: Rest | None = None
    ) -> None:
        self.model, self.contestant, self.rest = model, contestant, rest or Rest()
        self._attempts = Attempts(model, Conditions(timeout_s=timeout_s, retry=PATIENCE))
        self._whole_s = whole_s
        self._turn = asyncio.Semaphore(model.card.concurrency)

    def takes(self, duration_s: float | None) -> bool:
        """Whether it can be asked with a clip that long, or without one."""
        card = self.model.card
        if duration_s is None:
            return not card.needs_audio
        fits = card.longest_s is None or card.cut or duration_s <= card.longest_s
        return fits and (card.shortest_s is None or card.padded or duration_s >= card.shortest_s)

    async def asked(self, query: Query) -> Replied:
        """What becomes of asking it; never raises, and never takes longer than it was given."""
        try:
            async with asyncio.timeout(self._whole_s), self._turn:
                prompt = await asyncio.to_thread(prompted, query, self.contestant.system_prompt, self.model.card)
                tried = await self._attempts.at(prompt, query.id)
        except TimeoutError:
            return self._none(ModelError("timeout", f"no reply within {self._whole_s:g} s", retry=True))
        except AudioError as problem:
            return Replied(state="failed", error=str(problem))  # the recording is to blame, not the model
        except (ShortageError, OSError, MemoryError) as problem:
            return Replied(state="failed", error=f"this machine: {problem}", kind="this machine")
        if tried is None:
            return self._none(ModelError("stopped", "it was not asked"))
        came = tried.came
        return self._none(came) if isinstance(came, ModelError) else self._read(came, tried.latency_s)

    def _none(self, error: ModelError) -> Replied:
        self.rest.failed(fatal=error.fatal)
        return Replied(state="failed", error=f"{error.kind}: {recording.message(error)}", kind=error.kind)

    def _read(self, reply: Reply, latency_s: float) -> Replied:
        state, _ = became(ReplyRecord(item="", text=reply.text, finish_reason=reply.finish_reason))
        text = shown_reply(reply.text)
        if state is State.REFUSED and not text:  # a provider's filter: nothing that one could vote on
            state = State.EMPTY
        self.rest.failed() if state is State.EMPTY else self.rest.replied()
        return Replied(
            state=_STATES[state],
            kind="empty reply" if state is State.EMPTY else "",
            text=text,
            latency_s=latency_s,
            first_token_s=reply.first_token_s,
            finish_reason=reply.finish_reason or "",
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
        )


async def both(a: Entrant, b: Entrant, query: Query) -> tuple[Replied, Replied]:
    """What becomes of asking two models at the same time; once both are done, whichever was first."""
    return tuple(await asyncio.gather(a.asked(query), b.asked(query)))  # type: ignore[return-value]  # two of them


def prompted(query: Query, system: str, card: ModelCard) -> Prompt:
    """A query as a model receives it: the recording as its card wants it, or the words, after the system prompt.

    Raises:
        AudioError: the recording does not fit the card.
    """
    part: Audio | Text = Text(query.text)
    if query.clip is not None:
        part = prepare_file(query.clip, card, where="the recording")
    said = Turn("user", (part,))
    return Prompt(turns=(Turn("system", (Text(system),)), said) if system else (said,), item=query.id)
