"""``audiometry list runs``."""

from __future__ import annotations

from pathlib import Path

from audiometry.cli.say import say, say_blocks, say_json
from audiometry.errors import shown


def show(named: str | None, *, as_json: bool) -> None:
    """Print the runs in a folder: how far each is, its failures, its last scores.

    Args:
        named: the folder; None: `runs`, which need not be there.
        as_json: as one document.
    """
    from audiometry.files.run_folder import RUNS
    from audiometry.report.views import listings
    from audiometry.run.listed import runs

    where = RUNS if named is None else Path(named)
    rows = runs(where) if named is not None or where.exists() else []
    if as_json:
        return say_json(rows)
    if not rows:
        say(f"no runs yet in {shown(str(where))}/; audiometry run makes one", err=True)
        return None
    say_blocks(*listings.runs(rows), as_lines=True)
    return None
