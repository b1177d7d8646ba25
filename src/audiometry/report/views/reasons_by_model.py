"""Which systems are preferred for what, and faulted for what: a matrix of reasons and models, with signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from audiometry.analysis.reasons.result import LEVEL, ByModel, ModelReasons, Reasons
from audiometry.analysis.reasons.result import Cell as Found
from audiometry.errors import counted, shown
from audiometry.render.document import Block, Chart, Folded, Section, Words, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.significance import BETTER, WORSE

MORE, LESS = BETTER, WORSE
MOST: Final = 12  # models of which a terminal shows the table; of more, the page does
_TITLES: Final = {
    "for": ("Which models are preferred for what", "By model", "won", "give the reason for it"),
    "against": ("Which models are faulted for what", "Faulted", "did not win", "fault it by this"),
}
_ALL: Final = "all models"


def by_model(found: Reasons, titles: Mapping[str, str]) -> Iterator[Section]:
    """The matrix of what is said for models, and that of what is said against them."""
    for its in found.by_model:
        codes = [code for code, share in its.overall.items() if share > 0]
        order = {one.code: at for at, one in enumerate(found.reasons)}
        codes.sort(key=lambda code: (-its.overall[code], order[code]))
        if not codes or len(its.models) < 2:  # noqa: PLR2004  of one model there is nothing to compare
            continue
        title, short, _, _ = _TITLES[its.kind]
        yield Section(
            id=f"reasons-{its.kind}", title=title, short=short, blocks=tuple(_blocks(its, codes, titles, found))
        )


def sign_of(cell: Found, overall: float) -> str:
    """The sign of a cell: more or less often than in other models' votes, beyond chance over all cells; else empty."""
    if cell.p_corrected is None or cell.p_corrected >= LEVEL or cell.value is None:
        return ""
    return MORE if cell.value > overall else LESS


def _blocks(its: ByModel, codes: list[str], titles: Mapping[str, str], found: Reasons) -> Iterator[Block]:
    told = [
        (one, code, sign)
        for one in its.models
        for code in codes
        if (sign := sign_of(one.cells[code], its.overall[code]))
    ]
    tested = sum(cell.p is not None for one in its.models for cell in one.cells.values())
    if told:
        words = [word for one, code, sign in told for word in ("; ", *_sentence(its.kind, one, titles[code], sign))][1:]
        yield line("Beyond chance: ", *words, ".")
    else:
        yield line(strong("No cell can be told from chance"), f" (p < {LEVEL:g}, Holm over {counted(tested, 'cell')}).")
    yield line(_about(its), weight="about")
    rows = [(_ALL, its.n), *((one.model, one.n) for one in its.models)]
    bands = tuple(Band(name=f"{shown(model, 40)} (n\u00a0{n:,})") for model, n in rows)
    marks = [Mark(x=0, y=y, value=its.overall[code]) for y, code in enumerate(codes)]
    widest = max(
        (abs((one.cells[code].value or 0.0) - its.overall[code]) for one in its.models for code in codes), default=0.0
    )
    for x, one in enumerate(its.models, 1):
        for y, code in enumerate(codes):
            cell = one.cells[code]
            if cell.value is not None:
                sign = sign_of(cell, its.overall[code])
                shade = (cell.value - its.overall[code]) / widest if sign else 0.0  # what may be chance has no colour
                marks.append(Mark(x=x, y=y, value=cell.value, shade=shade, sign=sign))
    caption = _caption(its, tested)
    figure = Figure(
        id=f"reasons-{its.kind}",
        caption=caption,
        signature=found.signature,
        kind="matrix",
        x=Axis(unit="%", decimals=0, bands=bands),
        y=Axis(bands=tuple(Band(name=titles[code]) for code in codes)),
        marks=tuple(marks),
        n=its.n,
        n_of="vote",
        shade_name="below to above all models' share" if any(one.shade for one in marks) else "",
    )
    chart: Block = Chart(figure, _table(its, codes, titles, found, caption))
    if len(its.models) > MOST:
        instead = f"{counted(len(its.models), 'model')} by {counted(len(codes), 'reason')}, on the page (-o)."
        chart = Folded("Reasons and models", (chart,), opened=True, instead=instead)
    yield chart
    yield Folded("Every cell with its interval and test", (_cells(its, codes, titles, found),))


