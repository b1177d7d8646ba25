"""Runs under several profiles, side by side, for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import rich.box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.records import Card
from audiometry.report.rows_text import said_of_rows
from audiometry.report.terminal import unwrapped
from audiometry.score.averages import percent
from audiometry.score.result import Rank, Row, Score, Scored
from audiometry.score.score import DEFAULT


def side_by_side(score: Score, card: Card) -> Group:
    """One run: its tasks, categories and headline under each profile, and what each profile made of the replies."""
    profiles = score.profiles
    first = next(iter(profiles.values()))
    out = _table(card.benchmark.name, profiles)
    for task in first.tasks:
        out.add_row(card.task_named(task).title or task, *(percent(p.tasks[task].headline) for p in profiles.values()))
    if len(first.categories) > 1:
        out.add_section()
        for category in first.categories:
            out.add_row(category, *(percent(p.categories[category].headline) for p in profiles.values()))
    out.add_section()
    out.add_row("headline", *(percent(p.headline) for p in profiles.values()), style="bold")
    out.add_row("95 %", *(interval(p) for p in profiles.values()))
    if not first.complete:
        out.add_row("had all failed been wrong, right", *(_bounds(p) for p in profiles.values()))
    out.add_row("mean of", *(p.average for p in profiles.values()))
    rows = said_of_rows(first.n_items, score.n_without_clip, score.n_left_out, score.n_clips_cut)
    head = Text.assemble((score.asked, "bold"), " on ", (score.benchmark, "bold"), f", percent correct: {rows}")
    lines = [matching(score), *notes(first), *_left_out(profiles), *_incomplete(first)]
    lines += [unwrapped(f"{name}: {scored.signature}") for name, scored in profiles.items()]
    return Group(Padding(head, (1, 0, 0, 0)), out, _accounts(profiles), *lines)


def rank_table(scores: Sequence[Score]) -> Group:
    """Several runs: how many of their replies plain matching reads, their headlines and ranks under each profile.

    Beside several profiles there is no room for the runs' names on a terminal: they are numbered, and named below.
    """
    profiles = scores[0].profiles
    numbered = len(profiles) > 1
    out = _table("run", ["plain matching", *profiles])
    for number, score in enumerate(scores, start=1):
        share = score.plain_matching.share
        cells = [_cell(scored, score.ranks.get(name)) for name, scored in score.profiles.items()]
        out.add_row(f"{number}" if numbered else f"{score.asked}\n{score.run}", percent(share), *cells)
    lines: list[RenderableType] = [
        *(Text(f"{number}: {score.asked} ({score.run})") for number, score in enumerate(scores, start=1) if numbered),
        Text("Percent correct, then the rank; = shares its place.", style="dim"),
    ]
    if DEFAULT in profiles and len(profiles) > 1:
        lines.append(Text(f"In brackets: places gained or lost against {DEFAULT}.", style="dim"))
    whys = dict.fromkeys(
        f"{score.asked} ({score.run}) is not ranked under {name}: {rank.why}."
        for score in scores
        for name, rank in score.ranks.items()
        if rank.why
    )
    lines += [Text(why, style="yellow") for why in whys]
    if not all(score.ranks for score in scores):
        lines.append(Text("Runs on other items than the rest are not ranked against them.", style="yellow"))
    return Group(Padding(out, (1, 0, 0, 0)), *lines)


def notes(scored: Scored) -> list[Text]:
    """How the data folders of a task are merged, where there are several."""
    if not scored.pooled:
        return []
    tasks = ", ".join(f"{task} ({len(folders)})" for task, folders in scored.pooled.items())
    return [Text(f"Tasks of several data folders pool their items, each counting alike: {tasks}.", style="dim")]


def interval(row: Row) -> str:
    """The interval as it is printed, in percent."""
    return "" if row.interval is None else f"{percent(row.interval[0])} to {percent(row.interval[1])}"


def _table(corner: str, columns: Sequence[str] | dict[str, Scored]) -> Table:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column(corner, overflow="fold")
    for name in columns:
        out.add_column(name, justify="right")
    return out


def _accounts(profiles: dict[str, Scored]) -> Table:
    """What became of the replies: a row a kind, a column a profile."""
    out = _table("replies", profiles)
    rows: dict[str, Callable[[Scored], int]] = {
        "answered": lambda p: p.n_answered,
        "unreadable": lambda p: p.n_unanswered,
        "refused": lambda p: p.n_refused,
        "  of them blocked by the provider": lambda p: p.n_blocked,
        "failed": lambda p: p.n_failed,
        "left out": lambda p: p.n_replies - p.n_counted,
        "guessed": lambda p: p.n_guessed,
        "guessed right": lambda p: p.n_guessed_right,
    }
    if not any(scored.n_blocked for scored in profiles.values()):
        del rows["  of them blocked by the provider"]
    for name, count in rows.items():
        out.add_row(name, *(f"{count(p):,}" for p in profiles.values()))
    out.add_row("counted", *(f"{p.n_counted:,}" for p in profiles.values()), style="bold")
    return out


def matching(score: Score) -> Text:
    """How many of the replies plain matching reads."""
    found = score.plain_matching
    if found.share is None:
        return Text("Plain matching reads nothing: no reply came.", style="yellow")
    return Text(
        f"Plain matching (AIR-Bench, table 4) reads {found.n_read:,} of {found.n_replies:,} replies that came, "
        f"{percent(found.share)} %.",
        style="dim",
    )


def _left_out(profiles: dict[str, Scored]) -> list[Text]:
    """Which tasks have no number, and so are in no average."""
    return [left_out(name, scored) for name, scored in profiles.items() if scored.left_out]


def left_out(name: str, scored: Scored) -> Text:
    """Which tasks have no number under a profile, and so are in no average."""
    listed = ", ".join(scored.left_out)
    return Text(
        f"{name}: no reply counts in {len(scored.left_out)} of {len(scored.tasks)} tasks; they have no number and "
        f"are left out of the averages: {listed}.",
        style="yellow",
    )


def _incomplete(scored: Scored) -> list[Text]:
    if scored.complete:
        return []
    kinds = ", ".join(f"{kind} {n:,}" for kind, n in scored.failures.items())
    ranked = "" if scored.rankable else f"; more than 1 % failed, so {DEFAULT} gives it no rank"
    return [Text(f"Incomplete: {kinds}{ranked}.", style="yellow")]


def _bounds(row: Row) -> str:
    return "" if row.bounds is None else f"{percent(row.bounds[0])}, {percent(row.bounds[1])}"


def _cell(scored: Scored, rank: Rank | None) -> str:
    value = percent(scored.headline)
    if rank is None:
        return value
    if rank.rank is None:
        return f"{value}  not ranked"
    place = f"{rank.rank}=" if rank.tied else f"{rank.rank}"
    moved = f" ({rank.change:+d})" if rank.change else ""
    return f"{value}  {place}{moved}"
