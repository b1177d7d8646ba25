"""What a report calls its runs, and which items it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from audiometry.errors import shown
from audiometry.files.run_folder import BenchmarkStamp
from audiometry.render.table import filed
from audiometry.score.opened import OpenedRun

_LONGEST: Final = 40  # characters of an ending
LONGEST: Final = 160  # characters of a name in a caption
FEW: Final = 8  # runs of which each is told of in the open, and is drawn task by task


def labels(runs: list[OpenedRun]) -> list[str]:
    """What each run is called: its model and recipe, and its folder too where two runs share these."""
    models = [run.info.called for run in runs]
    out = [
        model if models.count(model) == 1 else f"{model} ({run.folder.path.resolve().name})"
        for model, run in zip(models, runs, strict=True)
    ]
    return [label if out.count(label) == 1 else f"{label} {i}" for i, label in enumerate(out, 1)]


def called(labels: Sequence[str], benchmark: BenchmarkStamp) -> str:
    """What tables and figures are of: the run, where there is one, and the benchmark with its version.

    Args:
        labels: of the runs.
        benchmark: theirs.
    """
    run = f"{shown(labels[0], LONGEST)} " if len(labels) == 1 else ""
    return f"{run}on {shown(benchmark.name, LONGEST)} {shown(benchmark.version, LONGEST)}"


def endings(names: Sequence[str]) -> list[str]:
    """What tells sections that there are several of apart in ids and in names of files; nothing where there is one.

    >>> endings(["wer"]), endings(["macro-f1", "wer", "exec/my program", "WER"])
    ([''], ['-macro-f1', '-wer', '-exec-my-program', '-wer-4'])

    Of long ones the end stays, in which commands that begin alike differ.

    Args:
        names: as they are known to others: of measures, of tags.
    """
    found: list[str] = []
    for number, name in enumerate(names if len(names) > 1 else (), 1):
        ending = f"-{filed(name[-_LONGEST:], _LONGEST) or number}"
        found.append(f"{ending}-{number}" if ending in found else ending)
    return found or [""] * len(names)


def positions(runs: Iterable[OpenedRun]) -> Iterator[int]:
    """Places in the benchmark of all items that any of the runs planned, in order."""
    yield from sorted({position for run in runs for position in run.positions})
