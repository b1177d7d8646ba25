"""Replies found again after a correction: what no longer stands is taken back, what still does is taken over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from audiometry.bench.selection import count, planned
from audiometry.errors import RunFolderError, shown
from audiometry.files.journal import Journal
from audiometry.files.run_folder import RUNS, RunFolder, RunInfo
from audiometry.records import CHANGED, Failure, ReplyRecord
from audiometry.records.reply import now
from audiometry.run.folder import agree, claim, widened
from audiometry.run.plan import Plan
from audiometry.run.renamed import renamed, reworded
from audiometry.run.standing import Standing, Stands, standing

TAKEN_BACK = Failure(kind=CHANGED, message="the question or the clip was changed since the reply before; asked anew")


class Reuse(msgspec.Struct, frozen=True):
    """What a run found of earlier replies.

    Attributes:
        here: replies in its folder that stand, of what is planned, those taken over among them.
        in_folder: how many replies the folder is planned to hold, what commands before asked among them.
        there: those of them that stand.
        changed: replies in its folder that no longer stand.
        taken: replies taken over, by the folder they come from.
        taken_span: when the first and the last of them came, by folder, UTC, ISO 8601.
        served_at: where the model is asked now, if replies that stand were asked elsewhere; empty otherwise.
        served_before: where those were asked.
        since, until: when the first and the last of the replies that stand came, UTC, ISO 8601; empty for none.
        aside: the file to which ``--again`` moved what was there, empty for none, and how many replies that were.
        damaged: what is wrong in older folders, whose replies from there on could not be looked at.
    """

    here: int = 0
    in_folder: int = 0
    there: int = 0
    changed: int = 0
    taken: dict[str, int] = {}
    taken_span: dict[str, tuple[str, str]] = {}
    served_at: tuple[str, ...] = ()
    served_before: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    aside: tuple[str, int] = ("", 0)
    damaged: tuple[str, ...] = ()


def settle(
    journal: Journal, folder: RunFolder, plan: Plan, info: RunInfo, *, knows_answers: bool = False
) -> tuple[set[tuple[str, str]], Reuse]:
    """Claim a folder whose journal is held, and find every reply that need not be asked again.

    Replies that no longer stand are taken back before the folder says that it is of the corrected benchmark: whenever
    this is cut short, nothing that answers another question counts.

    Args:
        journal: of the folder.
        folder: of the run.
        plan: what is to be asked.
        info: what ``run.json`` is to say.
        knows_answers: its replies rest on the benchmark's answers, so that none answers another content.

    Returns:
        Item and variant of all that stands, and what to say of it.

    Raises:
        RunFolderError: the folder belongs to another run.
        StorageError: it cannot be written.
    """
    before = agree(folder, info)
    aside = ("", 0)
    if info.again and folder.has_replies() and not (before and before.unfinished):
        refuse_narrower(folder, plan, widened(folder, info, before, plan.benchmark))
        aside = set_aside(journal, folder)
    stands = Stands(plan)
    old = before or info
    corrected = old.benchmark.sha256 != info.benchmark.sha256 or bool(old.benchmark.earlier)
    found = standing(folder, stands, {*plan.variants, *old.variants}, words=corrected)
    if knows_answers and old.benchmark.sha256 != info.benchmark.sha256:
        found = Standing(changed=found.changed | found.done)
    take_back(journal, found)
    at_now, at_before = moved(info, old) if found.done else ((), ())
    info = claim(folder, info, plan.benchmark)
    times: dict[str, list[str]] = {}
    damaged: list[str] = []
    if plan.count(found.done) < len(plan):
        wanted = {(ask.item, ask.variant) for ask in plan.asks(found.done)}
        for place in () if knows_answers else _places(folder, info, found):
            try:
                for at in take_over(journal, found, wanted, place, stands):
                    times.setdefault(str(place.path), []).append(at)
            except RunFolderError as problem:
                damaged.append(str(problem))
    in_folder = planned(plan.benchmark, info.selections)
    return found.done, Reuse(
        here=plan.count(found.done),
        in_folder=info.n_planned,
        there=count(plan.benchmark, in_folder, found.done),
        changed=len(found.changed),
        taken={path: len(those) for path, those in times.items()},
        taken_span={path: (min(those), max(those)) for path, those in times.items()},
        served_at=at_now,
        served_before=at_before,
        since=found.since,
        until=found.until,
        aside=aside,
        damaged=tuple(damaged),
    )


def refuse_narrower(folder: RunFolder, plan: Plan, info: RunInfo) -> None:
    """Refuse to ask everything anew with a command that does not ask all that a folder holds.

    Raises:
        RunFolderError: replies would be set aside that nobody asks for again.
    """
    if info.n_planned > len(plan):
        raise RunFolderError(
            f"--again asks anew all {info.n_planned:,} replies of {shown(str(folder.path), 300)}, and these options "
            f"choose {len(plan):,}; leave out --task, --category and --limit, name every --variant and as many "
            "--orders, or give another folder with -o"
        )


def moved(now: RunInfo, before: RunInfo) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Where a model is asked now and where it was, if there is an address that was not asked before."""
    at_now, at_before = now.served_at or (), before.served_at or ()
    return (at_now, at_before) if at_before and not set(at_now) <= set(at_before) else ((), ())


