"""What a built benchmark is like, drawn: lengths, loudness, labels, letters, questions, what is right unheard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.bench.findings import CheckReport
from audiometry.builder.statistics import MEASURED, Histogram, Statistics
from audiometry.errors import counted, shown
from audiometry.render.bands import banded
from audiometry.render.document import Block, Chart, Section, line
from audiometry.render.figure import Axis, Mark, axis_around
from audiometry.render.table import Cell, Column, Table
from audiometry.report.naming import endings
from audiometry.report.views.check import best_unheard

MOST_LABELS: Final = 30  # of a task that are drawn
_NAME: Final = Column(id="what", title="", kind="name")
_COUNT: Final = Column(id="n", title="how many", kind="count")


def statistics(found: Statistics, check: CheckReport) -> tuple[Section, ...]:
    """Clips, questions, labels and letters.

    Args:
        found: of a benchmark.
        check: what was found in it.
    """
    words = _bars("words", "Length", "How many words a question has", found.words, "words", n_of="question")
    return (
        Section(id="clips", title="Clips", short="Clips", blocks=tuple(_clips(found, check))),
        Section(id="questions", title="Questions", short="Questions", blocks=(words,)),
        Section(id="answers", title="Right answers", short="Answers", blocks=tuple(_answers(found))),
        Section(id="unheard", title="Right without hearing", short="Unheard", blocks=tuple(_unheard(check))),
    )


def _clips(found: Statistics, check: CheckReport) -> Iterator[Block]:
    n = check.n_clips_read
    seconds, lufs = found.seconds, found.lufs
    yield line(
        f"{counted(n, 'clip')}, {check.audio_s / 60:,.1f} min in all, of {seconds.least:.2f} to {seconds.most:.2f} s "
        f"(median {seconds.median:.2f} s)."
    )
    yield _bars("seconds", "Length", "How long the clips are", seconds, "s", n_of="clip")
    measured = sum(lufs.counts)
    if measured:
        drawn = f", of {counted(measured + found.silent, 'clip')} that were drawn" if n > MEASURED else ""
        caption = f"How loud the clips are: integrated loudness by ITU-R BS.1770-4{drawn}"
        yield _bars("loudness", "Loudness", caption, lufs, "LUFS", n_of="clip")
    if found.silent:
        what = counted(found.silent, "clip")
        yield line(f"{what} too quiet, or of too many channels, for the loudness meter.", weight="minded")


def _answers(found: Statistics) -> Iterator[Block]:
    for (task, counts), ending in zip(found.labels.items(), endings(list(found.labels)), strict=True):
        caption = f"{shown(task, 60)}: how often each answer is right"
        blocks: list[Block] = [line(f"{counted(len(counts), 'different answer')}.")]
        if len(counts) <= MOST_LABELS:
            blocks = [_counts(f"labels{ending}", caption, list(counts), list(counts.values()), "item")]
        if task in found.letters:
            letters = ", ".join(f"{letter} {n:,}" for letter, n in found.letters[task].items())
            blocks.append(line(f"Right letters: {letters}."))
        yield Section(id=f"answers{ending or '-1'}", title=task, blocks=tuple(blocks))


def _unheard(check: CheckReport) -> Iterator[Block]:
    rows, marks = list[tuple[Cell, ...]](), list[Mark]()
    for name, facts in check.tasks.items():
        if facts.guesses:
            right, chance, rule = best_unheard(facts)
            marks.append(Mark(x=right, y=len(rows), reference=chance))
            rows.append((name, right, chance, rule))
    if not rows:
        yield line("No task has options, so that nothing can be guessed.")
        return
    share = {"kind": "number", "unit": "%"}
    table = Table(
        id="unheard",
        caption="What the best rule that hears nothing gets right, of all items (what it says nothing of is guessed)",
        signature="",
        columns=(
            Column(id="task", title="task", kind="name"),
            Column(id="right", title="right", **share),  # type: ignore[arg-type]  # a literal
            Column(id="chance", title="chance", **share),  # type: ignore[arg-type]  # as above
            Column(id="rule", title="rule", kind="text"),
        ),
        rows=tuple(rows),
    )
    x = Axis(title="right without hearing", low=0.0, high=1.0, ticks=(0.0, 0.25, 0.5, 0.75, 1.0), unit="%")
    yield banded(table, marks, x, ns=(check.n_items,), reference_name="chance")


def _bars(name: str, title: str, caption: str, found: Histogram, unit: str, *, n_of: str) -> Section:
    bounds, filled = found.bounds, [k for k, n in enumerate(found.counts) if n]
    places = range(filled[0], filled[-1] + 1) if filled else range(1)
    names = [
        f"{bounds[k]:g} to {bounds[k + 1]:g} {unit}" if k + 1 < len(bounds) else f"from {bounds[k]:g} {unit}"
        for k in places
    ]
    chart = _counts(name, caption, names, [found.counts[k] for k in places], n_of)
    return Section(id=name, title=title, blocks=(line(f"{caption}.", weight="dim"), chart))


def _counts(name: str, caption: str, names: Sequence[str], counts: Sequence[int], n_of: str) -> Chart:
    rows = tuple((one, n) for one, n in zip(names, counts, strict=True))
    table = Table(id=f"build-{name}", caption=caption, signature="", columns=(_NAME, _COUNT), rows=rows)
    marks = [Mark(x=float(n), y=y) for y, n in enumerate(counts)]
    x = axis_around([0.0, *map(float, counts)], title=f"{n_of}s", decimals=0)
    return banded(table, marks, x, ns=(sum(counts),), kind="bars", n_of=n_of)
