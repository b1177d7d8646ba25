"""Why replies are wrong, on a page: by rules, and by the judges and people whose codes the run folders hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from audiometry.analysis.modes import modes, rules
from audiometry.analysis.modes.modes import QUOTES
from audiometry.analysis.modes.result import Modes
from audiometry.choices.variant import without_clip
from audiometry.files.ratings import CODES
from audiometry.render.document import Section
from audiometry.report.gather import RunView
from audiometry.report.views.modes import side_by_side, telling
from audiometry.score.opened import has_options


class Explained(msgspec.Struct, frozen=True):
    """What is wrong with the replies of a page's runs.

    Attributes:
        modes: of runs with questions with options.
        runs: their numbers on the page.
    """

    modes: Modes
    runs: tuple[int, ...]

    @property
    def codes(self) -> dict[int, dict[str, str]]:
        """By number of a run and id of an item, what its first coder says of the reply."""
        return {number: run.coders[0].items for number, run in zip(self.runs, self.modes.runs, strict=True)}

    @property
    def titles(self) -> dict[str, str]:
        """Of the codes."""
        return {one.name: one.title for one in self.modes.book}


def explained(views: Sequence[RunView]) -> Explained | None:
    """Why replies to questions with options are wrong, where more is known than what became of them.

    Args:
        views: the runs.
    """
    there = [n for n, view in enumerate(views) if not view.silent and has_options(view.run)]
    runs = [views[n].run for n in there]
    paths = (path for run in runs for path in run.folder.path.glob(f"ratings/{CODES}*.jsonl"))
    coded = any(path.stem != f"{CODES}{rules.NAME}" for path in paths)
    kinds = bool(views) and bool(views[0].run.benchmark.card.distractors)
    if not runs or not (coded or kinds or any(without_clip(run.info.variants) for run in runs)):
        return None  # rules have nothing to go by but the states, which are told already
    found = modes(runs, keep=False, quotes=QUOTES if len(runs) == 1 else 0)
    return Explained(found, tuple(there)) if telling(found) else None


def section(found: Explained | None, views: Sequence[RunView]) -> Iterator[Section]:
    """One section on them; none where nothing is known."""
    if found is not None:
        yield side_by_side(found.modes, [views[n].label for n in found.runs])
