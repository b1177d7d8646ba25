"""What people ask for: what queries are for, topics with their shares, which topic is asked for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.analysis.topics import uses
from audiometry.analysis.topics.result import Share, Topic, Topics, Trust
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Card, Cards, Chart, Folded, Line, Quoted, Section, line, names_of, strong
from audiometry.render.figure import Axis, Band, Figure, Mark, axis_around
from audiometry.render.numbers import percent
from audiometry.render.table import Cell, Column, Estimate, OutOf, RowInfo, Table
from audiometry.report.naming import LONGEST
from audiometry.stats.wilson import wilson

_SHARE: Final = Column(id="share", title="share", kind="number", unit="%")
_QUERIES: Final = Column(id="queries", title="queries", kind="count")
_VOTERS: Final = Column(id="voters", title="voters", kind="count", drop=2)
_LEAST_FIRM: Final = 0.6  # Hennig 2007: below it a cluster is not to be trusted
_PAPER: Final = 0.77  # of users, in the abstract of arXiv 2502.15919
_MOST_LANGUAGES: Final = 12
_QUOTED: Final = 200  # characters of a query


def topics(found: Topics) -> tuple[Section, ...]:
    """All sections."""
    return (
        Section(id="uses", title="What queries are for", short="Uses", blocks=tuple(_uses(found))),
        Section(id="topics", title="What queries are about", short="Topics", blocks=tuple(_topics(found))),
        Section(id="trust", title="How far to trust it", short="Trust", blocks=tuple(_trust(found))),
        Section(id="languages", title="In which language", short="Languages", blocks=(_languages(found),)),
    )


def notes(found: Topics, of_file: Sequence[str]) -> tuple[Line, ...]:
    """What stands in the way of a claim, and what was made of the file."""
    return tuple(line(f"Note: {one}.", weight="minded") for one in (*found.warnings, *of_file))


def made(found: Topics) -> Line:
    """How it was made."""
    return line(found.signature, weight="dim")


def summary(found: Topics) -> Line:
    """What there is to look at."""
    again = found.n_asked - found.n_different
    people = f" by {counted(found.n_people, 'voter')}" if found.n_people else ""
    told = f", {found.n_different:,} of them different (those of equal words are one)" if again else ""
    without = f" {counted(found.n_without, 'vote')} without a query." if found.n_without else ""
    return line(
        strong(counted(found.n_asked, "query")), f" asked{people} in {counted(found.n_votes, 'vote')}{told}.{without}"
    )


def _uses(found: Topics) -> Iterator[Block]:
    yield summary(found)
    yield line(
        "The four uses are those of Mind the Gap (arXiv 2502.15919); that task execution and knowledge expansion "
        "together are what it calls efficiency is our reading of it.",
        weight="about",
    )
    titles = {one.name: one.title for one in uses.book().code}
    its = found.uses
    rows: list[tuple[Cell, ...]] = [
        (titles[use], share.n, _estimate(share), share.people) for use, share in its.shares.items()
    ]
    every = its.efficiency.queries
    rows.append(("for efficiency: the first two", every.n, _estimate(every), every.people))
    table = Table(
        id="uses",
        caption=f"What queries are for, told by {_coder(found)}, as shares of queries asked with 95 % intervals",
        signature=found.signature,
        columns=(Column(id="use", title="use", kind="name"), _QUERIES, _SHARE, _VOTERS),
        rows=tuple(rows),
        info=(*(RowInfo() for _ in rows[:-2]), RowInfo(last=True), RowInfo(strong=True)),
    )
    yield _chart(table, [*its.shares.values(), every], found.n_asked)
    yield from _efficiency(found)
    if its.n_unknown:
        yield line(
            f"Of {counted(its.n_unknown, 'different query')} {shown(its.coder, LONGEST)} says nothing that can be "
            "read; they are in no share.",
            weight="minded",
        )


def _efficiency(found: Topics) -> Iterator[Line]:
    """The share for efficiency with the coder's errors taken out, and by participant."""
    its = found.uses.efficiency
    if its.corrected is not None and its.corrected_interval is not None:
        yield line(
            f"For efficiency, less the errors that {_coder(found, 'the rules make', 'makes')} on labelled queries: ",
            strong(f"{percent(its.corrected)} %"),
            f" of queries (95 %: {_SHARE.span(its.corrected_interval)}), if each use is misread as often here.",
        )
    if its.people is not None and its.people_interval is not None:
        yield line(
            "By participant: more than half of the queries of ",
            strong(f"{percent(its.people)} %"),
            f" of {counted(its.n_people, 'voter')} (95 %: {_SHARE.span(its.people_interval)}) are for efficiency, "
            f"as they are told, errors and all; the paper says {100 * _PAPER:.0f} % of users, of its own study.",
        )


