"""Letters: how much more often each is chosen than it is right, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Folded, Line, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.naming import FEW
from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Runs
from audiometry.score.counts import Letters, LetterTest
from audiometry.score.result import LEVEL

SHARE: Final = Scale(0.0, 1.0, share=True)
MADE: Final = (
    "replies from which a letter was read; Stuart-Maxwell test by swapping whole clusters, intervals joint (Bonferroni)"
)
HOW: Final = (
    "Counted are the replies from which a letter was read. The test is Stuart and Maxwell's of marginal homogeneity, "
    "with replies to one clip as one cluster; p is by swapping the right and the chosen letters of whole clusters, the "
    "larger of that by chi-squared and that by the sum of squared differences. The 95 % intervals are of all letters "
    "together (Bonferroni)."
)


def letters(found: Sequence[Letters | None], runs: Runs) -> Section:
    """The letters of one or several runs.

    Args:
        found: of each run; None where none were shown, or it has no such score.
        runs: their scores.
    """
    several, labels = len(found) > 1, runs.labels
    told = [_told(one, label if several else "") for one, label in zip(found, labels, strict=True)]
    plain = [one for one in told if one.weight == "plain"] if len(found) > FEW else []
    blocks: list[Block] = [one for one in told if one not in plain]
    if plain:
        blocks.append(
            Folded(f"{len(plain)} runs of which no letter can be told to be preferred", tuple(plain), printed=True)
        )
    tests = [None if one is None else one.test for one in found]
    names = sorted({letter for test in tests if test is not None for letter in test.letters})
    if names:
        chart = _chart(tests, runs, names, found[0])
        counts = Folded("How often each letter was right and chosen", (_counts(found, runs, names),))
        blocks += [chart, *([counts] if several else []), line(HOW, weight="about")]
    return Section(id="letters", title="Letters: chosen and right", blocks=tuple(blocks), short="Letters")


def preferred(found: Letters | None) -> Line | None:
    """Which letters are chosen more or less often than they are right; None where the test finds nothing."""
    found_out = found is not None and found.test is not None and found.test.p < LEVEL
    return _told(found, "") if found_out else None


def _told(found: Letters | None, label: str) -> Line:
    of = (name(label), ": ") if label else ()
    if found is None:
        return line(*of, "No letters were shown.")
    test = found.test
    if test is None:
        return line(*of, "No reply named a letter.")
    how = (
        f"Stuart-Maxwell test, chi-squared {test.statistic:,.2f} on {counted(test.df, 'degree')} of freedom, "
        f"p {p_value(test.p, '= ')}, {counted(test.n_replies, 'reply')} in {counted(test.n_clusters, 'cluster')}"
    )
    if test.p >= LEVEL:
        return line(*of, f"No letter can be told to be preferred ({how}).")
    apart = [(letter, one) for letter, one in test.letters.items() if not one.interval[0] <= 0 <= one.interval[1]]
    named = ", ".join(
        f"{letter} {SHARE.change(one.difference)} points (95 %: {SHARE.changes(one.interval)})" for letter, one in apart
    )
    which = f": {named}" if named else "; of no letter alone can it be told"
    return line(*of, strong("Letters are not chosen as often as they are right"), f" ({how}){which}.", weight="minded")


def _chart(tests: Sequence[LetterTest | None], runs: Runs, names: Sequence[str], only: Letters | None) -> Chart:
    several, labels = len(tests) > 1, runs.labels
    caption = (
        "How much more often each letter is chosen than it is right, in points of the replies, with joint intervals"
    )
    caption += runs.missing
    marks = [
        Mark(x=one.difference, y=row, interval=one.interval, series=n)
        for n, test in enumerate(tests)
        if test is not None
        for row, letter in enumerate(names)
        if (one := test.letters.get(letter)) is not None
    ]
    ns = [test.n_replies for test in tests if test is not None]
    columns = [Column(id="letter", title="letter", kind="name")]
    rows: list[list[Cell]] = [[letter] for letter in names]
    if not several and only is not None:
        right, chosen = only.gold, only.chosen
        every = max(1, sum(right.values()))
        for of, counts in (("right", right), ("chosen", chosen)):
            columns += [Column(id=of, title=of, kind="count"), SHARE.column(f"{of}-share", of)]
            for row, letter in zip(rows, names, strict=True):
                row += [counts[letter], counts[letter] / every]
    for n, test in enumerate(tests):
        title = labels[n] if several else "difference"
        columns.append(SHARE.column(f"difference-{n + 1}", title, sign=True, series=n if several else None))
        for row, letter in zip(rows, names, strict=True):
            one = None if test is None else test.letters.get(letter)
            row.append(None if one is None else Estimate(one.difference, one.interval))
    table = Table(
        id="letters",
        caption=caption,
        signature=f"{runs.signature}; {MADE}",
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        series=labels if several else (),
    )
    axis = axis_around([0.0, *reached(marks)], title="chosen less right", unit="points", sign=True)
    return banded(table, marks, axis, ns=ns, n_of="reply", reference=0.0, reference_name="as often as right")


def _counts(found: Sequence[Letters | None], runs: Runs, names: Sequence[str]) -> Table:
    """A row a run and letter."""
    rows = [
        (label, letter, one.gold.get(letter, 0), one.chosen.get(letter, 0))
        for label, one in zip(runs.labels, found, strict=True)
        if one is not None and one.test is not None
        for letter in names
    ]
    columns = (
        Column(id="run", title="run", kind="name"),
        Column(id="letter", title="letter", kind="text"),
        Column(id="right", title="right", kind="count"),
        Column(id="chosen", title="chosen", kind="count"),
    )
    caption = f"How often each letter was right, and how often it was chosen{runs.missing}"
    made = f"{runs.signature}; {MADE}"
    return Table(id="letters-counts", caption=caption, signature=made, columns=columns, rows=tuple(rows))
