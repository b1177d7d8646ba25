"""``audiometry build``."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli.ask_options import asking, judge_settings
from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import UsageError

if TYPE_CHECKING:
    from audiometry.builder.build import Built, Plan
    from audiometry.builder.writer import HowAsked


@click.command()
@click.argument("spec", metavar="SPEC.toml", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="The benchmark folder."
)
@click.option("--dry-run", is_flag=True, help="Say what would be made, of what, and who is told; write nothing.")
@click.option("--writer", default="", metavar="MODEL[@URL]", help="Who writes, in place of the spec's [writer].")
@asking("each model")
@json_option
def command(spec: Path, output: Path | None, *, dry_run: bool, as_json: bool, writer: str, **how: Any) -> int:
    """Build a benchmark folder from recordings and a table of what is known of them.

    The spec says which table (CSV, TSV, JSON lines, parquet, a folder, a data set on the hub), what its
    columns mean, and which tasks to make: questions with options from the label set, from the source itself,
    about the times at which something is heard, or written by a language model. Spans are
    cut out of long recordings; rows that cannot be used are left out, and each is kept with the reason in
    DIR/build/rejected.jsonl. A build that was stopped goes on with the same command, and what a model wrote is
    not asked for again. At the end the benchmark is checked as `audiometry check` does.

    Exits with 1 if a task has no item or the check finds an error.

    \b
    Examples:
      audiometry build birds.toml --dry-run
      audiometry build birds.toml -o dawn-birds/
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.builder import build as builder

    if output is None and not dry_run:
        raise UsageError("build needs a place to write to; give a folder with -o, or --dry-run")
    with contextlib.closing(_Steps()) as steps, _asked(writer, **how) as asked:
        if dry_run or not output:
            found: Plan | Built = builder.plan(spec, steps.show, asked)
        else:
            found = builder.build(spec, output, steps.show, asked)
    return _show(found, as_json=as_json) if isinstance(found, builder.Built) else _show_plan(found, as_json=as_json)


@contextlib.contextmanager
def _asked(writer: str, **how: Any) -> Iterator[HowAsked]:
    """How a writer is asked, with a line that shows how it goes."""
    from audiometry.builder.writer import HowAsked
    from audiometry.cli.progress import ProgressLine, WaitingLine
    from audiometry.dispatch.waiting import PROCESS
    from audiometry.score.judge.settings import Follow

    line = ProgressLine()
    try:
        with WaitingLine(PROCESS, line.line):
            follow = Follow(line.watch, line.start, line.stopping)
            yield HowAsked(model=writer, settings=lambda name: judge_settings(name, **how), follow=follow)
    finally:
        line.end()


class _Steps:
    """Progress of one thing after the other."""

    def __init__(self) -> None:
        from audiometry.cli.progress import Steps

        self._make, self._what, self._steps = Steps, "", Steps("")

    def show(self, what: str, done: int, whole: int) -> None:
        """Called after every step."""
        if what != self._what:
            self._steps.end()
            self._what, self._steps = what, self._make(what)
        self._steps.show(done, whole)

    def close(self) -> None:
        """Leave the line."""
        self._steps.end()


def _emptied(plan: Plan, there: Iterable[str]) -> bool:
    """Whether a task is not among those that have items, or would have them written."""
    asked = () if plan.told is None else (one.what for one in plan.told.asked)
    return not {task.name for task in plan.spec.task} <= {*there, *asked}


def _show_plan(plan: Plan, *, as_json: bool) -> int:
    if as_json:
        private = {one.spec.called: one.spec.columns.private for one in plan.sources}
        told = plan.told
        calls: dict[str, Any] = {"calls": 0, "price_usd": 0.0, "hosts": {}, "asked": []}
        if told is not None:
            calls = {"calls": told.calls, "price_usd": told.price_usd, "hosts": told.hosts, "asked": told.asked}
        say_json({**_counts(plan), **calls, "private": private})
    else:
        from audiometry.report.views import build as views

        say_blocks(views.planned(plan))
    return int(_emptied(plan, (one.item.task for one in plan.made)))


def _counts(plan: Plan) -> dict[str, Any]:
    from collections import Counter

    items = Counter(one.item.task for one in plan.made)
    rejected = Counter(one.rule for one in plan.rejected)
    return {
        "items": {task.name: items[task.name] for task in plan.spec.task},
        "rejected": dict(rejected),
        "notes": plan.notes,
    }


def _show(found: Built, *, as_json: bool) -> int:
    import msgspec

    from audiometry.errors import shown
    from audiometry.files.build_folder import FOLDER, REPORT
    from audiometry.report import build_page, section_page

    failed = int(_emptied(found.plan, found.info.items) or found.check is None or found.check.n_errors > 0)
    page = section_page.write(build_page.page(found), found.folder / FOLDER / REPORT)
    if as_json:
        info = msgspec.to_builtins(found.info)
        more = {"notes": found.plan.notes, "statistics": found.statistics, "check": found.check}
        say_json({"folder": str(found.folder), "report": str(page), **info, **more})
        return failed
    from audiometry.report.views import build as views
    from audiometry.report.views import check as check_views

    say_blocks(views.built(found))
    if found.check is not None:
        say()
        say_blocks(check_views.check(found.check))
        say(f"\nReport: {shown(str(page), 1000)}")
        folder = shlex.quote(str(found.folder))
        say(f"Next: audiometry review {folder}\n      audiometry run {folder} --model NAME")
    return failed
