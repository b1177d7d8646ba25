"""What a report's page shows, put into its template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

import audiometry
from audiometry.render import html, player
from audiometry.render.document import Block, told_of
from audiometry.render.numbers import percent
from audiometry.report import examples
from audiometry.report.clips import ClipShelf
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.naming import called
from audiometry.report.parts import parts
from audiometry.report.pieces import ItemShelf
from audiometry.report.placing import made_of
from audiometry.report.rows import TaskName
from audiometry.report.score_sections import headlines
from audiometry.report.sections import sections
from audiometry.report.shown import Wish
from audiometry.report.titles import STATES, field, measure_title
from audiometry.report.views.made import made
from audiometry.report.views.notices import notices
from audiometry.report.views.outcome import became
from audiometry.score.result import Comparison, Scored

TEMPLATES: Final = Path(__file__).parent / "templates"
_OF_ITEMS: Final = ("item.js", "answers.js", "items.js", "columns.js", "address.js", "filters.js", "browser.js")
SCRIPTS: Final = (*html.SCRIPTS, *player.SCRIPTS, *(TEMPLATES / name for name in _OF_ITEMS))
STYLES: Final = (html.STYLE, *(TEMPLATES / name for name in ("report.css", "answers.css")), player.STYLE)
MARK: Final = "<!-- data -->"
SYMBOLS: Final = {
    "correct": "✓", "wrong": "✗", "unanswered": "?", "refused": "⊘", "failed": "!", "answered": "●", "empty": "∅",
    "not asked": "…", "unjudged": "!",
}  # fmt: skip


class Report(msgspec.Struct, frozen=True):
    """All that a report is made of.

    Attributes:
        views: the runs.
        wish: how they were scored.
        tasks: of any of them.
        clips: of all items.
        items: themselves.
        comparisons: by score, of the first run with each other one: its number, and what came of it or why nothing did.
    """

    views: list[RunView]
    wish: Wish
    tasks: list[TaskName]
    clips: ClipShelf
    items: ItemShelf
    comparisons: Mapping[str, list[tuple[int, Comparison | str]]]


class Rendered(msgspec.Struct, frozen=True):
    """A page's text before and after the data, and all that its views show."""

    before: str
    after: str
    blocks: tuple[Block, ...]


def render(report: Report) -> Rendered:
    """The page but for its data."""
    script, digest = scripts(SCRIPTS)
    runs = made_of(view.run.folder.path for view in report.views)
    shown = _context(report)
    page = (
        environment()
        .get_template("report.html.j2")
        .render(**shown, made_of=runs, script=script, script_sha256=digest, style=styles(), data=MARK)
    )
    # A text from outside cannot hold the mark: the template escapes its angle brackets.
    before, _, after = page.partition(MARK)
    parts = (part for value in shown.values() for part in (value if isinstance(value, list | tuple) else [value]))
    return Rendered(before, after, tuple(part for part in parts if isinstance(part, Block)))


def scripts(paths: Sequence[Path]) -> tuple[str, str]:
    """The one script that a page runs, put together from files, and its SHA-256 as a policy names it."""
    script = f'(() => {{\n"use strict";\n{"".join(_read(path) for path in paths)}}})();\n'
    return script, base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def styles() -> str:
    """What a page of the house looks like."""
    return "".join(_read(name) for name in STYLES)


def task_names(views: Sequence[RunView]) -> list[TaskName]:
    """The tasks of any run, in the benchmark's order."""
    benchmark = views[0].run.benchmark
    asked = {benchmark.items.task_of(position) for view in views for position in view.run.positions}
    return [
        TaskName(name, benchmark.card.task_named(name).title or name) for name in benchmark.tasks() if name in asked
    ]


def _context(report: Report) -> dict[str, Any]:
    views, wish = report.views, report.wish
    found = parts(views, report.comparisons)
    kinds = frozenset[str]().union(*(view.kinds for view in views))
    names = [task.name for task in report.tasks]
    of = called([view.label for view in views], views[0].run.info.benchmark)
    return {
        "version": audiometry.__version__,
        "views": views,
        "several": len(views) > 1,
        "profile": wish.profile,
        "card": views[0].run.benchmark.card,
        "stamp": views[0].run.info.benchmark,
        "parts": found,
        "unjudged": [
            became(view.outcome, view.run.benchmark.card, view.label if len(views) > 1 else "", number)
            for number, view in enumerate((view for view in views if view.unjudged), 1)
        ],
        "notices": notices(views, wish, found, report.clips.lacking),
        "made": made(views, views[0].run.benchmark.card, wish.profile),
        "headlines": list(told_of(headlines(found, views), of)),
        "sections": list(told_of(sections(views, wish, found, names), of)),
        "titles": {task.name: task.title for task in report.tasks},
        "ruled": bool(kinds & RULED_KINDS),
        "examples": examples.by_task(views, names),
        "clips": report.clips,
        "items": report.items,
        "symbols": SYMBOLS,
    }


def outcomes(scored: Scored, view: RunView) -> list[tuple[str, int, float]]:
    """Each verdict with the number of its replies and their share, 0 to 1; but for the usual ones if there are any."""
    counts = {name: int(getattr(scored, field(name))) for name in ("answered", *STATES)}
    ruled = RULED_KINDS.intersection(scored.kinds)
    usual = {"answered", "refused", "failed", "unanswered" if ruled else "empty"}
    if ruled:
        correct = view.n_correct(scored)
        counts = {"correct": correct, "wrong": counts.pop("answered") - correct} | counts
        usual |= {"correct", "wrong"}
    return [(name, n, n / max(1, scored.n_replies)) for name, n in counts.items() if n or name in usual]


@cache
def environment() -> Any:
    """The house's templates, all of them escaping what comes from outside, with the filters for numbers."""
    found = html.environment(TEMPLATES)
    filters: dict[str, Any] = {
        "percent": percent,
        "at": lambda value, axis: f"{100 * axis.at(value):.1f}%",
        "outcomes": outcomes,
        "measured": measure_title,
    }
    found.filters |= filters
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
