"""Sections of a page that only some scores have: judges, without the clip, wordings, places, comparisons, letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.analysis.variance import DRAWS, Split, places, split, whole
from audiometry.choices import LETTERED
from audiometry.choices.variant import of_score
from audiometry.errors import UsageError
from audiometry.render.document import Folded, Line, Section, line
from audiometry.report.gather import RunView
from audiometry.report.naming import FEW
from audiometry.report.parts import Part
from audiometry.report.shown import Wish
from audiometry.report.titles import titled
from audiometry.report.views.comparison import Pair, comparison
from audiometry.report.views.consistency import consistency
from audiometry.report.views.entries import Runs
from audiometry.report.views.fewer import section as fewer_section
from audiometry.report.views.judges import judges
from audiometry.report.views.letters import letters
from audiometry.report.views.listening import listening
from audiometry.report.views.mixed import mixed
from audiometry.report.views.options import options
from audiometry.report.views.ranks import firmness
from audiometry.report.views.variance import ABOUT, sources, spread, told_apart, wordings
from audiometry.score.judge.needed import open_rules
from audiometry.score.result import Comparison, Scored
from audiometry.score.sheet import Sheet


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
        of = titled(part.first) if len(parts) > 1 else ""
        runs = Runs(scored=part.scored, labels=tuple(labels))
        yield from fewer_section(runs, views[0].run.benchmark.card, part.id("fewer"), of)


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


def worded(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    """Each score of each run that was asked in several ways: its spread over these, and what it is made of."""
    found: list[Split] = []
    lost: dict[str, list[Line]] = {}
    for part, scored, sheet in _asked(views, parts):
        if len(of_score(sheet.variants)) > 1:
            try:
                own = whole(sheet)
                found.append(split(own, part.name, scored.signature, len(sheet.items)))
            except UsageError as problem:
                lost.setdefault(part.name, []).append(line(f"{problem}.", weight="minded"))
    labels, card = _labels(views), views[0].run.benchmark.card
    told = [*zip(found, told_apart(found, labels), strict=True)]
    for part in parts:
        each = [
            Section(
                id=part.id(f"wordings-{n}"),
                title="",
                of=labels[one.run] if len(views) > 1 else "",
                blocks=(*spread(one, of), Folded("What the score is made of", tuple(sources(one, card, of)))),
            )
            for n, (one, of) in enumerate(told, 1)
            if one.name == part.name
        ]
        words = wordings([one for one in found if one.name == part.name], card)
        many = [Folded(f"Each of {len(each)} runs", tuple(each))] if len(each) > FEW else each
        runs = Runs(scored=part.scored, labels=tuple(labels.values()))
        if blocks := (*many, *lost.get(part.name, ()), *words, *consistency(runs, part.id("consistency"))):
            title, of = "How much of the score is the prompt", titled(part.first) if len(parts) > 1 else ""
            about = line(ABOUT, weight="about")
            yield Section(id=part.id("wordings"), title=title, of=of, short="Prompt", blocks=(about, *blocks))


def placed(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    """The places of the runs by each score, and how firm they are."""
    labels = _labels(views)
    for part in parts:
        there = [(sheet, scored.signature) for _, scored, sheet in _asked(views, [part]) if not scored.n_not_asked]
        try:
            found = places([whole(sheet) for sheet, _ in there], [made for _, made in there])
        except UsageError:  # nothing that all of them were asked, or too few clips
            continue
        if found is not None:
            of = titled(part.first) if len(parts) > 1 else ""
            yield firmness(found, labels, DRAWS, place=part.id("places"), of=of)


def _asked(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[tuple[Part, Scored, Sheet]]:
    """Each score of each run that has it, and what it is made of."""
    for part in parts:
        for view, scored in zip(views, part.scored, strict=True):
            if scored is not None and part.name in view.sheets:
                yield part, scored, view.sheets[part.name]


def _labels(views: Sequence[RunView]) -> dict[str, str]:
    return {str(view.run.folder.path): view.label for view in views}


def lettered(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    """The letters of choices, where any run's options were shown under some."""
    shown = [view.run.info.prompt.style in LETTERED for view in views]
    choice = next((part for part in parts if part.choice), None)
    if choice is not None and any(shown):
        both = zip(choice.scored, shown, strict=True)
        found = [one.extras.letters if named and one is not None else None for one, named in both]
        yield letters(found, Runs(scored=choice.scored, labels=tuple(view.label for view in views)))


def taken(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    """Which wrong options the replies of choices take."""
    choice = next((part for part in parts if part.choice), None)
    if choice is not None:
        runs = Runs(scored=choice.scored, labels=tuple(view.label for view in views))
        yield from filter(None, [options(runs, views[0].run.benchmark.card)])
