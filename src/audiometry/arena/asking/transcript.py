"""What is said on a recording, written down by a model after the battle has begun; nobody waits for it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from audiometry.arena.asking.asked import PATIENCE
from audiometry.audio.prepare import prepare_file
from audiometry.dispatch.attempts import Attempts, Conditions
from audiometry.errors import AudioError, ShortageError
from audiometry.models import Model
from audiometry.records import Prompt, Reply, Text, Turn
from audiometry.score.readers.words import answer_in

WORDS: Final = (
    "Write down the words that are said in this recording, in the language they are said in, and nothing else."
)


class Transcriber:
    """Asks a model for transcripts.

    Args:
        model: that hears; best a recogniser, such as ``cascade/whisper-base?hears=words``.
        timeout_s: seconds for one attempt.
    """

    def __init__(self, model: Model, timeout_s: float) -> None:
        self.model = model
        self._attempts = Attempts(model, Conditions(timeout_s=timeout_s, retry=PATIENCE))
        self._turn = asyncio.Semaphore(model.card.concurrency)

    async def words(self, clip: Path) -> str | None:
        """What is said; empty where nothing is; None where the model fails."""
        async with self._turn:
            try:
                audio = await asyncio.to_thread(prepare_file, clip, self.model.card, where="the recording")
            except (AudioError, ShortageError, OSError):
                return None
            tried = await self._attempts.at(Prompt(turns=(Turn("user", (audio, Text(WORDS))),)), clip.name)
        return answer_in(tried.came.text) if tried is not None and isinstance(tried.came, Reply) else None
