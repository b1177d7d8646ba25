"""Rows of a table to items, with an account of those that cannot be asked."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace

from audiometry.bench import left_out, rules
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.cells import item_of, joined, no_text, options_of, text_of, told_private
from audiometry.bench.coverage import Counter
from audiometry.bench.dimensions import Dimensions
from audiometry.bench.left_out import CLIP, NOT_THERE, ClipFiles, Problem
from audiometry.bench.store import ItemList
from audiometry.bench.table_rows import TOO_MANY, UNREAD, Row
from audiometry.bench.wordings import settled, stands_alone
from audiometry.errors import BenchmarkError, counted, leads_out, shown, suggestion
from audiometry.records import Card, Item


class TableReader:
    """Turns rows into items and keeps account of those it cannot.

    Args:
        path: of the card, for messages.
        card: names columns and tasks.
        base: the folder that paths of clips are relative to.
        absent: ids of rows whose clips are not there; None: the disk is asked.
        released: where the file was released, if its columns are those of a layout that no user's card names.
    """

    def __init__(
        self, path: Path, card: Card, base: Path, absent: Collection[str] | None = None, released: str = ""
    ) -> None:
        self._path, self._card, self._columns, self._base = path, card, card.data.columns, base
        self._absent, self._released = absent, released
        self._rules, self._clips = rules.Rules(card, table=True), ClipFiles(base)
        self._dimensions = Dimensions(card)
        self.items: list[Item] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self._counters: dict[str, Counter] = {}
        self._seen: dict[str, str] = {}
        self._checked = False
        self._n_rows = self._n_others = 0
        self._others: dict[str, str] = {}  # of the last row that was not meant
        self._only_task = card.only_task or card.benchmark.name

    @property
    def wanted(self) -> list[str]:
        """The columns that the card names."""
        c = self._columns
        options = (c.options,) if isinstance(c.options, str) else c.options
        named = [*c.id, c.task, c.question, c.answer, *options, *c.folder, *c.group, *c.tags, c.meta, c.audio]
        named += [
            *c.private,
            *self._dimensions.columns,
            c.kinds if isinstance(c.kinds, str) else "",
        ]
        rows = (*self._card.data.where, *self._card.data.values)
        return [name for name in dict.fromkeys((*named, *rows)) if name]

    def add(self, where: str, row: Row, beside: Path, clip: str | None = None) -> None:
        """One row.

        Args:
            where: file and line.
            row: its cells by column.
            beside: the folder of its table, where its clip is looked for next.
            clip: name of its clip if that is not in the row and cannot be looked for yet.

        Raises:
            BenchmarkError: a column that the card names is not there.
        """
        columns = self._columns
        self._n_rows += 1
        if UNREAD in row:
            self.problems.append(Problem(where, "", row[UNREAD]))
            return
        if not self._checked:
            self._check(where, row, clip)
        row = {name: self._meant(name, value) for name, value in row.items()}
        if not all(_is_meant(row.get(name), kept) for name, kept in self._card.data.where.items()):
            self._n_others += 1
            self._others.update({name: text_of(row.get(name)) for name in self._card.data.where})
            return
        task = text_of(row.get(columns.task)) if columns.task else self._only_task
        folder = joined(row, columns.folder) or task
        counter = self._counters.setdefault(folder, Counter(folder))
        code, what, held = "", "", clip is not None
        if clip is None:
            clip, code, what = self._clip(self._named(text_of(row.get(columns.audio))), beside, self._id(row))
        given = options_of(row, columns)
        tags = self._dimensions.of_row(row, where)
        item = self._rules.read(item_of(row, columns, self._id(row), task, clip, given, tags))
        unused = (
            () if self._released or (item.answer and item.options) else tuple(filter(None, set(row) - set(self.wanted)))
        )
        found = [("metadata", given.unread)] if given.unread else self._rules.flaws(item, sorted(unused))
        found = [("metadata", what) for what in no_text(row, columns)] or found
        found = found or [("metadata", what) for what in told_private(row, columns, item)]
        if held and not clip:
            empty = "missing", f"has no clip, its '{shown(columns.audio, 40)}' is empty; fetch it or remove the row"
            found = [empty if one[0] == "no-clip" else one for one in found]
        if row.get(TOO_MANY):
            found = [("metadata", f"{row[TOO_MANY]}; quote cells that hold the separator")]
        if item.id in self._seen:
            first = self._seen[item.id]
            found = [("metadata", f"id twice; {first} has it already, make it unique")]
        self._seen.setdefault(item.id, where.removeprefix(f"{self._base}/"))
        counter.rows += 1
        counter.with_audio += bool(clip) and not code
        if not found and not code:
            counter.kept += 1
            if columns.meta and not item.meta:
                counter.note(f"without {columns.meta}")
            self.items.append(item)
            return
        code, what = found[0] if found else (code, what)
        counter.drop(f"clip {code}" if code in CLIP else what.partition("; ")[0])
        self.problems.append(Problem(where, item.id, what, code, item.task))

    @property
    def stamp(self) -> bytes:
        """Which rows are left out, for the digest."""
        return left_out.stamp(self.problems)

    def benchmark(self, root: Path, stamp: str, *, data: Path | None, source: str, clips: Any = None) -> Benchmark:
        """The benchmark of all rows added.

        Raises:
            BenchmarkError: their answers are not counted as the card says, or columns stand in each other's place.
        """
        if why := self._rules.miscounted() or self._dimensions.swapped():
            raise BenchmarkError(f"{self._path}: {why}")
        if self._n_others and self._n_others == self._n_rows:
            last = ", ".join(f"{shown(name, 40)} '{shown(value, 40)}'" for name, value in self._others.items())
            where = self._card.data.where.items()
            kept = "; ".join(f"{shown(name, 40)} {', '.join(map(shown, some[:4]))}" for name, some in where)
            raise BenchmarkError(
                f"{self._path}: none of {counted(self._n_rows, 'row')} is meant by [data.where], the last has {last}, "
                f"kept are {kept}; write them alike"
            )
        self._note_kinds()
        labels: dict[str, set[str]] = {}
        for item in self.items:
            labels.setdefault(item.task, set()).add(item.answer or "")
        try:
            named = {task: tuple(filter(None, names)) for task, names in labels.items()}
            card = settled(self._card, named) if self.items else self._card  # of none left, why is said in full
        except BenchmarkError as problem:
            raise BenchmarkError(f"{self._path}: {problem}") from problem
        asking = {task.name: stands_alone(task) for task in card.task}
        items = [one if one.question.strip() else replace(one, question=asking[one.task]) for one in self.items]
        others = f"{self._path.name}: {counted(self._n_others, 'row')} not meant by [data.where]"
        made = Benchmark(
            source=source,
            card=card,
            root=root,
            items=ItemList(items),
            sha256=stamp,
            data=str(data) if data else "",
            counts=tuple(counter.count() for counter in self._counters.values()),
            clips=clips,
            problems=self._rules.settled(self.problems),
            notes=[
                *self.notes,
                *([others] if self._n_others else []),
                *self._dimensions.notes(self._path.name),
                *self._clips.notes(self._path.name),
            ],
        )
        made.places = {} if self._columns.id else self._seen
        return made

    def _note_kinds(self) -> None:
        """Kinds of options that the card names and no item has, and that single items lack."""
        kinds = {kind for one in self.items for kind in one.kinds if kind}
        for kind in (one for one in self._card.distractors if kinds and one not in kinds):
            near = suggestion(kind, kinds)
            self.notes.append(f"{self._path.name}: no option is of the kind '{shown(kind)}' of [distractors]; {near}")
        each = self._columns.kinds if isinstance(self._columns.kinds, tuple) else ()
        short = [one for one in self.items if len(one.options) < len(each)]
        if short:
            first = f"item {shown(short[0].id, 40)} is asked with {len(short[0].options)}"
            lacking = f"{counted(len(short), 'item')} with fewer options than the {len(each)} kinds there are"
            self.notes.append(f"{self._path.name}: {lacking} ({first}); fill in the empty ones")

    def _meant(self, column: str, value: Any) -> Any:
        """What a value of a column stands for."""
        meanings = self._card.data.values.get(column)
        if meanings is None:
            return value
        text = text_of(value)
        return meanings.get(text, meanings.get(text.removesuffix(".0"), value))  # as pandas writes whole numbers

    def _id(self, row: Row) -> str:
        return joined(row, self._columns.id) if self._columns.id else f"{self._n_rows:05}"

    def _named(self, name: str) -> str:
        """A clip's name in a row as one from the base; of an absolute one what follows that, else as it is."""
        if name.startswith("/"):
            path, base = PurePosixPath(name), os.path.abspath(self._base)  # noqa: PTH100  links stay as the table has them
            return str(path.relative_to(base)) if path.is_relative_to(base) else name
        within = self._card.data.clips_in
        return f"{within}/{name}" if name and within else name

    def _clip(self, name: str, beside: Path, item: str) -> tuple[str, str, str]:
        """The name of a clip below the base, and a code and words if it is not there."""
        if not name or rules.problems(_probe(name), rules.ANY):
            return name, "", ""  # the rules for items say what is wrong
        if self._absent is not None:
            return (name, "missing", NOT_THERE) if item in self._absent else (name, "", "")
        code, what = self._clips.flaw(name)
        if code == "missing" and beside != self._base and beside.is_relative_to(self._base):
            own = (beside / name).relative_to(self._base).as_posix()
            if not self._clips.flaw(own)[0]:
                return own, "", ""
        return name, code, what

    def _check(self, where: str, row: Row, clip: str | None) -> None:
        tasks = self._card.task
        silent = clip is not None or (bool(tasks) and all(task.audio == "optional" for task in tasks))
        for name in self.wanted:
            if name not in (*row, *self._columns.private) and not (silent and name == self._columns.audio):
                elsewhere = clip is None and leads_out(where.rpartition(", ")[0])
                there = [] if elsewhere else list(map(str, filter(None, row)))
                near = suggestion(name, there).replace("known: ", "it has ", 1)
                do = self._what_to_do(name)
                if self._released:
                    near, do = "", f"put the file there as it was released at {self._released}"
                parts = (f"{self._path}: there is no column '{shown(name)}'", near)
                raise BenchmarkError("; ".join(filter(None, [*parts, do])))
        self._checked = True

    def _what_to_do(self, name: str) -> str:
        """About a column that is not there."""
        c, data = self._columns, self._card.data
        free = {**dict.fromkeys(c.id, "id = []"), c.task: 'task = ""', c.question: 'question = ""'}
        if isinstance(c.options, str) and not any(task.kind == "choice" for task in self._card.task):
            free[c.options] = 'options = ""'
        if name in free:
            return f"add it, or write under [data.columns] what yours is called ({free[name]} if there is none)"
        if name not in {c.answer, c.audio, c.meta, *c.tags, *c.group, *c.folder}:
            which = next((key for key in ("where", "values") if name in getattr(data, key)), "")
            if which:
                return f"correct its name in [data.{which}] of the card"
        return "add it, or write under [data.columns] of the card what yours is called"


def _is_meant(value: Any, kept: tuple[str, ...]) -> bool:
    text = text_of(value).strip()
    return text.casefold() in map(str.casefold, kept) or ("*" in kept and bool(text))


def _probe(name: str) -> Item:
    return Item(id="x", task="x", question="x", file_name=name)
