"""Why replies are wrong, on a page: by rules, and by the judges and people whose codes the run folders hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.analysis.modes import modes, rules
from audiometry.analysis.modes.modes import QUOTES
from audiometry.choices.variant import without_clip
from audiometry.files.ratings import CODES
from audiometry.render.document import Section
from audiometry.report.gather import RunView
from audiometry.report.views.modes import side_by_side, telling
from audiometry.score.opened import has_options


def explained(views: Sequence[RunView]) -> Iterator[Section]:
    """One section on the replies to questions with options, where more is known than what became of them.

    Args:
        views: the runs.
    """
    there = [view for view in views if not view.silent and has_options(view.run)]
    paths = (path for view in there for path in view.run.folder.path.glob(f"ratings/{CODES}*.jsonl"))
    coded = any(path.stem != f"{CODES}{rules.NAME}" for path in paths)
    kinds = bool(views) and bool(views[0].run.benchmark.card.distractors)
    if not there or not (coded or kinds or any(without_clip(view.run.info.variants) for view in there)):
        return  # rules have nothing to go by but the states, which are told already
    runs = [view.run for view in there]
    found = modes(runs, keep=False, quotes=QUOTES if len(runs) == 1 else 0)
    if telling(found):
        yield side_by_side(found, [view.label for view in there])
