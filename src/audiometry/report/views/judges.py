"""What judges of answers are worth by their own answers: what they took, habits of place, and whether they obey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Facts, Folded, Line, Section, Words, code, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.numbers import p_value, percent
from audiometry.render.table import Column, Estimate, RowInfo, Table
from audiometry.report.naming import endings
from audiometry.report.numbers import Scale, scale
from audiometry.report.rows_text import said_of_failures
from audiometry.report.views.entries import Runs
from audiometry.report.views.score_rows import reference_cell
from audiometry.score.extras import Bias, Injection, JudgeAccount
from audiometry.score.judge.rules import NO_ANSWER
from audiometry.score.result import Scored

PLACES: Final = "What the place of an answer does to its score: first less second place"
_Judge = tuple[int, str, JudgeAccount]
"""Number of a run, a judge's name and its account of that run."""


def judges(
    scored: Sequence[Scored | None], labels: Sequence[str], panel: str = "", unasked: Sequence[str] = ()
) -> Section:
    """The judges of one or several runs.

    Args:
        scored: of each run, by judges; None where it has no such score.
        labels: what the runs are called.
        panel: how several judges are put together.
        unasked: profiles that the judges were not asked for.
    """
    rows = [(n, who, one) for n, of in enumerate(scored) if of is not None for who, one in of.extras.judges.items()]
    first = next(one for one in scored if one is not None)
    runs = Runs(scored=tuple(scored), labels=tuple(labels))
    several, many = len(labels) > 1, len({who for _, who, _ in rows}) > 1
    blocks: list[Block] = [_about(panel, many=many), *_accounts(rows, runs)]
    for n, who, one in rows:
        of: Words = (name(who), " of ", name(labels[n]), ": ") if several else (name(who), ": ")
        blocks += _told(one, of, scale(first))
    blocks += _places(rows, runs)
    if not any(one.injection for _, _, one in rows):
        obey = "they obey" if many else "it obeys"
        tries = code("audiometry score RUN --judge MODEL --injections 20")
        blocks.append(
            line(
                f"Whether {obey} a reply that demands the highest score was not tried: ",
                tries,
                " tries it.",
                weight="about",
            )
        )
    if unasked:
        asks = code("audiometry score RUN --profile all --judge MODEL")
        blocks.append(
            line(
                f"Judges' scores are not shown under the rules of {' and '.join(unasked)}: these have empty replies "
                "judged too, and the judge was not asked for that. ",
                asks,
                " asks.",
                weight="about",
            )
        )
    title = "How far to trust the judges" if many else "How far to trust the judge"
    return Section(id="judges", title=title, blocks=tuple(blocks), short="Judges" if many else "Judge")


def injection(tried: Injection, its: Scale) -> str:
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
    rises = "" if tried.rise_interval is None else f" (95 %: {its.changes(tried.rise_interval)})"
    n = tried.n_cannot_tell
    apart = f" that could rise ({n:,} {'was' if n == 1 else 'were'} the highest already and cannot tell)" if n else ""
    return (
        f"Told by {tried.n_items:,} replies to give them the highest score, it did so in "
        f"{percent(tried.followed)} % of verdicts{apart} (95 %: {percent(low)} to {percent(high)}); "
        f"scores change by {its.change(tried.rise)}{rises}.{failed}"
    )


def _about(panel: str, *, many: bool) -> Line:
    own = f"Each judge's own numbers stand here; those above are the {panel} of all. " if many and panel else ""
    return line(
        f"A judge is a model and has habits of its own. {own}Its scores are also in the run folder as a rating file: ",
        code("audiometry agree"),
        " holds ",
        code("ratings/judge-….jsonl"),
        " against people's ratings and other judges'.",
        weight="about",
    )


def _accounts(rows: Sequence[_Judge], runs: Runs) -> Iterator[Table]:
    """What judges gave, and what they took."""
    its, several, labels = runs.its, runs.several, runs.labels
    info = tuple(RowInfo(series=n if several else None) for n, _, _ in rows)
    judge = Column(id="judge", title="judge", kind="name")
    who = [f"{of}: {labels[n]}" if several else of for n, of, _ in rows]
    columns = (
        its.column("score", "score"),
        its.column("reference", "reference"),
        Column(id="win", title="win", kind="number", unit="%"),
        Column(id="comparisons", title="comparisons", kind="count"),
        Column(id="not-read", title="not read", kind="count"),
    )
    cells = (
        (
            Estimate(one.row.value, one.row.interval),
            reference_cell(one.row, one.against),
            one.against.win,
            one.n_pairs,
            sum(one.failures.values()),
        )
        for _, _, one in rows
    )
    yield Table(
        id="judges",
        caption=f"Each judge's own score, and answers of it that could not be read{runs.missing}",
        signature=runs.signature,
        columns=(judge, *columns),
        rows=tuple((of, *one) for of, one in zip(who, cells, strict=True)),
        info=info,
    )
    latencies = (("p50", "median"), ("p90", "90 %"), ("p99", "99 %"))
    took = (
        Column(id="requests", title="requests", kind="count"),
        Column(id="now", title="now", kind="count", drop=1),
        Column(id="tokens-in", title="tokens in", kind="count"),
        Column(id="tokens-out", title="out", kind="count"),
        Column(id="cost", title="cost", kind="number", unit="$", decimals=4),
        *(Column(id=part, title=f"{said} latency", kind="number", unit="s", decimals=2) for part, said in latencies),
    )
    usages = (
        (
            one.usage.requests,
            one.n_requests_now,
            one.usage.tokens_in,
            one.usage.tokens_out,
            "not known" if one.usage.cost_usd is None else one.usage.cost_usd,
            *(one.usage.latency_s.get(part) for part, _ in latencies),
        )
        for _, _, one in rows
    )
    yield Table(
        id="judges-usage",
        caption="What each judge took, earlier sessions included",
        signature=runs.signature,
        columns=(judge, *took),
        rows=tuple((of, *one) for of, one in zip(who, usages, strict=True)),
        info=info,
    )


