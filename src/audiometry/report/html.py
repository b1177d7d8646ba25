"""A report as one HTML file that works offline: no address in it leads anywhere but to its own clips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from audiometry.errors import UsageError
from audiometry.files import atomic
from audiometry.files.secrets import Scrubber
from audiometry.render.document import Block
from audiometry.report import pages, rows
from audiometry.report.clips import ClipEntry, ClipShelf
from audiometry.report.explained import explained
from audiometry.report.gather import RunView, gather
from audiometry.report.naming import labels
from audiometry.report.pieces import ItemShelf
from audiometry.report.placing import NAME, here, refuse_others
from audiometry.report.read_once import opened
from audiometry.report.sent import Sent
from audiometry.report.shown import Wish, own_names, plans, wished
from audiometry.report.taken import Taken
from audiometry.score.confounds import alike
from audiometry.score.difference import compare
from audiometry.score.extras import Mode
from audiometry.score.opened import OpenedRun
from audiometry.score.planned import refuse_unknown
from audiometry.score.profiles import DEFAULT
from audiometry.score.readers.judged import Panel
from audiometry.score.result import Comparison
from audiometry.stats.multiplicity import holm

Watch: TypeAlias = Callable[[str, int, int], object]


def write(
    paths: Sequence[Path],
    output: Path | None = None,
    source: str = "",
    profile: str = DEFAULT,
    *,
    align: Mode | None = None,
    judge: str = "",
    panel: Panel = "mean",
    by: Sequence[str] = (),
    also: Callable[[tuple[Block, ...]], object] | None = None,
    mind: Callable[[str], object] | None = None,
    watch: Watch | None = None,
) -> Path:
    """Write a report of one run, or of several side by side.

    Clips of at most `clips.MOST_EMBEDDED` bytes in all are put into the file; more are linked in a folder
    beside it, ``report.html-audio/`` for ``report.html``. Nothing is asked of any model.

    Args:
        paths: run folders, of one version of one benchmark; the first is what the others are compared with.
        output: the file; None: ``report.html`` in the run folder, or here if there are several (`placing.here`).
        source: where the benchmark is now, if it moved.
        profile: whose rules the replies are scored by.
        align: use the alignment by a judge that all the runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several; of open questions, which are shown by the verdicts that
            all the runs hold, where ``align`` is None.
        panel: how the scores of several judges of open questions are put together.
        by: tags of items by whose values there are rows.
        also: is given all that the page's views show, once it stands.
        mind: is given, once it stands, which clips it lacks, if any.
        watch: is told what is counted, how many of them are done, and of how many.

    Returns:
        Where the report is.

    Raises:
        UnknownNameError: no item has such a tag.
        UsageError: no run, one run twice, runs of different benchmarks, or runs that were not judged or aligned alike.
        RunFolderError: not a run folder, or its benchmark has changed.
        StorageError: the file cannot be written; what stood there still stands.
    """
    runs = _opened(paths, source)
    if output is None:
        output = runs[0].folder.path / NAME if len(runs) == 1 else here(paths)
    refuse_others(output)
    wish = wished(runs, profile, align, judge, panel)
    variants = tuple(dict.fromkeys(name for run in runs for name in run.info.variants))
    views = _gathered(runs, wish, variants, by, watch)
    tasks = pages.task_names(views)
    shelves = ItemShelf(output), ClipShelf(runs[0].benchmark, output)
    with shelves[0] as items, shelves[1] as clips, Sent(views, clips) as sent:
        names = rows.named(views, variants, tasks, [one.name for one in wish.judges], sent)
        taken = Taken(len(views))
        wrong = explained(views)
        if wrong is not None:
            names.codes = wrong.titles
        items.put(rows.items(views, names, clips, sent, taken, {} if wrong is None else wrong.codes))
        page = pages.render(pages.Report(views, wish, tasks, clips, items, taken, wrong, _compared(views, watch)))
        earlier = items.earlier()
        atomic.write_parts(output, _parts(page, names, items, clips))
        items.sweep(earlier)
    if also is not None:
        also(page.blocks)
    if mind is not None and clips.lacking:
        mind(clips.lacking)
    return output


def _gathered(
    runs: list[OpenedRun], wish: Wish, variants: tuple[str, ...], by: Sequence[str], watch: Watch | None
) -> list[RunView]:
    views: list[RunView] = []
    for run, label in zip(runs, labels(runs), strict=True):
        views.append(gather(run, plans(run, wish), label=label, variants=variants, before=views[:1], by=by))
        if watch is not None:
            watch("runs", len(views), len(runs))
    for why in (why for view in views for name in own_names(wish) if (why := view.whole.broken.get(name))):
        raise UsageError(why)
    for tag in by:
        found = (view for view in views if any(one.by.get(tag) for one in view.whole.scores.values()))
        last = next(found, views[-1])
        refuse_unknown(last.run, tag, last.whole)
    return views


def _parts(page: pages.Rendered, names: rows.Named, items: ItemShelf, clips: ClipShelf) -> Iterator[bytes]:
    """The file from its first byte to its last, the clips one by one; what goes beside it is written on the way."""
    scrubber = Scrubber()  # of what a run folder of others may hold
    yield scrubber.text(page.before).encode()
    yield from _data("names", [rows.encoded(names, scrubber)])
    if items.embedded:
        yield from _data("items", items.document())
    entries: list[ClipEntry] = []
    for number, payload in clips.payloads(entries):
        yield b'<script type="text/plain" id="clip-%d">%b</script>\n' % (number, payload)
    yield from (
        _data("clips", [rows.encoded(entries)])
        if items.embedded
        else _data("pieces", [rows.encoded(items.write(entries))])
    )
    yield scrubber.text(page.after).encode()


def _data(name: str, document: Iterable[bytes]) -> Iterator[bytes]:
    yield b'<script type="application/json" id="%b">' % name.encode()
    yield from document
    yield b"</script>\n"


def _opened(paths: Sequence[Path], source: str) -> list[OpenedRun]:
    if not paths:
        raise UsageError("a report needs a run; give the folder that `audiometry run` wrote")
    runs = opened(paths, source)
    for run in runs[1:]:
        alike(runs[0], run)
    return runs


def _compared(views: Sequence[RunView], watch: Watch | None) -> dict[str, list[tuple[int, Comparison | str]]]:
    """By score, the first run against each other one; p over all items corrected over the comparisons (Holm)."""
    first, *others = views
    found: dict[str, list[tuple[int, Comparison | str]]] = {}
    for name, sheet in first.sheets.items() if others else ():
        tests: dict[int, Comparison] = {}
        whys: list[tuple[int, Comparison | str]] = []
        asked = set(first.run.positions)
        there = {n: one for n, one in enumerate(others, 1) if name in one.sheets}
        paired = {n: one for n, one in there.items() if asked & set(one.run.positions)}
        whys += ((n, "the runs have no item in common") for n in there if n not in paired)
        for number, other in paired.items():
            try:
                test = compare(sheet, other.sheets[name], [first.changed, other.changed], len(paired))
                made = tuple(dict.fromkeys(one.scored[name].signature for one in (first, other)))
                tests[number] = msgspec.structs.replace(test, signatures=made)
            except UsageError as problem:
                whys.append((number, str(problem)))
            if watch is not None:
                watch("comparisons", len(tests) + len(whys), len(paired))
        corrected = holm([test.p for test in tests.values()]) if len(tests) > 1 else [None] * len(tests)
        both = zip(tests.items(), corrected, strict=True)
        found[name] = [*((n, msgspec.structs.replace(test, p_corrected=p)) for (n, test), p in both), *whys]
    return found
