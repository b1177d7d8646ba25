"""Runs in a folder at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.render.document import Block, line, name
from audiometry.render.table import Column, OutOf, Table
from audiometry.report.numbers import scale
from audiometry.run.listed import RunRow


def runs(rows: Sequence[RunRow]) -> Iterator[Block]:
    """How far each run is, its failures and its last scores; those that cannot be read below, with why."""
    told = [row for row in rows if not row.problem]
    if told:
        yield Table(
            id="runs",
            caption="Runs, how far each is, and its last scores",
            signature="",
            columns=(
                Column(id="run", title="run", kind="name"),
                Column(id="benchmark", title="benchmark", kind="name"),
                Column(id="model", title="model", kind="name"),
                Column(id="replies", title="replies", kind="count"),
                Column(id="failed", title="failed", kind="count", drop=1),
                Column(id="started", title="started (UTC)", kind="text"),
                Column(id="scores", title="scores", kind="text"),
            ),
            rows=tuple(
                (
                    row.name,
                    row.benchmark,
                    row.asked,
                    OutOf(row.done, row.planned),
                    row.failed,
                    row.started[:16].replace("T", " "),
                    _scores(row),
                )
                for row in told
            ),
        )
    for row in rows:
        if row.problem:
            yield line(name(row.name), f": cannot be read: {row.problem}", weight="minded")


def _scores(row: RunRow) -> str:
    """Its scores with their units; of a stopped run how far it came."""
    if row.stopped:
        return f"stopped, {row.done + row.failed:,} of {row.planned:,} asked"
    said = []
    for profile, one in row.scores.items():
        its, high = scale(one), one.range[1]
        end = " %" if its.share else f" of {high:g}" if high is not None and high > 1 else ""
        said.append(f"{its.number(one.value)}{end} {profile}")
    return ", ".join(said)
