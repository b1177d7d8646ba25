"""A built benchmark as a page: what was made, what it is like, what was rejected, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from audiometry import bench
from audiometry.bench.findings import CheckReport
from audiometry.builder import spec as specs
from audiometry.builder.build import Built, checked
from audiometry.builder.gather import recording_of
from audiometry.builder.statistics import Statistics
from audiometry.builder.statistics import statistics as measured
from audiometry.errors import counted
from audiometry.files import foreign
from audiometry.files.build_folder import FOLDER, REJECTED, SPEC, BuildInfo, Rejected
from audiometry.render.document import Block, Line, Section, line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.build import made, notes, of_tasks, without_clip
from audiometry.report.views.build_statistics import statistics
from audiometry.report.views.check import check


def page(found: Built) -> SectionPage:
    """What the page shows."""
    first = (*made(found.plan, found.rejected), *without_clip(found.info))
    return _page(found.info, found.check, found.statistics, notes(found.plan), first)


def reviewed(folder: Path, info: BuildInfo) -> SectionPage:
    """The page of the version that a review made of a built benchmark, from what its folder holds.

    Args:
        folder: of that version.
        info: what stands in its ``build.json``.

    Raises:
        BenchmarkError: it is not what a build and a review wrote.
    """
    benchmark = bench.load(folder)
    items = tuple(benchmark)
    lengths = [recording_of(benchmark, one).duration_s for one in sorted({item.file_name for item in items})]
    path = folder / FOLDER / REJECTED
    with path.open("rb") as file:
        rejected = list(foreign.Decoder(Rejected).lines(file))
    spec = specs.read(folder / FOLDER / SPEC)[0]
    first = of_tasks(spec, ((item, item.file_name) for item in items), rejected)
    unheard = without_clip(info) if info.blind is not None else ()  # of other items it is gone
    found = measured(folder, items, lengths, info.seed)
    return _page(info, checked(folder, items), found, [], (*first, *unheard))


def _page(
    info: BuildInfo,
    found: CheckReport | None,
    measured: Statistics | None,
    warnings: Iterable[Line],
    first: tuple[Block, ...],
) -> SectionPage:
    sections = list[Section]()
    if found is not None and measured is not None:
        defects = Section(id="check", title="Defects", short="Defects", blocks=check(found).blocks)
        sections += [*statistics(measured, found), defects]
    n = sum(info.items.values())
    left = round(info.unreviewed * n)
    seen = "seen by no reviewer" if left == n else f"{n - left:,} of them reviewed"
    version = f"version {info.version}, " if left < n else ""
    return SectionPage(
        title=info.benchmark,
        eyebrow=f"{version}{counted(n, 'item')}, {counted(info.clips, 'clip')}, {seen}",
        warnings=tuple(warnings),
        first=first,
        sections=tuple(sections),
        foot=(
            line(
                f"Built by audiometry {info.audiometry} with seed {info.seed} from the spec ",
                name(info.spec_sha256[:12]),
                "; what was rejected stands in ",
                name(f"{FOLDER}/{REJECTED}"),
                ".",
                weight="dim",
            ),
        ),
    )
