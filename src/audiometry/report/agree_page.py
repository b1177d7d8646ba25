"""Agreement of raters as one HTML file with the three figures of AIR-Bench, drawn from anybody's ratings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

import audiometry
from audiometry.analysis.agreement.result import Agreement, Measure, Named, Position, ScorePair
from audiometry.analysis.agreement.setting import OTHERS
from audiometry.errors import StorageError
from audiometry.files import atomic, presence
from audiometry.report.agree_text import PEOPLE, coefficient, share
from audiometry.report.axis import Axis, axis
from audiometry.report.pages import TEMPLATES, environment

PEOPLES: Final = 5  # the grey of the marks is the people's
MAJORITY, KAPPA = "same as the majority, %", "kappa with it"
_BINS = 15  # more different values than this are put together by whole points


class Line(msgspec.Struct, frozen=True):
    """A line of a figure: who, the number drawn, the people's own beside it, and further cells of its table."""

    name: str
    mark: int
    measure: Measure
    own: Measure | None
    cells: tuple[tuple[str, str], ...] = ()


class Block(msgspec.Struct, frozen=True):
    """Lines that belong together, under a title if it has one."""

    title: str
    lines: tuple[Line, ...]


class Figure(msgspec.Struct, frozen=True):
    """Blocks on one scale; ``axis`` None: nothing to draw."""

    axis: Axis | None
    blocks: tuple[Block, ...]


class Bar(msgspec.Struct, frozen=True):
    """A value with how many replies have it, and these as percent of the most."""

    label: str
    counts: tuple[int, ...]
    widths: tuple[float, ...]


class Places(msgspec.Struct, frozen=True):
    """The figure of one judge in both orders."""

    found: Position
    axis: Axis
    scores: tuple[Bar, ...]
    differences: tuple[Bar, ...]


def write(found: Agreement, output: Path) -> Path:
    """Write the page; it asks nothing of a network and runs no script.

    Args:
        found: what to show.
        output: the file.

    Raises:
        StorageError: it cannot be written; what stood there still stands.
    """
    if presence.exists(output) and not presence.is_file(output):
        raise StorageError(f"cannot write {output}: it is not a regular file; name a file with -o")
    atomic.write(output, render(found).encode())
    return output


def render(found: Agreement) -> str:
    """The page's text."""
    made = environment().overlay()
    made.filters = made.filters | {"share": share, "coefficient": coefficient, "minus": _minus}
    marks = {rater.name: place % PEOPLES for place, rater in enumerate(r for r in found.raters if r.kind != "person")}
    style = "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "agree.css"))
    page: str = made.get_template("agree.html.j2").render(
        version=audiometry.__version__,
        style=style,
        found=found,
        people=[rater for rater in found.raters if rater.kind == "person"],
        machines=[rater for rater in found.raters if rater.kind != "person"],
        marks=marks,
        peoples=PEOPLES,
        choices=None if found.choices is None else overall(found.choices, marks),
        preferences=None if found.preferences is None else overall(found.preferences, marks),
        models=None if found.preferences is None else by_models(found.preferences, marks),
        orders=None if found.scores is None else orders([*found.scores.each_person, *found.scores.against], marks),
        places=[_places(position) for position in found.positions],
    )
    return page.lstrip()


def overall(part: Named, marks: dict[str, int]) -> Figure:
    """Each judge and metric against people, and people among themselves."""
    lines = []
    own = None if part.people is None else part.people.share
    if part.people is not None and own is not None:
        cells = [(MAJORITY, share(part.people.others)), (KAPPA, ""), *_rest(part.people)]
        lines.append(Line(PEOPLE, PEOPLES, own, None, tuple(cells)))
    for one in part.against:
        cells = [(MAJORITY, share(one.majority)), (KAPPA, coefficient(one.majority_kappa)), *_rest(one)]
        lines.append(Line(one.rater, marks.get(one.rater, 0), one.share, own, tuple(cells)))
    return _figure([Block("", tuple(lines))], top=1.0)


def _rest(one: Any) -> list[tuple[str, str]]:
    """Alpha, and for preferences the share without ties."""
    return [("alpha with people", coefficient(one.alpha))] + (
        [] if one.untied is None else [("without ties, %", share(one.untied))]
    )


def by_models(part: Named, marks: dict[str, int]) -> Figure:
    """The same by pair of models."""
    lines: dict[tuple[str, str], list[Line]] = {}
    own = {} if part.people is None else {(one.model_a, one.model_b): one.share for one in part.people.models}
    for pair, measure in own.items():
        lines.setdefault(pair, []).append(Line(PEOPLE, PEOPLES, measure, None))
    for against in part.against:
        for one in against.models:
            pair = (one.model_a, one.model_b)
            line = Line(against.rater, marks.get(against.rater, 0), one.share, own.get(pair))
            lines.setdefault(pair, []).append(line)
    return _figure([Block(f"{a} / {b}", tuple(found)) for (a, b), found in sorted(lines.items())], top=1.0)


def orders(pairs: Sequence[ScorePair], marks: dict[str, int]) -> Figure:
    """Whether people, judges and metrics put replies in the people's order: Kendall's tau-b."""
    lines = []
    for pair in pairs:
        person = pair.b == OTHERS
        cells = (
            ("rho", coefficient(pair.spearman)),
            ("mean difference", coefficient(pair.bias, "+")),
            ("kappa", coefficient(pair.kappa)),
            ("alpha", coefficient(pair.alpha_interval)),
        )
        name = f"{pair.a} and {pair.b}" if person else pair.a
        lines.append(Line(name, PEOPLES if person else marks.get(pair.a, 0), pair.tau_b, None, cells))
    return _figure([Block("", tuple(lines))], top=1.0)


def _figure(blocks: list[Block], *, top: float) -> Figure:
    kept = [block for block in blocks if block.lines]
    ends = [end for block in kept for line in block.lines for end in _ends(line.measure)]
    return Figure(axis(ends, top) if ends else None, tuple(kept))


def _ends(measure: Measure) -> Iterable[float]:
    if measure.value is not None:
        yield measure.value
        yield from measure.interval or ()


def _minus(number: str) -> str:
    """With a true minus, as wide as a plus."""
    return number.replace("-", "−")


def _places(found: Position) -> Places:
    means = [mean for model in found.models for mean in (model.first, model.second)]
    return Places(
        found=found,
        axis=axis(means),
        scores=_bars([(score, (first, second)) for score, first, second in found.scores]),
        differences=_bars([(apart, (n,)) for apart, n in found.histogram], sign="+"),
    )


def _bars(rows: list[tuple[float, tuple[int, ...]]], sign: str = "") -> tuple[Bar, ...]:
    """Counts of each value; of whole points if there are many values, with those between that have none."""
    if len(rows) > _BINS:
        rounded: dict[float, list[int]] = {}
        for value, counts in rows:
            kept = rounded.setdefault(math.floor(value + 0.5), [0] * len(counts))
            kept[:] = [a + b for a, b in zip(kept, counts, strict=True)]
        rows = [(value, tuple(counts)) for value, counts in sorted(rounded.items())]
    most = max((n for _, counts in rows for n in counts), default=0) or 1
    return tuple(
        Bar(
            _minus(f"{value:{sign if value else ''}g}"),
            counts,
            tuple(round(100 * n / most, 3) for n in counts),
        )
        for value, counts in rows
    )
