"""A built benchmark as a page: what was made, what it is like, what was rejected, what is wrong with it."""

from __future__ import annotations

from audiometry.builder.build import Built
from audiometry.errors import counted
from audiometry.files.build_folder import FOLDER, REJECTED
from audiometry.render.document import Section, line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.build import made, notes, without_clip
from audiometry.report.views.build_statistics import statistics
from audiometry.report.views.check import check


def page(found: Built) -> SectionPage:
    """What the page shows."""
    sections = list[Section]()
    if found.check is not None and found.statistics is not None:
        checked = Section(id="check", title="Defects", short="Defects", blocks=check(found.check).blocks)
        sections += [*statistics(found.statistics, found.check), checked]
    n = sum(found.info.items.values())
    return SectionPage(
        title=found.info.benchmark,
        eyebrow=f"{counted(n, 'item')}, {counted(found.info.clips, 'clip')}, seen by no reviewer",
        warnings=tuple(notes(found.plan)),
        first=(*made(found.plan, found.rejected), *without_clip(found.info)),
        sections=tuple(sections),
        foot=(
            line(
                f"Built by audiometry {found.info.audiometry} with seed {found.info.seed} from the spec ",
                name(found.info.spec_sha256[:12]),
                "; what was rejected stands in ",
                name(f"{FOLDER}/{REJECTED}"),
                ".",
                weight="dim",
            ),
        ),
    )
