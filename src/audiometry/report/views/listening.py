"""What a score loses without the clip, and whether the model listens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

import msgspec

from audiometry.choices.variant import TEXT_ONLY
from audiometry.errors import counted
from audiometry.render.bands import fitted
from audiometry.render.document import Block, Chart, Folded, Line, Piece, Section, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.numbers import Scale, scale
from audiometry.report.views.entries import Runs
from audiometry.report.views.heard import heard as heard_with
from audiometry.score.attention import Evidence, Listening
from audiometry.score.listening import LEVEL
from audiometry.score.result import Condition, Scored
from audiometry.score.signature import asked_once

TITLE: Final = "Does it need the clip?"
VERDICT: Final = (
    "The verdict is by a test of noise, silence and another item's clip, each against the real clip in the same order "
    "of options, by the rules of {profile}: swapping clusters, one-sided at 2.5 % after Holm's correction. Text alone "
    "has no part in it, since the prompt is of another form."
)
HOW: Final = (
    "Alone is the score without the clip by itself, the others are in pairs on items that count on both sides. p is "
    "two-sided, by swapping clusters, and corrected over the sounds in the place of the clips (Holm); that of text "
    "alone is not."
)
ORDERS: Final = (
    " The score with the clip is in the first order of options alone, the one in which items are asked without it."
)
SHARE: Final = Scale(0.0, 1.0, share=True)
AT: Final = (
    f"a drop: p below {LEVEL:g}, two-sided, by swapping clusters, Holm over the sounds in the place of the clips"
)
ALIGNED: Final = " The verdict is by rules alone, the table as the judge read the replies."


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A condition of a run; the difference is of the score with the clips less that without."""

    clip: str
    run: int = 0
    n_items: int | None = None
    real: float | None = None
    without: float | None = None
    difference: Estimate | str = "no item counts on both sides"
    p: float | None = None
    p_corrected: float | None = None
    detectable: float | str | None = None
    alone: Estimate | None = None
    n_unread: int | None = None
    n_lost: int | None = None
    verdict: str | None = None


def listening(
    scored: Sequence[Scored | None],
    labels: Sequence[str],
    heard: Sequence[Listening | None] = (),
    *,
    place: str = "listening",
    of: str = "",
    aligned: bool = False,
) -> Section:
    """A score with and without the clips, of one or several runs.

    Args:
        scored: of each run; None where it has none.
        labels: what the runs are called.
        heard: of each run, whether its model listens; none: the score has no part in that.
        place: the section's id.
        of: which score it is, where there are several.
        aligned: whether a judge had a part in the score.
    """
    first = next(one for one in scored if one is not None)
    gains = "A model that listens loses what it had above chance; what" if first.chance is not None else "What"
    blocks: list[Block] = [
        line(f"The same items without their own clip. {gains} a model keeps then, it did not hear.", weight="about")
    ]
    for label, one in zip(labels, heard, strict=False):
        blocks += () if one is None else _verdict(label, one)
    rows = [
        msgspec.structs.replace(_of_condition(clip, run, row), verdict=_told_of(clip, one, found, aligned=aligned))
        for run, (one, found) in enumerate(zip_longest(scored, heard))
        if one is not None
        for clip, row in one.variants.items()
    ]
    lost = "lost" if first.direction == "up" else "with less without"
    missing = Runs(scored=tuple(scored), labels=tuple(labels)).missing
    alone = [label for label, one in zip(labels, scored, strict=True) if one is not None and not one.variants]
    if alone:
        words = [one for at, label in enumerate(alone) for one in ([", "] * bool(at) + [name(label)])]
        blocks.append(line("Asked with the clips alone: ", *words, ".", weight="dim"))
    made = asked_once(first.signature, shots=True)
    blocks += _chart(rows, scale(first), place, made, lost, labels, missing)
    blocks += heard_with(scored, labels, f"{place}-scores", made)
    orders = ORDERS if any(one is not None and one.n_replies > one.n_items for one in scored) else ""
    profile = next((one.profile for one in heard if one is not None), "")
    told = VERDICT.format(profile=profile) + (ALIGNED if aligned else "") if profile else ""
    blocks += [line(text, weight="about") for text in (told, HOW + orders) if text]
    return Section(id=place, title=TITLE, of=of, blocks=tuple(blocks), short="Listening")


