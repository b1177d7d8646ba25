"""Systems by people's votes or ratings, and each benchmark against these."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from audiometry.analysis.gap.result import BenchmarkGap, Gap
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Folded, line
from audiometry.render.figure import Figure, Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import Column, Estimate, Table
from audiometry.report.naming import endings
from audiometry.stats.quantile import normal_quantile

TAU: Final = Column(id="tau-b", title="tau-b", kind="number", decimals=2, sign=True)
Z: Final = normal_quantile(0.95)


def by_effect(found: Gap) -> list[tuple[str, BenchmarkGap]]:
    """Benchmarks with their names, that with the largest effect first."""
    return sorted(found.benchmarks.items(), key=lambda one: (one[1].effect is None, -(one[1].effect or 0.0)))


def systems(found: Gap) -> Chart:
    """Who was rated how."""
    by_votes, mean = found.of == "votes", sum(one.rating for one in found.systems) / len(found.systems)
    table = Table(
        id="gap-systems",
        caption="Ratings of the systems by votes (Elo scale, rated systems average 1000)"
        if by_votes
        else "Ratings of the systems by people",
        signature=found.signature,
        columns=(
            Column(id="system", title="system", kind="name"),
            Column(id="rating", title="rating", kind="number", decimals=_decimals(found)),
            Column(id="battles", title=found.of, kind="count"),
            Column(id="benchmarks", title="benchmarks", kind="count"),
        ),
        rows=tuple(
            (one.system, _rated(one.rating, one.interval), one.battles or None, one.n_benchmarks)
            for one in found.systems
        ),
    )
    spans = [_whole(one.interval) for one in found.systems]
    marks = [Mark(x=one.rating, y=at, interval=spans[at]) for at, one in enumerate(found.systems)]
    middle = 1000.0 if by_votes else mean
    x = axis_around([middle, *reached(marks)], title="rating", decimals=_decimals(found))
    ns, n_of = ((found.n_votes,), found.of.removesuffix("s")) if found.n_votes else ((found.n_systems,), "system")
    return banded(table, marks, x, ns=ns, n_of=n_of, reference=middle, reference_name="the average system")


def _decimals(found: Gap) -> int:
    """Of a rating: none on the Elo scale, else as many as tell the systems apart."""
    if found.of == "votes":
        return 0
    values = [one.rating for one in found.systems]
    return max(0, min(4, 2 - math.floor(math.log10(max(values) - min(values) or 1.0))))


def _rated(rating: float, interval: tuple[float | None, float | None] | None) -> Estimate:
    return Estimate(rating, _whole(interval))


def _whole(interval: tuple[float | None, float | None] | None) -> tuple[float, float] | None:
    """An interval with two ends; None for one that is open."""
    if interval is None or interval[0] is None or interval[1] is None:
        return None
    return interval[0], interval[1]


def scatters(found: Gap) -> Iterator[Block]:
    """A figure a benchmark: its scores, and the ratings; side by side on one scale of these."""
    drawn = tuple(_scatters(found))
    if not drawn:
        return
    about = line(
        f"Across the score, upwards the rating by {_by(found)}, the same in all. No line is drawn that systems should "
        "lie on: no benchmark was made to predict votes.",
        weight="about",
    )
    yield Folded(
        "Each benchmark against the ratings", (about, *drawn), opened=True, signature=found.signature, multiples=True
    )


def _by(found: Gap) -> str:
    return "votes" if found.of == "votes" else "people"


def _scatters(found: Gap) -> Iterator[Figure]:
    of = {one.system: one for one in found.systems}
    there = [(key, each) for key, each in by_effect(found) if each.tau_b is not None]
    heights = [end for one in found.systems for end in (one.rating, *(_whole(one.interval) or ()))]
    for (key, each), ending in zip(there, endings([key for key, _ in there]), strict=True):
        marks = tuple(
            Mark(
                x=score,
                y=of[system].rating,
                name=system,
                interval=None if error is None else (score - Z * error, score + Z * error),
                upright=_whole(of[system].interval),
            )
            for system, score, error in zip(each.systems, each.scores, each.errors, strict=True)
        )
        yield Figure(
            id=f"gap-scatter{ending}",
            caption=f"{shown(key, 60)}: tau-b {TAU.number(each.tau_b)}, p {p_value(each.p_exact or 1.0, '= ')}"
            + (f", {counted(each.n_systems, 'system')}" if each.n_systems < found.n_systems else ""),
            of=f"its score against the rating by {_by(found)}",
            signature=found.signature,
            kind="scatter",
            x=axis_around(reached(marks), title=f"score on {shown(key, 60)}", decimals=2),
            y=axis_around(heights, title="rating", decimals=_decimals(found)),
            marks=marks,
            unheld="there is no line that all systems would lie on",
            n=each.n_systems,
            n_of="system",
        )
