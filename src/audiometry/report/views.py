"""What a report's page and its browser of items need of a run, whatever it is scored by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from audiometry.records import Verdict
from audiometry.score.opened import OpenedRun

if TYPE_CHECKING:
    from markupsafe import Markup

VERDICTS: Final = tuple(Verdict)
NOT_ASKED: Final = "not asked"
"""What a reply is called of which the run has no record."""

LONG_NAME: Final = 32
"""Characters of a run's name beyond which a page may break it."""


class Shown(Protocol):
    """One run of a report."""

    @property
    def label(self) -> str:
        """How the page calls it; unlike that of any other run there."""
        ...

    @property
    def run(self) -> OpenedRun:
        """The run, with those of its items that the report is of."""
        ...

    @property
    def asked(self) -> tuple[int, ...]:
        """Numbers of its variants in the page's list."""
        ...

    @property
    def variants(self) -> tuple[int, ...]:
        """Those of them in which items come with their own clip: what the score is made of."""
        ...

    def row(self, position: int, variant: int, number: int) -> bytes:
        """The reply that counts for an item in a variant, as JSON; one that says so if it was never asked.

        Args:
            position: place of the item in the benchmark.
            variant: number in the page's list.
            number: of the run on the page.
        """
        ...


def labels(runs: list[OpenedRun]) -> list[str]:
    """What each run is called: its model and recipe, and its folder too where two runs share these."""
    models = [run.info.called for run in runs]
    out = [
        model if models.count(model) == 1 else f"{model} ({run.folder.path.resolve().name})"
        for model, run in zip(models, runs, strict=True)
    ]
    return [label if out.count(label) == 1 else f"{label} {i}" for i, label in enumerate(out, 1)]


def positions(views: Sequence[Shown]) -> Iterator[int]:
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
