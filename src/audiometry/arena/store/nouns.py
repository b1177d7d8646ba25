"""What the store keeps and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from audiometry.files.vote_words import OURS

OUTCOMES: Final = (*OURS, "skip")
"""What a voter may say, by number: those of a vote file, and that the battle is not to be decided."""
SKIP: Final = OUTCOMES.index("skip")

State: TypeAlias = Literal["asking", "ready", "failed", "voted", "revealed", "abandoned"]
ReplyState: TypeAlias = Literal["answered", "refused", "empty", "failed"]


class Voter(msgspec.Struct, frozen=True, kw_only=True):
    """A person as a browser, or a participant of a study.

    Attributes:
        id: a number that says nothing.
        consent: version of what was agreed to; empty: nothing yet.
        participant: an opaque id of a study; empty: none.
    """

    id: int
    consent: str = ""
    participant: str = ""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a clip.

    Attributes:
        duration_s: seconds.
        rate: Hz.
        channels: how many.
        peak_dbfs, level_dbfs: at most 0; None: silence.
    """

    duration_s: float
    rate: int
    channels: int = 1
    peak_dbfs: float | None = None
    level_dbfs: float | None = None


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """A clip that a voter sent.

    Attributes:
        id: random, for its voter alone.
        path: of its audio.
        heard: what is known of it.
        transcript, language: empty where not known.
    """

    id: str
    path: Path
    heard: Heard
    transcript: str = ""
    language: str = ""


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """A model exactly as it is asked: another version, prompt or setting is another contestant.

    Attributes:
        id: by which battles know it: that of the contestant it was merged into, if it was.
        model: its name.
        release: what the provider calls the version; empty: not known.
        system_prompt: that it is given.
        parameters: that shape its replies.
        sha256: of all of these and the card.
    """

    id: int
    model: str
    release: str = ""
    system_prompt: str = ""
    parameters: Mapping[str, Any] = msgspec.field(default_factory=dict)
    sha256: str = ""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A contestant as people see it who run an arena.

    Attributes:
        sha256: of all that it is.
        model, release, system_prompt, parameters: as `Contestant` has them.
        first_seen: seconds since 1970.
        counts_as: its name on boards, which is another's if it was merged.
        battles: it was drawn for.
    """

    sha256: str
    model: str
    release: str
    system_prompt: str
    parameters: Mapping[str, Any]
    first_seen: float
    counts_as: str
    battles: int


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """How two contestants are drawn.

    Attributes:
        quota: battles that a pair may have in the study: pairs are drawn by the places they have left; 0: no end, and
            all pairs are equally likely.
        study: whose quota; empty: the arena's own.
        lease_s: seconds for which a place is kept for a battle without a vote.
    """

    quota: int = 0
    study: str = ""
    lease_s: float = 1800.0


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two contestants that were drawn.

    Attributes:
        a, b: ids of contestants; a is shown on the left, or first.
        propensity: how likely this pair was, whichever side was which.
        seed: of the draw.
        pairing: how it was drawn.
        lease: the place that is kept for it; empty: none is needed.
    """

    a: int
    b: int
    propensity: float
    seed: int
    pairing: Pairing = Pairing()
    lease: str = ""


class Replied(msgspec.Struct, frozen=True, kw_only=True):
    """What became of asking one of the two.

    Attributes:
        state: a refusal can be voted on, an empty or a failed reply cannot.
        text: of the reply.
        error: why none came, one line, in which the other side may quote the voter.
        kind: of a failure that is not the recording's fault, in a word or two of our own; not kept.
        latency_s, first_token_s: seconds; None: not known.
        finish_reason, tokens_in, tokens_out: as the other side says.
    """

    state: ReplyState
    text: str = ""
    error: str = ""
    kind: str = ""
    latency_s: float | None = None
    first_token_s: float | None = None
    finish_reason: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class Battle(msgspec.Struct, frozen=True, kw_only=True):
    """A battle as its voter may see it: nothing in it says who the two are.

    Attributes:
        id: random, 128 bits.
        state: ``asking`` until both replies are complete; ``abandoned`` if no vote came for long, which one still may.
        text, recording: the query: one of them; both empty after a deletion.
        a, b: the replies; empty before both are complete.
        outcome: of the vote; empty: none yet.
        comment, tags: of the vote.
        made_at: seconds since 1970.
        study: empty: none.
    """

    id: str
    state: State
    text: str = ""
    recording: str = ""
    a: str = ""
    b: str = ""
    outcome: str = ""
    comment: str = ""
    tags: tuple[str, ...] = ()
    made_at: float = 0.0
    study: str = ""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """A battle whose replies are not there yet, for whoever asks for them.

    Attributes:
        battle: its id.
        voter: of whom.
        query: what is asked; an empty text after a deletion.
        a, b: ids of the contestants.
        made_at: seconds since 1970.
    """

    battle: str
    voter: int
    query: Recording | str
    a: int
    b: int
    made_at: float


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """Who stood on a side, after the vote."""

    name: str
    latency_s: float | None
    first_token_s: float | None


class Revealed(msgspec.Struct, frozen=True, kw_only=True):
    """A battle that is closed, and who the two were."""

    battle: Battle
    a: Side
    b: Side


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """What a deletion removed or, of battles and votes, emptied of words.

    Attributes:
        recordings, battles, votes: how many.
    """

    recordings: int = 0
    battles: int = 0
    votes: int = 0


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What became of asking a contestant.

    Attributes:
        model: its name, as on the board.
        asked: battles in which it was asked and something came of it.
        answered, refused, empty, failed: its replies.
        abandoned: battles with both replies that nobody voted on.
    """

    model: str
    asked: int
    answered: int
    refused: int
    empty: int
    failed: int
    abandoned: int
