"""How far raters agree: judges and metrics with people, and people among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

import audiometry
from audiometry.analysis.agreement.result import Agreement, Measure, Named, NamedAgainst, NamedPeople, ScorePair, Scores
from audiometry.analysis.agreement.setting import OTHERS
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Folded, Line, Section, line, told_of
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.places import places

SHOWN: Final = 24  # rows of raters in pairs and models in pairs; those beyond are folded up
PEOPLE: Final = "people among themselves"
NONE: Final = "—"
_PEOPLES: Final = 5  # the grey mark is the people's
_SIDE_BY_SIDE: Final = 5  # raters in one chart of models
_SHARE: Final = Column(id="share", title="same as each person", kind="number", unit="%")
_PAIRS: Final = Column(id="pairs", title="pairs", kind="count")
_REPLIES: Final = Column(id="replies", title="replies", kind="count")
_TAU_B: Final = "Kendall's tau-b with the mean of the people"
_OF_SCORES: Final = tuple(
    Column(id=title.rpartition(" ")[2], title=title, kind="number", decimals=2, sign=title.startswith("mean"))
    for title in ("tau-b", "rho", "mean difference", "kappa", "alpha")
)
_ALONE: Final = "No other rater rated the same things as a person."
_NAMED: Final = {
    "choices": (
        "Which option a reply chooses",
        "How often a judge names the same letter as a person. The yardstick is how often two people name the same.",
    ),
    "preferences": (
        "Which of two replies is better",
        "How often a rater prefers the same reply as a person, or like them neither; by scores, the higher one{equal}",
    ),
    "codes": (
        "Which code is given",
        "How often a coder gives the same as a person does. The yardstick is how often two people name the same.",
    ),
}


def agreement(found: Agreement) -> tuple[Section, ...]:
    """Who rated, then how far they agree on choices, scores and preferences, then judges in both orders."""
    marks = {one.name: place % _PEOPLES for place, one in enumerate(r for r in found.raters if r.kind != "person")}
    parts = [Section(id="raters", title="", blocks=(_raters(found, marks),))]
    for title in ("choices", "scores", "preferences", "codes"):
        if title == "scores" and found.scores is not None:
            parts.append(_scores(found.scores, found, marks))
        elif title in found.named:
            parts.append(_named(title, found.named[title], found, marks))
    if found.positions:
        parts.append(places(found.positions, signature(found)))
    sources = dict.fromkeys(shown(one.called, LONGEST) for one in found.files)
    of = f"ratings of {', '.join(sources)}"
    return tuple(replace(part, blocks=told_of(part.blocks, of)) for part in parts)


def doubts(found: Agreement) -> Section:
    """What stands in the way of a claim."""
    said = tuple(line(f"Note: {warning}.", weight="minded") for warning in found.warnings)
    return Section(id="doubts", title="", blocks=said)


def made(found: Agreement) -> Line:
    """How the intervals were made."""
    return line(
        f"Intervals hold {100 * found.confidence:g} % and take items as independent of each other; "
        f"{found.resamples:,} resamples, seed {found.seed}.",
        weight="dim",
    )


def signature(found: Agreement) -> str:
    """How its numbers were made, beside every table and figure."""
    return (
        f"agreement | clusters=items | resamples={found.resamples} | seed={found.seed} | "
        f"audiometry={audiometry.__version__}"
    )


def estimate(measure: Measure | None) -> Cell:
    """A number with its interval; a dash where it is not defined."""
    return NONE if measure is None or measure.value is None else Estimate(measure.value, measure.interval)


def _raters(found: Agreement, marks: Mapping[str, int]) -> Table:
    counts = ("choices", "scores", "preferences", "codes")
    return Table(
        id="raters",
        caption="Raters and how much they rated",
        signature=signature(found),
        columns=(
            Column(id="rater", title="rater", kind="name"),
            Column(id="kind", title="kind", kind="text"),
            *(Column(id=one, title=one, kind="count", drop=1) for one in counts),
        ),
        rows=tuple(
            (
                one.name,
                f"{one.kind}, lower is better" if one.lower_is_better else one.kind,
                one.n_choices,
                one.n_scores,
                one.n_preferred,
                one.n_codes,
            )
            for one in found.raters
        ),
        info=tuple(RowInfo(series=marks.get(one.name, _PEOPLES)) for one in found.raters),
    )


def _named(name: str, part: Named, found: Agreement, marks: Mapping[str, int]) -> Section:
    title, about = _NAMED[name]
    equal = f"; no more than {found.tie_margin:g} apart count as equal." if found.tie_margin else "."
    blocks: list[Block] = [
        line(about.format(equal=equal), weight="about"),
        line(f"{counted(part.n_items, 'item')}, {counted(part.n_units, 'thing')} rated."),
    ]
    rows: list[tuple[str, int, NamedPeople | NamedAgainst, Measure, Measure | None]] = [
        (one.rater, marks.get(one.rater, 0), one, one.majority, one.majority_kappa) for one in part.against
    ]
    if part.people is not None:
        rows.insert(0, (PEOPLE, _PEOPLES, part.people, part.people.others, None))
    untied = any(one.untied is not None for _, _, one, _, _ in rows)
    if not rows:
        if any(one.kind == "person" for one in found.raters):  # else it is said that there is none
            blocks.append(line(_ALONE))
    else:
        columns = (
            _SHARE,
            _PAIRS,
            Column(id="majority", title="same as the majority", kind="number", unit="%"),
            Column(id="kappa", title="kappa with it", kind="number", decimals=2),
            Column(id="alpha", title="alpha with people", kind="number", decimals=2),
            *([Column(id="untied", title="same without ties", kind="number", unit="%")] if untied else []),
        )
        cells = [
            (who, estimate(one.share), one.share.n, *map(estimate, rest))
            for who, _, one, *more in rows
            for rest in [(*more, one.alpha, *([one.untied] if untied else []))]
        ]
        table = Table(
            id=name,
            caption=f"{title}: share of the same as a person, with its 95 % interval",
            signature=signature(found),
            columns=(Column(id="rater", title="rater", kind="name"), *columns),
            rows=tuple(cells),
            info=tuple(RowInfo(series=mark) for _, mark, *_ in rows),
        )
        drawn = [[(mark, one.share)] for _, mark, one, *_ in rows]
        own = None if part.people is None else part.people.share
        blocks += _drawn(table, drawn, own, part.n_items)
    if part.people is not None:
        blocks.append(line("People: each with each other, and with the majority of the others.", weight="dim"))
    if untied and (models := tuple(_models(part, found, marks))):
        blocks.append(Section(id=f"{name}-by-models", title="By pair of models", blocks=models))
    same = Column(id="same", title="same", kind="number", unit="%")
    kappa = Column(id="kappa", title="kappa", kind="number", decimals=2)
    pairs = [(one.a, one.b, one.share.n, estimate(one.share), estimate(one.kappa)) for one in part.pairs]
    blocks += _pairs(name, (same, kappa), pairs, found)
    return Section(id=name, title=title, short=name.capitalize(), blocks=tuple(blocks))


def _drawn(
    table: Table, rows: Sequence[Sequence[tuple[int, Measure]]], own: Measure | None, *ns: int, **more: str
) -> list[Block]:
    """A table with the numbers of each row drawn, beside the people's own; the table alone where there is no number."""
    marks = tuple(
        Mark(x=measure.value, y=at, interval=measure.interval, series=mark)
        for at, row in enumerate(rows)
        for mark, measure in row
        if measure.value is not None
    )
    if not marks:
        return [table]
    first = table.columns[1]
    own = None if own is None or own.value is None else own
    nothing = own is None and first.id == "tau-b"
    ends = [1.0, *([0.0] if nothing else ()), *reached(marks)]
    chart = banded(
        table,
        marks,
        axis_around(ends, title=more.get("caption", table.caption), unit=first.unit, decimals=first.decimals),
        ns=ns,
        **more,
        reference=0.0 if nothing else None if own is None else own.value,
        reference_name="no relation" if nothing else "" if own is None else PEOPLE,
        unheld="" if nothing or own is not None else "what people have with each other is not known",
        shade=None if own is None else own.interval,
        shade_name="" if own is None or own.interval is None else "and their 95 % interval",
    )
    return [chart]


