"""Scores of one measure under several profiles side by side, and the places of several runs, for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import shown
from audiometry.records import Card
from audiometry.render.console import unwrapped
from audiometry.render.numbers import percent
from audiometry.report.fitted import Fitted
from audiometry.report.numbers import scale
from audiometry.report.said import ends, incomplete, left_out, matching, of_tag, pooled, slices
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Rank, Row, Scored, Scores


def side_by_side(found: Mapping[str, Scored], card: Card) -> Group:
    """Tasks, categories and the value under each profile, and what each profile made of the replies."""
    first, every = next(iter(found.values())), list(found.values())

    def numbers(row: Callable[[Scored], Row | None]) -> Iterable[str]:
        for one in every:
            there = row(one)
            yield "" if there is None else scale(one).number(there.value)

    out = Fitted("task", list(found))
    for task in first.tasks:
        out.add(shown(card.task_named(task).title or task, 200), *numbers(lambda one, task=task: one.tasks.get(task)))  # type: ignore[misc]
    if len(first.categories) > 1:
        out.section()
        for name in first.categories:
            out.add(shown(name, 200), *numbers(lambda one, name=name: one.categories.get(name)))  # type: ignore[misc]
    for tag, values in first.by.items():
        out.section()
        for value in values:
            out.add(shown(of_tag(tag, value), 200), *numbers(lambda one, tag=tag, value=value: one.by[tag].get(value)))  # type: ignore[misc]
    out.section()
    out.add("headline", *numbers(lambda one: one), style="bold")
    out.add("95 %", *(scale(one).span(one.interval) for one in every))
    if not first.complete:
        out.add("at worst, at best", *(", ".join(filter(None, ends(one, scale(one)))) for one in every))
    out.add("mean of", *(one.average for one in every))
    lines: list[RenderableType] = [Text(line, style=style) for style, line in matching(first.extras)]
    lines += [Text(line, style="dim") for line in (*pooled(first), *slices(first))]
    lines += [Text(left_out(name, one), style="yellow") for name, one in found.items() if one.left_out]
    if not first.complete:
        lines.append(Text(incomplete(first, scale(first)), style="yellow"))
    lines += [unwrapped(f"{name}: {one.signature}") for name, one in found.items()]
    heading = (first.unit, "percent" if scale(first).share else "", first.part)
    return Group(
        Padding(Text(", ".join(filter(None, heading)), style="dim"), (1, 0, 0, 0)), out, _accounts(found), *lines
    )


def rank_table(scores: Sequence[Scores]) -> Group:
    """Several runs: their values and ranks under each score, and how many of their replies each plain matching reads.

    Beside several scores there is no room for the runs' names on a terminal: they are numbered, and named below.
    """
    names = list(scores[0].scores)
    numbered = len(names) > 1
    matched = _matched(scores[0])
    out = Fitted("run", [*(name.rpartition("-")[2] for name in matched), *names])
    for number, score in enumerate(scores, start=1):
        shares = [percent(share) for share in _matched(score).values()]
        cells = [_cell(scored, score.ranks.get(name)) for name, scored in score.scores.items()]
        out.add(f"{number}" if numbered else f"{score.asked}\n{score.run}", *shares, *cells)
    lines: list[RenderableType] = [
        *(Text(f"{number}: {score.asked} ({score.run})") for number, score in enumerate(scores, start=1) if numbered),
        Text("The value, then the rank; = shares its place.", style="dim"),
    ]
    if matched:
        how = "text: a letter and no more; script: the first, else the second to last character"
        lines.append(Text(f"Percent of the replies that plain matching reads, by AIR-Bench's {how}.", style="dim"))
    if DEFAULT in names and len(names) > 1:
        lines.append(Text(f"In brackets: places gained or lost against {DEFAULT}.", style="dim"))
    whys = dict.fromkeys(
        f"{score.asked} ({score.run}) is not ranked under {name}: {rank.why}."
        for score in scores
        for name, rank in score.ranks.items()
        if rank.why
    )
    lines += [Text(why, style="yellow") for why in whys]
    return Group(Padding(out, (1, 0, 0, 0)), *lines)


def _matched(scores: Scores) -> dict[str, float | None]:
    found = next((one.extras.plain_matching for one in scores.scores.values() if one.extras.plain_matching), {})
    return {name: one.share for name, one in found.items()}


def _accounts(found: Mapping[str, Scored]) -> Fitted:
    """What became of the replies: a row a kind, a column a profile."""
    out = Fitted("replies", list(found))
    rows: dict[str, Callable[[Scored], int]] = {
        "answered": lambda one: one.n_answered,
        "unreadable": lambda one: one.n_unanswered,
        "refused": lambda one: one.n_refused,
        "  of them blocked by the provider": lambda one: one.n_blocked,
        "empty": lambda one: one.n_empty,
        "failed": lambda one: one.n_failed,
        "not asked": lambda one: one.n_not_asked,
        "not judged": lambda one: one.n_unjudged,
        "left out": lambda one: one.n_replies - one.n_counted,
        "guessed": lambda one: one.n_guessed,
        "guessed right": lambda one: one.n_guessed_right,
    }
    for name, count in rows.items():
        counts = [count(one) for one in found.values()]
        if any(counts) or name == "answered":
            out.add(name, *(f"{n:,}" for n in counts))
    out.add("counted", *(f"{one.n_counted:,}" for one in found.values()), style="bold")
    return out


def _cell(scored: Scored, rank: Rank | None) -> str:
    value = scale(scored).number(scored.value)
    if rank is None:
        return value
    if rank.rank is None:
        return f"{value}  not ranked"
    place = f"{rank.rank}=" if rank.tied else f"{rank.rank}"
    moved = f" ({rank.change:+d})" if rank.change else ""
    return f"{value}  {place}{moved}"
