"""What the page of open questions shows, put into its template."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

import audiometry
from audiometry.records import Card
from audiometry.report.agree_page import Axis, axis
from audiometry.report.chat_gather import ChatView
from audiometry.report.clips import ClipShelf
from audiometry.report.numbers import Scale
from audiometry.report.pages import SYMBOLS, rendered, task_names
from audiometry.score.extras import Against, Bias, JudgeAccount, Mixed, Slice
from audiometry.score.judge.planning import open_rules, rules_named
from audiometry.score.judge.stored import StoredJudge
from audiometry.score.published import PublishedSystem, published, slips
from audiometry.score.result import Comparison, Condition, Row, Scored

SCRIPTS: Final = ("item.js", "chat.js", "browser.js")
STYLES: Final = ("report.css", "agree.css", "chat.css")
TAGS: Final = {
    "louder": "Louder part",
    "ahead": "Part that starts",
    "level_difference": "Level difference",
    "offset_s": "Offset of onsets",
}
MINUS: Final = "\u2212"


class ChatReport(msgspec.Struct, frozen=True):
    """All that a report of open questions is made of.

    Attributes:
        views: the runs.
        profile: whose rules.
        clips: of all items.
        comparisons: of the first run with each other one.
        judges: whose verdicts the numbers are from; none: the runs were not judged.
        panel: how those of several are put together.
    """

    views: list[ChatView]
    profile: str
    clips: ClipShelf
    comparisons: list[Comparison]
    judges: tuple[StoredJudge, ...]
    panel: str


class ScoreLine(msgspec.Struct, frozen=True):
    """A line of the chart: a task, a category, a folder or all, with a row of each run (None: it has none).

    Attributes:
        against: the references beside each row.
    """

    kind: str
    title: str
    note: str
    rows: tuple[Row | None, ...]
    against: tuple[Against | None, ...]


class PlaceBar(msgspec.Struct, frozen=True):
    """A score, how many answers got it in first and in second place, and these as percent of the most."""

    score: str
    counts: tuple[int, int]
    widths: tuple[float, float]


class JudgeView(msgspec.Struct, frozen=True):
    """One judge on one run.

    Attributes:
        run: number of the run on the page.
        name: of the judge.
        account: its numbers.
        bars: the distribution of the scores of the model's answers by place; empty without both.
        axis: of the difference between the places; None without it.
    """

    run: int
    name: str
    account: JudgeAccount
    bars: tuple[PlaceBar, ...]
    axis: Axis | None


class PublishedRow(msgspec.Struct, frozen=True):
    """One system or run beside others: its categories and their mean, with intervals where there are any."""

    name: str
    run: int | None
    cells: tuple[tuple[float | Decimal | None, tuple[float, float] | None], ...]


def render(report: ChatReport) -> tuple[str, str]:
    """The page's text before and after the data."""
    rules = rules_named(report.profile)
    scale = rules.lowest, rules.highest
    its = Scale(*scale)
    filters = {
        "score": its.number,
        "signed": lambda value: its.change(value).replace("-", MINUS),
        "scores": its.span,
        "signed_scores": lambda pair: its.changes(pair).replace("-", MINUS),
        "slices": _slices,
        "at": lambda value: round(100 * (value - scale[0]) / (scale[1] - scale[0]), 3),
    }
    return rendered("chat.html.j2", _context(report, scale), SCRIPTS, STYLES, filters)


def _context(report: ChatReport, scale: tuple[float, float]) -> dict[str, Any]:
    first = report.views[0].run
    tasks = task_names(report.views)
    return {
        "version": audiometry.__version__,
        "views": report.views,
        "several": len(report.views) > 1,
        "profile": report.profile,
        "about": rules_named(report.profile).about,
        "card": _card(report),
        "stamp": first.info.benchmark,
        "judges": report.judges,
        "panel": report.panel if len(report.judges) > 1 else "",
        "scale": scale,
        "ticks": (1, 4, 7, 10) if scale[0] == 1 else (0, 2, 4, 6, 8, 10),
        "chart": _chart(report) if report.judges else [],
        "folders": _folders(report) if report.judges else [],
        "accounts": _accounts(report),
        "mixed": [
            (n, view.scored.extras.mixed)
            for n, view in enumerate(report.views)
            if view.scored and view.scored.extras.mixed
        ],
        "without": _without(report),
        "comparisons": report.comparisons,
        "its": Scale(*scale),
        "aligned": None,
        "published": _published(report),
        "rules": _rules(report),
        "unasked": [
            name for name in open_rules() if any(view.score and name not in view.score.scores for view in report.views)
        ],
        "titles": {task.name: task.title for task in tasks},
        "clips": report.clips,
        "n_items": len({position for view in report.views for position in view.run.positions}),
        "symbols": SYMBOLS,
    }


