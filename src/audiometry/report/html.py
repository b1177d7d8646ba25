"""A report as one HTML file that works offline: no address in it leads anywhere but to its own clips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import StorageError, UsageError
from audiometry.files import atomic
from audiometry.report import pages, rows
from audiometry.report.clips import ClipEntry, ClipShelf
from audiometry.report.gather import RunView, gather, labels, positions
from audiometry.score.aligning.result import Mode
from audiometry.score.aligning.stored import Stored, in_common, stored_in
from audiometry.score.compare import Comparison, compare
from audiometry.score.judged import OpenRun, open_run
from audiometry.score.score import DEFAULT
from audiometry.stats.multiplicity import holm

NAME: Final = "report.html"


def write(
    paths: Sequence[Path],
    output: Path | None = None,
    source: str = "",
    profile: str = DEFAULT,
    *,
    align: Mode | None = None,
    judge: str = "",
) -> Path:
    """Write a report of one run, or of several side by side.

    Clips of at most `clips.MOST_EMBEDDED` bytes in all are put into the file; more are linked in a folder
    beside it, ``report-audio/`` for ``report.html``. Nothing is asked of any model.

    Args:
        paths: run folders, of one version of one benchmark; the first is what the others are compared with.
        output: the file; None: ``report.html`` in the run folder, or here if there are several.
        source: where the benchmark is now, if it moved.
        profile: whose rules the replies are scored by.
        align: use the alignment by a judge that all the runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several.

    Returns:
        Where the report is.

    Raises:
        UsageError: no run, one run twice, runs of different benchmarks, or runs that were not aligned alike.
        RunFolderError: not a run folder, or its benchmark has changed.
        StorageError: the file cannot be written; what stood there still stands.
    """
    runs = _opened(paths, source)
    if output is None:
        output = runs[0].folder.path / NAME if len(runs) == 1 else Path(NAME)
    if output.exists() and not output.is_file():
        raise StorageError(f"cannot write {output}: it is not a regular file; name a file with -o")
    variants = tuple(dict.fromkeys(name for run in runs for name in run.info.variants))
    held = stored_in(runs, profile)
    which = in_common(held, align, judge) if align else None
    views = [
        gather(run, number=i, label=label, profile=profile, variants=variants, which=which)
        for i, (run, label) in enumerate(zip(runs, labels(runs), strict=True))
    ]
    benchmark = runs[0].benchmark
    shelf = ClipShelf(
        benchmark, (name for position in positions(views) for name in benchmark.items.at(position).clips), output
    )
    report = pages.Report(
        views=views,
        variants=variants,
        profile=profile,
        clips=shelf,
        comparisons=_compared(views, profile, source, which),
        aligned=which,
        held=tuple(dict.fromkeys(one for each in held.values() for one in each)),
    )
    atomic.write_parts(output, _parts(report, shelf))
    return output


def _parts(report: pages.Report, shelf: ClipShelf) -> Iterator[bytes]:
    """The file from its first byte to its last; the clips one by one."""
    before, after = pages.render(report)
    tasks = pages.task_names(report)
    numbers = {task.name: i for i, task in enumerate(tasks)}
    yield before.encode()
    yield _data("names", rows.names(report.views, report.variants, tasks))
    yield b'<script type="application/json" id="items">'
    yield from rows.items(report.views, numbers, shelf.number)
    yield b"</script>\n"
    entries: list[ClipEntry] = []
    for number, payload in shelf.payloads(entries):
        yield b'<script type="text/plain" id="clip-%d">%b</script>\n' % (number, payload)
    yield _data("clips", rows.clip_entries(entries))
    yield after.encode()


def _data(name: str, document: bytes) -> bytes:
    return b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), document)


def _opened(paths: Sequence[Path], source: str) -> list[OpenRun]:
    if not paths:
        raise UsageError("a report needs a run; give the folder that `audiometry run` wrote")
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise UsageError(f"{path} is given twice; give each run once")
        seen.add(path.resolve())
    runs = [open_run(path, source) for path in paths]
    first = runs[0]
    for run in runs[1:]:
        if run.info.benchmark.sha256 != first.info.benchmark.sha256:
            raise UsageError(
                f"{first.folder.path} is a run of {_named(first)}, {run.folder.path} of {_named(run)}; "
                "only runs of the same version share a report"
            )
    return runs


def _compared(views: list[RunView], profile: str, source: str, which: Stored | None) -> list[Comparison]:
    """The first run against each other one; p over all items corrected over the comparisons (Holm)."""
    first, *others = (view.run.folder.path for view in views)
    planned = set(views[0].run.positions)
    found = [
        compare(
            first,
            other,
            profile,
            source,
            align=which.mode if which else None,
            judge=which.slug if which else "",
        )
        for other, view in zip(others, views[1:], strict=True)
        if planned.intersection(view.run.positions)
    ]
    corrected = holm([one.p for one in found])
    return [
        msgspec.structs.replace(one, p_corrected=p if len(found) > 1 else None)
        for one, p in zip(found, corrected, strict=True)
    ]


def _named(run: OpenRun) -> str:
    stamp = run.info.benchmark
    return f"{stamp.name} {stamp.version} ({stamp.sha256[:8]})"