def _coder(found: Topics, rules: str = "rules", does: str = "") -> str:
    """Who tells uses, with what it does: rules, or a model."""
    return rules if found.uses.kind == "rules" else f"{shown(found.uses.coder, LONGEST)} {does}".strip()


def _estimate(share: Share) -> Cell:
    return None if share.value is None else Estimate(share.value, share.interval)


def _chart(table: Table, each: list[Share], n: int) -> Chart:
    marks = [Mark(x=one.value, y=row, interval=one.interval) for row, one in enumerate(each) if one.value is not None]
    axis = axis_around([0.0, *reached(marks)], title="share of queries", unit="%")
    return banded(table, marks, axis, ns=(n,), n_of="query", unheld="shares are held against nothing")


def _topics(found: Topics) -> Iterator[Block]:
    its = found.stability
    if why := its.none_because(found.n_different):
        yield line(f"No topics: {why}.")
        return
    yield line(
        "Topics are clusters of queries that use the same words. They are called by the words that tell them from the "
        "others, or by a model; what is in no cluster that holds together is called other.",
        weight="about",
    )
    rows = tuple(
        (one.label, one.share.n, _estimate(one.share), one.share.people, one.n_different, one.firmness)
        for one in found.topics
    )
    table = Table(
        id="topics",
        caption="What queries are about, as shares of queries asked with 95 % intervals given these topics; firm: how "
        "much of a topic half of the queries make again, 0 to 1",
        signature=found.signature,
        columns=(
            Column(id="topic", title="topic", kind="name"),
            _QUERIES,
            _SHARE,
            _VOTERS,
            Column(id="different", title="different", kind="count", drop=3),
            Column(id="firm", title="firm", kind="number", decimals=2, drop=1),
        ),
        rows=rows,
        info=tuple(RowInfo(note=_more(one)) for one in found.topics),
    )
    yield _chart(table, [one.share for one in found.topics], found.n_asked)
    loose = [one.label for one in found.topics if one.firmness is not None and one.firmness < _LEAST_FIRM]
    if loose:
        yield line(
            f"Not to be built on, since half of the queries do not make them again (firm below {_LEAST_FIRM}): ",
            *names_of(loose),
            ".",
            weight="minded",
        )
    yield _by_use(found)
    yield Folded(
        "A few queries of each",
        (Cards(tuple(map(_quoted, found.topics))),),
        printed=True,
    )


def _more(one: Topic) -> str:
    return f"words: {', '.join(one.terms)}" if one.terms else ""


def _quoted(one: Topic) -> Card:
    quotes = (Quoted(shown(query, _QUOTED)) for query in one.examples)
    return Card((line(strong(shown(one.label, LONGEST)), weight="bare"), *quotes))


def _by_use(found: Topics) -> Chart:
    """Which topic is asked for what."""
    titles = {one.name: one.title for one in uses.book().code}
    caption = "How often each topic is asked for each use"
    marks = tuple(
        Mark(x=x, y=y, n=n, shade=n / max(1, sum(one.uses.values())))
        for y, one in enumerate(found.topics)
        for x, n in enumerate(one.uses.values())
    )
    figure = Figure(
        id="topics-by-use",
        caption=caption,
        signature=found.signature,
        kind="matrix",
        x=Axis(title="for", bands=tuple(Band(name=title) for title in titles.values())),
        y=Axis(title="topic", bands=tuple(Band(name=shown(one.label, LONGEST)) for one in found.topics)),
        marks=marks,
        n=found.n_asked,
        n_of="query",
        unheld="it counts only",
        shade_name="share of the row, 0 to 100\u00a0%",
    )
    table = Table(
        id="topics-by-use",
        caption=caption,
        signature=found.signature,
        columns=(
            Column(id="topic", title="topic", kind="name"),
            *(Column(id=use, title=title, kind="count") for use, title in titles.items()),
        ),
        rows=tuple((one.label, *one.uses.values()) for one in found.topics),
    )
    return Chart(figure, table)


