"""The house's own layout, the default."""

from __future__ import annotations

from audiometry.run.layout import Layout

LAYOUTS = {
    "ours": Layout(
        "{question}\n\n{options}\n\nExactly one of these options is right. Reply with its letter and nothing else.",
        "{question}",
    )
}
