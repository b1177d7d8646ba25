"""What a reader of a score has to know beside its rows, in lines that terminal and page have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import stdev
from typing import Final

from audiometry.choices.variant import crossed
from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Line, line
from audiometry.render.numbers import percent
from audiometry.report.numbers import Scale, counts
from audiometry.report.rows_text import AGAIN, said_of_blocked, said_of_failures
from audiometry.report.titles import KINDS, MEASURES
from audiometry.score.chosen import Followed, Share
from audiometry.score.extras import Extras, People
from audiometry.score.gathered import NO_REFERENCE
from audiometry.score.matching import RULES
from audiometry.score.outcome import OpenOutcome
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Scored, Scores
from audiometry.score.table import MOST_FAILED

LISTED = 6  # ways of asking, each with its score
_MOSTLY: Final = 0.5  # of the replies without the right label, those that decline


def said(name: str, scored: Scored, its: Scale, card: Card) -> Iterator[Line]:
    """Everything of a score that its rows do not tell; what it lacks is told by `incomplete` or `lacks`.

    Args:
        name: of the score.
        scored: the score.
        its: how its numbers are printed.
        card: of the benchmark.
    """
    yield from (line(text, weight="dim") for text in about(scored, its))
    yield from (line(text, weight="minded") for text in _doubts(scored, card))
    if scored.left_out:
        yield line(left_out(name, scored), weight="minded")
    if scored.extras.people is not None:
        yield from map(line, _people(scored.extras.people, its))
    yield from (line(f"Note: {note}.", weight="minded") for note in scored.notes)
    if scored.extras.ratings:
        yield line(f"Every item's score: {scored.extras.ratings}", weight="dim")


def _people(people: People, its: Scale) -> Iterator[str]:
    """What people would give, beside what the judge and the people's ratings say alone."""
    rated = f"{people.n_rated:,} of {people.n_items:,} items" if people.n_rated < people.n_items else "all items"
    yield (
        f"People would give {its.number(people.value)} (95 %: {its.span(people.interval)}): the judge's "
        f"{its.number(people.judge)} set right by {counted(people.n_raters, 'rater')} on {rated}, "
        f"{people.n_clusters_rated:,} different clips. Their ratings alone: {its.number(people.people)} "
        f"({its.span(people.people_interval)})."
    )
    if people.left_out:
        yield f"Nobody rated {', '.join(map(shown, people.left_out))}: left out of these numbers."


def about(scored: Scored, its: Scale) -> Iterator[str]:
    """How the numbers of a table are made."""
    extras = scored.extras
    if not its.share:
        better = "higher is better" if scored.direction == "up" else "lower is better"
        unit = counts(scored)
        yield f"{unit[:1].upper()}{unit[1:]}; {better}."
    if extras.beside:
        mean = f"; of all, the mean of {scored.average}" if scored.average in {"categories", "tasks"} else ""
        yield f"Win/tie/loss against the reference answer, in % of items{mean}."
    yield from pooled(scored)
    yield from slices(scored)
    if extras.panel:
        yield f"A panel of {len(extras.judges)} judges, {extras.panel}."
    if extras.corpus is not None:
        yield f"All items as one corpus: {its.number(extras.corpus)}."
    if scored.over_answered is not None and scored.n_answered < scored.n_replies:
        yield f"Of the answered alone: {its.number(scored.over_answered)}{' %' if its.share else ''}."
    yield from _of_choices(scored, its)
    if (errors := extras.errors) is not None:
        kinds = f"{errors.substitutions:,} substituted, {errors.deletions:,} deleted, {errors.insertions:,} inserted"
        _, per, unit = scored.unit.partition("errors per reference ")
        yield f"Of {counted(errors.reference, unit if per else 'unit')} of the references: {kinds}."


def _of_choices(scored: Scored, its: Scale) -> Iterator[str]:
    """What choices have to say: how far orders differ, and from how many replies an option was read."""
    if scored.extras.ways:
        yield _ways(scored.extras.ways, its)
    ifr = scored.extras.ifr
    wanted = scored.profile == "muchomusic" or scored.extras.distractors is not None  # whose papers print it
    if ifr is not None and ifr.n_all and (wanted or ifr.n_read < ifr.n_all):
        yield _read(ifr)