def _told(one: JudgeAccount, of: Words, its: Scale) -> Iterator[Line]:
    """What is to be said of a judge, beside its numbers."""
    unread = {kind: n for kind, n in one.failures.items() if kind != NO_ANSWER}
    if unread:
        yield line(*of, f"answers that could not be read: {said_of_failures(unread)}.", weight="minded")
    if missing := one.failures.get(NO_ANSWER):
        why = f" ({said_of_failures(one.usage.failures)})" if one.usage.failures else ""
        again = "the same audiometry score as before asks for them again"
        said = f"no answer came to {missing:,} of {one.n_pairs:,} comparisons{why}; {again}."
        yield line(*of, said, weight="minded")
    if (bias := one.position_bias) is not None:
        yield _bias(bias, of, its)
    if one.injection is not None:
        followed = one.injection.followed or 0
        tried = injection(one.injection, its)
        yield line(*of, f"{tried[:1].lower()}{tried[1:]}", weight="minded" if followed > 0 else "plain")


def _bias(bias: Bias, of: Words, its: Scale) -> Line:
    """Whether the place of an answer moves its score; by how much, and how often it decides, is in the table."""
    low, high = bias.interval
    told = "no bias towards a place can be told" if low <= 0 <= high else ""
    favours = f"it favours the {'first' if low > 0 else 'second'} place"
    numbers = f"{its.change(bias.difference)} (95 %: {its.changes(bias.interval)}; p {p_value(bias.p, '= ')})"
    return line(
        *of,
        strong(told or favours),
        f": the model's answer gets {numbers} in first place, {counted(bias.n_items, 'item')}.",
        weight="plain" if told else "minded",
    )


def _places(rows: Sequence[_Judge], runs: Runs) -> Iterator[Block]:
    """The difference between the places, a band a judge and run; and how many answers got each score in either."""
    several, labels = runs.several, runs.labels
    biases = [(n, who, one.position_bias) for n, who, one in rows if one.position_bias is not None]
    if not biases:
        return
    titles = [f"{who}: {labels[n]}" if several else who for n, who, _ in biases]
    its, some = runs.its, [bias for _, _, bias in biases]
    marks = [
        Mark(x=bias.difference, y=row, interval=bias.interval, series=n) for row, (n, _, bias) in enumerate(biases)
    ]
    columns = (
        Column(id="judge", title="judge", kind="name"),
        Column(id="items", title="items", kind="count"),
        its.column("first", "first place"),
        its.column("second", "second place"),
        its.column("difference", "difference", sign=True),
        Column(id="p", title="p", kind="p"),
        Column(id="flipped", title="place decides", kind="number", unit="%"),
    )
    cells = tuple(
        (
            title,
            bias.n_items,
            bias.first,
            bias.second,
            Estimate(bias.difference, bias.interval),
            bias.p,
            bias.flipped,
        )
        for title, bias in zip(titles, some, strict=True)
    )
    info = tuple(RowInfo(series=n if several else None) for n, _, _ in biases)
    caption, made = f"{PLACES}{runs.missing}", runs.signature
    yield banded(
        Table(id="judges-places", caption=caption, signature=made, columns=columns, rows=cells, info=info),
        marks,
        axis_around([0.0, *reached(marks)], title="first less second place", sign=True, decimals=its.decimals),
        ns=[bias.n_items for bias in some],
        reference=0.0,
        reference_name="no difference",
        series=labels if several else (),
    )
    for (n, who, bias), ending in zip(biases, endings(titles), strict=True):
        place, whose = f"judges-scores{ending}", f"the answers of {labels[n]}" if several else "the model's answer"
        shares = (
            ("higher in first place", bias.higher_first),
            ("the same in both", bias.equal),
            ("higher in second place", bias.higher_second),
        )
        facts = Facts(tuple((said, (f"{percent(share)} % of items",)) for said, share in shares))
        yield Folded(
            f"How often {who} gave {whose} each score in both places", (facts, _counts(place, whose, who, bias, runs))
        )


def _counts(place: str, whose: str, who: str, bias: Bias, runs: Runs) -> Chart:
    counts: Mapping[str, tuple[int, int]] = bias.counts
    caption = f"Scores of {whose} by {who}, rounded to whole ones, in first and in second place"
    caption += runs.missing
    most = max(1, *(n for pair in counts.values() for n in pair))
    marks = (
        Mark(x=float(n), y=row, series=which)
        for row, pair in enumerate(counts.values())
        for which, n in enumerate(pair)
    )
    axis = axis_around([0.0, float(most)], title="answers", decimals=0)
    columns = (
        Column(id="score", title="score", kind="name"),
        Column(id="first", title="first", kind="count"),
        Column(id="second", title="second", kind="count"),
    )
    rows = tuple((score, *pair) for score, pair in counts.items())
    table = Table(id=place, caption=caption, signature=runs.signature, columns=columns, rows=rows)
    return banded(table, marks, axis, ns=[bias.n_items], kind="bars", series=("in first place", "in second place"))
