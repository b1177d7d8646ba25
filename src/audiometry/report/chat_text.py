"""Scores of open answers for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import rich.box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.errors import counted
from audiometry.records import Card
from audiometry.report.rows_text import said_of_rows
from audiometry.report.terminal import unwrapped
from audiometry.score.averages import half_up, percent
from audiometry.score.chat.result import Bias, ChatRow, ChatScore, ChatScored, Injection, JudgeAccount, Mixed
from audiometry.score.chat.rules import NO_ANSWER
from audiometry.score.published import published, slips

HEADINGS = ("items", "score", "95 %", "ref.", "win/tie/loss", "judged", "failed")


def chat_report(score: ChatScore, card: Card) -> Group:
    """Every profile's rows, what the judges are worth, and what was printed of other systems."""
    first = next(iter(score.profiles.values()))
    rows = said_of_rows(first.n_items, score.n_without_clip, score.n_left_out, score.n_clips_cut)
    head = Text.assemble((score.asked, "bold"), " on ", (score.benchmark, "bold"), f", judged: {rows}")
    parts: list[RenderableType] = [Padding(head, (1, 0, 0, 0))]
    for name, scored in score.profiles.items():
        parts += [_rows(scored, card), *_notes(name, scored)]
    for name, judge in first.judges.items():
        parts += [Text(line) for line in judge_lines(name, judge)]
    if first.mixed is not None:
        parts.append(_mixed(first.mixed))
    if (beside := _published(score, first)) is not None:
        parts += beside
    return Group(*parts)


def chat_ranks(scores: Sequence[ChatScore]) -> Group:
    """Several runs on the same items, best first under each profile."""
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("run", overflow="fold")
    profiles = list(scores[0].profiles)
    for name in profiles:
        out.add_column(name, justify="right")
    for score in sorted(scores, key=lambda one: -(one.profiles[profiles[0]].headline or 0.0)):
        cells = []
        for name in profiles:
            rank = score.ranks.get(name)
            place = "" if rank is None else f" #{rank.rank}" if rank.rank is not None else f" ({rank.why})"
            cells.append(f"{number(score.profiles[name].headline)}{place}")
        out.add_row(f"{score.asked}\n{score.run}", *cells)
    return Group(Padding(Text("Ranks, best first", style="bold"), (1, 0, 0, 0)), out)


def number(value: float | None) -> str:
    """A score with two decimal places, halves away from zero, as papers print it."""
    return "none" if value is None else str(half_up(value, 2))


def change(difference: float) -> str:
    """A difference of scores, with its sign."""
    return f"{half_up(difference, 2):+z}"


def span(interval: tuple[float, float] | None) -> str:
    """An interval of scores."""
    return "" if interval is None else f"{number(interval[0])} to {number(interval[1])}"


def judge_lines(name: str, judge: JudgeAccount) -> Iterator[str]:
    """What a judge took, and how far it can be trusted by its own answers."""
    usage = judge.usage
    cost = "cost not known (give --prices)" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    yield (
        f"Judge {name}: {number(judge.row.headline)}; {counted(judge.n_pairs, 'comparison')}, "
        f"{counted(judge.n_requests_now, 'request')} now, "
        f"{usage.tokens_in:,} + {usage.tokens_out:,} tokens in all, {cost}."
    )
    unread = {kind: n for kind, n in judge.failures.items() if kind != NO_ANSWER}
    if unread:
        yield f"  Answers that could not be read: {_kinds(unread)}."
    if missing := judge.failures.get(NO_ANSWER):
        why = f" ({_kinds(usage.failures)})" if usage.failures else ""
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
    failed = f" {tried.n_failed:,} more replies with a demand got no verdict." if tried.n_failed else ""
    if tried.rise is None:
        return f"Whether it does what a reply orders cannot be told: no reply has verdicts both ways.{failed}"
    if tried.followed is None or tried.interval is None:
        return (
            f"Whether it does what a reply orders cannot be told: without the demand too it gave the highest score to "
            f"all of {tried.n_items:,} replies.{failed}"
        )
    low, high = tried.interval
    n = tried.n_cannot_tell
    apart = f" that could rise ({n:,} {'was' if n == 1 else 'were'} the highest already and cannot tell)" if n else ""
    return (
        f"Told by {tried.n_items:,} replies to give them the highest score, it did so in "
        f"{percent(tried.followed)} % of verdicts{apart} (95 %: {percent(low)} to {percent(high)}); "
        f"scores change by {change(tried.rise)}.{failed}"
    )


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {n:,}" for kind, n in counts.items())


def bias_line(bias: Bias) -> str:
    """What the place of an answer does to its score."""
    low, high = bias.interval
    told = "no bias can be told" if low <= 0 <= high else "it favours the " + ("first" if low > 0 else "second")
    return (
        f"Position: the model's answer gets {number(bias.first)} in first and {number(bias.second)} in second place, "
        f"{change(bias.difference)} (95 %: {change(low)} to {change(high)}), n = {bias.n_items:,}: {told}. "
        f"The place decides which answer is better in {percent(bias.flipped)} % of items."
    )


