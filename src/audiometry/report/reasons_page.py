"""Reasons as a page."""

from __future__ import annotations

from audiometry.analysis.reasons.result import Reasons
from audiometry.errors import counted
from audiometry.render.document import line, name
from audiometry.report.section_page import SectionPage
from audiometry.report.views.reasons import made, notes, reasons


def page(found: Reasons) -> SectionPage:
    """What the page shows."""
    return SectionPage(
        title="Why people prefer one reply",
        eyebrow=f"{counted(found.n_said, 'vote')} with words, {counted(len(found.reasons), 'reason')}",
        warnings=notes(found),
        first=(),
        sections=reasons(found),
        foot=(line("Made of ", name(found.source), ".", weight="dim"), made(found)),
    )
