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
from audiometry.score.extras import Extras
from audiometry.score.judged import OpenRun, with_own_clips
from audiometry.score.kept import keep
from audiometry.score.measuring.answers import Answers, read
from audiometry.score.measuring.pairs import TIMES_READ, Counts, counted
from audiometry.score.measuring.rows import Rows
from audiometry.score.metrics import Asked, named
from audiometry.score.metrics.pair import PROGRAM
from audiometry.score.metrics.pipe import Watch, unwatched
from audiometry.score.metrics.program import ProgramMetric
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Row, Scored, Scores
from audiometry.score.signature import signed
from audiometry.score.together import scores_of

VERSION = 1
RATINGS = "ratings"
HAS_OPTIONS, NO_REFERENCE = "options to choose from", "no reference answer"  # why an item has no part in it
_NAME_READ = 60  # characters of a program's command in a file name
_NAMED = 5  # tasks in a note


def measure_run(run: OpenRun, names: Sequence[str], watch: Watch = unwatched) -> Scores:
    """A run under one or several metrics, in the order given; also written to the folder's ``scores/``.

    The score of every item is written to ``ratings/``.

    Args:
        run: the run; variants without the items' own clips are left alone.
        names: of metrics, or programs (``exec/COMMAND``).
        watch: told how programs get on; the others are done in seconds.

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
    found = scores_of(run, answers.run, {one.name: _measured(answers, one) for one in asked})
    keep(run.folder, found)
    return found


def _measured(answers: Answers, asked: Asked) -> Scored:
    counts = counted(answers, asked)
    metric, info, card = asked.metric, answers.run.info, answers.run.benchmark.card
    rows = Rows(answers, counts, metric, getattr(metric, "ends", None))
    whole, tasks = rows.whole(), rows.tasks()
    stem = signed(info, f"{file_name(_called(asked))}.{VERSION}")
    path = f"{RATINGS}/metric-{file_name(_called(asked))}.jsonl"
    _write_ratings(answers, counts, asked, path)
    lost = Counter(answers.failures) + Counter(one.kind for one in counts.unscored.values())
    return Scored(
        signature="+".join([stem, *counts.stamps]),
        unit=metric.unit,
        profile=DEFAULT,
        measure=asked.name,
        kinds=tuple(dict.fromkeys(card.task_named(name).kind for name in tasks)),
        direction="up" if metric.higher_is_better else "down",
        range=(0.0, metric.highest),
        average=rows.average,
        complete=whole.n_lost == 0,
        rankable=whole.n_lost <= MOST_FAILED * whole.n_replies,
        failures=dict(sorted(lost.items())),
        unscored_items={
            why: n
            for why, n in ((HAS_OPTIONS, answers.n_with_options), (NO_REFERENCE, answers.n_without_reference))
            if n
        },
        notes=(*_notes(answers, counts, asked), *_alone(tasks)),
        categories=rows.categories(),
        tasks=tasks,
        left_out=tuple(name for name, row in tasks.items() if row.value is None and not row.n_not_asked),
        extras=Extras(corpus=rows.pooled if rows.average != "items" else None, n_cut=counts.n_cut, ratings=path),
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
    measured = counts.there & ~answers.lost
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


def _alone(tasks: Mapping[str, Row]) -> tuple[str, ...]:
    """A task whose items are all one cluster shows nothing of how it varies."""
    alone = [name for name, row in tasks.items() if row.n_clusters == 1 and row.value is not None]
    if not alone or len(tasks) == 1:
        return ()
    named_few = ", ".join(shown(name, 40) for name in alone[:_NAMED]) + (", …" if len(alone) > _NAMED else "")
    return (f"all items of one cluster, so intervals of averages take these tasks for exact: {named_few}",)
