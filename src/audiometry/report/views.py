"""What a report calls its runs, and which items it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from audiometry.score.opened import OpenedRun

if TYPE_CHECKING:
    from markupsafe import Markup

    from audiometry.report.gather import RunView

LONG_NAME: Final = 32
"""Characters of a run's name beyond which a page may break it."""


def labels(runs: list[OpenedRun]) -> list[str]:
    """What each run is called: its model and recipe, and its folder too where two runs share these."""
    models = [run.info.called for run in runs]
    out = [
        model if models.count(model) == 1 else f"{model} ({run.folder.path.resolve().name})"
        for model, run in zip(models, runs, strict=True)
    ]
    return [label if out.count(label) == 1 else f"{label} {i}" for i, label in enumerate(out, 1)]


def positions(views: Sequence[RunView]) -> Iterator[int]:
    """Places in the benchmark of all items that any of the runs planned, in order."""
    yield from sorted({position for view in views for position in view.run.positions})


def breakable(name: str) -> Markup:
    """A long name for a page on which a line may break behind its marks, and not inside a word.

    >>> str(breakable("cascade/pocketsphinx?hears=words&reader=hf/a/b"))
    'cascade/<wbr>pocketsphinx?<wbr>hears=<wbr>words&amp;<wbr>reader=<wbr>hf/<wbr>a/<wbr>b'
    """
    from markupsafe import Markup

    parts = re.split(r"(?<=[/?&=,])", name) if len(name) > LONG_NAME else [name]
    return Markup("<wbr>").join(filter(None, parts))
