"""What a hearing test found, as ``probe.json`` holds it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.errors import RunFolderError, UndecodableError
from audiometry.files import atomic, foreign
from audiometry.records import Failure

FILE = "probe.json"
FORMAT = 1
ALPHA = 0.01
"""Of each test against guessing: what a part that is not heard may pass with."""

Verdict: TypeAlias = Literal["heard", "not heard", "cannot tell", "failed", "not asked"]
Form: TypeAlias = Literal["full", "short"]
Kind: TypeAlias = Literal["digit", "pitch", "tone"]


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A clip as the model was sent it; see `audiometry.records.Audio`."""

    format: str
    rate: int
    channels: int
    duration_s: float
    changes: tuple[str, ...] = ()


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """One question and what came of it.

    Attributes:
        id: of the question, ``ASPECT/NUMBER``.
        aspect: what it is part of the test of.
        kind: what was to be heard: a spoken digit, the frequency of a tone, how high tones are or how they
            move.
        options: as they were shown, letter A first.
        answer: the text of the right one.
        said: the text of the one that the reply names; None: none could be read.
        refused: the reply declines.
        text: the reply, its first 200 characters; None where none came.
        error: why none came.
        sent: the clip as it was sent; None where it could not be.
    """

    id: str
    aspect: str
    kind: Kind
    options: tuple[str, ...]
    answer: str
    said: str | None = None
    refused: bool = False
    text: str | None = None
    error: Failure | None = None
    sent: Sent | None = None

    @property
    def right(self) -> bool:
        """Whether the right option was named."""
        return self.said == self.answer


class Aspect(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one part of the test.

    Attributes:
        name: stable and short, ``digits-8k``.
        title: for people.
        kind: what was to be heard.
        verdict: ``heard`` (above chance), ``not heard`` (a model that hears the same in other clips would have
            named more), ``cannot tell``, ``failed`` (no replies), ``not asked`` (``note`` says why).
        right: how many of the replies named the right option.
        n: how many replies came.
        n_unread, n_refused: how many of them named no option, declined.
        n_failed: questions without a reply.
        chance: probability that a guess is right.
        p: exact probability of as many right by guessing; 1 without replies.
        p_less: exact probability of no more right by a model that hears as much as this one does in the part of the
            same kind in which it hears best; 1 if there is no such part.
        sent: the clips as they were sent, in words.
        note: more about it; empty for nothing.
    """

    name: str
    title: str
    kind: Kind
    verdict: Verdict
    right: int = 0
    n: int = 0
    n_unread: int = 0
    n_refused: int = 0
    n_failed: int = 0
    chance: float
    p: float = 1.0
    p_less: float = 1.0
    sent: str = ""
    note: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong by the pattern of what was heard: a stable word for it, and what to know of it."""

    cause: str
    message: str


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A whole hearing test.

    Attributes:
        format: of this file, 1.
        form: ``full``, or ``short`` before a run.
        model: who was asked.
        parameters: how; see `Model.parameters`.
        seed: of the clips and questions.
        alpha: of each test against guessing.
        hears: whether there is a sign that audio reaches the model.
        p: of as strong a sign by guessing, all parts of the test taken together.
        right, n: over all parts; ``expected`` is what guessing gives.
        n_failed: questions without a reply.
        aspects: part by part.
        findings: what is wrong; empty if nothing was found.
        stopped: why it ended before its end; empty if it did not.
        usage: what it took.
        at: when, UTC, ISO 8601.
        questions: each question and its reply.
    """

    format: int = FORMAT
    form: Form
    model: str
    parameters: dict[str, object]
    seed: int
    alpha: float = ALPHA
    hears: bool
    p: float
    right: int
    n: int
    expected: float
    n_failed: int
    aspects: tuple[Aspect, ...]
    findings: tuple[Finding, ...]
    stopped: str = ""
    usage: Usage
    at: str
    questions: tuple[Heard, ...]

    def aspect(self, name: str) -> Aspect:
        """The part of that name.

        Raises:
            KeyError: there is none.
        """
        for one in self.aspects:
            if one.name == name:
                return one
        raise KeyError(name)


def write(folder: Path, probe: Probe) -> None:
    """Put ``probe.json`` into a folder.

    Raises:
        StorageError: the disk refused.
    """
    atomic.write_document(folder / FILE, probe)


def read(folder: Path) -> Probe | None:
    """The hearing test in a folder; None if there is none.

    Raises:
        RunFolderError: the file is damaged or of a newer format.
    """
    path = folder / FILE
    if not os.path.lexists(path):
        return None
    try:
        return foreign.read_json(path, Probe)
    except UndecodableError as problem:
        raise RunFolderError(f"{problem.at(path)}; remove it, the next probe writes it anew") from None
