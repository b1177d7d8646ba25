"""What people say, and what coders said before: rating lines with codes, and why some of them count for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.analysis.modes import rules
from audiometry.analysis.modes.book import own
from audiometry.analysis.modes.wrong import NONE, Replied
from audiometry.errors import UsageError, counted, nearest, shown
from audiometry.files.code_book import Book
from audiometry.files.rating_lines import code_of, each
from audiometry.files.ratings import CODES
from audiometry.records import RatingLine

MOST: Final = 32  # people and judges of files: more stand side by side in no table
EXAMPLES: Final = 3  # of each reason
Kind: TypeAlias = Literal["rules", "judge", "person"]
Coded: TypeAlias = dict[int, tuple[str, str]]
"""By row of an item the code of its reply, and the rule."""


class Line(msgspec.Struct, frozen=True):
    """A line that gives a code, and where it stands."""

    where: str
    says: RatingLine

    @property
    def kind(self) -> Kind:
        """Of who says it."""
        return "judge" if self.says.kind == "judge" else "person"


class Told(msgspec.Struct):
    """What one person or judge says of one run's replies.

    Attributes:
        kind: of who says it.
        codes: that count; of an item the last.
        over: by reason the lines that count for nothing, each with what is wrong in it.
    """

    kind: Kind
    codes: Coded = {}
    over: dict[str, list[str]] = {}

    @property
    def n_over(self) -> int:
        """Lines that count for nothing."""
        return sum(map(len, self.over.values()))

    @property
    def passed_over(self) -> str:
        """Why lines count for nothing, with a few of each; empty if none does."""
        each_reason = (
            f"{len(found):,} {why} ({'; '.join(found[:EXAMPLES])}{'; …' * (len(found) > EXAMPLES)})"
            for why, found in self.over.items()
        )
        return ", ".join(each_reason)


def folder(run: Path, book: Book) -> Path:
    """Where a run folder keeps codes: those of other books than the house's apart, since their names mean other things.

    Args:
        run: the run folder.
        book: the codes.
    """
    return run / "ratings" if book == own() else run / "ratings" / f"book-{book.short}"


def given(paths: Sequence[Path], judges: Sequence[str], before: Iterable[Line]) -> tuple[list[Line], list[str]]:
    """Codes from people's files, and what is to be said of lines that cannot be used.

    Args:
        paths: of rating files.
        judges: names of those who are asked.
        before: codes that the runs keep.

    Raises:
        UsageError: a file cannot be read, there is no code in any, or somebody has the name of another coder.
    """
    lines, said = list[Line](), list[str]()
    for path in paths:
        lines += _read(path, said)
    if paths and not lines:
        raise UsageError("the people's file holds no codes; each line needs an item, a rater and a code")
    kinds: dict[str, Kind] = {line.says.rater: line.kind for line in before}
    for line in lines:
        if line.says.rater in {rules.NAME, *judges} or kinds.get(line.says.rater, line.kind) != line.kind:
            raise UsageError(
                f"{line.where}: the rater '{shown(line.says.rater)}' has the name of another coder; "
                "write one that nobody else has"
            )
    for name in judges:
        if kinds.get(name) == "person":
            raise UsageError(f"the run folder keeps codes of a person called {shown(name)}, as the judge is")
    if len(names := {line.says.rater for line in lines}) > MOST:
        raise UsageError(f"{len(names):,} raters in the people's files; at most {MOST} can be held side by side")
    return lines, said


def kept(run: Path, book: Book) -> tuple[list[Line], list[str]]:
    """Codes that a run folder keeps, of others than rules, and what is to be said of files that cannot be used.

    Args:
        run: the run folder.
        book: by which the codes are.
    """
    lines, said = list[Line](), list[str]()
    for path in sorted(folder(run, book).glob(f"{CODES}*.jsonl")):
        try:
            lines += _read(path, said)
        except UsageError as problem:
            said.append(str(problem))
    names = sorted({line.says.rater for line in lines} - {rules.NAME})
    if len(names) > MOST:
        said.append(f"{folder(run, book)} holds codes of {len(names):,} coders; {MOST} of them are shown")
    return [line for line in lines if line.says.rater in names[:MOST]], said


def _read(path: Path, said: list[str]) -> list[Line]:
    lines, unread = list[Line](), list[str]()
    for number, one in each(path):
        if isinstance(one, str):
            unread.append(f"line {number}: {shown(one, 160)}")
        elif one.code.strip():
            lines.append(Line(f"{path.name}, line {number}", one))
    if unread:
        more = "; …" if len(unread) > EXAMPLES else ""
        some = "; ".join(unread[:EXAMPLES])
        said.append(f"{path}: {counted(len(unread), 'line')} left out as unusable ({some}{more})")
    return lines


def of_other_models(lines: Sequence[Line], models: set[str]) -> list[str]:
    """What is to be said of codes that are of the replies of none of the runs.

    Args:
        lines: codes.
        models: of the runs.
    """
    called = " or ".join(f"'{shown(one, 60)}'" for one in sorted(models)[:EXAMPLES])
    nameless = [line for line in lines if not line.says.model] if len(models) > 1 else []
    strange = [line for line in lines if line.says.model and line.says.model not in models]
    said = []
    if nameless:
        said.append(
            f"{counted(len(nameless), 'code')} of no named model ({nameless[0].where}) left out; where runs are of "
            f"several models, write {called} as its model"
        )
    if strange:
        said.append(
            f"{counted(len(strange), 'code')} of another model ({strange[0].where}: "
            f"'{shown(strange[0].says.model, 60)}') left out; the model here is {called}"
        )
    return said


def of_run(lines: Sequence[Line], found: Replied, book: Book, *, alone: bool) -> dict[str, Told]:
    """What each person or judge says of the replies of one run, by name.

    Args:
        lines: codes; those of other models are passed over.
        found: the run's replies.
        book: the codes.
        alone: whether a line need not name its model.
    """
    run = found.run
    rows = {position: row for row, position in enumerate(run.positions)}
    titles = {code_of(RatingLine(item="", rater="", code=one.title)): one.name for one in book.code}
    told: dict[str, Told] = {}
    for line in lines:
        if line.says.model not in {run.info.called, "" if alone else run.info.called}:
            continue
        mine = told.setdefault(line.says.rater, Told(line.kind, {}, {}))
        position = run.benchmark.items.position(line.says.item)
        row = -1 if position is None else rows.get(position, -1)
        code = titles.get(code := code_of(line.says), code)
        if why := _why(line, row, code, found, book, titles):
            reason, what = why
            mine.over.setdefault(reason, []).append(f"{shown(line.where, 60)}: {what}")
        else:
            mine.codes[row] = (code, "")
    return dict(sorted(told.items()))


_meant = lru_cache(maxsize=1024)(nearest)  # the same slip comes in many lines


def _why(
    line: Line, row: int, code: str, found: Replied, book: Book, titles: Mapping[str, str]
) -> tuple[str, str] | None:
    """Why a line counts for nothing, and what of it; None if it counts."""
    item = f"item '{shown(line.says.item, 40)}'"
    if line.says.book and line.says.book != book.short:
        return "by another code book", f"book {shown(line.says.book, 20)}"
    if code not in book.names:
        meant = _meant(code, (*book.names, *titles))
        hint = f", did you mean '{titles.get(meant, meant)}'?" if meant else ""
        return "no code of the book", f"'{shown(line.says.code, 40)}'{hint}"
    if row < 0:
        return "of an item that the run does not hold", item
    if found.state[row]:
        return f"of a reply that {'never came' if found.state[row] == NONE else 'is right'}", item
    if line.says.reply and line.says.reply != found.stamps[row]:
        return "of a reply that has changed since", item
    return None
