"""Agreement of raters, for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Literal

import rich.box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.analysis.agreement.result import (
    Agreement,
    Measure,
    Named,
    NamedAgainst,
    NamedPeople,
    Position,
    ScorePair,
    Scores,
)
from audiometry.errors import counted, shown
from audiometry.render.numbers import p_value
from audiometry.report.fitted import Fitted

SHOWN = 24  # lines of pairs; all are in the JSON
WIDTH = 34
NARROWEST = 12
HEADING = 13  # columns of a name that stands over numbers
COLUMNS = 5  # raters side by side
PEOPLE = "people among themselves"
NONE = "—"
_ANY = 10_000  # columns, more than any table has
LEFT = {"", "rater", "raters", "and", "kind", "models"}


def agree_report(found: Agreement) -> Group:
    """All that was found, part by part, and what stands in the way of a claim."""
    parts: list[RenderableType] = [_raters(found)]
    if found.choices is not None:
        parts += _named("Choices", found.choices, "the letter that a reply chooses")
    if found.scores is not None:
        parts += _scores(found.scores)
    if found.preferences is not None:
        about = "the better of two replies; of judges and metrics, by the scores they gave to both"
        parts += _named("Preferences", found.preferences, about)
    parts += [part for position in found.positions for part in _position(position)]
    parts.append(
        Text(
            f"Intervals hold {100 * found.confidence:g} % and take items as independent of each other; "
            f"{found.resamples:,} resamples, seed {found.seed}.",
            "dim",
        )
    )
    parts += [Text(f"Note: {warning}.", style="yellow") for warning in found.warnings]
    return Group(*parts)


def share(measure: Measure | None) -> str:
    """A share in percent with its interval: ``98.2 (96.4 to 99.1)``."""
    if measure is None or measure.value is None:
        return NONE
    value = f"{100 * measure.value:.1f}"
    if measure.interval is None:
        return value
    return f"{value} ({100 * measure.interval[0]:.1f} to {100 * measure.interval[1]:.1f})"


def coefficient(measure: Measure | None, sign: str = "") -> str:
    """A coefficient or a difference with its interval: ``0.74 (0.61 to 0.83)``."""
    if measure is None or measure.value is None:
        return NONE
    value = f"{measure.value:{sign}z.2f}"
    if measure.interval is None:
        return value
    return f"{value} ({measure.interval[0]:{sign}z.2f} to {measure.interval[1]:{sign}z.2f})"


def _raters(found: Agreement) -> _Rows:
    out = _table("rater", "kind", "choices", "scores", "preferences")
    for rater in found.raters:
        kind = f"{rater.kind}, lower is better" if rater.lower_is_better else rater.kind
        counts = (f"{n:,}" if n else "" for n in (rater.n_choices, rater.n_scores, rater.n_preferred))
        out.add_row(_name(rater.name), kind, *counts)
    return out


def _named(title: str, part: Named, about: str) -> list[RenderableType]:
    head = f"{title}: {about}. {counted(part.n_items, 'item')}, {counted(part.n_units, 'thing')} rated"
    out: list[RenderableType] = [_head(head)]
    preference = any(one.untied is not None for one in part.against)
    preference |= part.people is not None and part.people.untied is not None
    if part.people is not None or part.against:
        headings = ["% same as\neach person", "% same as\nthe majority", "kappa\nwith it", "alpha\nwith people"]
        table = _table("", "pairs", *headings, *(["% same\nwithout ties"] if preference else []))
        rows: list[tuple[str, NamedPeople | NamedAgainst, Measure, Measure | None]] = [
            (one.rater, one, one.majority, one.majority_kappa) for one in part.against
        ]
        if part.people is not None:
            rows.insert(0, (PEOPLE, part.people, part.people.others, None))
        for name, one, majority, kappa in rows:
            untied = [share(one.untied)] if preference else []
            cells = (share(one.share), share(majority), coefficient(kappa), coefficient(one.alpha), *untied)
            table.add_row(_name(name), f"{one.share.n:,}", *map(_stacked, cells))
        out.append(table)
        if part.people is not None:
            out.append(Text("People: each with each other, and with the majority of the others.", "dim"))
    if preference:
        out += _models(part)
    table = _table("rater", "and", "both rated", "% same", "kappa")
    for pair in part.pairs[:SHOWN]:
        table.add_row(_name(pair.a), _name(pair.b), f"{pair.share.n:,}", share(pair.share), coefficient(pair.kappa))
    return out + _cut(table, len(part.pairs))


def _models(part: Named) -> list[RenderableType]:
    """The share of the same by pair of models."""
    columns = [(PEOPLE, part.people.models)] if part.people is not None else []
    columns += [(one.rater, one.models) for one in part.against[:COLUMNS]]
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for name, models in columns:
        for one in models:
            lines.setdefault((one.model_a, one.model_b), {})[name] = _stacked(share(one.share))
    table = _table("models", *(textwrap.fill(short(name), HEADING) for name, _ in columns))
    for a, b in sorted(lines)[:SHOWN]:
        cells = (lines[a, b].get(name, NONE) for name, _ in columns)
        table.add_row(Text(f"{short(a)}\n{short(b)}"), *cells)
    left = len(part.against) - COLUMNS
    more = [Text(f"and {left:,} more raters; --json has all")] if left > 0 else []
    return [Text("% same as each person, by pair of models:"), *_cut(table, len(lines)), *more]


def _scores(part: Scores) -> list[RenderableType]:
    out: list[RenderableType] = [_head(f"Scores: {counted(part.n_items, 'item')}, {counted(part.n_units, 'reply')}")]
    if part.alpha_interval is not None:
        out.append(
            Text(
                f"Alpha over {len(part.people):,} people: {coefficient(part.alpha_interval)} (interval), "
                f"{coefficient(part.alpha_ordinal)} (ordinal)."
            )
        )
    pairs = [*part.each_person, *part.against, *part.pairs]
    if not pairs:
        return [*out, Text("No two of the raters scored the same replies.")]
    table = _table("raters", "both\nrated", "tau-b", "rho", "mean\ndifference", "kappa", "alpha")
    for pair in pairs[:SHOWN]:
        table.add_row(*_score_pair(pair))
    return out + _cut(table, len(pairs))


def _score_pair(pair: ScorePair) -> tuple[Text | str, ...]:
    return (
        Text(f"{short(pair.a)}\n{short(pair.b)}"),
        f"{pair.tau_b.n:,}",
        _stacked(coefficient(pair.tau_b)),
        _stacked(coefficient(pair.spearman)),
        _stacked(coefficient(pair.bias, "+")),
        _stacked(coefficient(pair.kappa)),
        _stacked(coefficient(pair.alpha_interval)),
    )


def _stacked(text: str) -> str:
    """The interval below its number, so that a line has room for several."""
    value, _, interval = text.partition(" (")
    return f"{value}\n{interval.rstrip(')')}" if interval else value


def _position(found: Position) -> list[RenderableType]:
    mean = found.difference
    p = "" if mean.p is None else f", p {p_value(mean.p, '= ')}"
    lines: list[RenderableType] = [
        _head(f"Order: {shown(found.rater)} with itself, {mean.n:,} replies of {mean.n_items:,} items in both orders"),
        Text(
            f"The same answer gets {found.first:.2f} in first and {found.second:.2f} in second place: "
            f"{coefficient(mean, '+')} points{p}. The same score in both: {share(found.same)} %."
        ),
    ]
    if found.flips.value is not None:
        lines.append(
            Text(
                f"Of {found.flips.n:,} pairs of models' replies, {share(found.flips)} % compare otherwise in the other "
                f"place; {share(found.reversed)} % the other way round."
            )
        )
    return lines


def _head(words: str) -> Padding:
    return Padding(Text(words, "bold"), (1, 0, 0, 0))


def _name(name: str) -> Text:
    return Text(short(name))


def short(name: str) -> str:
    """A name that fits: of a long one the beginning and the end, where names of one kind differ.

    >>> short("exec/python a/very/long/path/to/serve.py --weights 7B")
    'exec/pyth…to/serve.py --weights 7B'
    """
    whole = shown(name, len(name) + 1)
    return whole if len(whole) <= WIDTH else f"{whole[: WIDTH // 4 + 1]}…{whole[-(WIDTH - WIDTH // 4 - 2) :]}"


class _Rows:
    """A table of rows with names and numbers; where its columns have no room each row is a block of lines."""

    def __init__(self, headings: Sequence[str]) -> None:
        self._headings, self._rows = headings, list[tuple[Text | str, ...]]()

    def add_row(self, *cells: Text | str) -> None:
        """One more."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table, ample = self._table(), options.update(max_width=_ANY)
        if Measurement.get(console, ample, table).minimum <= options.max_width:
            yield table
            return
        corner, *headings = (" ".join(heading.split()) for heading in self._headings)
        blocks = Fitted(corner, headings)
        for name, *cells in self._rows:
            blocks.add(str(name), *map(str, cells))
        yield blocks

    def _table(self) -> Table:
        out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
        for heading, *column in zip(self._headings, *self._rows, strict=True):
            left = heading in LEFT
            lines = (line for cell in (heading, *column) for line in str(cell).split("\n"))
            width = NARROWEST if left else max(map(cell_len, lines))  # of numbers nothing is cut
            justify: Literal["left", "right"] = "left" if left else "right"
            out.add_column(Text(heading), justify=justify, overflow="fold", no_wrap=not left, min_width=width)
        for cells in self._rows:
            out.add_row(*cells)
        return out


def _table(*headings: str) -> _Rows:
    return _Rows(headings)


def _cut(table: _Rows, n: int) -> list[RenderableType]:
    """The table, and how much of it was left out."""
    if not n:
        return []
    return [table, Text(f"and {n - SHOWN:,} more lines; --json has all")] if n > SHOWN else [table]
