"""A report as one HTML file that works offline: no address in it leads anywhere but to its own clips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from audiometry.errors import StorageError, UsageError
from audiometry.files import atomic, presence
from audiometry.report import chat_pages, pages, rows
from audiometry.report.chat_gather import STATES, gather_open
from audiometry.report.clips import ClipEntry, ClipShelf
from audiometry.report.gather import gather
from audiometry.report.placing import NAME, here
from audiometry.report.read_once import opened
from audiometry.report.views import Shown, labels, positions
from audiometry.score.extras import Mode
from audiometry.score.heard import heard
from audiometry.score.judge.planning import by_verdicts, held_in_common
from audiometry.score.judge.stored import StoredJudge, stored
from audiometry.score.judge.stored import in_common as judges_in_common
from audiometry.score.judge.stored_alignments import stored_in
from audiometry.score.opened import OpenedRun, open_positions, with_options
from audiometry.score.profiles import DEFAULT
from audiometry.score.readers.judged import Panel
from audiometry.score.result import Comparison
from audiometry.score.two_runs import compare
from audiometry.stats.multiplicity import holm


def write(
    paths: Sequence[Path],
    output: Path | None = None,
    source: str = "",
    profile: str = DEFAULT,
    *,
    align: Mode | None = None,
    judge: str = "",
    panel: Panel = "mean",
) -> Path:
    """Write a report of one run, or of several side by side.

    Clips of at most `clips.MOST_EMBEDDED` bytes in all are put into the file; more are linked in a folder
    beside it, ``report-audio/`` for ``report.html``. Nothing is asked of any model.

    Args:
        paths: run folders, of one version of one benchmark; the first is what the others are compared with.
        output: the file; None: ``report.html`` in the run folder, or here if there are several (`placing.here`).
        source: where the benchmark is now, if it moved.
        profile: whose rules the replies are scored by.
        align: use the alignment by a judge that all the runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several. Open questions are shown by the verdicts that all the
            runs hold; with questions of both kinds, where a judge is named and ``align`` is None.
        panel: how the scores of several judges of open questions are put together.

    Returns:
        Where the report is.

    Raises:
        UsageError: no run, one run twice, runs of different benchmarks, or runs that were not judged or aligned alike.
        RunFolderError: not a run folder, or its benchmark has changed.
        StorageError: the file cannot be written; what stood there still stands.
    """
    runs = _opened(paths, source)
    if output is None:
        output = runs[0].folder.path / NAME if len(runs) == 1 else here(paths)
    if presence.exists(output) and not presence.is_file(output):
        raise StorageError(f"cannot write {output}: it is not a regular file; name a file with -o")
    if by_verdicts(runs[0], profile, align, judge):
        judges = _judges(runs, judge)
        page = _open_page(runs, output, profile, judges, panel)
    else:
        page = _page(runs, output, profile, align, judge)
    atomic.write_parts(output, page)
    return output


def _page(runs: list[OpenedRun], output: Path, profile: str, align: Mode | None, judge: str) -> Iterator[bytes]:
    """The page of questions with options."""
    n_open = {position for run in runs for position in open_positions(run)}
    runs = [with_options(run) for run in runs]
    variants = _variants(runs)
    held = stored_in(runs, profile)
    which = held_in_common(runs, profile, align, judge)
    views = [
        gather(run, number=i, label=label, profile=profile, variants=variants, which=which)
        for i, (run, label) in enumerate(zip(runs, labels(runs), strict=True))
    ]
    shelf = _shelf(views, output)
    report = pages.Report(
        views=views,
        variants=variants,
        profile=profile,
        clips=shelf,
        comparisons=_compared(views, profile, align, which.slug if which else ""),
        aligned=which,
        held=tuple(dict.fromkeys(one for each in held.values() for one in each)),
        n_open=len(n_open),
    )
    tasks = pages.task_names(views)
    return _parts(pages.render(report), views, shelf, tasks, rows.names(views, variants, tasks))


def _open_page(
    runs: list[OpenedRun], output: Path, profile: str, judges: tuple[StoredJudge, ...], panel: Panel
) -> Iterator[bytes]:
    """The page of open questions."""
    variants = _variants(runs)
    views = [
        gather_open(run, number=i, label=label, profile=profile, variants=variants, judges=judges, panel=panel)
        for i, (run, label) in enumerate(zip(runs, labels(runs), strict=True))
    ]
    shelf = _shelf(views, output)
    one = judges[0].slug if len(judges) == 1 else ""
    report = chat_pages.ChatReport(
        views=views,
        profile=profile,
        clips=shelf,
        comparisons=_compared(views, profile, None, one, panel) if judges else [],
        judges=judges,
        panel=panel,
    )
    tasks = pages.task_names(views)
    called = tuple(one.name for one in judges)
    names = rows.names(views, variants, tasks, verdicts=STATES, judges=called)
    return _parts(chat_pages.render(report), views, shelf, tasks, names)


def _judges(runs: list[OpenedRun], judge: str) -> tuple[StoredJudge, ...]:
    """The judges whose verdicts all the runs hold; none where no run was judged and none is named."""
    held = {run.folder.path: stored(run.folder.path) for run in runs}
    judged = any(not one.failed for found in held.values() for one in found)
    return judges_in_common(held, judge) if judge or judged else ()


def _variants(runs: list[OpenedRun]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for run in runs for name in run.info.variants))


def _shelf(views: Sequence[Shown], output: Path) -> ClipShelf:
    benchmark = views[0].run.benchmark
    clips = (name for position in positions(views) for name in benchmark.items.at(position).clips)
    return ClipShelf(benchmark, clips, output, {view.label: heard(view.run) for view in views})


def _parts(
    page: tuple[str, str], views: Sequence[Shown], shelf: ClipShelf, tasks: list[rows.TaskName], names: bytes
) -> Iterator[bytes]:
    """The file from its first byte to its last; the clips one by one."""
    before, after = page
    numbers = {task.name: i for i, task in enumerate(tasks)}
    yield before.encode()
    yield _data("names", names)
    yield b'<script type="application/json" id="items">'
    yield from rows.items(views, numbers, shelf.number)
    yield b"</script>\n"
    entries: list[ClipEntry] = []
    for number, payload in shelf.payloads(entries):
        yield b'<script type="text/plain" id="clip-%d">%b</script>\n' % (number, payload)
    yield _data("clips", rows.clip_entries(entries))
    yield after.encode()


def _data(name: str, document: bytes) -> bytes:
    return b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), document)


def _opened(paths: Sequence[Path], source: str) -> list[OpenedRun]:
    if not paths:
        raise UsageError("a report needs a run; give the folder that `audiometry run` wrote")
    runs = opened(paths, source)
    first = runs[0]
    for run in runs[1:]:
        if run.info.benchmark.sha256 != first.info.benchmark.sha256:
            raise UsageError(
                f"{first.folder.path} is a run of {_named(first)}, {run.folder.path} of {_named(run)}; "
                "only runs of the same version share a report"
            )
    return runs


def _compared(
    views: Sequence[Shown], profile: str, align: Mode | None, judge: str, panel: Panel = "mean"
) -> list[Comparison]:
    """The first run against each other one; p over all items corrected over the comparisons (Holm)."""
    first, *others = (view.run for view in views)
    planned = set(views[0].run.positions)
    found = [
        compare(first, other, profile, align=align, judge=judge, panel=panel)
        for other, view in zip(others, views[1:], strict=True)
        if planned.intersection(view.run.positions)
    ]
    corrected = holm([one.p for one in found])
    return [
        msgspec.structs.replace(one, p_corrected=p if len(found) > 1 else None)
        for one, p in zip(found, corrected, strict=True)
    ]


def _named(run: OpenedRun) -> str:
    stamp = run.info.benchmark
    return f"{stamp.name} {stamp.version} ({stamp.sha256[:8]})"
