"""What a build leaves beside a benchmark, in its folder ``build/``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import BenchmarkError, UndecodableError, shown
from audiometry.files import foreign, presence
from audiometry.files.benchmark_folder import METADATA
from audiometry.files.stamp import sha256_of
from audiometry.records import Item

FOLDER: Final = "build"
SPEC: Final = "spec.toml"
REJECTED: Final = "rejected.jsonl"
INFO: Final = "build.json"
REPORT: Final = "report.html"
"""The page of its statistics."""
ASKED: Final = "asked"
"""Folder of all that models were asked, with their replies."""
MIXED: Final = "mixed"
"""Folder of mixes that were made for the build, until it is done."""
CLIPS: Final = "clips.jsonl"
"""Clips that a build has written, until it is done: what it need not write again when it goes on."""


class Rejected(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of ``rejected.jsonl``: what is not in the benchmark, and why.

    Attributes:
        rule: short, stable word for the reason (``missing``, ``empty-label``, ``private``).
        reason: in a sentence.
        by: who rejected it: ``build``, a model, or a reviewer.
        task: for which it was meant; empty: all.
        where: source and row.
        item: whole, as far as it had been made; None: it had not.
        reply: of a model, whole, where no item could be made of it.
    """

    rule: str
    reason: str
    by: str = "build"
    task: str = ""
    where: str = ""
    item: Item | None = None
    reply: str = ""


class SourceStamp(msgspec.Struct, frozen=True, kw_only=True):
    """What a source was when it was read.

    Attributes:
        name, source, licence: as the spec says.
        revision: of data on the hub, ``owner/name@commit``; empty for others.
        sha256: of its tables; empty for clips without any.
        rows: that could be used.
        private: columns that nobody was told of.
    """

    name: str
    source: str
    licence: str
    revision: str
    sha256: str
    rows: int
    private: tuple[str, ...]


class Filtered(msgspec.Struct, frozen=True, kw_only=True):
    """How a model did that was asked what was written without its clip, in one way.

    Attributes:
        model, variant: who, and what it was sent in place of the clip.
        items: how many were asked, each in every cyclic order of its options.
        unanswered: replies that did not come; an item with one stays.
        right: items that it was right about in all orders, and that were set aside.
        by_guessing: of how many a guesser would be, on average.
        by_taste: of how many it would be if it kept to one option in all orders as often where that is the right one
            as it did where that is a wrong one: good items that are lost.
    """

    model: str
    variant: str
    items: int
    unanswered: int
    right: int
    by_guessing: float = 0.0
    by_taste: float = 0.0


class BlindScore(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model is right about a task's items with the words alone.

    Attributes:
        right: items.
        items: that it was asked about.
        unanswered: replies that did not come; with one the share is known within bounds only.
        chance: share that a guesser would be right about, on average.
        interval: of the share, 95 %, over the items' groups; None: replies are missing, or too little to tell.
    """

    right: int
    items: int
    unanswered: int
    chance: float
    interval: tuple[float, float] | None


class Blind(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model that filtered nothing is right with the words alone.

    Attributes:
        model: who.
        tasks: by name.
    """

    model: str
    tasks: dict[str, BlindScore]


class BuildInfo(msgspec.Struct, frozen=True, kw_only=True):
    """``build.json``.

    Attributes:
        format: of this file.
        benchmark, version: name and version on the card.
        seed: of all that was drawn.
        audiometry: version that built it.
        spec_sha256: of the spec's bytes.
        sources: what they were.
        metadata_sha256: of the items as they were built; empty: not known.
        items: how many, by task.
        clips: how many.
        rejected: how many, by rule.
        filtered: by models that were asked without the clips.
        blind: the score without them; None: nobody was asked.
        wordings: by task, all wordings of its questions where a model wrote some, the given ones first.
        written: by task, of those of its wordings that a model wrote, their provenance.
        unreviewed: share of the items that no person has looked at, 0 to 1.
    """

    format: int = 1
    benchmark: str
    version: str
    seed: int
    audiometry: str
    spec_sha256: str
    sources: tuple[SourceStamp, ...]
    metadata_sha256: str = ""
    items: dict[str, int]
    clips: int
    rejected: dict[str, int]
    filtered: tuple[Filtered, ...] = ()
    blind: Blind | None = None
    wordings: dict[str, tuple[str, ...]] = {}
    written: dict[str, dict[str, dict[str, str]]] = {}
    unreviewed: float = 1.0


def read_info(folder: Path) -> BuildInfo | None:
    """What stands in the ``build.json`` of a benchmark's folder; None where there is none.

    Raises:
        BenchmarkError: it cannot be read.
    """
    path = folder / FOLDER / INFO
    if not presence.is_file(path):
        return None
    try:
        return foreign.read_json(path, BuildInfo)
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; restore it, or build again") from None


class KeptClip(msgspec.Struct, frozen=True):
    """A line of `CLIPS`: what a clip is of, and its file."""

    key: str
    name: str
    sha256: str


def is_build(folder: Path) -> bool:
    """Whether a folder holds a build, finished or not."""
    return any((folder / FOLDER / name).exists() for name in (SPEC, CLIPS, ASKED, MIXED))


def refuse_other(folder: Path, name: str) -> None:
    """Refuse to build where something is that a build would replace.

    Args:
        folder: of the benchmark, new or of an earlier build of it.
        name: of the benchmark that is built.

    Raises:
        BenchmarkError: it holds something else, another benchmark, or items that were changed since they were built.
    """
    do = "give another folder with -o"
    if presence.exists(folder) and not is_build(folder) and any(folder.iterdir()):
        raise BenchmarkError(f"{folder} is not empty and holds no build; {do}")
    path, metadata = folder / FOLDER / INFO, folder / METADATA
    if not presence.is_file(path):
        return
    try:
        there = foreign.read_json(path, BuildInfo)
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; {do}") from None
    if there.benchmark != name:
        raise BenchmarkError(f"{folder} holds the benchmark '{shown(there.benchmark)}', not '{shown(name)}'; {do}")
    finished = presence.is_file(metadata) and not presence.exists(folder / FOLDER / CLIPS)
    if finished and there.metadata_sha256 not in {"", sha256_of(metadata)}:
        raise BenchmarkError(f"{metadata} was changed since it was built, by hand or by a review; {do}")
