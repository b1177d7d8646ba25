"""The places of several runs on the same items, under each score, and how firm they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from audiometry.errors import counted, shown
from audiometry.render.bands import banded
from audiometry.render.document import Block, Section, line, name, names_of
from audiometry.render.figure import Axis, Mark
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.numbers import scale
from audiometry.report.titles import LONGEST, MEASURES
from audiometry.report.views.score_rows import value
from audiometry.score.matching import RULES
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Rank, Scored, Scores

if TYPE_CHECKING:
    from audiometry.analysis.variance import Places

_TICKS: Final = 12  # places that an axis names
_FIRM: Final = (
    "In each draw the scores move by what clips, or wordings, differ by, further the fewer there are (Student's t), "
    "and the runs are ranked anew, by what all were asked, in full or not. Bands are the places between which a run "
    "lies in 95 % of the draws."
)


def ranks(scores: Sequence[Scores], labels: Sequence[str], *, place: str = "ranks") -> Section:
    """Values and places of runs that were scored together, and how many of their replies plain matching reads.

    Args:
        scores: of each run, with its ranks.
        labels: of the runs.
        place: the section's id.
    """
    names = [name for name in scores[0].scores if all(name in one.scores for one in scores)]
    read = [_read(one) for one in scores]
    columns = [
        Column(id="run", title="run", kind="name"),
        *(Column(id=name, title=f"read by {RULES[name][0]}", kind="number", unit="%") for name in read[0]),
        *(scale(scores[0].scores[name]).column(name, name) for name in names),
    ]
    table = Table(
        id=place,
        caption="The value of each run under each score, and its place among the runs",
        signature="; ".join(dict.fromkeys(one.scores[name].signature for one in scores for name in names)),
        columns=tuple(columns),
        rows=tuple(
            (
                label,
                *(shares.get(name) for name in read[0]),
                *(_cell(one.scores[name], one.ranks.get(name)) for name in names),
            )
            for one, label, shares in zip(scores, labels, read, strict=True)
        ),
        info=tuple(RowInfo(series=number) for number in range(len(scores))),
    )
    return Section(id=place, title="Places", blocks=(table, *_told(scores, labels, names, matched=bool(read[0]))))


def _told(scores: Sequence[Scores], labels: Sequence[str], names: Sequence[str], *, matched: bool) -> Iterator[Block]:
    gained = f"; in brackets: places gained or lost against {DEFAULT}" if DEFAULT in names and len(names) > 1 else ""
    yield line(
        f"The value, then # and the place among runs that were asked the same items; = shares its place{gained}.",
        weight="dim",
    )
    if matched:
        yield line(
            "Read by plain matching, in percent of the replies: "
            f"{'; '.join(f'by {who}, {how}' for who, how in RULES.values())}.",
            weight="dim",
        )
    unranked: dict[tuple[str, ...], list[str]] = {}
    for one, label in zip(scores, labels, strict=True):
        whys: dict[str, list[str]] = {}
        for score in names:
            if score in one.ranks and one.ranks[score].why:
                whys.setdefault(one.ranks[score].why, []).append(score)
        for why, under in whys.items():
            unranked.setdefault((why, *under), []).append(label)
    for (why, *under), those in unranked.items():
        are = "is" if len(those) == 1 else "are"
        yield line(*names_of(those), f" {are} not ranked under {', '.join(under)}: {why}.", weight="minded")


def _read(scores: Scores) -> dict[str, float | None]:
    """The share of replies that each plain matching reads."""
    found = next((one.extras.plain_matching for one in scores.scores.values() if one.extras.plain_matching), {})
    return {name: one.share for name, one in found.items()}


def _cell(scored: Scored, rank: Rank | None) -> Cell:
    """A value with its place: ``62.5 #1= (+2)``."""
    said = value(scored)
    if isinstance(said, str) or rank is None:
        return said
    if rank.rank is None:
        return Estimate(scored.value, None, "not ranked")
    moved = f" ({rank.change:+d})" if rank.change else ""
    return Estimate(scored.value, None, f"#{rank.rank}{'=' if rank.tied else ''}{moved}")


def firmness(found: Places, labels: Mapping[str, str], n_draws: int, *, place: str = "places", of: str = "") -> Section:
    """The place of each run with those between which it lies when clips and wordings are drawn anew.

    Args:
        found: see `analysis.variance`.
        labels: of the runs, by their folders.
        n_draws: of each kind.
        place: the section's id.
        of: which score it is, where there are several.
    """
    kinds = [
        (kind, said)
        for kind, said in (("items", "other items"), ("wordings", "other wordings"), ("both", "both"))
        if kind in found.runs[0].keeps
    ]
    measure = MEASURES.get(found.measure) or shown(found.measure, LONGEST)
    drawn = "clips and wordings" if found.wordings > 1 else "clips"
    common = _common(found)
    table = Table(
        id=place,
        caption=f"The places of {counted(len(found.runs), 'run')} by {measure}, and where they lie in 95 % of "
        f"{n_draws:,} draws of {drawn}{f'; by {common} alone, which all runs were asked' * bool(found.cut)}",
        signature="; ".join(found.signatures),
        columns=(
            Column(id="run", title="run", kind="name"),
            scale(found).column("score", "score"),
            Column(id="place", title="place", kind="count"),
            Column(id="places", title="places, 95 %", kind="interval", decimals=0),
            *(Column(id=kind, title=said, kind="number", unit="%") for kind, said in kinds),
            Column(id="first", title="is first", kind="number", unit="%"),
        ),
        rows=tuple(
            (labels[one.run], one.value, one.rank, _span(one.ranks), *(one.keeps[kind] for kind, _ in kinds), one.first)
            for one in found.runs
        ),
    )
    marks = [Mark(x=one.rank, y=y, interval=_span(one.ranks)) for y, one in enumerate(found.runs)]
    ends = range(1, len(found.runs) + 1)
    step = -(-len(ends) // _TICKS)
    x = Axis(title="place", low=1.0, high=float(len(ends)), ticks=tuple(map(float, ends[::step])), decimals=0)
    late = [
        line(name(labels[run]), " has no place: more than 1 % of its replies failed.", weight="minded")
        for run in found.unplaced
    ]
    keeps = f"Under {', '.join(said for _, said in kinds)}: in how many of the draws a run keeps its place."
    chart = banded(table, marks, x, ns=(found.n_items,), unheld="places are held against each other")
    fewer = [labels[one.run] for one in found.runs if one.run not in found.cut]
    cut = line(
        *(names_of(fewer) if fewer else ("Each run",)),
        f" {'were' if len(fewer) > 1 else 'was'} not asked all that others were: places, and scores beside them, are "
        f"by what all runs were asked, {common}.",
        weight="minded",
    )
    blocks: tuple[Block, ...] = (
        line(_FIRM, weight="about"),
        *[cut] * bool(found.cut),
        chart,
        line(keeps, weight="dim"),
        *late,
    )
    title = "How firm the places are"
    return Section(
        id=place,
        title=title,
        of=of,
        short="Places",
        blocks=blocks,
    )


def _common(found: Places) -> str:
    """What all runs were asked."""
    ways = ((found.wordings, "wording"), (found.orders, "order"), (found.repeats, "repeat"))
    said = [counted(*way) for n, way in enumerate(ways) if way[0] > 1 or not n]
    return f"{counted(found.n_items, 'item')} in {' × '.join(said)}"


def _span(ranks: tuple[int, int]) -> tuple[float, float]:
    return float(ranks[0]), float(ranks[1])
