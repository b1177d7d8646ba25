"""The runs in a folder at a glance; of each only ``run.json``, the lines of its replies and its last scores are read.

The benchmark of one that was corrected is read too: its folder alone does not tell which items are still planned.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from audiometry import bench
from audiometry.bench.selection import positions
from audiometry.choices.variant import n_asked
from audiometry.errors import AudiometryError, RunFolderError, UndecodableError, UsageError, shown
from audiometry.files import foreign, presence, replies
from audiometry.files.run_folder import RunFolder, RunInfo

PROFILE = "strict"
LARGEST_SCORE = 1 << 24  # bytes


class LastScore(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its scale, as it is stored; see `score.result.Scored`."""

    value: float | None = None
    measure: str = "accuracy"
    profile: str = PROFILE
    unit: str = "share correct"
    range: tuple[float | None, float | None] = (0.0, 1.0)
    kinds: tuple[str, ...] = ()
    rankable: bool = True


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run folder in a line.

    Attributes:
        name, path: of the folder.
        benchmark, version, model: what was asked, of whom; empty if the folder cannot be read.
        asked: the model, and by whose recipe.
        done, planned: replies that are there, of items times variants.
        failed: of the planned, tried without a reply.
        stopped: something of the planned was never asked: the run was stopped, or is under way.
        value, profile: of the first of ``scores`` and its name; none if it has none.
        highest: score there can be: 1, or 10 where judges scored; None: no end.
        scores: by name, of each kind of task the one stored last, that by the rules of ``strict`` first; none where a
            reply came since, if something was never asked, or where so much failed that it is not to be ranked.
        started: UTC, ISO 8601.
        problem: why the folder cannot be read; empty if it can.
    """

    name: str
    path: str
    benchmark: str = ""
    version: str = ""
    model: str = ""
    asked: str = ""
    done: int = 0
    planned: int = 0
    failed: int = 0
    stopped: bool = False
    value: float | None = None
    highest: float | None = 1.0
    profile: str = ""
    scores: dict[str, LastScore] = {}
    started: str = ""
    problem: str = ""


class _Stored(msgspec.Struct):
    scores: dict[str, LastScore] = {}


def runs(where: Path) -> list[RunRow]:
    """The run folders in a folder, or that one alone if it is one; the latest first, those that cannot be read last.

    Raises:
        UsageError: there is no such folder.
    """
    if presence.is_file(where / "run.json"):
        return [_row(where)]
    try:
        folders = sorted(path for path in where.iterdir() if _is_run(path))
    except OSError as problem:
        named = shown(str(where), 200)
        raise UsageError(f"{named}: {problem.strerror}; name the folder that holds your run folders") from problem
    rows = sorted((_row(path) for path in folders), key=lambda row: row.started, reverse=True)
    return sorted(rows, key=lambda row: bool(row.problem))


def _is_run(path: Path) -> bool:
    return any(presence.exists(path / name) for name in ("run.json", "replies.jsonl"))


def _row(path: Path) -> RunRow:
    folder = RunFolder(path)
    try:
        info = folder.info()
        done, failed = _counts(folder, info)
    except (RunFolderError, OSError) as problem:
        return RunRow(name=path.name, path=str(path), problem=shown(str(problem), 200))
    planned = info.n_planned or n_asked(info.variants, info.n_items, info.n_without_clip)
    scores = _scores(folder) if done + failed >= planned else {}
    name, first = next(iter(scores.items()), ("", LastScore()))
    return RunRow(
        name=path.name,
        path=str(path),
        benchmark=info.benchmark.name,
        version=info.benchmark.version,
        model=info.model,
        asked=info.called,
        done=min(done, planned),  # where the benchmark is not there to tell which items were removed since
        planned=planned,
        failed=failed,
        stopped=done + failed < planned,
        value=first.value,
        highest=first.range[1],
        profile=name,
        scores=scores,
        started=info.started,
    )


def _counts(folder: RunFolder, info: RunInfo) -> tuple[int, int]:
    """Of what is planned, how many items and variants have a reply, and how many were tried without one."""
    done: set[tuple[str, str]] = set()
    failed: set[tuple[str, str]] = set()
    for line in replies.that_count(folder.replies_path, replies.Line):
        if line.variant in info.variants:
            (done if line.came else failed).add((line.item, line.variant))
    if info.benchmark.earlier or len({item for item, _ in done | failed}) > info.n_items:
        planned = _planned(info)
        if planned is not None:
            done, failed = ({key for key in keys if key[0] in planned} for keys in (done, failed))
    return len(done), len(failed)


def _planned(info: RunInfo) -> set[str] | None:
    """Ids of the planned items; None if the benchmark is no longer there as it was asked, or is on the hub."""
    if info.benchmark.revision:
        return None
    try:
        benchmark = bench.asked(info.benchmark)
        asked = positions(benchmark, info.selections)
    except AudiometryError:
        return None
    if benchmark.sha256 != info.benchmark.sha256:
        return None
    return {benchmark.items.at(position).id for position in asked}


def _scores(folder: RunFolder) -> dict[str, LastScore]:
    """Of each kind of task what was stored last, unless a reply came later; ours before programs and others' rules."""
    last: dict[str, tuple[int, Path]] = {}  # by name, which stands before the signature
    try:
        replied = folder.replies_path.stat().st_mtime_ns
        for path in (folder.path / "scores").glob("*--*.json"):
            name, at = path.name.rpartition("--")[0], path.stat().st_mtime_ns
            if at >= replied:
                last[name] = max(last.get(name, (0, path)), (at, path))
    except OSError:
        return {}
    found: dict[str, LastScore] = {}
    seen: set[str] = set()
    for _, path in sorted(last.values(), key=lambda one: (*_rank(one[1]), -one[0], one[1])):
        with contextlib.suppress(OSError, ValueError, UndecodableError):
            for name, one in foreign.json(foreign.read_file(path, LARGEST_SCORE), _Stored).scores.items():
                kinds = set(one.kinds) or {"choice"}
                if kinds & seen:
                    continue
                seen |= kinds
                if one.rankable and one.value is not None:
                    found[name] = one
    return dict(sorted(found.items(), key=lambda one: (one[0] != PROFILE, one[0])))


def _rank(path: Path) -> tuple[bool, bool, bool]:
    """What is shown before others: the house's rules, and what is no program."""
    name = path.name.rpartition("--")[0]
    return name != PROFILE, not name.endswith(f"-{PROFILE}"), name.startswith("exec-")
