"""Several benchmarks against votes: in one fit, foretelling systems that are left out, and with one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.analysis.gap.result import Correlated, Gap, Together
from audiometry.errors import counted, shown
from audiometry.render.document import Block, Chart, Folded, Section, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.numbers import p_value, percent
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import endings

_EFFECT: Final = Column(id="effect", title="effect", kind="number", decimals=2, sign=True)
_OF: Final = {
    "benchmarks": "All benchmarks in one fit",
    "categories": "Means of the categories in one fit",
    "components": "Principal components of all benchmarks in one fit",
}
_LOSSES: Final = (
    Column(id="loss", title="log loss", kind="number", decimals=3),
    Column(id="none", title="of knowing nothing", kind="number", decimals=3, drop=1),
)
_NAMED: Final = 60
_LARGEST: Final = 8  # weights that are told; --json has all


def several(found: Gap) -> Iterator[Section]:
    """Sections on more than one benchmark; none where there is one."""
    unit = "log odds of a vote" if found.of == "votes" else "points of the rating"
    fits = [block for one in found.together for block in _together(one, found.signature, unit)]
    refused = [line(f"Not done: {why}.", weight="minded") for why in found.refused]
    if fits or refused:
        yield Section(id="together", title="Several benchmarks together", short="Together", blocks=(*fits, *refused))
    if found.foretold:
        yield Section(
            id="foretold", title="Systems left out and foretold", short="Foretold", blocks=tuple(_foretold(found))
        )
    if found.correlated is not None:
        yield Section(
            id="correlated",
            title="Benchmarks with one another",
            short="Correlated",
            blocks=tuple(_correlated(found.correlated)),
        )


def _together(one: Together, signature: str, unit: str) -> Iterator[Block]:
    whole = one.r2_conditional
    what = "categories" if one.of == "categories" else "benchmarks"
    yield line(
        strong(f"{_OF[one.of]}: "),
        f"{one.n_columns:,} {what} of rank {one.rank} ({counted(one.n_systems, 'system')} give "
        f"{counted(one.contrasts, 'contrast')}); the scores explain {percent(one.r2_marginal)} % of the variance of "
        + ("ratings." if whole is None else f"a vote, with the systems' merits {percent(whole)} %."),
    )
    yield line(f"{counted(one.df, 'degree')} of freedom; effects are per standard deviation.", weight="about")
    named = one.of == "components"
    columns = [Column(id="term", title=one.of.removesuffix("s") if one.of != "categories" else "category", kind="name")]
    columns += [_EFFECT, Column(id="p", title="p", kind="p")]
    if named:
        columns += [
            Column(id="share", title="of the variance", kind="number", unit="%"),
            Column(id="of", title="goes along with", kind="text"),
        ]
    rows: list[tuple[Cell, ...]] = []
    for term in one.terms:
        made_of = ", ".join(f"{shown(key, _NAMED)} ({value:+.2f})" for key, value in term.made_of.items())
        rows.append(
            (term.name, Estimate(term.effect, term.interval), term.p, *([term.share, made_of] if named else []))
        )
    yield Table(
        id=f"gap-{one.of}",
        caption=f"{_OF[one.of]}, {unit} per standard deviation",
        signature=signature,
        columns=tuple(columns),
        rows=tuple(rows),
    )


def _foretold(found: Gap) -> Iterator[Block]:
    yield line(
        f"Each system in turn is left out with its {found.of}; what is foretold of it was learnt, and chosen, on the "
        "others alone. Q² is 1 where every merit is foretold exactly, 0 where saying that each is like the mean of the "
        "others does as well, below 0 where it does better.",
        weight="about",
    )
    best = next((one for one in found.foretold if one.by == "best"), None)
    if best is not None:
        chosen = ", ".join(f"{shown(key, _NAMED)} {n:,}" for key, n in best.chosen.items())
        yield line(
            f"The best benchmark, chosen anew without each system (how often: {chosen}): Q² ",
            strong(f"{best.q2:+.2f}"),
            f" (p {p_value(best.p or 1.0, '= ')}).",
        )
    weighted = next((one for one in found.foretold if one.by == "weighted"), None)
    if weighted is not None:
        largest = sorted(weighted.weights.items(), key=lambda one: -abs(one[1]))[:_LARGEST]
        told = ", ".join(f"{shown(key, _NAMED)} {value:+.2f}" for key, value in largest)
        more = f" (the largest of {len(weighted.weights):,})" if len(weighted.weights) > _LARGEST else ""
        yield line(f"The weighting, learnt on all systems, per standard deviation: {told}{more}.")
    by_votes = found.of == "votes"
    names = {"best": "the best, chosen anew", "weighted": "a weighting of all (ridge)"}
    yield Table(
        id="gap-foretold",
        caption="Systems foretold by the others: Q² of their merits, and mean log loss of their votes beside that of "
        "knowing nothing of the system"
        if by_votes
        else "Systems foretold by the others: Q² of their ratings",
        signature=found.signature,
        columns=(
            Column(id="by", title="foretold by", kind="name"),
            Column(id="q2", title="Q²", kind="number", decimals=2, sign=True),
            *(_LOSSES if by_votes else ()),
        ),
        rows=tuple(
            (names.get(one.by, one.by), one.q2, *((one.log_loss, one.log_loss_of_none) if by_votes else ()))
            for one in found.foretold
        ),
        info=tuple(
            RowInfo(last=one.by in names and after.by not in names)
            for one, after in zip(found.foretold, (*found.foretold[1:], found.foretold[-1]), strict=True)
        ),
    )


def _correlated(found: Correlated) -> Iterator[Block]:
    groups = dict.fromkeys(found.groups)
    alike = [
        ", ".join(shown(key, _NAMED) for key, at in zip(found.benchmarks, found.groups, strict=True) if at == group)
        for group in groups
        if found.groups.count(group) > 1
    ]
    told = f": {'; '.join(alike)}" if alike else ""
    yield line(
        f"{counted(len(found.benchmarks), 'benchmark')} in {counted(len(groups), 'group')}, within which systems stand "
        f"in much the same order (mean rho .7 or more){told}."
    )
    fewest = min(min(row) for row in found.n_systems)
    most = max(max(row) for row in found.n_systems)
    signature = "Spearman's rho over all systems with both scores; average linkage of 1 - rho"
    caption = "Benchmarks with one another: Spearman's rho of the systems' scores, alike ones side by side"
    marks = [
        Mark(x=x, y=y, value=value, shade=value, framed=found.groups[x] == found.groups[y])
        for y, row in enumerate(found.rho)
        for x, value in enumerate(row)
        if value is not None
    ]
    bands = tuple(Band(name=shown(key, 40)) for key in found.benchmarks)
    chart = Chart(
        Figure(
            id="gap-correlated",
            caption=caption,
            signature=signature,
            kind="matrix",
            x=Axis(title="", bands=bands, sign=True, decimals=2),
            y=Axis(title="", bands=bands),
            marks=tuple(marks),
            reference_name="a group",
            n=most,
            n_least=fewest,
            n_of="system",
            shade_name="rho, -1 to 1",
        ),
        Table(
            id="gap-correlated",
            caption=caption,
            signature=signature,
            columns=(
                Column(id="benchmark", title="benchmark", kind="name"),
                Column(id="group", title="group", kind="count"),
                *(
                    Column(id=f"rho-{at}", title=shown(key, 40), kind="number", decimals=2, sign=True)
                    for at, key in enumerate(found.benchmarks, 1)
                ),
            ),
            rows=tuple(
                (name, group, *row) for name, group, row in zip(found.benchmarks, found.groups, found.rho, strict=True)
            ),
        ),
    )
    yield Folded("How far each two go along", (chart,), opened=True)


def by_item(found: Gap) -> Iterator[Section]:
    """Items that go along with preference, and against it; nothing of scores that are no runs'."""
    blocks: list[Block] = []
    for (benchmark, one), ending in zip(found.items.items(), endings(list(found.items)), strict=True):
        mean = "" if one.mean is None else f"; their mean correlation with the ratings is {one.mean:+.2f}"
        blocks.append(
            line(
                name(benchmark),
                f": of {counted(one.n_items, 'item')} that {counted(one.n_systems, 'system')} were asked, ",
                strong(f"{one.n_along:,} go along"),
                f" with preference, {one.n_against:,} against it, and {one.n_alike:,} tell no systems apart{mean}.",
            )
        )
        rows = [*((each, "against") for each in one.against), *((each, "along") for each in one.along)]
        table = Table(
            id=f"gap-items{ending}",
            caption=f"Items of {shown(benchmark, _NAMED)} that go against preference most, and along with it: "
            "correlation of the systems' scores on the item with their ratings",
            signature="Pearson's correlation of item scores with ratings by votes",
            columns=(
                Column(id="item", title="item", kind="name"),
                Column(id="task", title="task", kind="text"),
                Column(id="goes", title="goes", kind="text"),
                Column(id="r", title="correlation", kind="number", decimals=2, sign=True),
            ),
            rows=tuple((each.item, each.task, goes, each.correlation) for each, goes in rows),
        )
        blocks.append(Folded(f"Items of {shown(benchmark, _NAMED)}", (table,)))
    if blocks:
        about = line(
            "An item that systems people like less get right, and those they like more get wrong, may be worth a look. "
            "Of few systems many items go either way by chance.",
            weight="about",
        )
        yield Section(id="items", title="Item by item", short="Items", blocks=(about, *blocks))
