"""The run folder as a format: what was asked, of whom, and every reply.

::

    run.json         `RunInfo`
    replies.jsonl    `ReplyRecord` a line, in the order of arrival; which of them count: see `files.replies`
    replies-until-<time>.jsonl    replies that were asked anew with --again
    scores/<name>--<hash of the signature>.json    what was scored; see `RunFolder.score_path`
    report.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from audiometry.errors import RunFolderError, UndecodableError, leads_out, shown
from audiometry.files import atomic, foreign, jsonl, presence, replies
from audiometry.files.asked import Selection, TaskExtent
from audiometry.records import ReplyRecord

FORMAT = 1
RUNS = Path("runs")
"""Where run folders are made and looked for, unless another place is named."""

LONGEST_NAME = 100  # characters of a score's name in that of its file


class BenchmarkStamp(msgspec.Struct, frozen=True, kw_only=True):
    """Which benchmark, exactly.

    ``source`` as the user named it, ``data`` where its data were if they had to be given, ``sha256`` of its card and
    metadata, ``revision`` of data on the hub (``owner/name@commit``). ``earlier`` are the contents that the run was
    begun with and that were corrected since, oldest first. ``left_out`` is how many of its rows cannot be asked,
    ``absent`` are the ids of those among them whose clips were not in the folder.
    """

    name: str
    version: str
    source: str
    sha256: str
    data: str = ""
    revision: str = ""
    earlier: tuple[str, ...] = ()
    left_out: int = 0
    absent: tuple[str, ...] = ()


class RecipeStamp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whose recipe a run followed.

    Attributes:
        name: of the recipe, or of the user's file without its ending.
        about: whose evaluation it is, in a line for people; shapes nothing.
        own: whether it is a file of the user's.
        sha256: of all that it says on how to ask.
        wording: ``exact`` where the makers' prompt is laid out word for word, ``ours`` where a sentence of theirs is in
            the words of audiometry, or their prompt is not wholly known.
        decoding: ``set`` as the recipe says, or ``program`` where the model's own code decodes.
        unset: what of the makers' decoding could not be asked for.
    """

    name: str
    about: str = ""
    own: bool = False
    sha256: str
    wording: Literal["exact", "ours"]
    decoding: Literal["set", "program"] = "set"
    unset: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """How people tell it from another."""
        return f"{'own ' if self.own else ''}recipe {self.name}"


class PromptStamp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How items were put into words.

    Attributes:
        layout, sha256: its name, and the hash of its own text.
        part_order: whether clips or words come first.
        style: how options were shown; see `choices.STYLES`.
        recipe: whose it is.
        shots: how many worked examples went before each item.
        shots_with: whether these were words alone, or other items with their clips.
        examples: hash of the words that examples are put in, and of those that the benchmark's card has; empty for no
            examples.
    """

    layout: str
    sha256: str
    part_order: str
    style: str = "dotted"
    recipe: RecipeStamp | None = None
    shots: int = 0
    shots_with: Literal["text", "audio"] = "text"
    examples: str = ""

    @property
    def called(self) -> str:
        """In a few words: ``ours 9ce086 audio-first``, ``recipe gemini 626fa3 text-first``, ``… shots-1``."""
        which = (self.layout, self) if self.recipe is None else (self.recipe.called, self.recipe)
        return " ".join([which[0], which[1].sha256[:6], self.part_order, *self.signed_shots])

    @property
    def signed_shots(self) -> tuple[str, ...]:
        """What a signature says of the examples: ``shots-1``, ``shots-1-audio``; nothing without any."""
        heard = "-audio" if self.shots_with == "audio" else ""
        return (f"shots-{self.shots}{heard}",) if self.shots else ()


class AudioStamp(msgspec.Struct, frozen=True, kw_only=True):
    """What clips were made to fit, as the model's card says; see `ModelCard`."""

    rate: int | None
    channels: int | None
    formats: tuple[str, ...]
    longest_s: float | None
    largest_mb: float | None = None
    cut: bool = False
    shortest_s: float | None = None
    padded: bool = False


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """``run.json``.

    Attributes:
        format: of the folder, 1.
        benchmark, model, parameters, prompt, audio, seed: what shaped every reply; a folder never mixes two of them,
            except that the benchmark may be corrected (``benchmark.earlier``).
        decoding: what a person or a recipe has set of the parameters: ``temperature``, ``max_tokens``, further fields.
        variants: the ways each item is asked, in order.
        tasks, categories, limit: which items, as in `Selection`; of several commands the widest of each.
        asked: what each command selected that no other one's takes in; empty in folders from before it was written
            down, see `selections`.
        extent: how much of each of the benchmark's tasks was asked; empty in such folders.
        n_items: how many items that makes.
        n_without_clip: those of them that name no clip, which are not asked in the variants without it.
        n_planned: how many replies that makes; 0 in such folders.
        versions: of audiometry, Python and the libraries that touch audio.
        started: UTC, ISO 8601.
        served_at: every address at which replies of the folder were asked, sorted; empty for a model without; None if
            that is not known, from before it was written down.
        again: everything was asked anew, so that no reply of another folder is taken over.
        unfinished: it is still being asked anew: not every reply is there, so that ``--again`` goes on.
    """

    format: int = FORMAT
    benchmark: BenchmarkStamp
    model: str
    parameters: dict[str, Any]
    prompt: PromptStamp
    audio: AudioStamp | None = None
    decoding: dict[str, Any] = {}
    seed: int
    variants: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    limit: int | None = None
    asked: tuple[Selection, ...] = ()
    extent: dict[str, TaskExtent] = {}
    n_items: int
    n_without_clip: int = 0
    n_planned: int = 0
    versions: dict[str, str]
    started: str
    served_at: tuple[str, ...] | None = None
    again: bool = False
    unfinished: bool = False

    @property
    def called(self) -> str:
        """Who was asked, and by whose recipe, as people tell runs apart."""
        return asked_by(self.model, self.prompt.recipe)

    @property
    def selections(self) -> tuple[Selection, ...]:
        """What was asked, all commands together."""
        alone = Selection(tasks=self.tasks, categories=self.categories, limit=self.limit, variants=self.variants)
        return self.asked or (alone,)


