"""Static scores against votes: benchmarks by effect, the plain specification beside them, each against the ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from audiometry.analysis.gap.result import LEVEL, Gap
from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Folded, Line, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.views.gap_several import by_item, several
from audiometry.report.views.gap_systems import TAU, by_effect, scatters, systems

EFFECT: Final = Column(id="effect", title="effect", kind="number", decimals=2, sign=True)
_SHARE: Final = Column(id="r2", title="R²", kind="number", unit="%")


def gap(found: Gap) -> tuple[Section, ...]:
    """All sections, what is to be minded first.

    Args:
        found: what the gap says.
    """
    sections = [
        Section(id="minded", title="", blocks=tuple(_minded(found))),
        Section(
            id="effects",
            title=f"Benchmarks by their effect on a {found.of.removesuffix('s')}",
            short="Effects",
            blocks=(*_lead(found), *_effects(found)),
        ),
        Section(id="orders", title="Orders of systems", short="Orders", blocks=tuple(_orders(found))),
        Section(id="plain", title="The plain specification beside it", short="Plain", blocks=tuple(_plain(found))),
        *several(found),
        *by_item(found),
        Section(
            id="systems",
            title="The systems",
            short="Systems",
            blocks=(systems(found), *scatters(found)),
        ),
    ]
    return tuple(one for one in sections if one.blocks)


def made(found: Gap) -> Line:
    """How the numbers were made."""
    return line(found.signature, weight="dim")


def _minded(found: Gap) -> Iterator[Block]:
    for warning in found.warnings:
        yield line(f"Note: {warning}.", weight="minded")


def _lead(found: Gap) -> Iterator[Block]:
    """What is found, in a few sentences."""
    if found.of == "ratings":
        yield from _lead_of_ratings(found)
        yield from _firm(found)
        return
    voters = "" if found.n_voters is None else f" of {counted(found.n_voters, 'voter')}"
    tied = "half a vote for either" if found.ties == "half" else "left out"
    aside = [f"{counted(found.n_ties, 'tie')}, {tied}"] if found.n_ties else []
    aside += [f"{found.n_both_bad:,} that found both bad, left out"] if found.n_both_bad else []
    told = f" ({'; '.join(aside)})" if aside else ""
    yield line(
        strong(counted(found.n_systems, "system")),
        f" with scores and {counted(found.n_votes, 'vote')}{voters}{told}, "
        f"on {counted(len(found.benchmarks), 'benchmark')}.",
    )
    yield from _firm(found)
    yield line(
        "An effect is the log odds of a vote for each standard deviation by which one system's score lies above the "
        "other's: 0 says nothing, 0.69 doubles the odds. Systems have merits of their own that no score explains, so "
        "the interval narrows with systems, not with votes.",
        weight="about",
    )


def _lead_of_ratings(found: Gap) -> Iterator[Block]:
    raters = "" if found.n_voters is None else f" of {counted(found.n_voters, 'rater')}"
    given = f" ({counted(found.n_votes, 'rating')}{raters})" if found.n_votes else ""
    yield line(
        strong(counted(found.n_systems, "system")),
        f" with scores and a rating{given}, on {counted(len(found.benchmarks), 'benchmark')}.",
    )
    yield line(
        "An effect is by how many points of the rating systems differ for each standard deviation of the score. A "
        "system is one case, so the interval narrows with systems, not with ratings.",
        weight="about",
    )


def _firm(found: Gap) -> Iterator[Block]:
    """Which benchmarks can be told from chance."""
    tested = [(key, each) for key, each in found.benchmarks.items() if each.p_corrected is not None]
    firm = [key for key, each in tested if (each.p_corrected or 0.0) < LEVEL]
    if firm:
        names = [word for key in firm for word in (", ", name(key))][1:]
        yield line("Beyond chance, corrected over all of them: ", *names, ".")
    elif tested:
        of = "The one benchmark" if len(tested) == 1 else f"None of {counted(len(tested), 'benchmark')}"
        told = "cannot be told from chance" if len(tested) == 1 else "can be told from chance"
        yield line(
            strong(f"{of} {told}"), ": that does not say that they predict nothing, only that these cannot show it."
        )


def _effects(found: Gap) -> Iterator[Block]:
    there = [(key, each) for key, each in by_effect(found) if each.effect is not None]
    if not there:
        return
    by_votes, items = found.of == "votes", any(each.n_items for _, each in there)
    table = Table(
        id="gap-effects",
        caption=f"{unit(found)} per standard deviation of a benchmark's score, with 95 % intervals; p by permuting "
        "the systems' labels",
        signature=found.signature,
        columns=(
            Column(id="benchmark", title="benchmark", kind="name"),
            EFFECT,
            Column(id="p", title="p", kind="p"),
            Column(id="corrected", title="p (Holm)", kind="p", drop=1),
            msgspec.structs.replace(_SHARE, id="r2-marginal", title="R² of the score", drop=2),
            *([msgspec.structs.replace(_SHARE, id="r2-conditional", title="with merits", drop=4)] if by_votes else []),
            Column(id="sd", title="score's SD", kind="number", decimals=2, drop=5),
            Column(id="systems", title="systems", kind="count", drop=6),
            *([Column(id="items", title="items", kind="count", drop=3)] if items else []),
        ),
        rows=tuple(
            (
                key,
                Estimate(each.effect, each.effect_interval),
                each.p_permutation,
                each.p_corrected,
                each.r2_marginal,
                *([each.r2_conditional] if by_votes else []),
                each.sd,
                each.n_systems,
                *([each.n_items] if items else []),
            )
            for key, each in there
        ),
        info=tuple(RowInfo(strong=(each.p_corrected or 1.0) < LEVEL) for _, each in there),
    )
    marks = [Mark(x=each.effect or 0.0, y=at, interval=each.effect_interval) for at, (_, each) in enumerate(there)]
    x = axis_around(
        [0.0, *reached(marks)], title=f"{unit(found).lower()} per standard deviation", sign=True, decimals=2
    )
    ns = [each.n_systems for _, each in there]
    yield banded(table, marks, x, ns=ns, n_of="system", reference=0.0, reference_name="no effect")


def _orders(found: Gap) -> Iterator[Block]:
    there = [(key, each) for key, each in found.benchmarks.items() if each.tau_b is not None]
    if not there:
        return
    if found.mean_tau_b is not None and len(there) > 1:
        yield line(
            "Mean tau-b ",
            strong(TAU.number(found.mean_tau_b)),
            f" over {counted(len(there), 'benchmark')}; the smallest exact p is {p_value(found.least_p_exact or 1.0)}.",
        )
    yield line(
        f"Intervals hold what the {found.of} (and the scores' own errors, where known) leave open about these systems; "
        "what so few systems leave open is in p, of all orders that their labels could have.",
        weight="dim",
    )
    order = sorted(there, key=lambda one: -(one[1].tau_b or 0.0))
    table = Table(
        id="gap-orders",
        caption=f"How far the order of systems by a benchmark is that by {found.of}: Kendall's tau-b, Spearman's rho, "
        "distance of the first three (0: the same, 1: none in common)",
        signature=found.signature,
        columns=(
            Column(id="benchmark", title="benchmark", kind="name"),
            TAU,
            Column(id="p", title="p", kind="p"),
            msgspec.structs.replace(TAU, id="rho", title="rho"),
            Column(id="rho-p", title="p of rho", kind="p", drop=2),
            Column(id="top", title="top-3 distance", kind="number", decimals=2, drop=3),
            Column(id="top-p", title="p of distance", kind="p", drop=4),
            Column(id="systems", title="systems", kind="count", drop=5),
        ),
        rows=tuple(
            (
                key,
                Estimate(each.tau_b, each.interval),
                each.p_exact,
                Estimate(each.rho, each.rho_interval),
                each.rho_p,
                each.top_distance,
                each.top_p,
                each.n_systems,
            )
            for key, each in order
        ),
    )
    marks = [Mark(x=each.tau_b or 0.0, y=at, interval=each.interval) for at, (_, each) in enumerate(order)]
    x = axis_around([-1.0, 1.0], title="tau-b", sign=True, decimals=2)
    ns = [each.n_systems for _, each in order]
    yield banded(table, marks, x, ns=ns, n_of="system", reference=0.0, reference_name="no order in common")


def _plain(found: Gap) -> Iterator[Block]:
    there = [(key, each) for key, each in by_effect(found) if each.plain is not None]
    if not there:
        return
    yield line(
        "As papers have it: every vote independent, systems without merits of their own. It is too sure, since five "
        "systems stay five however many votes there are; it stands here to be held against published numbers.",
        weight="about",
    )
    sure = sum(each.plain is not None and each.plain.p < LEVEL for _, each in there)
    yield line(
        f"It would call {sure:,} of {counted(len(there), 'benchmark')} significant (p < {LEVEL:g}).", weight="minded"
    )
    rows: list[tuple[Cell, ...]] = [
        (key, Estimate(one.effect, one.interval), one.p, one.p_by_pair, each.effect_p)
        for key, each in there
        if (one := each.plain) is not None
    ]
    yield Folded(
        "The numbers of the plain specification",
        (
            Table(
                id="gap-plain",
                caption="The plain specification of the literature (too sure): log odds of a vote per standard "
                "deviation of the score, votes independent; p by vote, with errors clustered by pair, and with systems "
                "random",
                signature="logistic regression of votes on score differences, no merits of systems",
                columns=(
                    Column(id="benchmark", title="benchmark", kind="name"),
                    EFFECT,
                    Column(id="p", title="p, votes independent", kind="p"),
                    Column(id="p-pair", title="p, by pair", kind="p"),
                    Column(id="p-system", title="p, systems random", kind="p"),
                ),
                rows=tuple(rows),
            ),
        ),
        printed=True,
    )


def unit(found: Gap) -> str:
    """What an effect is counted in."""
    return "Log odds of a vote" if found.of == "votes" else "Points of the rating"
