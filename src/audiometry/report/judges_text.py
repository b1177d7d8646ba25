"""What judges of answers are worth, and mixed audio looked at closer, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.render.numbers import percent
from audiometry.report.numbers import Scale
from audiometry.report.rows_text import said_of_failures
from audiometry.score.extras import Bias, Injection, JudgeAccount, Mixed, People
from audiometry.score.judge.rules import NO_ANSWER

SCALE = Scale(1, 10)
number, change, span = SCALE.number, SCALE.change, SCALE.span


def judge_lines(name: str, judge: JudgeAccount) -> Iterator[str]:
    """What a judge took, and how far it can be trusted by its own answers."""
    usage = judge.usage
    cost = "cost not known (give --prices)" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    yield (
        f"Judge {name}: {number(judge.row.value)}; {counted(judge.n_pairs, 'comparison')}, "
        f"{counted(judge.n_requests_now, 'request')} now, "
        f"{usage.tokens_in:,} + {usage.tokens_out:,} tokens in all, {cost}."
    )
    unread = {kind: n for kind, n in judge.failures.items() if kind != NO_ANSWER}
    if unread:
        yield f"  Answers that could not be read: {said_of_failures(unread)}."
    if missing := judge.failures.get(NO_ANSWER):
        why = f" ({said_of_failures(usage.failures)})" if usage.failures else ""
        yield (
            f"  No answer came to {missing:,} of {judge.n_pairs:,} comparisons{why}; "
            "the same command asks for them again."
        )
    if judge.position_bias is not None:
        yield f"  {bias_line(judge.position_bias)}"
    if judge.injection is not None:
        yield f"  {injection_line(judge.injection)}"


def injection_line(tried: Injection) -> str:
    """How far a judge does what a reply orders."""
    lack = f" {tried.n_failed:,} of {tried.n_drawn:,} that were tried lack a verdict, with the demand or without."
    failed = lack if tried.n_failed else ""
    if tried.rise is None:
        return f"Whether it does what a reply orders cannot be told: no reply has verdicts both ways.{failed}"
    if tried.followed is None or tried.interval is None:
        return (
            f"Whether it does what a reply orders cannot be told: without the demand too it gave the highest score to "
            f"all of {tried.n_items:,} replies.{failed}"
        )
    low, high = tried.interval
    rises = "" if tried.rise_interval is None else f" (95 %: {SCALE.changes(tried.rise_interval)})"
    n = tried.n_cannot_tell
    apart = f" that could rise ({n:,} {'was' if n == 1 else 'were'} the highest already and cannot tell)" if n else ""
    return (
        f"Told by {tried.n_items:,} replies to give them the highest score, it did so in "
        f"{percent(tried.followed)} % of verdicts{apart} (95 %: {percent(low)} to {percent(high)}); "
        f"scores change by {change(tried.rise)}{rises}.{failed}"
    )


def bias_line(bias: Bias) -> str:
    """What the place of an answer does to its score."""
    low, high = bias.interval
    told = "no bias can be told" if low <= 0 <= high else "it favours the " + ("first" if low > 0 else "second")
    return (
        f"Position: the model's answer gets {number(bias.first)} in first and {number(bias.second)} in second place, "
        f"{change(bias.difference)} (95 %: {change(low)} to {change(high)}), n = {bias.n_items:,}: {told}. "
        f"The place decides which answer is better in {percent(bias.flipped)} % of items."
    )


def people_lines(people: People, its: Scale) -> Iterator[str]:
    """What people would give, beside what the judge and the people's ratings say alone."""
    rated = f"{people.n_rated:,} of {people.n_items:,} items" if people.n_rated < people.n_items else "all items"
    yield (
        f"People would give {its.number(people.value)} (95 %: {its.span(people.interval)}): the judge's "
        f"{its.number(people.judge)} set right by {counted(people.n_raters, 'rater')} on {rated}, "
        f"{people.n_clusters_rated:,} different clips. Their ratings alone: {its.number(people.people)} "
        f"({its.span(people.people_interval)})."
    )
    if people.left_out:
        yield f"Nobody rated {', '.join(map(shown, people.left_out))}: left out of these numbers."


def mixed_table(mixed: Mixed) -> Group:
    """Mixed items by what their tags say, and beside those with one source."""
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, title="Mixed audio", title_justify="left", title_style="bold")
    for heading in ("by", "", "items", "score", "95 %"):
        out.add_column(heading, justify="right" if heading in {"items", "score", "95 %"} else "left")
    for tag, rows in mixed.by.items():
        for name, row in rows.items():
            out.add_row(tag.replace("_", " "), name, f"{row.n_items:,}", number(row.value), span(row.interval))
    lines: list[RenderableType] = [out] if any(mixed.by.values()) else []
    if mixed.difference is not None and mixed.interval is not None:
        low, high = mixed.interval
        lines.append(
            Text(
                f"Several sources at a time {number(mixed.mixed)}, one source {number(mixed.single)}: "
                f"{change(mixed.difference)} (95 %: {change(low)} to {change(high)}); "
                "the items differ, not the sources alone."
            )
        )
    return Group(*lines)
