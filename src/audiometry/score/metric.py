"""Measures a run's open answers against their references; free, and as often as one likes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audiometry.errors import shown
from audiometry.files import atomic
from audiometry.records import RatingLine
from audiometry.score.aggregate import MOST_FAILED
from audiometry.score.chat.sheet import State
from audiometry.score.judged import OpenRun, with_own_clips
from audiometry.score.measuring.answers import Answers, read
from audiometry.score.measuring.pairs import TIMES_READ, Counts, counted
from audiometry.score.measuring.result import Measured, MetricRow
from audiometry.score.measuring.rows import Rows
from audiometry.score.metrics import PROGRAM, Asked, named
from audiometry.score.metrics.pipe import Watch, unwatched
from audiometry.score.metrics.program import ProgramMetric
from audiometry.score.score import signed

VERSION = 1
RATINGS = "ratings"
_NAME_READ = 60  # characters of a program's command in a file name
_NAMED = 5  # tasks in a note


def measure_run(run: OpenRun, names: Sequence[str], watch: Watch = unwatched) -> dict[str, Measured]:
    """A run under one or several metrics; the score of every item is also written to the folder's ``ratings/``.

    Args:
        run: the run; variants without the items' own clips are left alone.
        names: of metrics, or programs (``exec/COMMAND``).
        watch: told how programs get on; the others are done in seconds.

    Returns:
        By name, in the order given.

    Raises:
        UnknownNameError: there is no such metric.
        UsageError: no item is open and has a reference; a package is missing; a program cannot be started.
        RunFolderError: the run folder is damaged.
    """
    asked = [named(name) for name in dict.fromkeys(names)]
    answers = read(with_own_clips(run))
    for one in asked:
        if isinstance(one.metric, ProgramMetric):
            one.metric.watch = watch
    return {one.name: _measured(answers, one) for one in asked}


def _measured(answers: Answers, asked: Asked) -> Measured:
    counts = counted(answers, asked)
    metric, info = asked.metric, answers.run.info
    rows = Rows(answers, counts, metric, getattr(metric, "ends", None))
    whole, tasks = rows.whole(), rows.tasks()
    lost = whole.n_failed + whole.n_unscored
    stem = signed(info, f"{file_name(_called(asked))}.{VERSION}")
    path = f"{RATINGS}/metric-{file_name(_called(asked))}.jsonl"
    _write_ratings(answers, counts, asked, path)
    return Measured(
        signature="+".join([stem, *counts.stamps]),
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
        highest=metric.highest,
        average=rows.average,
        pooled=rows.pooled,
        complete=lost == 0,
        rankable=lost <= MOST_FAILED * whole.n_replies,
        failures=answers.failures,
        unscored=dict(sorted(Counter(one.kind for one in counts.unscored.values()).items())),
        n_cut=counts.n_cut,
        n_with_options=answers.n_with_options,
        n_without_reference=answers.n_without_reference,
        ratings=path,
        notes=(*_notes(answers, counts, asked), *_alone(tasks)),
        categories=rows.categories(),
        tasks=tasks,
        left_out=tuple(name for name, row in tasks.items() if row.value is None),
        **msgspec.structs.asdict(whole),
    )


def _called(asked: Asked) -> str:
    """As asked for, but a program without how long to wait for it."""
    return asked.metric.name if asked.name.startswith(PROGRAM) else asked.name


def file_name(metric: str) -> str:
    """A metric's name as a piece of a file name; different names stay different.

    >>> file_name("wer"), file_name("exec/python meteor.py")
    ('wer', 'exec-python-meteor.py-e810')
    """
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in metric)[:_NAME_READ]
    return plain if plain == metric else f"{plain}-{hashlib.sha256(metric.encode()).hexdigest()[:4]}"


def _write_ratings(answers: Answers, counts: Counts, asked: Asked, path: str) -> None:
    """A line for every item with a reply that was measured: the mean over its variants."""
    n, variants, k = counts.found.shape
    each = asked.metric.each(counts.found.reshape(-1, k)).reshape(n, variants)
    measured = counts.there & (answers.state != State.FAILED)
    number = measured.sum(axis=1)
    scores = np.where(measured, each, 0.0).sum(axis=1) / np.maximum(number, 1)
    model, rater = answers.run.info.called, f"metric:{_called(asked)}"
    lines = (
        RatingLine(item=item.id, rater=rater, kind="metric", model=model, score=score)
        for item, score, there in zip(answers.items, scores.tolist(), number.tolist(), strict=True)
        if there
    )
    atomic.write_records(answers.run.folder.path / path, lines)


def _notes(answers: Answers, counts: Counts, asked: Asked) -> tuple[str, ...]:
    found = []
    if counts.unscored:
        (row, _), failure = next(iter(counts.unscored.items()))
        found.append(
            f"the metric has no score for {len(counts.unscored):,} of the replies, first for that to item "
            f"'{shown(answers.items[row].id, 40)}': {shown(failure.message, 400)}"
        )
    if counts.n_cut:
        found.append(f"replies read no further than {TIMES_READ} times their reference's length: {counts.n_cut:,}")
    if counts.foreign and not asked.name.startswith(PROGRAM):
        found.append(
            f"read as English for want of a tag 'language', but with references in another script: {counts.foreign:,} "
            f"items; tag them, or say {asked.name}?language=CODE"
        )
    return tuple(found)


def _alone(tasks: Mapping[str, MetricRow]) -> tuple[str, ...]:
    """A task whose items are all one cluster shows nothing of how it varies."""
    alone = [name for name, row in tasks.items() if row.n_clusters == 1 and row.value is not None]
    if not alone or len(tasks) == 1:
        return ()
    named_few = ", ".join(shown(name, 40) for name in alone[:_NAMED]) + (", …" if len(alone) > _NAMED else "")
    return (f"all items of one cluster, so intervals of averages take these tasks for exact: {named_few}",)