def verdict(model: str, found: Listening, signature: str = "", place: str = "listening") -> Iterator[Block]:
    """Whether a model listens, and the evidence.

    Args:
        model: its name.
        found: about it.
        signature: how its score is made; empty: by these rules.
        place: the id of figure and table.
    """
    rows = [_of_evidence(clip, one) for clip, one in found.conditions.items()]
    if rows:
        made = f"{asked_once(signature, shots=True) or found.profile}, each in pairs with the real clip"
        yield from _chart(rows, SHARE, place, made, "lost", [])
    if TEXT_ONLY in found.conditions:
        yield line("Text only has no part in the verdict.", weight="dim")
    yield from _verdict(model, found)


def _verdict(model: str, found: Listening) -> Iterator[Line]:
    if found.n_without_clip:
        yield line(f"Items that name no clip have no part in it: {found.n_without_clip:,}.", weight="dim")
    deaf = found.verdict == "does not listen"
    yield line(name(model), " ", strong(found.said), f": {found.reason}.", weight="minded" if deaf else "plain")
    lost = [
        f"{_plain(clip)} {SHARE.changes(one.limits)} points (p corrected {p_value(one.p_least, '= ')} at worst)"
        for clip, one in found.conditions.items()
        if one.n_lost
    ]
    if lost:
        yield line(f"Whatever the replies that did not come would have been: {'; '.join(lost)}.")
    if found.attention is not None:
        yield line(name(model), " ", *_passed(found))
    if found.shots:
        asked = f"Asked with {counted(found.shots, 'worked example')}"
        yield line(f"{asked}; MuChoMusic's attention test is without any (--shots 0).")


def _passed(found: Listening) -> tuple[Piece | str, ...]:
    """Whether the test of the rules' authors is passed, and why."""
    test = found.attention
    assert test is not None  # noqa: S101  for the type
    named = f" the attention test of {found.profile}"
    drops, missing = (" and ".join(map(_plain, names)) for names in (test.drops, test.without_number))
    others = " or ".join(map(_plain, test.not_shown))
    if test.passes:
        return strong(
            "passes"
        ), f"{named}: the score drops under {drops}{f', not under {others}' if others else ''} ({AT})."
    if test.passes is None:
        more = f", and no drop is shown under {others}" if others else ""
        return strong("may or may not pass"), f"{named}: there is nothing to compare under {missing}{more}."
    return strong("does not pass"), f"{named}: no drop is shown under {others} ({AT})."


def _told_of(clip: str, one: Scored, found: Listening | None, *, aligned: bool) -> str | None:
    """What the verdict says of a condition, where it is made of the same numbers."""
    if found is None or aligned or found.profile != one.profile or clip not in found.conditions:
        return None
    return found.conditions[clip].verdict


def _of_evidence(clip: str, one: Evidence) -> _Row:
    return _Row(
        clip=clip,
        n_items=one.n_items,
        real=one.real,
        without=one.without,
        difference=Estimate(one.difference, one.interval),
        p=one.p,
        p_corrected=one.p_corrected,
        n_unread=one.n_unread,
        n_lost=one.n_lost,
        verdict=one.verdict,
    )


def _of_condition(clip: str, run: int, row: Condition) -> _Row:
    said = [counted(row.n_items, "item"), *([f"{row.n_failed:,} failed"] if row.n_failed else [])]
    said = said if row.value is not None else ["no number" if row.replied else "no reply", *said]
    found = row.difference
    alone = Estimate(row.value, row.interval, ", ".join(said))
    if found is None:
        return _Row(clip=clip, run=run, alone=alone)
    return _Row(
        clip=clip,
        run=run,
        n_items=found.n_items,
        real=found.score_a,
        without=found.score_b,
        difference=Estimate(found.difference, found.interval),
        p=found.p,
        p_corrected=None if clip == TEXT_ONLY else found.p if found.p_corrected is None else found.p_corrected,
        detectable=found.would_be_found,
        alone=alone,
    )