def _trust(found: Topics) -> Iterator[Block]:
    its = found.stability
    if its.rand is not None and its.rand_range is not None:
        how = "as was asked" if its.by == "asked" else "those that half of the queries make again best, by silhouettes"
        left = its.n_small + its.n_incoherent + its.n_blank
        yield line(
            strong(counted(its.chosen, "cluster")),
            f" ({how}), of queries as {found.embedded}. Half of the queries, drawn 20 times, make clusters "
            "whose adjusted Rand index with these is ",
            strong(f"{its.rand:.2f}"),
            f" ({its.rand_range[0]:.2f} to {its.rand_range[1]:.2f}; 1: the same, 0: no more alike than by chance).",
        )
        of_left = (
            f"{counted(left, 'different query')}: {its.n_small:,} in clusters of fewer than five, "
            f"{its.n_incoherent:,} in clusters that do not hold together, "
            f"{its.n_blank:,} that say nothing that another one says too"
        )
        yield line(f"In other: {of_left if left else 'none'}.")
    if found.uses.trust is not None:
        yield from _agreed(found, found.uses.trust)


def _agreed(found: Topics, its: Trust) -> Iterator[Block]:
    """How far the coder of uses agrees with labelled queries."""
    kappa = its.kappa
    if kappa.value is not None:
        span = "" if kappa.low is None or kappa.high is None else f" (95 %: {kappa.low:.2f} to {kappa.high:.2f})"
        yield line(
            f"Uses: {_coder(found, 'the rules agree', 'agrees')} with {counted(its.n, 'labelled query')} in "
            f"{counted(its.n_languages, 'language')}"
            + (" that no rule was written from" if found.uses.kind == "rules" else "")
            + ", Cohen's kappa ",
            strong(f"{kappa.value:.2f}"),
            f"{span}; {its.sensitivity[0]} of {its.sensitivity[1]} queries for efficiency are called so, and "
            f"{its.specificity[1] - its.specificity[0]} of {its.specificity[1]} others.",
        )
    titles = {one.name: one.title for one in uses.book().code}
    each = [(titles[use], n, of, wilson(n / of, of)) for use, (n, of) in its.right.items() if of]
    table = Table(
        id="uses-trust",
        caption=f"How many labelled queries of each use {_coder(found, 'the rules give', 'gives')} that use, with 95 % "
        "intervals (Wilson)",
        signature=found.signature,
        columns=(
            Column(id="use", title="use", kind="name"),
            Column(id="right", title="right", kind="count"),
            _SHARE,
        ),
        rows=tuple((title, OutOf(n, of), Estimate(n / of, ends)) for title, n, of, ends in each),
    )
    marks = [Mark(x=n / of, y=row, interval=ends) for row, (_, n, of, ends) in enumerate(each)]
    axis = axis_around([0.0, 1.0], title="called so", unit="%")
    yield banded(table, marks, axis, ns=(its.n,), n_of="query", unheld="shares are held against nothing")


def _languages(found: Topics) -> Chart:
    by = {"votes": "the votes", "words": "letters and words", "both": "the votes, else by letters and words"}
    each = list(found.languages.items())
    kept, more = each[:_MOST_LANGUAGES], each[_MOST_LANGUAGES:]
    rows: list[tuple[Cell, ...]] = [
        (shown(code, 20) or "not known", one.n, _estimate(one), one.people) for code, one in kept
    ]
    rest = f"; {counted(len(more), 'more language')} with {sum(one.n for _, one in more):,} queries" if more else ""
    table = Table(
        id="languages",
        caption=f"In which language people ask, by {by[found.languages_by]} (ISO 639-1){rest}",
        signature=found.signature,
        columns=(Column(id="language", title="language", kind="name"), _QUERIES, _SHARE, _VOTERS),
        rows=tuple(rows),
    )
    return _chart(table, [one for _, one in kept], found.n_asked)