def take_back(journal: Journal, found: Standing) -> None:
    """Write down which replies of a folder no longer stand, so that nobody counts them."""
    for item, variant in sorted(found.changed):
        journal.append(ReplyRecord(item=item, variant=variant, error=TAKEN_BACK, at=now()))


def take_over(
    journal: Journal, found: Standing, wanted: set[tuple[str, str]], folder: RunFolder, stands: Stands
) -> Iterator[str]:
    """Copy replies of a folder that answer what is wanted and not there; when each came.

    Args:
        journal: of the run; each copy is marked with the folder it comes from.
        found: what the run has; what is taken over is added.
        wanted: item and variant of what is missing; what is taken over is removed.
        folder: where to look; lines that were taken back there count as well, since hashes decide.
        stands: whether a reply answers what would be asked now.
    """
    for record in folder.lines():
        key = (record.item, record.variant)
        if key in wanted and record.error is None and stands(record, words=True, unknown=False):
            yield _copied(journal, found, wanted, record, folder)
        if not wanted:
            return
    for search in (renamed, reworded):
        for record in search(RunFolder(journal.path.parent), folder, wanted, stands):
            yield _copied(journal, found, wanted, record, folder)


def _copied(
    journal: Journal, found: Standing, wanted: set[tuple[str, str]], record: ReplyRecord, folder: RunFolder
) -> str:
    """Write down a reply that is taken over; when it came."""
    name = record.taken_from or folder.path.resolve().name
    journal.append(msgspec.structs.replace(record, cached=True, taken_from=name))
    found.add(record.item, record.variant, record.at)
    wanted.discard((record.item, record.variant))
    return record.at


def _places(folder: RunFolder, info: RunInfo, found: Standing) -> Iterator[RunFolder]:
    """Folders in which replies that answer what is wanted may be, its own first."""
    if found.changed or found.taken_back or found.gone:
        yield folder
    if not info.again:
        yield from older(folder, info)


def older(folder: RunFolder, info: RunInfo) -> Iterator[RunFolder]:
    """Folders of the same request, asked at the same addresses, to another content of the same benchmark, latest first.

    A folder of the very same content is another sample, which a person asked for by naming another folder: nothing is
    taken from it, nor from a folder of somebody else. Under one name each server may have a checkpoint of its own:
    nothing is taken from a folder that was asked at other addresses, or that does not say where.
    """
    found: dict[Path, str] = {}
    for parent in {folder.path.absolute().parent, RUNS.absolute()}:
        for path in _own_folders(parent):
            if path == folder.path.absolute():
                continue
            try:
                other = RunFolder(path).info()
            except RunFolderError:  # a damaged one is none of this run's business
                continue
            if _same_request(other, info) and other.benchmark.sha256 != info.benchmark.sha256:
                found[path] = other.started
    for path in sorted(found, key=lambda path: (found[path], path), reverse=True):
        yield RunFolder(path)


def _own_folders(parent: Path) -> Iterator[Path]:
    try:
        paths = sorted(parent.iterdir())
    except OSError:
        return
    for path in paths:
        try:
            if (path / "run.json").stat().st_uid == os.getuid():
                yield path
        except (OSError, ValueError):
            continue


def _same_request(other: RunInfo, info: RunInfo) -> bool:
    return (
        other.served_at is not None
        and (other.benchmark.name, other.model, other.served_at, other.audio, other.seed)
        == (info.benchmark.name, info.model, info.served_at, info.audio, info.seed)
    ) and msgspec.to_builtins(other.parameters) == msgspec.to_builtins(info.parameters)


def set_aside(journal: Journal, folder: RunFolder) -> tuple[str, int]:
    """Keep the replies of a folder under a free name, since they are asked anew; the file, and how many they are."""
    try:
        n = len({(record.item, record.variant) for record in folder.replies() if record.error is None})
    except RunFolderError:  # a damaged file is set aside as it is
        n = 0
    stem = f"replies-until-{now().replace(':', '-')}"
    number = 1
    path = folder.path / f"{stem}.jsonl"
    while path.exists():
        number += 1
        path = folder.path / f"{stem}-{number}.jsonl"
    journal.set_aside(path)
    return str(path), n