def _numbers(rows: Sequence[_Row], its: Scale, lost: str, names: Sequence[str]) -> dict[str, tuple[Column, list[Cell]]]:
    """Columns by id with their cells; without those in which nothing stands."""
    detectable = msgspec.structs.replace(its.column("detectable", "detectable", sign=True), sign=False)
    every: list[tuple[Column, list[Cell]]] = [
        (Column(id="clip", title="clip", kind="name"), list(names)),
        (Column(id="items", title="items", kind="count"), [row.n_items for row in rows]),
        (its.column("real", "with the clip"), [row.real for row in rows]),
        (its.column("without", "without"), [row.without for row in rows]),
        (its.column("lost", lost, sign=True), [row.difference for row in rows]),
        (Column(id="p", title="p", kind="p"), [row.p for row in rows]),
        (Column(id="p-corrected", title="p corrected", kind="p"), [row.p_corrected for row in rows]),
        (Column(id="told", title="the score", kind="text"), [row.verdict for row in rows]),
        (detectable, [row.detectable for row in rows]),
        (Column(id="unread", title="unread", kind="count", drop=1), [row.n_unread for row in rows]),
        (Column(id="lost-replies", title="no reply", kind="count", drop=2), [row.n_lost for row in rows]),
        (its.column("alone", "alone"), [row.alone for row in rows]),
    ]
    return {one.id: (one, cells) for one, cells in every if any(cell is not None for cell in cells)}


def _chart(
    rows: Sequence[_Row],
    its: Scale,
    place: str,
    signature: str,
    lost: str,
    labels: Sequence[str],
    missing: str = "",
) -> Iterator[Block]:
    """A band a condition with a mark a run, and all numbers on demand."""
    several, clips = len(labels) > 1, list(dict.fromkeys(row.clip for row in rows))
    drawn = f"How much more the score is with the clips than without{missing}"
    caption = drawn if several else f"The score with the clips and without, and the difference{missing}"
    marks = tuple(
        Mark(x=row.difference.value, y=clips.index(row.clip), interval=row.difference.interval, series=row.run)
        for row in rows
        if isinstance(row.difference, Estimate) and row.difference.value is not None
    )
    ends = [0.0, *(end for mark in marks for end in (mark.x, *(mark.interval or ())))]
    ns = [row.n_items for row in rows if row.n_items]
    series = tuple(labels) if several else ()
    figure = Figure(
        id=place,
        caption=drawn,
        signature=signature,
        kind="bands",
        x=axis_around(ends, title=lost, unit="points" if its.share else "", sign=True, decimals=its.decimals),
        y=Axis(bands=tuple(Band(name=_plain(clip)) for clip in clips)),
        marks=marks,
        reference=0.0,
        reference_name="nothing lost",
        n=max(ns, default=0),
        n_least=min(ns, default=0),
        series=series,
    )
    names = [f"{_plain(row.clip)}: {labels[row.run]}" if several else _plain(row.clip) for row in rows]
    every = _numbers(rows, its, lost, names)
    folded = ("detectable", "alone")
    beside, more = [one for key, one in every.items() if key not in folded], ["clip", *folded]
    if several:
        found = {(row.clip, row.run): row.difference for row in rows}
        plain: list[Cell] = [_plain(clip) for clip in clips]
        beside = [(Column(id="clip", title="clip", kind="name"), plain)]
        for n in sorted({row.run for row in rows}):
            own: list[Cell] = [found.get((clip, n)) for clip in clips]
            beside.append((its.column(f"lost-{n + 1}", labels[n], sign=True, series=n), own))
        more = list(every)
    table = _table(place, caption, signature, beside)
    yield Chart(fitted(figure), msgspec.structs.replace(table, series=series))
    if several or "alone" in every:
        title = "All numbers of each run" if several else "Each score without the clip by itself"
        told = "The score with the clips and without, run by run" if several else title
        numbers = [every[key] for key in more if key in every]
        yield Folded(title, (_table(f"{place}-numbers", told, signature, numbers),))


def _table(place: str, caption: str, signature: str, of: Sequence[tuple[Column, list[Cell]]]) -> Table:
    rows = tuple(zip(*(cells for _, cells in of), strict=True))
    return Table(id=place, caption=caption, signature=signature, columns=tuple(one for one, _ in of), rows=rows)


def _plain(clip: str) -> str:
    return clip.replace("-", " ")
