"""What a check of a benchmark found: its size, its tasks, and what is wrong, errors first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from audiometry.bench.findings import CheckReport, Finding, TaskFacts
from audiometry.bench.left_out import FATAL
from audiometry.errors import counted
from audiometry.render.document import Block, Line, Section, line, strong
from audiometry.render.table import Cell, Column, Table
from audiometry.report.rows_text import said_of_rows

SHOWN_EACH: Final = 3  # findings of one kind that are written out
_WEIGHTS: Final[dict[str, Literal["plain", "minded", "dim"]]] = {"error": "minded", "warning": "minded", "note": "dim"}
_HOUR, _MINUTE = 3600, 60
_COLUMNS: Final = (
    Column(id="task", title="task", kind="name"),
    Column(id="items", title="items", kind="count"),
    Column(id="clips", title="clips", kind="count"),
    Column(id="options", title="options", kind="text"),
    Column(id="answers", title="answers", kind="count"),
    Column(id="letters", title="right letters", kind="text"),
    Column(id="right", title="right deaf", kind="number", unit="%", decimals=0),
    Column(id="chance", title="chance", kind="number", unit="%", decimals=0),
    Column(id="rule", title="best deaf rule", kind="text"),
)


def check(found: CheckReport) -> Section:
    """Size, a table of tasks, the findings, and why it cannot be run."""
    return Section(id="check", title="", blocks=tuple(_blocks(found)))


def _blocks(found: CheckReport) -> Iterator[Block]:
    kinds = Counter((f.severity, f.code) for f in found.findings)
    if not kinds["error", "card"]:  # rows are not looked at without a card
        yield from (_size(found), _tasks(found))
    yield from told_of(found.unknown, found.known)
    written: Counter[tuple[str, str]] = Counter()
    for one in found.findings:
        kind = (one.severity, one.code)
        written[kind] += 1
        if written[kind] <= SHOWN_EACH:
            yield _finding(one)
        if written[kind] == SHOWN_EACH and kinds[kind] > SHOWN_EACH:
            more = kinds[kind] - SHOWN_EACH
            yield line(f"        and {more:,} more of this kind ({one.code}); --json lists all", weight="dim")
    counts = ((found.n_errors, "error"), (found.n_warnings, "warning"), (found.n_notes, "note"))
    yield line(strong(", ".join(counted(n, kind) for n, kind in counts)))
    if why := _refused(found):
        yield line(strong(f"`audiometry run` refuses it: {why}"))


def told_of(unknown: Sequence[str], known: Sequence[str]) -> Iterator[Line]:
    """What nobody published of a benchmark, and its known defects, a line each."""
    for fact in unknown:
        yield line(f"Not published: {fact}", weight="dim")
    for defect in known:
        yield line(f"Known defect: {defect}", weight="dim")


def _refused(found: CheckReport) -> str:
    """Why nobody can be asked, in one line; empty if somebody can."""
    kinds = Counter(one.code for one in found.findings if one.code in FATAL or one.code == "card")
    if kinds:
        return "correct " + ", ".join(f"{code} ({n:,})" for code, n in kinds.items())
    return "" if found.n_items else "nothing can be asked"


def _size(found: CheckReport) -> Line:
    rates = ", ".join(f"{rate:,} Hz" for rate in sorted(found.rates))
    rows = said_of_rows(found.n_items, found.n_without_clip, found.n_left_out)
    return line(
        strong(found.benchmark),
        f": {rows}; {counted(found.n_clips, 'clip')} ({found.n_clips_read:,} read to their end)",
        f", {_length(found.audio_s)} of {', '.join(sorted(found.formats))} at {rates}" if rates else "",
        f"; {found.published}" if found.published else "",
    )


def _length(seconds: float) -> str:
    if seconds >= _HOUR:
        return f"{seconds / _HOUR:.1f} h"
    return f"{seconds / _MINUTE:.1f} min" if seconds >= _MINUTE else f"{seconds:.1f} s"


def _tasks(found: CheckReport) -> Table:
    return Table(
        id="check-tasks",
        caption=f"Tasks of {found.benchmark}: what can be asked, and what is right without hearing anything",
        signature="",
        columns=_COLUMNS,
        rows=tuple((name, *_facts(facts)) for name, facts in found.tasks.items()),
    )


def _facts(facts: TaskFacts) -> Iterator[Cell]:
    yield from (facts.n_items, facts.n_clips, ", ".join(str(n) for n in sorted(facts.n_options)), facts.n_answers)
    yield " ".join(map(str, facts.letters.counts)) if facts.letters else ""
    if facts.guesses:
        yield from best_unheard(facts)
    else:
        yield from (None, None, "")


def best_unheard(facts: TaskFacts) -> tuple[float, float, str]:
    """What the best rule that hears nothing gets right of all items, chance, and the rule with what it rests on."""
    rule, guess = min(facts.guesses.items(), key=lambda pair: (pair[1].p, -pair[1].accuracy))
    said = f"{rule} ({guess.right:,} of {guess.n:,}, p = {guess.p_corrected:.1g})"
    return guess.overall, guess.overall_chance, said


def _finding(one: Finding) -> Line:
    return line(strong(f"{one.severity:>7} "), str(one), weight=_WEIGHTS[one.severity])
