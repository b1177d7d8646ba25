"""What a report's page shows, put into its template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

import audiometry
from audiometry.bench.left_out import first
from audiometry.choices import LETTERED
from audiometry.records import Card, Verdict
from audiometry.report import examples
from audiometry.report.clips import ClipShelf
from audiometry.report.gather import RunView
from audiometry.report.numbers import scale
from audiometry.report.placing import made_of
from audiometry.report.published_table import beside
from audiometry.report.rows import TaskName
from audiometry.report.rows_text import rows_of, said_of_blocked, stated
from audiometry.report.views import Shown, breakable
from audiometry.score.averages import p_value, percent
from audiometry.score.cut import n_clips_cut
from audiometry.score.judge.stored_alignments import Stored
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import DEFAULT, PROFILES
from audiometry.score.ranks import ranked
from audiometry.score.result import Comparison, Rank, Row, Scored

TEMPLATES: Final = Path(__file__).parent / "templates"
SCRIPTS: Final = ("item.js", "browser.js")
MARK: Final = "<!-- data -->"
MOST_LEFT_OUT: Final = 50  # rows that are listed
SYMBOLS: Final = {
    "correct": "✓", "wrong": "✗", "unanswered": "?", "refused": "⊘", "failed": "!", "answered": "●", "empty": "∅",
    "not asked": "…", "not judged": "!",
}  # fmt: skip
STATES: Final = {"empty": "n_empty", "not asked": "n_not_asked", "not judged": "n_unjudged"}
"""States that a page names only where a reply is in them."""


class Report(msgspec.Struct, frozen=True):
    """All that a report is made of.

    Attributes:
        comparisons: of the first run with each other one.
        aligned: the alignment by a judge that its numbers are from; None: rules alone.
        held: alignments that the run folders hold, used or not.
        n_open: open items of the benchmark, which are not on this page.
    """

    views: list[RunView]
    variants: tuple[str, ...]
    profile: str
    clips: ClipShelf
    comparisons: list[Comparison]
    aligned: Stored | None = None
    held: tuple[Stored, ...] = ()
    n_open: int = 0


class ChartLine(msgspec.Struct, frozen=True):
    """A line of the chart: a task, a category or all, with a row of each run (None: it has none)."""

    kind: str
    title: str
    note: str
    rows: tuple[Row | None, ...]


class RulesLine(msgspec.Struct, frozen=True):
    """A profile, what it does in a line, and what each run scores under it; ranks where runs can be ranked."""

    name: str
    about: str
    rows: tuple[Scored, ...]
    ranks: tuple[Rank | None, ...]


class LetterLine(msgspec.Struct, frozen=True):
    """How often one letter was right and was chosen, and as shares of all, 0 to 1."""

    letter: str
    gold: int
    chosen: int
    gold_share: float
    chosen_share: float


def render(report: Report) -> tuple[str, str]:
    """The page's text before and after the data."""
    return rendered("report.html.j2", _context(report), SCRIPTS, ("report.css",))


def rendered(
    template: str,
    context: dict[str, Any],
    scripts: Sequence[str],
    styles: Sequence[str],
    filters: dict[str, Any] | None = None,
) -> tuple[str, str]:
    """A page's text before and after its data.

    Args:
        template: its name.
        context: what is put into it.
        scripts: files that make its one script.
        styles: files that make its style.
        filters: of the template, besides the house's.
    """
    script = f'(() => {{\n"use strict";\n{"".join(_read(name) for name in scripts)}}})();\n'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made = environment()
    made.filters |= filters or {}
    style = "".join(_read(name) for name in styles)
    runs = made_of(view.run.folder.path for view in context["views"])
    page = made.get_template(template).render(
        **context, made_of=runs, script=script, script_sha256=digest, style=style, data=MARK
    )
    # A text from outside cannot hold the mark: the template escapes its angle brackets.
    before, _, after = page.partition(MARK)
    return before, after


def task_names(views: Sequence[Shown]) -> list[TaskName]:
    """The tasks of any run, in the benchmark's order."""
    benchmark = views[0].run.benchmark
    asked = {benchmark.items.task_of(position) for view in views for position in view.run.positions}
    return [
        TaskName(name, benchmark.card.task_named(name).title or name) for name in benchmark.tasks() if name in asked
    ]


