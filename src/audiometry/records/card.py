"""A benchmark's card: what it is, where its data are, how its tasks are scored."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SMALL: Final = 100
"""Items that a set needs for its number to stand without a mark."""
QUESTION: Final = "{question}"
LABELS: Final = "{labels}"
"""What wordings leave a place for: an item's own question, and the labels of its task."""


class BenchmarkInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[benchmark]`` table of a card; in a folder its name is the folder's if it has none.

    Attributes:
        size: how many items were published; 0: that is not said.
        unknown: facts about it that nobody published, a line each.
        cannot_show: what its numbers cannot show, a line each.
        known: known defects of its data and of numbers published for it, a line each.
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
    known: tuple[str, ...] = ()


class Columns(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[data.columns]`` table: which column of the data is which field of an item.

    Attributes:
        id, folder, group: columns whose values, joined by ``_``, make the id, the data folder it is counted under, and
            what items that are not independent share; ``folder`` and ``group`` may be empty, and an empty ``id`` stands
            for the number of the row.
        task, question, answer: a column each; an empty ``task`` puts all items under the only task of the card, or the
            benchmark's name, and an empty ``question`` asks in the task's wordings.
        options: one column that holds lists, or a column for each option, of which empty ones are not options; one of
            several that holds a list has an option in each of its entries.
        kinds: what kind of option each of several columns of options holds, the right one's being empty; or, beside
            one column of lists, the column that holds lists of kinds.
        drawn: the source keeps the right option in one place, so an item's own order of its options is drawn, by its
            id. Holds for a folder's metadata too.
        audio: the clip: a path, or in parquet a struct of ``bytes`` and ``path``.
        tags: columns kept as facts for slicing.
        lists: columns kept so whose cells hold several values: a list, or a text that is one in JSON or in Python.
        meta: one column with all else that is known of the clip, as text for a judge; empty for none.
        private: columns that nobody is told of, no judge either: no item holds them, and one whose question or options
            say what stands there is left out.
        options_are: how a column of options holds them: as a ``list``, or as one text in which each stands behind its
            letter (``lettered``).
        answer_is: how the answer names an option: by its ``text``, by its ``letter`` (A is the first), by ``either``
            (the text; the letter where no option is so written), by its ``index`` (0 is the first) or by its
            ``number`` (1 is the first). Holds for a folder's metadata too.
    """

    id: tuple[str, ...] = ("id",)
    task: str = "task"
    question: str = "question"
    options: str | tuple[str, ...] = "options"
    kinds: str | tuple[str, ...] = ()
    drawn: bool = False
    answer: str = "answer"
    audio: str = "audio"
    folder: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    meta: str = ""
    private: tuple[str, ...] = ()
    options_are: Literal["list", "lettered"] = "list"
    answer_is: Literal["text", "letter", "either", "index", "number"] = "text"


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
        keyed: of JSON that is one object of rows, the column that their keys are.
        clips_in: the folder of clips, below that of the tables which name them; empty: names tell it.
        cards: of a suite, the cards beside it whose items it asks.
        columns: which column is which.
        values: by column, what a value of it stands for (``0`` for ``angry``); others are taken as they are.
        where: by column, the values of the rows that are meant; ``*`` stands for any but an empty one.
    """

    source: Literal[
        "folder", "hub", "parquet", "csv", "tsv", "json", "airbench", "airbench-foundation", "muchomusic", "cards"
    ] = "folder"
    path: str = ""
    repository: str = ""
    revision: str = ""
    split: str = ""
    clips: tuple[str, ...] = ()
    corpus: str = ""
    keyed: str = ""
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


class Dimension(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ``[[dimension]]``: what items are about, by a fixed list of values, of which an item may have several.

    Attributes:
        tag: of the items that holds their values.
        column: of a table that the values are in, where it is called otherwise; empty: as the tag.
        title: for people; the tag if empty.
        values: those there are, in the order in which they are shown.
    """

    tag: str
    values: tuple[str, ...]
    column: str = ""
    title: str = ""


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ``[[example]]``: a question with its answer, in words alone, that may be shown before an item.

    Attributes:
        question: as an item's.
        options: the candidate answers; none for a question without.
        answer: the text of the right one.
        task: whose items it is like; empty: all tasks'.
    """

    question: str
    answer: str
    options: tuple[str, ...] = ()
    task: str = ""


class HowAsked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The ``[asked]`` table: how the benchmark is asked unless a run is told otherwise.

    Attributes:
        orders: in how many orders of the options.
        shots: after how many worked examples.
    """

    orders: int = 1
    shots: int = 0


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A whole card, as ``benchmark.toml`` holds it.

    Attributes:
        benchmark: what it is.
        data: where its items are.
        asked: how it is asked unless a run is told otherwise.
        task: its tasks.
        dimension: what its items are about.
        distractors: by the short name of a kind of wrong option, as `Item.kinds` has it, what it is called for people.
        example: worked examples, in their order.
    """

    benchmark: BenchmarkInfo = BenchmarkInfo()
    data: DataSource = DataSource()
    asked: HowAsked = HowAsked()
    task: tuple[Task, ...] = ()
    dimension: tuple[Dimension, ...] = ()
    distractors: dict[str, str] = {}
    example: tuple[Example, ...] = ()

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

    def title_of(self, name: str) -> str:
        """A task's title for people, or its name."""
        return self.task_named(name).title or name

    def called(self, name: str, title: str = "", asked: int = 0) -> str:
        """The same where its score stands: with a mark if it is a small set.

        Args:
            name: of the task.
            title: in place of the card's.
            asked: see `small`.

        >>> Card(task=(Task(name="calls", title="Calls", size=24),)).called("calls")
        'Calls, small: 24 items'
        """
        return ", ".join(filter(None, (title or self.title_of(name), self.small(name, asked))))

    def small(self, name: str, asked: int = 0) -> str:
        """That a score is of so few items of a published set that it tells little; empty where it is of more.

        Args:
            name: of the task.
            asked: how many items the score is of; 0: of all that were published.
        """
        published = self.size_of(name)
        size = asked or published
        return f"small: {size} item{'s' * (size > 1)}" if published and size < SMALL else ""
