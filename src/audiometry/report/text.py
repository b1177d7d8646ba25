"""Reports for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import rich.box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.dispatch.tally import Usage
from audiometry.errors import counted
from audiometry.records import Card
from audiometry.report.profiles_text import interval, left_out, matching, notes, rank_table, side_by_side
from audiometry.report.rows_text import said_of_blocked, said_of_rows
from audiometry.report.terminal import unwrapped
from audiometry.score.averages import percent
from audiometry.score.result import Row, Score, Scored

if TYPE_CHECKING:  # comparing loads what asks judges; scores alone need none of it
    from audiometry.score.compare import Comparison, Difference


def score_table(score: Score, card: Card) -> Group:
    """A table of tasks and what they are averaged to; under several profiles, these side by side."""
    if len(score.profiles) > 1:
        return Group(side_by_side(score, card), *_open_ones(score))
    return Group(*(_profile(score, name, scored, card) for name, scored in score.profiles.items()), *_open_ones(score))


def _open_ones(score: Score) -> list[Text]:
    """Said where a benchmark has both kinds of questions."""
    if not score.n_open:
        return []
    said = f"{counted(score.n_open, 'open question')} {'is' if score.n_open == 1 else 'are'} in none of these numbers"
    return [Text(f"{said}: score --judge MODEL scores them.")]


def ranks(scores: Sequence[Score]) -> Group:
    """Several runs on the same items: headlines and ranks under each profile."""
    return rank_table(scores)


def usage_line(usage: Usage, before: int, taken: int = 0) -> Text:
    """What a session of a run took: requests, time, tokens, cost.

    Args:
        usage: of the session.
        before: replies that were there before.
        taken: those of them that were taken over from another run folder.
    """
    earlier = f" ({before:,} {'was' if before == 1 else 'were'} there before" if before else ""
    earlier += (f", {taken:,} of them taken over" if taken else "") + ")" if earlier else ""
    parts = [counted(usage.replies, "reply") + earlier]
    if usage.cached:
        parts.append(f"{usage.cached:,} from the cache")
    if usage.retries:
        parts.append(counted(usage.retries, "retry"))
    if usage.latency_s:
        parts.append(f"latency {usage.latency_s['p50']:.2f} s, p90 {usage.latency_s['p90']:.2f} s")
    if usage.tokens_in or usage.tokens_out:
        parts.append(f"{usage.tokens_in:,} + {usage.tokens_out:,} tokens")
    if usage.cost_usd is not None:
        parts.append(f"${usage.cost_usd:.4f}")
    if usage.answered_by:
        parts.append("answered by " + ", ".join(f"{where} {n:,}" for where, n in usage.answered_by.items()))
    return Text(" · ".join(parts), style="dim")


def comparison_table(found: Comparison) -> Group:
    """Differences by task and over all."""
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="fold")
    for heading in ("items", "A", "B", "A - B", "95 %", "p", "p corrected", "could show"):
        out.add_column(heading, justify="right")
    for name, row in found.tasks.items():
        out.add_row(name, *_difference(row, found))
    out.add_section()
    out.add_row("all", *_difference(found, found), style="bold")
    verdict = "differ" if found.p < 0.05 else "cannot be told apart on these items"  # noqa: PLR2004  the stated level
    points = f"{_places(found.detectable, found)} points"
    if found.judges:
        points += f" on the scale from {found.scale[0]:g} to {found.scale[1]:g}"
    lines: list[RenderableType] = [
        Text(f"A  {found.a}\nB  {found.b}{_read_by(found)}"),
        out,
        Text(
            f"A and B {verdict} (sign-flip permutation over clusters, p = {found.p:.4f}). "
            f"The smallest difference this many items could show is {points}."
        ),
    ]
    lines += [Text(f"Note: {warning}.", style="yellow") for warning in found.warnings]
    return Group(*lines)


def _read_by(found: Comparison) -> str:
    if found.judges:
        panel = f", {found.panel} of the panel" if found.panel else ""
        return f"\njudged by {', '.join(found.judges)}{panel}"
    return f"\nread by {found.aligned_by}" if found.aligned_by else ""


def _places(value: float, found: Comparison, sign: str = "") -> str:
    """In percent with one place; scores of judges with two."""
    return f"{value:{sign}z.2f}" if found.judges else f"{100 * value:{sign}z.1f}"


def _profile(score: Score, name: str, scored: Scored, card: Card) -> Group:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="fold")
    for heading in ("items", "correct", "95 %", "chance", "answered", "refused", "failed"):
        out.add_column(heading, justify="right")
    for task, row in scored.tasks.items():
        out.add_row(card.task_named(task).title or task, *_cells(row))
    if len(scored.categories) > 1:
        out.add_section()
        for category, row in scored.categories.items():
            out.add_row(category, *_cells(row))
    if scored.folders:
        out.add_section()
        for folder, row in scored.folders.items():
            out.add_row(folder, *_cells(row))
    out.add_section()
    out.add_row(f"mean of {scored.average}", *_cells(scored), style="bold")
    lines = [unwrapped(f"{name}: {scored.signature}"), matching(score), *notes(scored)]
    if blocked := said_of_blocked(scored.n_refused, scored.n_blocked):
        lines.append(Text(blocked, style="yellow"))
    if scored.left_out:
        lines.append(left_out(name, scored))
    if not scored.complete and scored.bounds:
        low, high = scored.bounds
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in scored.failures.items())
        ranked = "" if scored.rankable else "; more than 1 % failed, so this number is not to be ranked"
        lines.append(
            Text(
                f"Incomplete: {kinds}. Had all of them been wrong, {percent(low)}; right, {percent(high)}{ranked}.",
                style="yellow",
            )
        )
    rows = said_of_rows(scored.n_items, score.n_without_clip, score.n_left_out, score.n_clips_cut)
    head = Text.assemble((score.asked, "bold"), " on ", (score.benchmark, "bold"), f": {rows}")
    return Group(Padding(head, (1, 0, 0, 0)), out, *lines)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.n_items:,}",
        percent(row.headline),
        interval(row),
        percent(row.chance),
        f"{row.n_answered:,}/{row.n_replies:,}",
        f"{row.n_refused:,}",
        f"{row.n_failed:,}",
    )


def _difference(row: Difference, found: Comparison) -> tuple[str, ...]:
    low, high = row.interval
    return (
        f"{row.n_items:,}",
        _places(row.score_a, found),
        _places(row.score_b, found),
        _places(row.difference, found, "+"),
        f"{_places(low, found, '+')} to {_places(high, found, '+')}",
        f"{row.p:.4f}",
        "" if row.p_corrected is None else f"{row.p_corrected:.4f}",
        _places(row.detectable, found),
    )
