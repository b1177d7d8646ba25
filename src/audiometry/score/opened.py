"""A run folder with its benchmark beside it, ready to be read."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from audiometry import bench
from audiometry.bench import Benchmark
from audiometry.bench.registry import FOLDERS, OPENERS
from audiometry.bench.selection import options, positions, stated
from audiometry.choices.variant import crossed
from audiometry.errors import RunFolderError, UsageError, counted, shown
from audiometry.files import presence
from audiometry.files.benchmark_folder import CARD, METADATA
from audiometry.files.run_folder import RunFolder, RunInfo
from audiometry.records import HowAsked, Item

WORDS = frozenset({"label", "transcript"})


class OpenedRun(msgspec.Struct, frozen=True):
    """A run folder with its benchmark.

    Attributes:
        folder, info: the folder and its ``run.json``.
        benchmark: what was asked, of the same content as then.
        positions: places in the benchmark of the items that were to be asked, in order.
    """

    folder: RunFolder
    info: RunInfo
    benchmark: Benchmark
    positions: Sequence[int]

    @property
    def n_without_clip(self) -> int:
        """How many of its items name no clip, as their task allows."""
        return sum(not self.benchmark.items.has_clip(position) for position in self.positions)

    @property
    def unlike_published(self) -> tuple[str, ...]:
        """How it was asked otherwise than published numbers are made: of fewer items, after other examples or orders.

        The last two only where the benchmark's card says how it is asked.
        """
        n, of = len(self.positions), max(len(self.benchmark), self.benchmark.of_published[1])
        asked, shots, orders = self.benchmark.card.asked, self.info.prompt.shots, crossed(self.info.variants).order
        said = [f"{n:,} of {counted(of, 'item')}"] if n < of else []
        if asked != HowAsked():
            said += [f"after {counted(shots, 'example')}, not {asked.shots}"] if shots != asked.shots else []
            said += [f"in {counted(orders, 'order')}, not {asked.orders}"] if orders != asked.orders else []
        return tuple(said)


def open_runs(runs: Iterable[Path | OpenedRun], source: str = "") -> list[OpenedRun]:
    """Several runs, each as `open_run` gives it; a benchmark that some have in common is opened once.

    Raises:
        UsageError: one is given twice.
    """
    found: list[OpenedRun] = []
    seen: set[Path] = set()
    for run in runs:
        path = run.folder.path if isinstance(run, OpenedRun) else run
        if path.resolve() in seen:
            raise UsageError(f"{path} is given twice; give each run once")
        seen.add(path.resolve())
        found.append(run if isinstance(run, OpenedRun) else open_run(run, source, found))
    return found


def open_run(path: Path, source: str = "", beside: Iterable[OpenedRun] = ()) -> OpenedRun:
    """A run folder and the benchmark it was made with.

    Args:
        path: of the folder.
        source: where the benchmark is now, if it moved; empty: where it was.
        beside: runs that were opened for the same purpose; a benchmark of theirs is not opened again.

    Raises:
        RunFolderError: not a run folder, or the benchmark has changed since.
        BenchmarkError: the benchmark cannot be used.
    """
    folder = RunFolder(path)
    if not folder.exists() and (instead := _instead(path)):
        raise RunFolderError(f"{shown(str(path), 200)} is not a run folder: {instead}")
    info = folder.info()
    for place in (info.benchmark.source, info.benchmark.data):
        if not source and Path(place).is_absolute() and not presence.exists(Path(place)):
            raise RunFolderError(
                f"{path} was made with {shown(place, 300)}, which is not there; say with --bench where it is now"
            )
    stamp = msgspec.structs.replace(info.benchmark, earlier=())
    opened = (run.benchmark for run in beside if msgspec.structs.replace(run.info.benchmark, earlier=()) == stamp)
    benchmark = next(opened, None) or bench.asked(info.benchmark, source)
    if benchmark.sha256 != info.benchmark.sha256 and benchmark.name != info.benchmark.name:
        raise RunFolderError(
            f"{path} was made with {shown(info.benchmark.name)}, and {shown(source or benchmark.source, 300)} is "
            f"{shown(benchmark.name)}; give with --bench where {shown(info.benchmark.name)} is now"
        )
    if benchmark.sha256 != info.benchmark.sha256:
        raise RunFolderError(
            f"{path} was made with another version of {info.benchmark.name} (content {info.benchmark.sha256[:12]}, "
            f"now {benchmark.sha256[:12]}); give the old version with --bench, or run again, with the options of then "
            f"(only what has changed is asked): {_command(folder, source)}"
        )
    if not info.extent:  # from before it was written down
        info = stated(benchmark, info, info.selections)
    return OpenedRun(folder, info, benchmark, positions(benchmark, info.selections))


def _instead(path: Path) -> str:
    """What a path is that is no run folder, and what to do with it; empty where that is not known."""
    named = shown(shlex.quote(str(path)), 200)
    if any(presence.is_file(path / name) for name in (CARD, METADATA)) or str(path) in (
        *FOLDERS.names(),
        *OPENERS.names(),
    ):
        return f"it is a benchmark; make a run of it first: audiometry run {named} --model MODEL"
    runs = sorted(one.parent for one in path.glob("*/run.json")) if presence.is_folder(path) else []
    if not runs:
        return ""
    these = shown(shlex.quote(str(runs[0])), 200)
    return f"{counted(len(runs), 'run')} in it, such as {these}; audiometry list runs {named} lists them"


def kind_of(run: OpenedRun, item: Item) -> str:
    """What an answer to an item is: a ``choice`` wherever it has options, else as its task says.

    An item without options in a task of choices is ``open``.
    """
    if item.options:
        return "choice"
    kind = run.benchmark.card.task_named(item.task).kind
    return "open" if kind == "choice" else kind


def has_open(run: OpenedRun) -> bool:
    """Whether a run has open items, which only a judge or a measure against references can score."""
    at, task_of = run.benchmark.items.at, run.benchmark.items.task_of
    may_be = {name for name in run.benchmark.tasks() if run.benchmark.card.task_named(name).kind == "open"}
    return bool(may_be) and any(not at(place).options for place in run.positions if task_of(place) in may_be)


def has_options(run: OpenedRun) -> bool:
    """Whether a run has items with options, which rules score."""
    at, task_of = run.benchmark.items.at, run.benchmark.items.task_of
    every = {name for name in run.benchmark.tasks() if run.benchmark.card.task_named(name).kind == "choice"}
    return any(task_of(position) in every or at(position).options for position in run.positions)


def has_words(run: OpenedRun, kinds: frozenset[str] = WORDS) -> bool:
    """Whether a run has items that rules score without options: of these kinds of task, or by a card's measure."""
    tasks = {name: run.benchmark.card.task_named(name) for name in run.benchmark.tasks()}
    mine = {name for name, task in tasks.items() if task.kind in kinds or task.measure}
    return any(run.benchmark.items.task_of(position) in mine for position in run.positions) if mine else False


def _command(folder: RunFolder, source: str) -> str:
    """The command that goes on with a run; where several have made it, with what the first of them chose."""
    info = folder.info()
    data = source or info.benchmark.data if info.benchmark.data else ""
    bench_now = info.benchmark.source if data else source or info.benchmark.source
    words = ["audiometry", "run", bench_now, "--model", info.model, *(["--data", data] if data else [])]
    return shown(shlex.join([*words, *options(info.selections[0]), "-o", str(folder.path)]), 1000)


def open_positions(run: OpenedRun) -> list[int]:
    """Places of a run's open items, those without options, which no rule can score."""
    items, card = run.benchmark.items, run.benchmark.card
    choices = {name for name in run.benchmark.tasks() if card.task_named(name).kind == "choice"}  # these have options
    return [p for p in run.positions if items.task_of(p) not in choices and not items.at(p).options]


def with_options(run: OpenedRun) -> OpenedRun:
    """The run without its open items."""
    opened = set(open_positions(run))
    return msgspec.structs.replace(run, positions=[p for p in run.positions if p not in opened]) if opened else run
