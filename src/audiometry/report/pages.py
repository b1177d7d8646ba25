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
from audiometry.render.document import Block, Chart, Folded, Section, line, told_of
from audiometry.report.clips import ClipShelf
from audiometry.report.examples import examples
from audiometry.report.explained import Explained
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.naming import called, endings
from audiometry.report.parts import Part, parts
from audiometry.report.pieces import ItemShelf
from audiometry.report.placing import made_of
from audiometry.report.rows import TaskName
from audiometry.report.score_sections import headlines, overview
from audiometry.report.sections import sections
from audiometry.report.shown import Wish
from audiometry.report.taken import Taken
from audiometry.report.views.made import made
from audiometry.report.views.notices import notices
from audiometry.report.views.outcome import became
from audiometry.report.views.summary import summary
from audiometry.score.result import Comparison

TEMPLATES: Final = Path(__file__).parent / "templates"
_OF_ITEMS: Final = ("item.js", "answers.js", "items.js", "columns.js", "address.js", "filters.js", "browser.js")
SCRIPTS: Final = (*html.SCRIPTS, *player.SCRIPTS, *(TEMPLATES / name for name in _OF_ITEMS))
STYLES: Final = (html.PALETTE, html.STYLE, *(TEMPLATES / name for name in ("report.css", "answers.css")), player.STYLE)
MARK: Final = "<!-- data -->"
FEW_CAVEATS: Final = 4  # that a page shows without being asked


class Report(msgspec.Struct, frozen=True):
    """All that a report is made of.

    Attributes:
        views: the runs.
        wish: how they were scored.
        tasks: of any of them.
        clips: of all items.
        items: themselves.
        taken: which option was taken for which.
        wrong: why replies are wrong, where that is known.
        comparisons: by score, of the first run with each other one: its number, and what came of it or why nothing did.
    """

    views: list[RunView]
    wish: Wish
    tasks: list[TaskName]
    clips: ClipShelf
    items: ItemShelf
    taken: Taken
    wrong: Explained | None
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
    found = report.taken.into(parts(report.views, report.comparisons))
    head, below, kept = _shown(report, found)
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            **_context(report),
            head=head,
            sections=below,
            made_of=runs,
            script=script,
            script_sha256=digest,
            style=styles(),
            data=MARK,
        )
    )
    # A text from outside cannot hold the mark: the template escapes its angle brackets.
    before, _, after = page.partition(MARK)
    return Rendered(before, after, kept)


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
    return [TaskName(name, benchmark.card.title_of(name)) for name in benchmark.tasks() if name in asked]


def _shown(report: Report, found: Sequence[Part]) -> tuple[list[Block], list[Section], tuple[Block, ...]]:
    """What stands at the page's head, the sections below it, and what of all that can be written as files."""
    views, wish = report.views, report.wish
    info = views[0].run.info.benchmark
    of = called([view.label for view in views], info)
    card, titles = views[0].run.benchmark.card, {task.name: task.title for task in report.tasks}
    alone = [one for section in headlines(found, views) for one in told_of(section.blocks, of)]
    below = [
        one for one in told_of(sections(views, wish, found, list(titles), report.wrong), of) if isinstance(one, Section)
    ]
    became_of = (
        became(view.outcome, card, view.label if ending else "", ending)
        for view, ending in zip(views, endings([view.label for view in views]), strict=True)
        if view.unjudged
    )
    unjudged = told_of(became_of, of)
    numbers: list[Block] = alone
    if len(found) > 1:
        numbers = list(told_of([overview(found, views)], of))
    elif found and len(views) == 1:
        chart = next(one for one in alone if isinstance(one, Chart))
        numbers = list(summary(found[0], views[0], chart, wish.profile))
    cannot = tuple(line(one, weight="bare") for one in card.benchmark.cannot_show)
    caveats = [Folded(f"What {info.name} cannot show", cannot, opened=len(cannot) <= FEW_CAVEATS)] if cannot else []
    first = notices(views, wish, found, report.clips.lacking)
    head = [*first, *numbers, *unjudged, *caveats, *made(views, card, wish.profile)]
    drawn = alone if len(found) == 1 else [one.figure for one in alone if isinstance(one, Chart) and len(views) > 1]
    kept = (*(numbers if len(found) > 1 else ()), *drawn, *below, *unjudged)  # the first is told as an example
    return head, [*below, *examples(views, titles)], kept


def _context(report: Report) -> dict[str, Any]:
    views = report.views
    kinds = frozenset[str]().union(*(view.kinds for view in views))
    return {
        "version": audiometry.__version__,
        "views": views,
        "several": len(views) > 1,
        "card": views[0].run.benchmark.card,
        "stamp": views[0].run.info.benchmark,
        "ruled": bool(kinds & RULED_KINDS),
        "clips": report.clips,
        "items": report.items,
    }


@cache
def environment() -> Any:
    """The house's templates, all of them escaping what comes from outside, with the filters for numbers."""
    return html.environment(TEMPLATES)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