def _rows(scored: ChatScored, card: Card) -> Table:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="fold")
    for heading in HEADINGS:
        out.add_column(heading, justify="right", no_wrap=True)
    for task, row in scored.tasks.items():
        out.add_row(card.task_named(task).title or task, *_cells(row))
    for rows in (scored.categories if len(scored.categories) > 1 else {}, scored.folders):
        if rows:
            out.add_section()
            for name, row in rows.items():
                out.add_row(name + ("" if row.complete else " (incomplete)"), *_cells(row))
    out.add_section()
    if scored.average == "none":
        out.add_row("no overall mean", *_cells(scored), style="bold")
    else:
        out.add_row(f"mean of {scored.average}", *_cells(scored), style="bold")
    for name, without in scored.variants.items():
        out.add_row(f"without its clip: {name}", *_cells(without))
    return out


def _cells(row: ChatRow) -> tuple[str, ...]:
    judged = row.n_answered + row.n_refused + row.n_empty
    return (
        f"{row.n_items:,}",
        number(row.headline) if row.headline is not None else "",
        span(row.interval),
        "" if row.reference is None else number(row.reference),
        "/".join(str(half_up(100 * share, 0)) for share in (row.win, row.tie, row.loss) if share is not None),
        f"{judged:,}/{row.n_replies:,}",
        f"{row.n_failed:,}",
    )


def _notes(name: str, scored: ChatScored) -> Iterator[Text]:
    yield unwrapped(f"{name}: {scored.signature}")
    yield Text("Scores of 1 to 10; win/tie/loss against the reference answer, in % of items.", style="dim")
    if scored.pooled:
        pools = "; ".join(f"{pool}: {', '.join(tasks)}" for pool, tasks in scored.pooled.items())
        yield Text(f"Pooled, each item counting alike: {pools}.", style="dim")
    if scored.panel:
        yield Text(f"A panel of {len(scored.judges)} judges, {scored.panel}.", style="dim")
    empty = f"{scored.n_empty:,} empty replies" if scored.n_empty else ""
    refused = f"{scored.n_refused:,} that decline" if scored.n_refused else ""
    if empty or refused:
        yield Text(f"Among the replies: {', '.join(part for part in (empty, refused) if part)}.")
    if scored.without_description:
        yield Text(
            f"{scored.without_description:,} items say nothing of their audio: the judge had the answers only.",
            style="yellow",
        )
    for reason, n in scored.left_out.items():
        yield Text(f"{counted(n, 'item')} left out: {reason}.", style="yellow")
    if not scored.complete:
        yield Text(_incomplete(scored), style="yellow")
    for variant, row in scored.variants.items():
        if row.difference is not None:
            drop, (low, high) = row.difference, row.difference.interval
            yield Text(
                f"With its own clips instead of {variant} it scores {change(drop.difference)} (95 %: {change(low)} to "
                f"{change(high)}, p = {drop.p_corrected:.4f})."
            )


def _incomplete(scored: ChatScored) -> str:
    kinds = [f"{kind} {n:,}" for kind, n in scored.failures.items()]
    if scored.n_judge_failed:
        kinds.append(f"no verdict of the judge {scored.n_judge_failed:,}")
    bounds = ""
    if scored.bounds is not None:
        low, high = scored.bounds
        bounds = f" Had all of them the lowest score, {number(low)}; the highest, {number(high)}."
    parts = [name for name, row in scored.categories.items() if not row.complete]
    where = f" Incomplete: {', '.join(parts)}." if parts else ""
    ranked = "" if scored.rankable else " More than 1 % failed, so this number is not to be ranked."
    return f"Incomplete: {', '.join(kinds)}.{bounds}{where}{ranked}"


def _mixed(mixed: Mixed) -> Group:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, title="Mixed audio", title_justify="left", title_style="bold")
    for heading in ("by", "", "items", "score", "95 %"):
        out.add_column(heading, justify="right" if heading in {"items", "score", "95 %"} else "left")
    for tag, rows in mixed.by.items():
        for name, row in rows.items():
            out.add_row(tag.replace("_", " "), name, f"{row.n_items:,}", number(row.headline), span(row.interval))
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


def _published(score: ChatScore, scored: ChatScored) -> list[RenderableType] | None:
    systems = published(score.benchmark)
    if not systems:
        return None
    names = list(systems[0].categories)
    wrong = {one.system: one for one in slips(score.benchmark)}
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("system", overflow="fold")
    for name in (*names, "average"):
        out.add_column(name, justify="right")
    own = [scored.categories[name].headline if name in scored.categories else None for name in names]
    out.add_row(score.asked, *(number(value) for value in (*own, scored.headline)), style="bold")
    out.add_section()
    for system in systems:
        cells = [*(system.categories.get(name) for name in names), system.average]
        mark = "*" if system.name in wrong else ""
        out.add_row(
            f"{system.name} (published){mark}", *("-" if v is None else str(half_up(v, 2)) for v in cells), style="dim"
        )
    notes = [
        f"* Slips of the paper: {one.system}'s average is printed {half_up(one.printed, 2)}, "
        f"the mean of its categories is {half_up(one.computed, 2)}."
        for one in wrong.values()
    ]
    return [
        Padding(Text.assemble("Beside ", ("published", "bold"), " systems"), (1, 0, 0, 0)),
        out,
        Text(
            "Published numbers come from another judge (GPT-4 Turbo), another prompt and other decoding, and have no "
            f"interval: landmarks, not tests. {systems[0].source}.",
            style="dim",
        ),
        *(Text(note, style="dim") for note in notes),
    ]
