"""A benchmark's card: what it is, where its data are, how its tasks are scored."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SMALL: Final = 100
"""Items that a set needs for its number to stand without a mark."""


class BenchmarkInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[benchmark]`` table of a card; in a folder its name is the folder's if it has none.

    Attributes:
        size: how many items were published; 0: that is not said.
        unknown: facts about it that nobody published, a line each.
        cannot_show: what its numbers cannot show, a line each.
    """

    name: str = ""
    version: str = "0"
    title: str = ""
    licence: str = ""
    citation: str = ""
    homepage: str = ""
    size: int = 0
    unknown: tuple[str, ...] = ()
    cannot_show: tuple[str, ...] = ()


class Columns(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[data.columns]`` table: which column of the data is which field of an item.

    Attributes:
        id, folder, group: columns whose values, joined by ``_``, make the id, the data folder it is counted under, and
            what items that are not independent share; ``folder`` and ``group`` may be empty, and an empty ``id`` stands
            for the number of the row.
        task, question, answer: a column each; an empty ``task`` puts all items under the only task of the card, or the
            benchmark's name, and an empty ``question`` asks in the task's wordings.
        options: one column that holds lists, or a column for each option, of which empty ones are not options.
        audio: the clip: a path, or in parquet a struct of ``bytes`` and ``path``.
        tags: columns kept as facts for slicing.
        meta: one column with all else that is known of the clip, as text for a judge; empty for none.
        options_are: how a column of options holds them: as a ``list``, or as one text in which each stands behind its
            letter (``lettered``).
        answer_is: how the answer names an option: by its ``text``, by its ``letter`` (A is the first), by its
            ``index`` (0 is the first) or by its ``number`` (1 is the first). Holds for a folder's metadata too.
    """

    id: tuple[str, ...] = ("id",)
    task: str = "task"
    question: str = "question"
    options: str | tuple[str, ...] = "options"
    answer: str = "answer"
    audio: str = "audio"
    folder: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    meta: str = ""
    options_are: Literal["list", "lettered"] = "list"
    answer_is: Literal["text", "letter", "index", "number"] = "text"


class DataSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[data]`` table: a benchmark folder holds its own data, other cards point elsewhere.

    Attributes:
        source: a benchmark folder, tables of rows, tables in a dataset repository of the hub, or the code of that name
            in `audiometry.bench`.
        path: of the data, relative to the card, to ``--data`` or to the repository; a pattern for several files
            (``data/*.parquet``). Of a repository, empty stands for all parquet files.
        repository: of the hub, ``owner/name``.
        revision: of the repository: a commit, a branch or a tag; empty: its main branch.
        split: only tables whose names say so (``test-00000-of-00002.parquet``, ``test/rows.csv``); empty: all.
        clips: patterns of the clips that tables without audio name, in the repository.
        corpus: what other sets of a suite are drawn from too: clips and groups of one name are the same in all of them.
        clips_in: the folder of clips, below that of the tables which name them; empty: names tell it.
        cards: of a suite, the cards beside it whose items it asks.
        columns: which column is which.
        values: by column, what a value of it stands for (``0`` for ``angry``); others are taken as they are.
        where: by column, the values of the rows that are meant; ``*`` stands for any but an empty one.
    """

    source: Literal["folder", "hub", "parquet", "csv", "tsv", "json", "airbench", "airbench-foundation", "cards"] = (
        "folder"
    )
    path: str = ""
    repository: str = ""
    revision: str = ""
    split: str = ""
    clips: tuple[str, ...] = ()
    corpus: str = ""
    clips_in: str = ""
    cards: tuple[str, ...] = ()
    columns: Columns = Columns()
    values: dict[str, dict[str, str]] = {}
    where: dict[str, tuple[str, ...]] = {}


class Task(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ``[[task]]``: a group of items scored alike.

    Attributes:
        name: as in the items.
        title: for people; the name if empty.
        category: the group it is averaged in (``speech``, ``sound``, ``music``); empty for none.
        pool: tasks of one pool are taken together, each item counting alike, before the categories are averaged, as if
            they were one task of their category; empty: the task stands alone.
        kind: what an answer is.
        labels: of a task of labels, all that an answer may be; none: those that its items have.
        synonyms: other names and forms of a label, by label ("furious" of ``angry``); of a task that lists no labels,
            of those that may occur.
        ranges: by label, the whole numbers that stand for it, first and last ("25" of ``twenties``).
        measure: the name of the one it is scored by, whatever a profile says; empty: the profile's.
        chance: expected score of a guesser, 0 to 1; None: computed from the number of options or labels.
        note: what a reader of its number has to know.
        size: how many items of it were published; 0: that is not said, or its card has no other task.
        audio: whether each of its items has to name a clip (``required``) or may be asked in words alone.
        wordings: ways to put its questions, the first being the usual one; ``{question}`` stands for an item's own,
            ``{labels}`` for the task's labels. None: items are asked in their own words.
    """

    name: str
    title: str = ""
    category: str = ""
    pool: str = ""
    kind: Literal["choice", "label", "transcript", "open"] = "choice"
    labels: tuple[str, ...] = ()
    synonyms: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[int, int]] = {}
    measure: str = ""
    chance: float | None = None
    note: str = ""
    size: int = 0
    audio: Literal["required", "optional"] = "required"
    wordings: tuple[str, ...] = ()


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A whole card, as ``benchmark.toml`` holds it."""

    benchmark: BenchmarkInfo = BenchmarkInfo()
    data: DataSource = DataSource()
    task: tuple[Task, ...] = ()

    @property
    def only_task(self) -> str:
        """The name of its task if it has one alone, which items that name none belong to; empty otherwise."""
        return self.task[0].name if len(self.task) == 1 else ""

    def task_named(self, name: str) -> Task:
        """The task's entry, or a plain one if the card does not name it."""
        return next((t for t in self.task if t.name == name), Task(name=name))

    def size_of(self, name: str) -> int:
        """How many items of a task were published; 0: that is not said."""
        return self.task_named(name).size or (self.benchmark.size if name == self.only_task else 0)

    def called(self, name: str) -> str:
        """A task's title for people, or its name; with a mark if so few items were published that it is a small set.

        >>> Card(task=(Task(name="calls", title="Calls", size=24),)).called("calls")
        'Calls, small: 24 items'
        """
        title, size = self.task_named(name).title or name, self.size_of(name)
        return f"{title}, small: {size} item{'s' * (size > 1)}" if 0 < size < SMALL else title
