"""Batches of a vote file put together: rows that count appended to columns, the others told; duplicates found last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import counted
from audiometry.files.vote_columns import (
    LONGEST_NAME,
    MOST_MODELS,
    MOST_VALUES,
    RAREST,
    Column,
    Labels,
    Names,
    Told,
    firsts,
    hashes,
    moments,
    name_reason,
    numbers,
    pair_counts,
)
from audiometry.files.vote_lines import COUNTS, Batch
from audiometry.files.vote_words import COLUMNS, alike, label_reason, side_of
from audiometry.records.votes import Outcome

Rows = NDArray[np.int64]

COVARIATES: Final = ("length", "latency")
TIMES: Final = ("at", "seconds", "characters")
SLOW_S: Final = 1_000  # that people do not take to compare two replies
_TEXTS: Final = ("battle", "query", "comment", "reasons", "audio")
_MEANT: Final = {  # what a cell of a column should be; of others a number from 0
    "first": "model_a or model_b",
    "at": "a time as 2026-11-28T12:00:00Z, or seconds since 1970",
    "propensity": f"a share above 0 (from {RAREST:g}) and at most 1",
}
_NAME: Final = f"a name of at most {LONGEST_NAME} characters in UTF-8"


class Gathered:
    """Columns of votes as they are read.

    Args:
        groups: columns to group by.
        texts: whether what is said in words is kept.
        times: whether it is kept when votes were cast, and after how long.
        covariates: what is kept of both replies beside their length and latency, ``NAME_a`` and ``NAME_b``.
    """

    def __init__(
        self, groups: tuple[str, ...], *, texts: bool, times: bool = False, covariates: Sequence[str] = ()
    ) -> None:
        self.covariates = tuple(dict.fromkeys((*COVARIATES, *covariates)))
        sides = [f"{name}_{side}" for name in self.covariates for side in "ab"]
        self._texts: dict[str, list[Any]] = {name: [] for name in _TEXTS} if texts else {}
        self._groups = {name: Names(MOST_VALUES, f"values of {name}") for name in groups}
        words = ("winner", "first", "battle", "voter", "propensity")
        of_time = TIMES if times else ()
        wanted = ("model_a", "model_b", *words, *sides, *COUNTS, *groups, *of_time, *self._texts)
        self.wanted = tuple(dict.fromkeys((*wanted, *(other for other, ours in COLUMNS.items() if ours in wanted))))
        self._called: dict[str, str] = {}  # what the file calls columns that other tools call otherwise
        self.n_lines, self.n_by_name, self.is_counts = 0, 0, False
        self.names: tuple[str, ...] = ()  # of JSON lines, what the first one says
        self.told, self.labels = Told(), Labels()
        self.models: tuple[str, ...] = ()  # that votes name which count, in order of name
        self._odd = Told()  # cells that are taken for none
        self._models = Names(MOST_MODELS, "models")
        self._columns = {
            **{name: Column("i", -1) for name in ("a", "b", *groups)},
            **{name: Column("b", -1) for name in ("outcome", "first")},
            **{name: Column("d", np.nan) for name in ("propensity", *sides, *of_time)},
            **{name: Column("q", 0) for name in ("voter", "battle", "line")},
        }

    def add(self, batch: Batch) -> None:
        """Take the lines of a batch in."""
        cells, lines = batch.cells, np.asarray(batch.lines, np.int64)
        n = len(lines)
        self.names = self.names or batch.names
        self._read_others(cells)
        self.n_lines += n + len(batch.unread)
        for number, why in batch.unread:
            self.told.add(why, [number])
        if not n:
            return
        none: Sequence[Any] = [None] * n
        a, b = (self._models.of(cells.get(name, none)) for name in ("model_a", "model_b"))
        winners = cells.get("winner", none)
        self.is_counts = "a_wins" in cells and all(one is None for one in winners)
        bad = np.zeros(n, np.bool_)
        for name, codes in (("model_a", a), ("model_b", b)):
            for code in np.unique(codes[codes < 0]).tolist():
                self._set_apart(bad, codes == code, name_reason(name, code), lines)
        self._set_apart(bad, (a == b) & (a >= 0), "a model against itself", lines)
        if self.is_counts:
            counts, wrong = pair_counts(batch, self.told if not bad.any() else Told())
            keep = np.repeat(np.arange(n), np.where(bad | wrong, 0, counts.sum(axis=1)))
            outcome = np.repeat(
                np.tile(np.arange(len(Outcome), dtype=np.int8), n), np.where((bad | wrong)[:, None], 0, counts).ravel()
            )
        else:
            found, said = self.labels.of(winners)
            said = self._by_name(found, said, a, b, bad, lines)
            for code in np.unique(found[(said < 0) & ~bad]).tolist():
                reason = label_reason(self.labels.seen[code] or _first_label(winners, found))
                self._set_apart(bad, (found == code) & (said < 0), reason, lines)
            keep = np.flatnonzero(~bad)
            outcome = said[keep]
        self._append(batch, keep, {"a": a, "b": b, "line": lines}, outcome)

    def _read_others(self, cells: dict[str, Any]) -> None:
        """Columns under other tools' names, in files that have none under ours."""
        for other, ours in COLUMNS.items():
            if ours in self._columns and ours not in self._called and not cells.keys().isdisjoint({other, ours}):
                self._called[ours] = ours if ours in cells else other
            if self._called.get(ours) == other and other in cells:
                cells[ours] = cells[other]

    def _by_name(
        self,
        found: NDArray[np.int32],
        said: NDArray[np.int8],
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        bad: NDArray[np.bool_],
        lines: Rows,
    ) -> NDArray[np.int8]:
        """Outcomes with those lines whose winner is the name of one of their two models, in other capitals too."""
        own = side_of(self._models.known(self.labels.seen)[found], a, b)
        plain = np.append(self._models.plain(self._models.names), -1)
        like = side_of(self._models.plain(self.labels.seen)[found], *(plain[np.maximum(one, -1)] for one in (a, b)))
        own = np.where(own < 0, like, own)
        apart = (own >= 0) & (said >= 0) & (own != said)
        self._set_apart(bad, apart, "winner is a word for one outcome and the name of the other side's model", lines)
        by_name = (own >= 0) & (said < 0) & ~bad
        self.n_by_name += int(by_name.sum())
        return np.where(by_name, own, said)

    def _set_apart(self, bad: NDArray[np.bool_], which: NDArray[np.bool_], why: str, lines: Rows) -> None:
        """Tell of rows that were not told of yet."""
        fresh = which & ~bad
        if fresh.any():
            self.told.add(why, lines[fresh], "a label that is no outcome")
            bad |= fresh

    def _append(self, batch: Batch, keep: Rows, known: dict[str, NDArray[Any]], outcome: NDArray[np.int8]) -> None:
        n, cells = len(keep), batch.cells
        whole = n == len(batch.lines) and not self.is_counts
        for name, column in self._columns.items():
            values = outcome if name == "outcome" else known.get(name)
            if values is None and name in cells:
                values = self._values(name, batch)
            taken = values if values is None or whole or name == "outcome" else values[keep]
            column.add(taken, n)
        for name, texts in self._texts.items():
            some, read = cells.get(name), _reasons if name == "reasons" else _text
            texts.extend(read(None if some is None else some[at]) for at in keep.tolist())

    def _values(self, name: str, batch: Batch) -> NDArray[Any]:
        """A column's values; cells that say nothing that could be meant are told of."""
        cells = batch.cells[name]
        if name in {"voter", "battle"} - self._groups.keys():
            return hashes(cells)
        found: NDArray[Any]
        if name in self._groups:
            found = self._groups[name].of(cells)
            odd = np.flatnonzero(found < -1)
            found[odd] = -1
        elif name == "first":
            found, odd = firsts(cells)
        elif name == "at":
            found, odd = moments(cells)
        elif name == "propensity":
            found, odd = numbers(cells, lambda values: (values >= RAREST) & (values <= 1))
        else:
            found, odd = numbers(cells, lambda values: values >= 0)
        if len(odd):
            self._odd.add(name, [batch.lines[at] for at in odd.tolist()], "other columns")
        return found

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Of the columns to group by, in order."""
        return {name: tuple(sorted(names.names)) for name, names in self._groups.items()}

    def notes(self) -> list[str]:
        """What is to be known of cells and columns."""
        named = [f"{counted(self.n_by_name, 'vote')} say who won by the model's name"] if self.n_by_name else []
        odd = [
            f"{counted(one.n, 'value')} of {one.why} (line {one.lines[0]} first) taken as not known: give "
            f"{_NAME if one.why in self._groups else _MEANT.get(one.why, 'a number from 0')}"
            for one in self._odd.apart()
        ]
        seconds = self._columns["seconds"].array() if "seconds" in self._columns else None
        half = 0.0 if seconds is None else float(np.nanmedian(seconds))
        slow = (
            f"half of the values of seconds are {half:,.0f} or more: are they milliseconds? Nobody looks fast by these"
        )
        other = [f"the column {name} is read as {ours}" for ours, name in self._called.items() if name != ours]
        return [*other, *named, *alike(self.models), *odd, *([slow] if half >= SLOW_S else [])]

    def finish(self) -> dict[str, Any]:
        """The columns that say something, without duplicates; models, voters and values by number, in order of name."""
        found = {name: column.array() for name, column in self._columns.items()}
        columns: dict[str, Any] = {name: values for name, values in found.items() if values is not None}
        for name in ("a", "b", "outcome", "line"):
            columns.setdefault(name, np.zeros(0, np.int64))
        for name in self._groups.keys() & columns.keys():
            columns[name] = _sorted(self._groups[name].names)[columns[name]]
        if "voter" in columns:
            columns["voter"] = _numbered(columns["voter"])
        battle = columns.pop("battle", None)
        if battle is not None:
            keep = self._once(battle, columns)
            columns = {name: values[keep] for name, values in columns.items()}
            rows = np.flatnonzero(keep).tolist()
            self._texts = {name: [texts[at] for at in rows] for name, texts in self._texts.items()}
        names = self._models.names
        met = np.bincount(np.concatenate([columns["a"], columns["b"]]), minlength=len(names)) > 0
        self.models = tuple(sorted(name for name, has in zip(names, met.tolist(), strict=True) if has))
        place = {name: code for code, name in enumerate(self.models)}
        by_name = np.array([place.get(name, -1) for name in names], np.int32)
        columns |= {side: by_name[columns[side]] for side in ("a", "b")}
        return columns | ({"texts": self._texts} if self._texts else {})

    def _once(self, battle: Rows, columns: dict[str, Any]) -> NDArray[np.bool_]:
        """Which votes stand: of a battle that a voter has several votes of, one if they say the same, else none."""
        keep = np.ones(len(battle), np.bool_)
        voter = columns.get("voter", np.zeros(len(battle), np.int64)).astype(np.int64)
        key = np.where(battle == 0, 0, battle ^ (voter + 2) * np.int64(0x1E3779B97F4A7C15))
        order = np.argsort(key, kind="stable")
        ranked = key[order]
        again = np.concatenate([[False], (ranked[1:] == ranked[:-1]) & (ranked[1:] != 0)])
        if not again.any():
            return keep
        starts = np.flatnonzero(~again)
        sizes = np.diff(np.append(starts, len(order)))
        of_several = np.repeat(sizes > 1, sizes)
        rows, same = order[of_several], again[of_several]
        starts = np.flatnonzero(~same)
        said = _content(columns, rows)
        alike = np.repeat(
            np.minimum.reduceat(said, starts) == np.maximum.reduceat(said, starts),
            np.diff(np.append(starts, len(rows))),
        )
        line = columns["line"]
        for which, why in (
            (alike & same, "a battle again, of the same voter and with the same outcome"),
            (~alike, "a battle of one voter with two outcomes or other models"),
        ):
            if which.any():
                self.told.add(why, np.sort(line[rows[which]]))
                keep[rows[which]] = False
        return keep


def _content(columns: dict[str, Any], rows: Rows) -> Rows:
    """Who met whom and what was said, as a number that does not hang on which side is called a."""
    a, b, outcome = (columns[name][rows].astype(np.int64) for name in ("a", "b", "outcome"))
    turned = a > b
    said = np.where(turned & (outcome <= int(Outcome.B)), 1 - outcome, outcome)
    content: Rows = (np.minimum(a, b) * MOST_MODELS + np.maximum(a, b)) * len(Outcome) + said
    return content


def _sorted(names: Sequence[str]) -> NDArray[np.int32]:
    """For each number by first appearance that by name; the last stands for -1."""
    place = np.full(len(names) + 1, -1, np.int32)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.int32)
    return place


def _numbered(hashed: Rows) -> NDArray[np.int32]:
    """Numbers by first appearance, which do not hang on the hash; -1 for 0."""
    values, first, code = np.unique(hashed, return_index=True, return_inverse=True)
    first[values == 0] = -1
    place = np.empty(len(values), np.int32)
    place[np.argsort(first, kind="stable")] = np.arange(len(values)) - int((values == 0).any())
    return place[code]


def _first_label(cells: Sequence[Any], found: NDArray[np.int32]) -> str:
    """The first label of those that are too many to be remembered; empty where nothing stands there."""
    return next((str(cells[at]).strip() for at in np.flatnonzero(found == 0).tolist() if cells[at] is not None), "")


def _text(cell: Any) -> str:
    return "" if cell is None else cell if isinstance(cell, str) else str(cell)


def _reasons(cell: Any) -> tuple[str, ...]:
    """Reasons of a list, or of a cell in which semicolons or bars stand between them."""
    parts = cell if isinstance(cell, list | tuple) else _text(cell).replace("|", ";").split(";")
    return tuple(one.strip() for one in map(_text, parts) if one.strip())