def _context(report: Report) -> dict[str, Any]:
    tasks, rules = task_names(report.views), _rules(report)
    first = report.views[0].run
    lettered = [view.run.info.prompt.style in LETTERED for view in report.views]
    return {
        "version": audiometry.__version__,
        "views": report.views,
        "several": len(report.views) > 1,
        "profile": report.profile,
        "card": _card(report),
        "stamp": first.info.benchmark,
        "chart": _chart(report, tasks),
        "outcomes": [_outcomes(view.scored) for view in report.views],
        "lettered": lettered,
        "letters": [_letters(view.scored) if shown else [] for view, shown in zip(report.views, lettered, strict=True)],
        "comparisons": report.comparisons,
        "its": scale(report.views[0].scored),
        "listening": [
            (name, number, row)
            for number, view in enumerate(report.views)
            for name, row in view.scored.variants.items()
        ],
        "published": beside(first.info.benchmark.name, [view.scored for view in report.views]),
        "aligned": report.aligned,
        "held": report.held,
        "n_open": report.n_open,
        "rules": rules,
        "placed": any(rank is not None for line in rules for rank in line.ranks),
        "unplaced": [
            (view.label, line.name, rank.why)
            for line in rules
            for view, rank in zip(report.views, line.ranks, strict=True)
            if rank is not None and rank.why
        ],
        "default": DEFAULT,
        "titles": {task.name: task.title for task in tasks},
        "unread": examples.unread(report.views),
        "examples": examples.by_task(report.views, [task.name for task in tasks]),
        "clips": report.clips,
        "n_items": len({position for view in report.views for position in view.run.positions}),
        "symbols": SYMBOLS,
    }


def _chart(report: Report, tasks: list[TaskName]) -> list[list[ChartLine]]:
    """The chart in blocks: the mean, then each category's mean and tasks; tasks without a category last."""
    scores, card = [view.scored for view in report.views], _card(report)
    blocks = [[ChartLine("all", f"Mean of {scores[0].average}", "", tuple(scores))]]
    categories = list(dict.fromkeys(card.task_named(task.name).category for task in tasks))
    for category in sorted(categories, key=lambda name: not name):
        block = []
        if category:
            mean = tuple(score.categories.get(category) for score in scores)
            block.append(ChartLine("category", category, "", mean))
        block += [
            ChartLine(
                "task", task.title, card.task_named(task.name).note, tuple(one.tasks.get(task.name) for one in scores)
            )
            for task in tasks
            if card.task_named(task.name).category == category
        ]
        blocks.append(block)
    return blocks


def _rules(report: Report) -> list[RulesLine]:
    """Every profile beside every other, in their order; none where there is but one."""
    known = PROFILES.all()
    scores = ranked([view.score for view in report.views], [view.run for view in report.views])
    names = [name for name in scores[0].scores if all(name in score.scores for score in scores)]  # or it is broken
    return [
        RulesLine(
            name,
            known[name].about,
            tuple(score.scores[name] for score in scores),
            tuple(score.ranks.get(name) for score in scores),
        )
        for name in (names if len(names) > 1 else ())
    ]


def _outcomes(scored: Scored) -> list[tuple[str, int, float]]:
    """Each verdict with the number of its replies and their share, 0 to 1."""
    correct = round((scored.over_answered or 0.0) * scored.n_answered)
    counts = {
        Verdict.CORRECT: correct,
        Verdict.WRONG: scored.n_answered - correct,
        Verdict.UNANSWERED: scored.n_unanswered,
        Verdict.REFUSED: scored.n_refused,
        Verdict.FAILED: scored.n_failed,
    }
    found = {verdict.value: n for verdict, n in counts.items()}
    found |= {name: n for name, field in STATES.items() if (n := getattr(scored, field))}
    return [(name, n, n / max(1, scored.n_replies)) for name, n in found.items()]


def _letters(scored: Scored) -> list[LetterLine]:
    found = scored.extras.letters
    if found is None:
        return []
    golds, chosens = max(1, sum(found.gold.values())), max(1, sum(found.chosen.values()))
    return [
        LetterLine(letter, gold, found.chosen[letter], gold / golds, found.chosen[letter] / chosens)
        for letter, gold in found.gold.items()
    ]


def environment() -> Any:
    """The house's templates, all of them escaping what comes from outside, with the filters for numbers."""
    import jinja2

    from audiometry.report.compiled import Compiled

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        bytecode_cache=Compiled(),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "percent": percent,
        "interval": lambda pair: "" if pair is None else f"{percent(pair[0])} to {percent(pair[1])}",
        "points": lambda share: f"{100 * share:+z.1f}".replace("-", "\u2212"),
        "minus": lambda text: text.replace("-", "\u2212"),
        "points_interval": lambda pair: f"{100 * pair[0]:+z.1f} to {100 * pair[1]:+z.1f}".replace("-", "\u2212"),
        "count": lambda number: f"{number:,}",
        "p_value": p_value,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "rows": rows_of,
        "cut": n_clips_cut,
        "blocked": said_of_blocked,
        "breakable": breakable,
        "left_out": _left_out,
        "anchor": _anchor,
        "stated": stated,
    }
    found.filters |= filters
    return found


def _left_out(run: OpenedRun) -> list[str]:
    """Which rows of a run's benchmark are left out, and why; the first `MOST_LEFT_OUT`, and how many more."""
    problems = run.benchmark.problems
    more = len(problems) - MOST_LEFT_OUT
    return first(problems, run.benchmark.root, MOST_LEFT_OUT) + ([f"and {more:,} more"] if more > 0 else [])


def _anchor(item: str) -> str:
    """An item's id as the page's script reads it from the address."""
    from urllib.parse import quote

    return quote(item, safe="/")


def _card(report: Report) -> Card:
    return report.views[0].run.benchmark.card


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
