"""Alignments by a judge that are stored in a run folder, to be used again without asking anybody."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audiometry.errors import UsageError
from audiometry.score.extras import Mode
from audiometry.score.kept import kept
from audiometry.score.opened import OpenedRun

_GOLDEN = re.compile(r"golden-([A-Za-z0-9.-]+)\.jsonl")
_JOURNAL = re.compile(r"judge/align-([A-Za-z0-9.-]+)\.jsonl")


class Stored(msgspec.Struct, frozen=True):
    """One alignment of a run under one profile.

    Attributes:
        judge: who, as ``provider/name``.
        mode: when the judge was asked.
        slug: of the judge, its parameters and its instructions together: equal ones were asked alike.
        failed: it read no reply that was put to it: others go before it unless it is asked for by name.
        golden: it was shown the right choice and said whether each reply is correct.
    """

    judge: str
    mode: Mode
    slug: str
    failed: bool = False
    golden: bool = False

    @property
    def journal(self) -> str:
        """Path of the judge's answers, relative to the run folder."""
        return f"judge/{'golden' if self.golden else 'align'}-{self.slug}.jsonl"

    @property
    def words(self) -> str:
        """Whose reading the numbers are, for people."""
        where = "where the rules read nothing" if self.mode == "judge" else "of every reply"
        where += ", shown the right choice" if self.golden else ""
        return f"{self.judge} {where} ({self.slug})"

    @property
    def suffix(self) -> str:
        """What it adds to the signature of a number."""
        return f"+align-judge-{self.slug}" + ("-always" if self.mode == "always" else "")


class _Align(msgspec.Struct):
    judge: str
    mode: Mode
    journal: str
    n_put: int = 0
    n_judge_failed: int = 0


class _Extras(msgspec.Struct):
    alignment: _Align | None = None


class _Row(msgspec.Struct):
    extras: _Extras = msgspec.field(default_factory=_Extras)


class _Document(msgspec.Struct):
    scores: dict[str, _Row] = {}


def stored(folder: Path, profile: str) -> tuple[Stored, ...]:
    """The alignments of a run folder under a profile, by the scores that it holds.

    Raises:
        RunFolderError: a score in the folder is damaged.
    """
    found = set()
    for document in kept(folder, _Document):
        one = document.scores.get(profile, _Row()).extras.alignment
        if one is not None and (journal := _JOURNAL.fullmatch(one.journal)):
            failed = 0 < one.n_put <= one.n_judge_failed
            found.add(Stored(one.judge, one.mode, journal[1], failed))
    return tuple(sorted(found, key=lambda one: (one.judge, one.mode, one.slug)))


def stored_in(runs: Sequence[OpenedRun], profile: str) -> dict[Path, tuple[Stored, ...]]:
    """The alignments of several runs, by folder; see `stored`."""
    return {run.folder.path: stored(run.folder.path, profile) for run in runs}


def in_common(folders: Mapping[Path, tuple[Stored, ...]], mode: Mode, judge: str = "") -> Stored:
    """The one alignment that all of these runs have: numbers of runs that were aligned otherwise do not compare.

    One that failed at every reply is passed over where there are others, unless its judge is named.

    Args:
        folders: what each of them has.
        mode: when the judge was asked.
        judge: whose, by name or slug; empty: there is only one.

    Raises:
        UsageError: a run has none, they have none in common, or several.
    """
    wanted = {path: _wanted(found, mode, judge) for path, found in folders.items()}
    named = shlex.quote(judge or "JUDGE")
    for path, found in wanted.items():
        if not found:
            has = ", ".join(f"--align {one.mode} --judge {one.slug}" for one in folders[path]) or "none at all"
            raise UsageError(
                f"{path} has no such alignment (it has {has}); "
                f"make it with audiometry score {shlex.quote(str(path))} --align {mode} --judge {named}"
            )
    shared = set.intersection(*wanted.values())
    if not shared:
        which = "; ".join(f"{path} by {', '.join(sorted(one.slug for one in has))}" for path, has in wanted.items())
        raise UsageError(f"the runs were aligned differently: {which}; score them with the same judge, asked alike")
    if len(shared) > 1:
        slugs = ", ".join(sorted(one.slug for one in shared))
        raise UsageError(f"there are several alignments: {slugs}; choose one with --judge")
    return shared.pop()


def golden_in_common(folders: Sequence[Path], profile: str, judge: str = "") -> Stored:
    """The one judge that was shown the right choices of all of these runs.

    Args:
        folders: of the runs.
        profile: that has it read.
        judge: which, by name or slug; empty: there is only one.

    Raises:
        UsageError: a run has none, they have none in common, or several.
    """
    held = [{slug for slug in _golden(folder) if _is_of(slug, judge)} for folder in folders]
    for folder, slugs in zip(folders, held, strict=True):
        if not slugs:
            command = f"audiometry score {shlex.quote(str(folder))} --profile {profile} --judge {judge or 'JUDGE'}"
            raise UsageError(f"{folder} holds no judge's words for profile {profile}; ask with {command}")
    shared = sorted(set.intersection(*held))
    if len(shared) != 1:
        which = (
            f"several judges' words: {', '.join(shared)}; choose one with"
            if shared
            else "no judge's words in common; score them all with one"
        )
        raise UsageError(f"for profile {profile} these runs hold {which} --judge")
    return Stored(shared[0], "always", shared[0], golden=True)


def _golden(folder: Path) -> list[str]:
    found = (_GOLDEN.fullmatch(path.name) for path in (folder / "judge").glob("golden-*.jsonl"))
    return [one[1] for one in found if one]


def _is_of(slug: str, judge: str) -> bool:
    """Whether a slug is a judge's, given as its name or its slug; or none is given."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", judge.partition("/")[2]).strip("-.")[:40]
    return judge in {"", slug} or re.fullmatch(rf"{re.escape(name)}-[0-9a-f]{{8}}(-own-temperature)?", slug) is not None


def _wanted(found: Sequence[Stored], mode: Mode, judge: str) -> set[Stored]:
    ones = [one for one in found if one.mode == mode and judge in {"", one.judge, one.slug}]
    kept = ones if judge else [one for one in ones if not one.failed] or ones
    return {msgspec.structs.replace(one, failed=False) for one in kept}
