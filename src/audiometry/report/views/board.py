"""The board of an arena: ratings with intervals, models without a place, whether votes fit one scale, who beat whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.arena.board import Board
from audiometry.arena.doubts import doubts
from audiometry.errors import counted, shown
from audiometry.files.votes import said_of
from audiometry.render.document import Block, Line, Section, line, strong, told_of
from audiometry.render.numbers import percent
from audiometry.render.table import Column, Table
from audiometry.report.naming import LONGEST, endings
from audiometry.report.views.board_firm import apart, dropped
from audiometry.report.views.board_pairs import fit, matrix
from audiometry.report.views.board_parts import split
from audiometry.report.views.board_ranks import ranks, signature, unplaced
from audiometry.report.views.board_rates import rates
from audiometry.stats.ranking.result import MEAN, Term

_ABOUT: Final = (
    "Bradley and Terry's model: the chance that one model is preferred to another hangs on the difference of their "
    "ratings alone; 400 points are odds of 10 to 1. A range of ranks compares all pairs of models at once."
)


def board(found: Board) -> tuple[Section, ...]:
    """The board of all votes, then those of parts."""
    whole = found.ranking
    blocks: list[Block] = [line(_ABOUT, weight="about"), _summary(found)]
    if whole.models:
        blocks.append(ranks(whole, found, "leaderboard", "Ratings of models from votes"))
    blocks += unplaced(whole, found, "unplaced")
    blocks += dropped(found)
    parts = [Section(id="board", title="Leaderboard", short="Leaderboard", blocks=tuple(blocks))]
    parts += rates(found)
    if terms := [one for one in (whole.first, *whole.contrasts) if one is not None]:
        parts.append(_terms(terms, found))
    if whole.fit is not None and whole.fit.pairs:
        parts.append(fit(whole, found))
        parts.append(matrix(whole, found))
    parts += apart(found)
    of_splits = endings([one.by for one in found.splits]) if found.splits else []
    parts += [split(one, found, ending) for one, ending in zip(found.splits, of_splits, strict=True)]
    of = f"votes of {shown(found.file.path, LONGEST)}"
    return tuple(_of(part, of) for part in parts)


def _of(part: Section, of: str) -> Section:
    (told,) = told_of((part,), of)
    assert isinstance(told, Section)  # noqa: S101  told_of keeps kinds
    return told


def notes(found: Board) -> tuple[Line, ...]:
    """What stands in the way of a claim, and what was made of the file."""
    return tuple(line(f"Note: {one}.", weight="minded") for one in (*doubts(found), *said_of(found.file)))


def made(found: Board) -> Line:
    """How the intervals were made."""
    its = found.ranking
    if not its.models:
        return line("No model is ranked, so there is no interval.", weight="dim")
    of = "an anchor, which has none, moved" if its.anchor else "placed models average"
    weighed = (
        f" Votes weigh by 1 / propensity and tell as much as {its.kish_n:,.0f} of equal weight (Kish)." * its.weighted
    )
    how = (
        f"{its.resamples:,} resamples of {its.clusters}" if its.resamples else f"a sandwich clustered by {its.clusters}"
    )
    if its.n_clusters == 1 and not its.resamples:
        return line("One voter alone makes no interval.", weight="dim")
    return line(
        f"Intervals hold {100 * its.confidence:g} %, from {how} ({its.n_clusters:,}); "
        + (
            f"ratings were moved so that {shown(its.anchor, LONGEST)} has its own, which has no interval."
            if its.anchor
            else f"{of} {MEAN:g}."
        )
        + weighed,
        weight="dim",
    )


def _summary(found: Board) -> Line:
    its, votes = found.ranking, found.file.votes
    met = int((its.matrix.n > 0).sum()) // 2
    several = len(its.matrix.models)
    ties = int(its.matrix.ties.sum()) // 2
    how = "count as half a vote for each" if its.ties == "half" else "count by Davidson's model"
    if found.settings.ties == "drop":
        ties, how = found.ties_left_out, "are left out"
    cast = votes.n + found.ties_left_out
    nu = f" (v {its.nu:.3f})" if its.nu is not None else ""
    bad = f"{counted(its.both_bad, 'vote')} ({percent(its.both_bad / cast)} %) called both bad, which is in no rating."
    lines = counted(found.file.n_lines, "line")
    apart = f" ({found.file.n_apart:,} of {lines} set apart: see the notes)" if found.file.n_apart else ""
    return line(
        strong(counted(votes.n, "vote")),
        f"{apart} on {counted(several, 'model')}, {met:,} of {counted(several * (several - 1) // 2, 'pair')} met; "
        f"{counted(ties, 'tie')} ({percent(ties / cast)} %) {how}{nu}; {bad}",
    )


def _terms(terms: Sequence[Term], found: Board) -> Section:
    """What moves votes beside how good a model is."""
    table = Table(
        id="terms",
        caption="What moves votes beside the models' strengths, which are held at equal terms",
        signature=signature(found),
        columns=(
            Column(id="term", title="what", kind="name"),
            Column(id="worth", title="worth", kind="number", unit="Elo", sign=True),
            Column(id="interval", title="95 %", kind="interval", unit="Elo", sign=True),
            Column(id="p", title="p", kind="p"),
        ),
        rows=tuple((_TERMS.get(one.name, f"more {one.name}"), one.elo, one.interval, one.p) for one in terms),
    )
    about = "Of a covariate: what a difference (a - b) / (a + b) as large as its root mean square is worth."
    return Section(id="terms", title="What else moves votes", blocks=(table, line(about, weight="dim")))


_TERMS: Final = {"first": "being shown first", "length": "a longer reply", "latency": "a slower reply"}
