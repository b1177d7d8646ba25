"""Options: which of the wrong ones replies take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Folded, Line, Section, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import LONGEST, endings
from audiometry.report.numbers import Scale
from audiometry.report.views.consistency import consistency
from audiometry.report.views.entries import Runs
from audiometry.score.chosen import Distractors, Preferred, Taken
from audiometry.score.extras import Extras
from audiometry.score.result import Scored

SHARE: Final = Scale(0.0, 1.0, share=True)
TITLE: Final = "Options: which wrong ones are taken"
FEW: Final = 30  # wrong replies of which shares say little
_PLAIN: Final = {"first": "the first of the wrong options", "longest": "the longest of the wrong options"}
MADE: Final = "wrong replies only; intervals over clusters, joint (Bonferroni)"
HOW: Final = (
    "Counted are replies that take a wrong option: a model that does not know prefers none if each of the wrong ones "
    "is as likely as the others. The intervals hold all together. Longer options, and kinds, may also be better made "
    "than others; the place of an option says nothing of it where the order is drawn."
)


def options(runs: Runs, card: Card, place: str = "options") -> Section | None:
    """What the replies of one or several runs take; None where no wrong option was taken.

    Args:
        runs: scores of choices.
        card: of the benchmark.
        place: the section's id.
    """
    extras = [Extras() if one is None else one.extras for one in runs.scored]
    blocks: list[Block] = []
    for label, one in zip(runs.labels or ("",), extras, strict=True):
        blocks += _told(one, label if runs.several else "")
    if any(map(_preferred, extras)):
        blocks += [_chart(extras, runs, place), line(HOW, weight="about")]
    blocks += _matrices(extras, runs, card, place)
    if not blocks:
        return None
    return Section(id=place, title=TITLE, blocks=tuple(blocks), short="Options")


def told(scored: Sequence[Scored]) -> Iterator[Block]:
    """What a terminal tells of it, of the first of these scores of a run that has any: what is found, and kinds."""
    one = next((one for one in scored if one.extras.preferences or one.extras.consistency), None)
    if one is None:
        return
    yield from (found for found in _told(one.extras, "") if found.weight == "minded")
    yield from consistency(Runs(scored=(one,)))
    if one.extras.distractors is not None and one.extras.distractors.wrong:
        yield _chart([one.extras], Runs(scored=(one,)), "options")


def _preferred(extras: Extras) -> dict[str, Preferred]:
    """All that wrong replies may prefer, by what it is called."""
    found = {_PLAIN[which]: one for which, one in extras.preferences.items()}
    kinds = extras.distractors
    return found | ({} if kinds is None else {kinds.titles[kind]: one for kind, one in kinds.wrong.items()})


def _told(extras: Extras, label: str) -> Iterator[Line]:
    of = (name(label), ": ") if label else ()
    found = _preferred(extras)
    apart = {what: one for what, one in found.items() if one.apart}
    if apart:
        each = (
            f"{'more' if one.share > one.expected else 'less'} often {shown(what, 60)}, {SHARE.number(one.share)} % "
            f"(95 %: {SHARE.span(one.interval)}; {SHARE.number(one.expected)} % if none were preferred)"
            for what, one in apart.items()
        )
        wrong = counted(max(one.n for one in found.values()), "wrong reply")
        what = f" ({wrong}): {'; '.join(each)}."
        yield line(*of, strong("Not all wrong options are taken alike"), what, weight="minded")
    if found and not apart:
        n = max(one.n for one in found.values())
        kinds = ", or of a kind," if extras.distractors is not None else ""
        yield line(
            *of, f"That the first or the longest wrong option{kinds} is preferred cannot be told ({n:,} wrong replies)."
        )


def _chart(extras: Sequence[Extras], runs: Runs, place: str) -> Chart:
    """A band for each that may be preferred, with a mark a run."""
    each = list(map(_preferred, extras))
    names = list(dict.fromkeys(what for found in each for what in found))
    kinds = {title: kind for one in extras if one.distractors for kind, title in one.distractors.titles.items()}
    rows: list[list[Cell]] = [[what] for what in names]
    columns = [Column(id="option", title="option", kind="name")]
    for n, found in enumerate(each):
        title = runs.labels[n] if runs.several else "of wrong replies"
        columns.append(SHARE.column(f"share-{n + 1}", title, series=n if runs.several else None))
        for row, what in zip(rows, names, strict=True):
            one = found.get(what)
            row.append("none" if one is None else Estimate(one.share, one.interval))
    if not runs.several:
        columns.append(SHARE.column("alike", "if none were preferred"))
        columns += [Column(id=of, title=of, kind="count") for of in ("taken", "wrong replies")]
        for row, what in zip(rows, names, strict=True):
            row += [each[0][what].expected, each[0][what].n_taken, each[0][what].n]
    table = Table(
        id=place,
        caption=f"How often wrong replies take an option, and how often if all were taken alike{runs.missing}",
        signature=f"{runs.signature}; {MADE}",
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        info=tuple(RowInfo(items=urlencode({"kind": kinds[what]}) if what in kinds else "") for what in names),
        series=runs.labels if runs.several else (),
    )
    marks = [
        Mark(x=one.share, y=row, interval=one.interval, series=n, reference=one.expected)
        for n, found in enumerate(each)
        for row, what in enumerate(names)
        if (one := found.get(what)) is not None
    ]
    every = [one for found in each for one in found.values()]
    axis = axis_around(
        [0.0, *reached(marks), *(one.expected for one in every)], title="share of wrong replies", unit="%"
    )
    ns = [one.n for one in every]
    return banded(table, marks, axis, ns=ns, n_of="reply", reference_name="if all wrong options were taken alike")


def _matrices(extras: Sequence[Extras], runs: Runs, card: Card, place: str) -> Iterator[Block]:
    """Which kinds are taken: a row a run, and folded up a matrix each with a row a value of a dimension."""
    known = [
        (runs.labels[n] if runs.several else "", one.distractors)
        for n, one in enumerate(extras)
        if one.distractors is not None and any(one.distractors.all.kinds.values())
    ]
    if not known:
        return
    if runs.several:
        items = {label: urlencode({"run": label}) for label, _ in known}
        yield _matrix({label: one.all for label, one in known}, items, known[0][1], runs, f"{place}-kinds", "run")
    labels = [label for label, _ in known]
    for (label, one), ending in zip(known, endings(labels) if runs.several else [""], strict=True):
        rows, items = {"all items": one.all}, {"all items": urlencode({"run": label} if label else {})}
        for dimension in card.dimension:
            for value, taken in one.by.get(dimension.tag, {}).items():
                row = value if value not in rows else f"{dimension.title or dimension.tag}: {value}"
                rows[row] = taken
                items[row] = urlencode({"tag": f"{dimension.tag}:{value}"} | ({"run": label} if label else {}))
        of = f": {shown(label, LONGEST)}" if label else ""
        figure = _matrix(rows, items, one, runs, f"{place}-by-dimension{ending}", "replies to", of)
        yield Folded(f"By what items are about{of}", (figure,)) if runs.several else figure


def _matrix(
    rows: Mapping[str, Taken],
    items: Mapping[str, str],
    of: Distractors,
    runs: Runs,
    place: str,
    corner: str,
    more: str = "",
) -> Chart:
    """Of the wrong replies of each row the share that takes each kind, and how many there are; all counts as a table.

    Args:
        rows: by their names.
        items: of each, as in `RowInfo`.
        of: tells the kinds.
        runs: whose.
        place: the id.
        corner: what the rows are.
        more: of the caption.
    """
    wrong = {row: sum(one.kinds.values()) for row, one in rows.items()}
    shares = [
        (x, y, one.kinds.get(kind, 0) / wrong[row], "&".join(filter(None, (items[row], urlencode({"kind": kind})))))
        for y, (row, one) in enumerate(rows.items())
        for x, kind in enumerate(of.titles)
        if wrong[row]
    ]
    many = [n >= FEW for n in wrong.values()]
    most = max((share for _, y, share, _ in shares if many[y]), default=1.0)
    marks = [
        Mark(x=x, y=y, value=share, shade=share / most if many[y] else 0.0, items=link) for x, y, share, link in shares
    ]
    marks += [Mark(x=len(of.titles), y=y, n=n) for y, n in enumerate(wrong.values())]
    caption = f"Share of wrong replies that take each kind of wrong option{more}{runs.missing}"
    bands = [Band(name=shown(title, LONGEST)) for title in of.titles.values()]
    figure = Figure(
        id=place,
        caption=caption,
        signature=runs.signature,
        kind="matrix",
        x=Axis(unit="%", bands=(*bands, Band(name="wrong replies"))),
        y=Axis(title=corner, bands=tuple(Band(name=shown(row, LONGEST)) for row in rows)),
        marks=tuple(marks),
        n=max(wrong.values(), default=0),
        n_of="wrong reply",
        shade_name=f"0 to {SHARE.number(most)}\u00a0%, of {FEW} wrong replies or more",
    )
    sides = {"right": "right", **of.titles, "none": "no option"}
    table = Table(
        id=place,
        caption=f"How many replies take which kind of option{more}{runs.missing}",
        signature=runs.signature,
        columns=(
            Column(id="items", title=corner, kind="name"),
            *(Column(id=f"taken-{at}", title=title, kind="count") for at, title in enumerate(sides.values())),
        ),
        rows=tuple(
            (row, one.right, *(one.kinds.get(kind, 0) for kind in of.titles), one.none) for row, one in rows.items()
        ),
    )
    return Chart(figure, table)