def _ways(found: Mapping[str, float], its: Scale) -> str:
    """How far the score differs between the orders, wordings and repeats that it is the mean of."""
    kinds = zip(("wording", "order", "repeat"), crossed(found), strict=True)
    of = " × ".join(counted(n, kind) for kind, n in kinds if n > 1)
    each, unit = list(found.values()), " %" if its.share else ""
    listed = (
        ", ".join(map(its.number, each))
        if len(each) <= LISTED
        else f"{its.number(min(each))} to {its.number(max(each))}"
    )
    spread = its.change(stdev(each)).lstrip("+")
    return f"Mean of {of}: {listed}{unit}, standard deviation {spread}{' points' if its.share else ''}."


def _read(found: Followed) -> str:
    """From how many replies an option was read, of those that came and of all."""
    came = found.of_received
    received = "no reply came" if came is None else f"{_share(came)} of {counted(found.n_received, 'reply')} that came"
    return (
        f"Instruction-following rate (replies that the rules can read): {received}"
        f"{'' if found.of_all is None else f', {_share(found.of_all)} of all {found.n_all:,}'}."
    )


def _share(of: Share) -> str:
    low, high = of.interval
    return f"{percent(of.value)} % (95 %: {percent(low)} to {percent(high)})"


def _doubts(scored: Scored, card: Card) -> Iterator[str]:
    """Which items and replies a table is without; those of other kinds have scores of their own."""
    if blocked := said_of_blocked(scored.n_refused, scored.n_blocked):
        yield blocked
    if refused := _refused(scored, card):
        yield refused
    if n := scored.extras.without_description:
        yield f"{counted(n, 'item')} with nothing said of the audio: the judge had the answers only."
    if lacking := scored.unscored_items.get(NO_REFERENCE):
        yield f"{counted(lacking, 'item')} left out: {NO_REFERENCE}."


def _refused(scored: Scored, card: Card) -> str:
    """Tasks of labels that score low since replies decline, not since they err; empty where there is none."""
    tasks, every = [], scored.extras.confusion if "label" in scored.kinds else {}
    for task, found in every.items():
        row = scored.tasks.get(task)
        if row is not None and row.n_refused > _MOSTLY * (row.n_replies - found.n_right):
            rate = percent(row.refusal_rate or 0.0)
            tasks.append(f"{shown(card.title_of(task), 60)} ({rate} % of {counted(row.n_replies, 'reply')})")
    what = MEASURES.get(scored.measure, scored.measure)
    of = f"all {len(tasks)} tasks" if len(tasks) == len(every) > 1 else ", ".join(tasks)
    return f"Refusals, not errors, are most of what lowers the {what} of {of}." if tasks else ""


def matching(extras: Extras) -> Iterator[Line]:
    """How many of the replies plain matching reads, by each parser, in a line."""
    parts: list[str] = []
    for name, found in extras.plain_matching.items():
        if found.share is None:
            yield line("Plain matching reads nothing: no reply came.", weight="minded")
            return
        (who, how), reads = RULES[name], "" if parts else " reads"
        of = "" if parts else f" of {counted(found.n_replies, 'reply')} that came"
        parts.append(f"by {who} ({how}){reads} {found.n_read:,}{of}, {percent(found.share)} %")
    if parts:
        yield line(f"Plain matching {'; '.join(parts)}.", weight="dim")


def incomplete(scored: Scored, its: Scale) -> str:
    """What is missing of a score, and where it lies whatever that would have been."""
    kinds = [said_of_failures(scored.failures)] if scored.failures else []
    kinds += [f"{scored.n_not_asked:,} not asked"] if scored.n_not_asked else []
    no_verdict = scored.n_unjudged and bool(scored.extras.judges)
    kinds += [f"{scored.n_unjudged:,} × no verdict of the judge"] if no_verdict else []
    parts = [f"Incomplete: {', '.join(kinds)}.", *_at_ends(scored, its)]
    if not scored.replied and not scored.n_not_asked:
        parts.append("No reply came, so there is no number.")
    if scored.n_not_asked:
        parts.append(f"A run that is not finished has no number; {AGAIN} goes on with it.")
    return " ".join(parts)


