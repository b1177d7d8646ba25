"""What a score by a measure against references has to show beside its rows: every item's own score, and notes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audiometry.choices.variant import of_score
from audiometry.errors import RunFolderError, UsageError, counted, shown
from audiometry.files import jsonl
from audiometry.records import RatingLine
from audiometry.score.counts import Errors
from audiometry.score.kept import keep_ratings
from audiometry.score.measures import named
from audiometry.score.measures.edits import ErrorRate
from audiometry.score.measures.measure import PROGRAM
from audiometry.score.measures.references import TIMES_READ, ByReference
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.result import Scored
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table, clean
from audiometry.stats.estimate import FEW_HOLD

RATINGS = "ratings"
_NAMED = 5  # tasks in a note
_UNTOLD = "so that nothing tells how"
_NAME_READ = 60  # characters of a program's command in a file name


def finished(
    run: OpenedRun, called: str, measure: ByReference, sheet: Sheet, made: Scored, *, store: bool = True
) -> Scored:
    """The score with its notes, the versions that it rests on, and the path of the score of every item.

    Args:
        run: the run.
        called: the measure, as it was asked for.
        measure: with what it remembers of the pairs that it has measured.
        sheet: what the score is made of.
        made: the score.
        store: write the score of every item.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    path, unkept = f"{RATINGS}/metric-{file_name(called)}.jsonl", tuple[str, ...]()
    if store:
        every = run.folder.path / path
        unkept = keep_ratings(every, [*_ratings(run, called, measure, own), *_others(run, every, own)])
    corpus = None if len(made.tasks) == 1 or made.value is None else _corpus(own)
    extras = msgspec.structs.replace(
        made.extras, corpus=corpus, n_cut=measure.n_cut, ratings="" if unkept else path, errors=_errors(own, measure)
    )
    return msgspec.structs.replace(
        made,
        signature="+".join([made.signature, *measure.stamps]),
        notes=(*made.notes, *_notes(run, made, called, measure), *unkept),
        extras=extras,
    )


def lacking(run: OpenedRun, name: str) -> UsageError:
    """Why a measure has nothing to measure in a run.

    Args:
        run: the run.
        name: of the measure.
    """
    kinds = named(name).kinds
    fits = any(kind_of(run, run.benchmark.items.at(position)) in kinds for position in run.positions)
    called = shown(run.info.benchmark.name)
    if fits:
        return UsageError(
            f"{run.folder.path}: no item of {called} that {shown(name, 60)} fits has a reference to compare with; put "
            "one into `answer`"
        )
    return UsageError(
        f"{run.folder.path}: {shown(name, 60)} measures tasks of the kind {' or '.join(sorted(kinds))}, and this run "
        f"of {called} was asked none; leave it out"
    )


def file_name(measure: str) -> str:
    """A measure's name as a piece of a file name; different names stay different.

    >>> file_name("wer"), file_name("exec/python meteor.py")
    ('wer', 'exec-python-meteor.py-e810')
    """
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in measure)[:_NAME_READ]
    return plain if plain == measure else f"{plain}-{hashlib.sha256(measure.encode()).hexdigest()[:4]}"


def answers_path(run: OpenedRun, measure: str) -> Path:
    """Where a run keeps what a metric program answered."""
    return run.folder.path / f"judge/metric-{file_name(measure)}.jsonl"


def no_scores(measure: ByReference | None, n: int) -> str:
    """Why the measure has no score for so many replies; empty if it has all."""
    if measure is None or measure.first is None or not n:
        return ""
    item, failure = measure.first
    return (
        f"the measure has no score for {n:,} of the replies, first for that to item '{shown(item, 40)}': "
        f"{shown(failure.message, 400)}"
    )


def _errors(own: Sheet, measure: ByReference) -> Errors | None:
    """Which kinds of edits an error rate counts; None for other measures."""
    if not isinstance(measure.counts, ErrorRate):
        return None
    each = own.sums(np.ones(len(own.items), np.bool_), np.zeros(len(own.items), np.int64)).sum(axis=(0, 1))
    found = dict(zip(measure.counts.columns, map(int, each.tolist()), strict=True))
    return Errors(
        substitutions=found["substitutions"],
        deletions=found["deletions"],
        insertions=found["insertions"],
        reference=found["units"],
    )


def _corpus(own: Sheet) -> float | None:
    """All items as one corpus."""
    every = np.ones(len(own.items), np.bool_)
    found = Table(own).value(every, np.zeros(len(own.items), np.int64), [""], own.counted)
    return None if found is None else clean(found)


def _ratings(run: OpenedRun, called: str, measure: ByReference, own: Sheet) -> Iterator[RatingLine]:
    """A line for every item with a reply that was measured: the mean over its variants."""
    parts = own.sums(np.ones(len(own.items), np.bool_), np.zeros(len(own.items), np.int64))
    each = measure.each(parts.reshape(-1, parts.shape[-1])).reshape(parts.shape[:2])
    said = RatingLine(
        item="",
        rater=f"metric:{called}",
        kind="metric",
        model=run.info.called,
        lower_is_better=measure.direction == "down",
    )
    measured = own.counted & ~own.lost
    number = measured.sum(axis=1)
    scores = np.where(measured, each, 0.0).sum(axis=1) / np.maximum(number, 1)
    for position, score, there in zip(own.items.position.tolist(), scores.tolist(), number.tolist(), strict=True):
        if there:
            yield msgspec.structs.replace(said, item=run.benchmark.items.at(position).id, score=score)


def _others(run: OpenedRun, path: Path, own: Sheet) -> Iterator[RatingLine]:
    """The lines of a file on items that are no part of this score: the measure was asked for of more tasks before."""
    mine = {run.benchmark.items.at(position).id for position in own.items.position.tolist()}
    with contextlib.suppress(RunFolderError):  # damaged, or not ours
        for line in [*jsonl.read(path, RatingLine)]:
            if line.item not in mine:
                yield line


def _notes(run: OpenedRun, made: Scored, called: str, measure: ByReference) -> Iterator[str]:
    if why := no_scores(measure, made.n_unjudged):
        yield why
    if measure.n_before:
        yield (
            f"scores that the program gave before and is not asked for again: {measure.n_before:,}; to have them made "
            f"anew, remove {shown(str(answers_path(run, called)), 1000)}"
        )
    if measure.n_cut:
        yield f"replies read no further than {TIMES_READ} times their reference's length: {measure.n_cut:,}"
    if measure.foreign and not called.startswith(PROGRAM):
        yield (
            f"read as English for want of a tag 'language', but with references in another script: "
            f"{measure.foreign:,} items; tag them, or say {called}?language=CODE"
        )
    if len(made.tasks) > 1:
        without = {name: row for name, row in made.tasks.items() if row.value is not None and row.interval is None}
        if alone := [name for name, row in without.items() if row.n_clusters <= 1]:
            yield f"tasks whose items are all one cluster, {_UNTOLD} exact an average of them is: {_few(alone)}"
        if alike := [name for name, row in without.items() if row.n_clusters > 1]:
            yield f"tasks whose items all have one value, {_UNTOLD} far others would be from it: {_few(alike)}"
    for name, row in {**made.tasks, **({"the whole": made} if len(made.tasks) > 1 else {})}.items():
        if row.rests_on is not None and row.n_clusters > 2 * FEW_HOLD:  # of fewer clips everybody sees it
            hold = "holds" if row.rests_on == 1 else "hold"
            yield f"{shown(name, 40)} rests on {counted(row.rests_on, 'clip')}, which {hold} half of the errors"


def _few(names: Sequence[str]) -> str:
    return ", ".join(shown(name, 40) for name in names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
