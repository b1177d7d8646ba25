"""A build spec: which recordings, what is known of them, and which tasks are made of that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from audiometry.builder.mixed_pairs import HowMixed
from audiometry.errors import BenchmarkError, UndecodableError
from audiometry.files import foreign
from audiometry.records import BenchmarkInfo

SPLITS: Final = ("dev", "test")


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a fact of a clip stands.

    Attributes:
        column: of the table; ``tags.genre`` is the key ``genre`` of the object in the column ``tags``.
        separator: between the values of a cell that holds several (``;``); empty: a cell is one value, or a list.
    """

    column: str
    separator: str = ""


class SourceColumns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``columns`` of a source: which column of its table is what.

    Attributes:
        audio: the recording: a path, or in parquet a struct of bytes and path.
        start, end: of the span that a row is about, in seconds; without ``start`` it is about the whole recording.
        channel: the one that a row is about, counted from 1, or ``left`` and ``right``; empty cells stand for all.
        group: columns whose values together are what clips that are not independent share: patient, caller, station
            and day.
        private: columns whose values stand in nothing that is made and are sent to nobody.
        licence: the column of a recording's licence; of an empty cell it is the source's.
        split: the column that says whether a row is for ``dev``, ``test``, ….
        question, options, kinds, answer, options_are, answer_is: of questions that the source has of its own, as on a
            card.
        task: the column that says for which task a row's own question is; empty: for any.
    """

    audio: str = "audio"
    start: str = ""
    end: str = ""
    channel: str = ""
    group: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    licence: str = ""
    split: str = ""
    question: str = ""
    options: str | tuple[str, ...] = ""
    kinds: str | tuple[str, ...] = ()
    answer: str = ""
    options_are: Literal["list", "lettered"] = "list"
    answer_is: Literal["text", "letter", "either", "index", "number"] = "text"
    task: str = ""


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One ``[[source]]``: recordings and a table of what is known about them, by the keys of a card's ``[data]``.

    Attributes:
        source: a folder in the hub's AudioFolder layout, tables, or a dataset repository of the hub.
        path: of the folder or the tables, from the spec's folder; a pattern for several tables.
        repository, revision, split, clips, keyed, values, where: as on a card.
        clips_in: the folder of its clips, below that of the tables or anywhere (``/data/birds``, ``../clips``).
        columns: which column is which.
        facts: what is known of a clip, by a name that tasks use: a column, or a `Fact`.
        licence: of its recordings; empty: the benchmark's.
        groups: the name of what its groups are of (``patients of St Mary's``); sources with the same name share them,
            so that equal groups are one; empty: its own.
        name: by which tasks and items call it; empty: its table's, folder's or repository's.
    """

    source: Literal["folder", "hub", "parquet", "csv", "tsv", "json"] = "folder"
    path: str = ""
    repository: str = ""
    revision: str = ""
    split: str = ""
    clips: tuple[str, ...] = ()
    keyed: str = ""
    clips_in: str = ""
    values: dict[str, dict[str, str]] = {}
    where: dict[str, tuple[str, ...]] = {}
    columns: SourceColumns = SourceColumns()
    facts: dict[str, str | Fact] = {}
    licence: str = ""
    groups: str = ""
    name: str = ""

    def fact(self, name: str) -> Fact | None:
        """Where a fact stands; None if the source has it not."""
        found = self.facts.get(name)
        return Fact(column=found) if isinstance(found, str) else found

    @property
    def called(self) -> str:
        """Its name."""
        return self.name or self.repository or Path(self.path).name or "folder"


class WriterSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[writer]``: a language model that writes questions, answers or wrong options.

    Attributes:
        model: as ``provider/name``.
        base_url: where it is served; empty: the provider's address.
        temperature: of its replies; stated with every request.
    """

    model: str = ""
    base_url: str = ""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0


class FilterSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[filter]``: models that are asked what was written without its clip, ``provider/name`` or with ``@URL``.

    Attributes:
        text: asked with the words alone.
        audio: asked with silence, and with another item's clip.
        blind: asked all that has options with the words alone, for the blind score; none of ``text``.
    """

    text: tuple[str, ...] = ()
    audio: tuple[str, ...] = ()
    blind: str = ""


class MixSpec(HowMixed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``mix`` of a task: its clips are mixed with those of another source.

    Attributes:
        other: the name of that source; ``with`` in a spec.
    """

    other: str = msgspec.field(name="with", default="")


class TaskSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One ``[[task]]`` of a spec.

    Attributes:
        name, title, category, pool, measure, note: as on a card.
        make: how its items are made (`audiometry.builder.make.MAKES`).
        kind: of the source's own questions (``given``), as on a card; empty: ``choice``.
        about: the fact that is asked for.
        near: a fact that wrong options share with the right one; empty: any label that is not true of the clip.
        question: wordings, of which each item has one.
        written: how many more wordings a model is to write, the given ones being its examples.
        labels: the label set, or labels with their other names in the table; empty: all that the sources have.
        options: how many an item has; all labels where there are fewer.
        n: how many items at most; 0: all.
        per_clip: how many items of one clip at most.
        mix: the clips of its source are mixed with those of another one; None: they are asked about as they are.
        splits: which rows are used, by ``columns.split``; empty: those of the spec.
        abilities: of a chat task, the ones that are asked for; none: all that its category has.
        source: the only one whose rows are used; empty: all.
        silence: clips in which nothing is heard are asked about too.
    """

    name: str
    make: str
    title: str = ""
    category: str = ""
    pool: str = ""
    measure: str = ""
    note: str = ""
    kind: Literal["", "choice", "label", "transcript", "open"] = ""
    about: str = ""
    near: str = ""
    question: tuple[str, ...] = ()
    written: int = 0
    labels: tuple[str, ...] | dict[str, tuple[str, ...]] = ()
    options: int = 4
    n: int = 0
    per_clip: int = 1
    abilities: tuple[str, ...] = ()
    mix: MixSpec | None = None
    splits: tuple[str, ...] = ()
    source: str = ""
    silence: bool = False


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole build spec.

    Attributes:
        benchmark: what is made, as on a card.
        source: its recordings.
        task: its tasks.
        seed: of all that is drawn.
        language: of questions and answers, BCP 47.
        splits: which rows are used where ``columns.split`` is given.
        writer: who writes what is to be written.
        filter: who is asked it without its clip.
    """

    benchmark: BenchmarkInfo = BenchmarkInfo()
    source: tuple[Source, ...] = ()
    task: tuple[TaskSpec, ...] = ()
    seed: int = 1
    language: str = "en"
    splits: tuple[str, ...] = SPLITS
    writer: WriterSpec = WriterSpec()
    filter: FilterSpec = FilterSpec()

    def splits_of(self, task: TaskSpec) -> tuple[str, ...]:
        """The splits whose rows a task uses."""
        return task.splits or self.splits

    def sources_of(self, task: TaskSpec) -> frozenset[str]:
        """The sources whose clips a task uses: those it mixes, the only one it names, or any that knows its fact."""
        if task.mix is not None:
            return frozenset((task.source, task.mix.other))
        meant = (one for one in self.source if task.source in {"", one.called})
        return frozenset(one.called for one in meant if not task.about or task.about in one.facts)


def read(path: Path) -> tuple[Spec, bytes]:
    """A spec and the bytes of its file.

    Raises:
        BenchmarkError: it is not valid TOML, or a key is wrong; names the nearest.
    """
    try:
        raw = foreign.read_file(path)
        return foreign.toml(raw, Spec), raw
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; compare it with docs/build.md") from None
