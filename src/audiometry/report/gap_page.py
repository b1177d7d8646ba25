"""The gap as a page: benchmarks by effect, each against the ratings, and what so few systems can never show."""

from __future__ import annotations

from audiometry.analysis.gap.result import Gap
from audiometry.errors import counted
from audiometry.render.document import line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.gap import gap, made


def page(found: Gap, sources: tuple[str, ...]) -> SectionPage:
    """What the page shows.

    Args:
        found: what the gap says.
        sources: files that it was made of.
    """
    sections = gap(found)
    minded = next((one for one in sections if one.id == "minded"), None)
    first = next((one for one in sections if one.id == "effects"), None)
    from_files = [word for at, source in enumerate(sources) for word in ((", " if at else ""), name(source))]
    return SectionPage(
        title=f"Static scores against {found.of}",
        eyebrow=f"{counted(found.n_systems, 'system')}, {counted(len(found.benchmarks), 'benchmark')}"
        + (f", {counted(found.n_votes, found.of.removesuffix('s'))}" if found.n_votes else ""),
        warnings=() if minded is None else minded.blocks,
        first=() if first is None else first.blocks,
        sections=tuple(one for one in sections if one.id not in {"minded", "effects"}),
        foot=(line("Made of ", *from_files, ".", weight="dim"), made(found)),
    )