def _about(its: ByModel) -> str:
    others = (
        f" {counted(its.n_other_models, 'more model')} with {counted(its.n_others, 'vote')} in all are not listed."
        if its.n_other_models
        else ""
    )
    if its.kind == "for":
        return (
            "Of the votes with words that a model won: how many praise it by this, or tick it. What is named where a "
            "model wins is no cause of its winning, and a model that seldom wins has few votes here." + others
        )
    return (
        "Of the votes with words that a model lost, or in which both were bad: how many fault it by this. Ticked tags "
        "fault nobody by themselves." + others
    )


def _sentence(kind: str, one: ModelReasons, title: str, sign: str) -> Words:
    often = "more often" if sign == MORE else "less often"
    return f"{title} {often} {kind} ", name(shown(one.model, LONGEST))


def _caption(its: ByModel, tested: int) -> str:
    _, _, which, what = _TITLES[its.kind]
    return (
        f"Share of the votes with words that a model {which} which {what}; {MORE} more, {LESS} less often than in "
        f"other models' (p < {LEVEL:g}, clustered by voter, Holm over {counted(tested, 'cell')}), else no colour"
    )


def _table(its: ByModel, codes: list[str], titles: Mapping[str, str], found: Reasons, caption: str) -> Table:
    rows: list[tuple[Cell, ...]] = [("votes", f"{its.n:,}", *(f"{one.n:,}" for one in its.models))]
    for code in codes:
        cells = [(one.cells[code], its.overall[code]) for one in its.models]
        rows.append(
            (
                titles[code],
                its.overall[code],
                *(None if cell.value is None else Estimate(cell.value, None, sign_of(cell, of)) for cell, of in cells),
            )
        )
    return Table(
        id=f"reasons-{its.kind}",
        caption=caption,
        signature=found.signature,
        columns=(
            Column(id="reason", title="reason", kind="name"),
            Column(id="all", title=_ALL, kind="number", unit="%"),
            *(
                Column(id=f"model-{at}", title=shown(one.model, LONGEST), kind="number", unit="%")
                for at, one in enumerate(its.models, 1)
            ),
        ),
        rows=tuple(rows),
        info=(RowInfo(last=True), *(RowInfo() for _ in codes)),
    )


def _cells(its: ByModel, codes: list[str], titles: Mapping[str, str], found: Reasons) -> Table:
    return Table(
        id=f"reasons-{its.kind}-cells",
        caption="Each model and reason: its votes with it, the share with its 95 % interval clustered by voter, and p "
        "of the share being that of other models' votes",
        signature=found.signature,
        columns=(
            Column(id="model", title="model", kind="name"),
            Column(id="reason", title="reason", kind="text"),
            Column(id="n", title="with it", kind="count"),
            Column(id="of", title="of votes", kind="count"),
            Column(id="voters", title="voters", kind="count", drop=2),
            Column(id="share", title="share", kind="number", unit="%"),
            Column(id="overall", title="all models", kind="number", unit="%", drop=3),
            Column(id="p", title="p", kind="p", drop=1),
            Column(id="corrected", title="p, all (Holm)", kind="p"),
        ),
        rows=tuple(
            (
                one.model,
                titles[code],
                cell.n,
                one.n,
                one.n_voters,
                Estimate(cell.value, cell.interval),
                its.overall[code],
                cell.p,
                cell.p_corrected,
            )
            for one in its.models
            for code in codes
            for cell in [one.cells[code]]
        ),
    )
