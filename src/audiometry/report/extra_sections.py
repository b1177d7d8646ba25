"""Sections of a page that only some scores have: judges, mixed audio, scores without the clip, comparisons, letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.choices import LETTERED
from audiometry.render.document import Section
from audiometry.report.gather import RunView
from audiometry.report.parts import Part
from audiometry.report.shown import Wish
from audiometry.report.titles import titled
from audiometry.report.views.comparison import Pair, comparison
from audiometry.report.views.entries import Runs
from audiometry.report.views.judges import judges
from audiometry.report.views.letters import letters
from audiometry.report.views.listening import listening
from audiometry.report.views.mixed import mixed
from audiometry.score.judge.needed import open_rules
from audiometry.score.result import Comparison


def beside(views: Sequence[RunView], wish: Wish, parts: Sequence[Part]) -> Iterator[Section]:
    """What belongs to the scores of single runs: their judges, mixed audio, and what they lose without the clip.

    Args:
        views: the runs.
        wish: how they were scored.
        parts: the scores of the page.
    """
    labels = [view.label for view in views]
    judged = next((part for part in parts if part.judged), None)
    if judged is not None:
        unasked = [name for name in open_rules() if any(view.opens and name not in view.opens for view in views)]
        yield judges(judged.scored, labels, wish.panel if len(wish.judges) > 1 else "", unasked)
        found = mixed(judged.scored, labels)
        yield from () if found is None else (found,)
    for part in parts:
        if any(one is not None and one.variants for one in part.scored):
            heard = [view.heard for view in views] if part.choice else []
            aligned = wish.which is not None and part.choice
            of = titled(part.first) if len(parts) > 1 else ""
            yield listening(part.scored, labels, heard, place=part.id("listening"), of=of, aligned=aligned)


def compared(views: Sequence[RunView], wish: Wish, parts: Sequence[Part]) -> Iterator[Section]:
    """The first run against each other, by each score."""
    for part in parts:
        every: dict[int, Comparison | str] = {**dict(part.comparisons), **dict(part.apart)}
        pairs = [
            Pair(a=views[0].label, b=views[n].label, found=found, places=(0, n)) for n, found in sorted(every.items())
        ]
        if pairs:
            read = f"Both sides as read by {wish.which.words}." if wish.which is not None and part.choice else ""
            of = titled(part.first) if len(parts) > 1 else ""
            card = views[0].run.benchmark.card
            yield comparison(pairs, card, place=part.id("comparison"), of=of, read=read)


def lettered(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    """The letters of choices, where any run's options were shown under some."""
    shown = [view.run.info.prompt.style in LETTERED for view in views]
    choice = next((part for part in parts if part.choice), None)
    if choice is not None and any(shown):
        both = zip(choice.scored, shown, strict=True)
        found = [one.extras.letters if named and one is not None else None for one, named in both]
        yield letters(found, Runs(scored=choice.scored, labels=tuple(view.label for view in views)))