def _models(part: Named, found: Agreement, marks: Mapping[str, int]) -> Iterator[Block]:
    """The share of the same by pair of models, a few raters side by side."""
    people = [] if part.people is None else [(PEOPLE, _PEOPLES, part.people.models)]
    raters = [(one.rater, marks.get(one.rater, 0), one.models) for one in part.against]
    for begin in range(0, max(1, len(raters)), _SIDE_BY_SIDE):
        columns = [*people, *raters[begin : begin + _SIDE_BY_SIDE]]
        of = [{(one.model_a, one.model_b): one.share for one in models} for _, _, models in columns]
        pairs = sorted({pair for one in of for pair in one})
        table = Table(
            id="preferences-models" + (f"-{begin // _SIDE_BY_SIDE + 1}" if begin else ""),
            caption="Share of the same preference as each person by pair of models, with its 95 % interval",
            signature=signature(found),
            columns=(
                Column(id="models", title="models", kind="name"),
                *(
                    Column(id=f"same-{at}", title=who, kind="number", unit="%", series=mark)
                    for at, (who, mark, _) in enumerate(columns)
                ),
            ),
            rows=tuple((f"{a} / {b}", *(estimate(one.get((a, b))) for one in of)) for a, b in pairs),
        )
        kept, rest = _cut(table)
        drawn = [
            [(mark, one[pair]) for (_, mark, _), one in zip(columns, of, strict=True) if pair in one] for pair in pairs
        ]
        if pairs:
            yield from (*_drawn(kept, drawn[:SHOWN], None, part.n_items), *rest)