def _card(report: ChatReport) -> Card:
    return report.views[0].run.benchmark.card


def _scored(report: ChatReport) -> list[Scored]:
    return [view.scored for view in report.views if view.scored is not None]


def _chart(report: ChatReport) -> list[list[ScoreLine]]:
    """The chart in blocks: the mean, then each category and its tasks; tasks without a category last."""
    scores, card = _scored(report), _card(report)
    average = scores[0].average
    title = "All items; these rules have no mean" if average == "none" else f"Mean of {average}"
    beside = [one.extras.beside for one in scores]

    def line(kind: str, of: str, name: str, title: str, note: str = "") -> ScoreLine:
        rows = tuple(getattr(one, of).get(name) for one in scores)
        return ScoreLine(kind, title, note, rows, tuple(getattr(one, of).get(name) if one else None for one in beside))

    blocks = [[ScoreLine("all", title, "", tuple(scores), tuple(one.all if one else None for one in beside))]]
    names = [task.name for task in task_names(report.views) if any(task.name in one.tasks for one in scores)]
    categories = list(dict.fromkeys(card.task_named(name).category for name in names))
    for category in sorted(categories, key=lambda name: not name):
        tasks = [card.task_named(name) for name in names if card.task_named(name).category == category]
        block = [line("category", "categories", category, category)] if category else []
        blocks.append(block + [line("task", "tasks", task.name, task.title or task.name, task.note) for task in tasks])
    return blocks


def _folders(report: ChatReport) -> list[ScoreLine]:
    scores = _scored(report)
    beside = [one.extras.beside for one in scores]
    return [
        ScoreLine(
            "task",
            name,
            "",
            tuple(one.folders.get(name) for one in scores),
            tuple(one.folders.get(name) if one else None for one in beside),
        )
        for name in dict.fromkeys(name for one in scores for name in one.folders)
    ]


def _accounts(report: ChatReport) -> list[JudgeView]:
    return [
        JudgeView(number, name, account, _bars(account.position_bias), _axis(account.position_bias))
        for number, view in enumerate(report.views)
        if view.scored is not None
        for name, account in view.scored.extras.judges.items()
    ]


def _bars(bias: Bias | None) -> tuple[PlaceBar, ...]:
    if bias is None:
        return ()
    most = max(1, *(n for pair in bias.counts.values() for n in pair))
    return tuple(
        PlaceBar(score, pair, (round(100 * pair[0] / most, 3), round(100 * pair[1] / most, 3)))
        for score, pair in bias.counts.items()
    )


def _axis(bias: Bias | None) -> Axis | None:
    """A scale around zero, which stands in its middle."""
    if bias is None:
        return None
    reach = max(abs(bias.interval[0]), abs(bias.interval[1]), abs(bias.difference), 0.1)
    return axis([-reach, reach])


def _without(report: ChatReport) -> list[tuple[str, int, Condition]]:
    return [
        (name, number, row)
        for number, view in enumerate(report.views)
        if view.scored is not None
        for name, row in view.scored.variants.items()
    ]


def _rules(report: ChatReport) -> list[tuple[str, str, list[Scored]]]:
    """Every profile that all runs can be scored under, beside every other; none where there is but one."""
    scores = [view.score for view in report.views if view.score is not None]
    rules = open_rules()
    names = [name for name in rules if scores and all(name in score.scores for score in scores)]
    if len(names) < 2:  # noqa: PLR2004  two stand beside each other
        return []
    return [(name, rules[name].about, [score.scores[name] for score in scores]) for name in names]


def _published(report: ChatReport) -> dict[str, Any] | None:
    """The runs and the paper's systems in the rows of its table."""
    systems = published(_card(report).benchmark.name)
    if not systems or not report.judges:
        return None
    names = list(systems[0].categories)
    own = [
        PublishedRow(view.label, number, _own(view.scored, names))
        for number, view in enumerate(report.views)
        if view.scored is not None
    ]
    return {
        "names": [*names, "average"],
        "rows": own + [_system(system, names) for system in systems],
        "source": systems[0].source,
        "slips": slips(_card(report).benchmark.name),
    }


def _own(scored: Scored, names: Sequence[str]) -> Any:
    rows = [*(scored.categories.get(name) for name in names), scored if scored.average == "categories" else None]
    return tuple((None, None) if row is None else (row.value, row.interval) for row in rows)


def _system(system: PublishedSystem, names: Sequence[str]) -> PublishedRow:
    values = (*(system.categories.get(name) for name in names), system.average)
    return PublishedRow(system.name, None, tuple((value, None) for value in values))


def _slices(mixed: Mixed) -> list[tuple[str, dict[str, Slice]]]:
    """The rows of mixed audio: by which tag, and its values; tags that no item has are left out."""
    return [(TAGS.get(tag, tag), rows) for tag, rows in mixed.by.items() if rows]