def lacks(scored: Scored, its: Scale) -> str:
    """The same in whole sentences, for a page that says once what asks for the rest."""
    of, judged, parts = f"of {counted(scored.n_replies, 'reply')}", bool(scored.extras.judges), []
    if scored.n_not_asked:
        parts.append(f"{scored.n_not_asked:,} {of} are not asked for yet, so there is no number.")
    unjudged = 0 if judged else scored.n_unjudged
    if lost := scored.n_failed + unjudged:
        ruled = {"choice", "label"}.intersection(scored.kinds)
        worst = f"score {its.low:g}" if judged else "count as wrong" if ruled else "count as empty answers"
        counts = "do not count as correct" if its.share else worst
        strict = scored.profile == DEFAULT and (its.share or judged or not scored.n_unjudged)
        kinds = f" ({said_of_failures(scored.failures)})" if scored.failures else ""
        what = "failed" if not unjudged else "failed or are unjudged" if scored.n_failed else "are unjudged"
        then = f" and {counts}" * strict if scored.replied else ", so there is no number" * (not scored.n_not_asked)
        parts.append(f"{lost:,} {of} {what}{kinds}{then}.")
    if judged and (n := scored.n_unjudged):
        parts.append(f"{counted(n, 'reply')} {'has' if n == 1 else 'have'} no verdict that can be read.")
    return " ".join([*parts, *_at_ends(scored, its)])


def lacks_open(found: OpenOutcome) -> str:
    """The same of open questions that nobody has judged; empty where no reply is missing."""
    of = f"of {counted(found.n_replies, 'reply')} to open questions"
    failed = f"failed ({said_of_failures(found.failures)})"
    missing = ((found.n_not_asked, "are not asked for yet"), (found.n_failed, failed))
    return " ".join(f"{n:,} {of} {what}." for n, what in missing if n)


def _at_ends(scored: Scored, its: Scale) -> list[str]:
    """Where a score lies whatever the missing replies would have been, and what it is good for."""
    parts: list[str] = []
    if not scored.replied:
        return parts
    if scored.bounds is not None:
        worst, best = ends(scored, its)
        sure = f"At best {best}" if scored.direction == "down" else f"At worst {worst}"
        nothing = scored.bounds[1] is None
        parts.append(f"{sure}; nothing bounds it above." if nothing else f"At worst {worst}, at best {best}.")
    lacking = [name for name, row in scored.categories.items() if row.n_lost]
    if 0 < len(lacking) < len(scored.categories):
        parts.append(f"Replies are missing in {', '.join(map(shown, lacking))}.")
    lost = scored.n_failed + scored.n_unjudged
    if not scored.n_not_asked and not scored.rankable and lost > MOST_FAILED * scored.n_replies:
        parts.append("More than 1 % failed, so this number is not to be ranked.")
    return parts


def ends(scored: Scored, its: Scale) -> tuple[str, str]:
    """A score at worst and at best, as printed: ``none`` where nothing bounds it; both empty where none is missing."""
    if scored.bounds is None:
        return "", ""
    low, high = map(its.number, scored.bounds)
    return (low, high) if scored.direction == "up" else (high, low)


def unscored(scores: Scores) -> str:
    """How many items no score has a part in, of which kind, and what would score open questions."""
    n, judged = scores.n_unscored, any(one.extras.judges for one in scores.scores.values())
    line = f"{counted(n, 'item')} {'is' if n == 1 else 'are'} in none of these numbers"
    several = len(scores.unscored) > 1
    kinds = ", ".join(f"{f'{of:,} ' if several else ''}{KINDS[kind]}" for kind, of in scores.unscored.items())
    then = "; score --judge MODEL scores open questions" if "open" in scores.unscored and not judged else ""
    return f"{line}{': ' if kinds else ''}{kinds}{then}."


def of_tag(tag: str, value: str) -> str:
    """The name of a tag's row."""
    return f"{tag}: {value or '(empty)'}"


def left_out(name: str, scored: Scored) -> str:
    """Which tasks have no number under a score, and so are in no average."""
    listed = ", ".join(map(shown, scored.left_out))
    counts = any(task in scored.tasks and scored.tasks[task].n_counted for task in scored.left_out)
    why = "there is nothing to measure by" if counts else "no reply counts"
    return (
        f"{name}: {why} in {len(scored.left_out)} of {len(scored.tasks)} tasks; they have no number and "
        f"are left out of the averages: {listed}."
    )


def slices(scored: Scored) -> Iterator[str]:
    """What the rows of a tag's values are, where the number over everything is something else."""
    if scored.by and (mean := scored.average) != "items":
        named = ", ".join(shown(tag, 60) for tag in scored.by)
        yield f"Rows of {named}: all items as one, whatever their task{f', no mean of {mean}' * (mean != 'none')}."


def pooled(scored: Scored) -> Iterator[str]:
    """Which tasks are taken as one before tasks are averaged; nothing where all items are."""
    if scored.pooled and scored.average != "items":
        pools = ", ".join(f"{name} ({', '.join(parts)})" for name, parts in scored.pooled.items())
        yield f"Taken as one task, each item counting the same: {pools}."