def _pairs(name: str, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], found: Agreement) -> list[Block]:
    """Every two raters with something in common."""
    if not rows:
        return []
    who = (
        Column(id="rater", title="rater", kind="name"),
        Column(id="and", title="and", kind="name"),
        Column(id="both", title="both rated", kind="count"),
    )
    table = Table(
        id=f"{name}-pairs",
        caption=f"{name.capitalize()}: every two raters who rated the same",
        signature=signature(found),
        columns=(*who, *columns),
        rows=tuple(rows),
    )
    kept, rest = _cut(table)
    return [Section(id=f"{name}-two", title="Raters in pairs", blocks=(kept, *rest))]


def _cut(table: Table) -> tuple[Table, list[Block]]:
    """The first rows, and the others folded up."""
    more = len(table.rows) - SHOWN
    if more <= 0:
        return table, []
    first = replace(table, rows=table.rows[:SHOWN])
    rest = replace(table, id=f"{table.id}-more", rows=table.rows[SHOWN:])
    words = f"{counted(more, 'more line')}"
    return first, [Folded(words, (rest,), f"and {words}; --json has all")]


def _scores(part: Scores, found: Agreement, marks: Mapping[str, int]) -> Section:
    blocks: list[Block] = [
        line(
            "Whether a rater puts replies in the order in which the mean of the people puts them: Kendall's tau-b, 1 "
            "for the same order, 0 for none. Each person is held against the mean of the others.",
            weight="about",
        ),
        line(f"{counted(part.n_items, 'item')}, {counted(part.n_units, 'reply')}."),
    ]
    if part.alpha_interval is not None:
        levels = [_OF_SCORES[-1].printed(estimate(one)) for one in (part.alpha_interval, part.alpha_ordinal)]
        blocks.append(line(f"Alpha over {len(part.people):,} people: {levels[0]} (interval), {levels[1]} (ordinal)."))
    each = [*part.each_person, *part.against]
    if each:
        rows = [(f"{one.a} and the others" if one.b == OTHERS else one.a, *_of_pair(one), one.tau_b.n) for one in each]
        series = [_PEOPLES if one.b == OTHERS else marks.get(one.a, 0) for one in each]
        table = Table(
            id="scores",
            caption=f"{_TAU_B}, and what else is known of their agreement, with 95 % intervals",
            signature=signature(found),
            columns=(Column(id="rater", title="rater", kind="name"), *_OF_SCORES, _REPLIES),
            rows=tuple(rows),
            info=tuple(RowInfo(series=mark) for mark in series),
        )
        drawn = [[(mark, one.tau_b)] for mark, one in zip(series, each, strict=True)]
        only = f"{_TAU_B}, with its 95 % interval"
        blocks += _drawn(table, drawn, None, *(one.tau_b.n for one in each), caption=only, n_of="reply")
    elif not part.pairs:
        blocks.append(line("No two of the raters scored the same replies."))
    else:
        blocks.append(line(_ALONE))
    blocks += _pairs("scores", _OF_SCORES, [(one.a, one.b, one.tau_b.n, *_of_pair(one)) for one in part.pairs], found)
    return Section(id="scores", title="Scores", short="Scores", blocks=tuple(blocks))


def _of_pair(one: ScorePair) -> tuple[Cell, ...]:
    return tuple(map(estimate, (one.tau_b, one.spearman, one.bias, one.kappa, one.alpha_interval)))