def asked_by(model: str, recipe: RecipeStamp | None) -> str:
    """A model, and the recipe that it was asked by.

    >>> asked_by("scripted/oracle", None)
    'scripted/oracle'
    """
    return model if recipe is None else f"{model}, {recipe.called}"


def differing(one: Mapping[str, Any], other: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str, str]]:
    """In what two sets of parameters differ: the keys of each nested value, and both values in words.

    >>> list(differing({"top_p": 0.9, "reader": {"name": "a"}}, {"reader": {"name": "b"}}))
    [('reader.name', 'a', 'b'), ('top_p', '0.9', 'none')]
    """
    for key in sorted(one.keys() | other.keys()):
        was, now_is = one.get(key), other.get(key)
        if isinstance(was, dict) and isinstance(now_is, dict):
            yield from differing(was, now_is, f"{within}{key}.")
        elif was != now_is:
            yield shown(f"{within}{key}"), _in_words(was), _in_words(now_is)


def _in_words(value: Any) -> str:
    said = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return "none" if value is None else shown(said, 80)


class RunFolder:
    """A run folder at a path; nothing is read until asked.

    Args:
        path: of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def info_path(self) -> Path:
        """Path of ``run.json``."""
        return self.path / "run.json"

    @property
    def replies_path(self) -> Path:
        """Path of ``replies.jsonl``."""
        return self.path / "replies.jsonl"

    def score_path(self, name: str, signature: str) -> Path:
        """Path of a score: its name as far as file systems take it, and the hash of its signature.

        >>> RunFolder(Path("run")).score_path("judge-score@strict", "strict.1+v1").name
        'judge-score-strict--112f2d0c20be.json'
        """
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in name)[:LONGEST_NAME]
        return self.path / "scores" / f"{plain}--{hashlib.sha256(signature.encode()).hexdigest()[:12]}.json"

    def exists(self) -> bool:
        """Whether a run was ever started here."""
        return presence.exists(self.info_path)

    def has_replies(self) -> bool:
        """Whether anything stands in ``replies.jsonl``."""
        try:
            return self.replies_path.stat().st_size > 0
        except (OSError, ValueError):
            return False

    def info(self) -> RunInfo:
        """What was asked, of whom.

        Raises:
            RunFolderError: not a run folder, or one of a newer format.
        """
        try:
            raw = foreign.read_file(self.info_path)
        except UndecodableError as problem:
            why = "it has no run.json" if presence.is_folder(self.path) else "there is none"
            why = f"run.json: {problem}" if presence.exists(self.info_path) else why
            raise RunFolderError(
                f"{shown(str(self.path), 200)} is not a run folder ({why}); give one that `audiometry run` wrote"
            ) from problem
        try:
            version = foreign.json(raw, dict[str, Any]).get("format")
            if version != FORMAT:
                said = "another format" if leads_out(self.info_path) else f"format {version}"
                raise RunFolderError(
                    f"{self.info_path}: {shown(said)}, this audiometry reads {FORMAT}; update audiometry"
                )
            return foreign.json(raw, RunInfo)
        except UndecodableError as problem:
            raise RunFolderError(f"{problem.at(self.info_path)}; restore it, or start a new run") from None

    def write_info(self, info: RunInfo) -> None:
        """Put ``run.json`` in place, atomically."""
        atomic.write_document(self.info_path, info)

    def replies(self, place: replies.Place | None = None) -> Iterator[ReplyRecord]:
        """The replies and failures that count, in the order of arrival; of each item and variant at most one.

        Args:
            place: numbers items and variants with less memory than it takes where nothing is known of them.
        """
        yield from replies.that_count(self.replies_path, ReplyRecord, replies.look(self.replies_path, place))

    def lines(self) -> Iterator[ReplyRecord]:
        """Every whole line of ``replies.jsonl`` in order, those that no longer count too."""
        return jsonl.read(self.replies_path, ReplyRecord)
