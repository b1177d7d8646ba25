"""Agreement of raters as a page with the three figures of AIR-Bench, drawn from anybody's ratings."""

from __future__ import annotations

from audiometry.analysis.agreement.result import Agreement
from audiometry.errors import counted
from audiometry.render.document import line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.agreement import agreement, doubts, made


def page(found: Agreement) -> SectionPage:
    """What the page shows."""
    raters, *sections = agreement(found)
    people = sum(one.kind == "person" for one in found.raters)
    others = len(found.raters) - people
    machines = "1 judge or metric" if others == 1 else f"{others:,} judges and metrics"
    files = [(name(one.path), f" ({counted(one.n_ratings, 'rating')})") for one in found.files]
    from_files = [word for at, both in enumerate(files) for word in ((", " if at else ""), *both)]
    return SectionPage(
        title="How far raters agree",
        eyebrow=f"{'1 person' if people == 1 else f'{people:,} people'}, {machines}",
        warnings=doubts(found).blocks,
        first=raters.blocks,
        sections=tuple(sections),
        foot=(line("Made of ", *from_files, ".", weight="dim"), made(found)),
    )
