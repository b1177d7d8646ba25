"""Verdicts on open answers that a run folder holds, used again: no model is loaded and nobody asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.errors import RunFolderError, UsageError, shown
from audiometry.files import jsonl
from audiometry.records import ReplyRecord
from audiometry.score import kept as scores
from audiometry.score.judge.question import FIRST
from audiometry.score.opened import OpenedRun, has_open, has_options

_JOURNAL = re.compile(r"chat-([A-Za-z0-9.-]+)\.jsonl")


class StoredJudge(msgspec.Struct, frozen=True):
    """A judge whose verdicts on a run are kept.

    Attributes:
        name: as ``provider/name``.
        slug: of the judge, its parameters and its instructions together: equal ones judge alike.
        parameters, prompt_sha256: see `JudgeAccount`.
        usage: what the verdicts took, as it was counted when they were scored.
        failed: it gave no reply a verdict that can be read: nothing is made of it unless it is asked for by name.
        panels: the slugs of each set of judges that it was named with, its own among them.
    """

    name: str
    slug: str
    parameters: dict[str, Any]
    prompt_sha256: str
    usage: Usage | None
    failed: bool = False
    panels: frozenset[frozenset[str]] = frozenset()

    @property
    def journal(self) -> str:
        """Path of its answers, relative to the run folder."""
        return f"judge/chat-{self.slug}.jsonl"

    @property
    def words(self) -> str:
        """Who it is, for people."""
        return f"{self.name} ({self.slug})"


class _Counts(msgspec.Struct, frozen=True):
    n_answered: int = 0
    n_refused: int = 0
    n_unjudged: int = 0


class _Account(msgspec.Struct):
    journal: str
    row: _Counts = _Counts()
    parameters: dict[str, Any] = {}
    prompt_sha256: str = ""
    usage: Usage | None = None


class _Extras(msgspec.Struct, frozen=True):
    judges: dict[str, _Account] = {}


class _Row(msgspec.Struct):
    extras: _Extras = _Extras()


class _Document(msgspec.Struct):
    scores: dict[str, _Row] = {}


def stored(folder: Path) -> tuple[StoredJudge, ...]:
    """The judges that a run folder has verdicts of, by the scores that it holds; in the order of their names.

    Raises:
        RunFolderError: a score in the folder is damaged.
    """
    found: dict[str, StoredJudge] = {}
    for document in scores.kept(folder, _Document):
        for judges in (row.extras.judges for row in document.scores.values()):
            slugs = {name: _slug(folder, one) for name, one in judges.items()}
            panel = frozenset(filter(None, slugs.values()))
            for name, one in judges.items():
                if slug := slugs[name]:
                    before = found.get(slug)
                    found[slug] = StoredJudge(
                        name=name,
                        slug=slug,
                        parameters=one.parameters,
                        prompt_sha256=one.prompt_sha256,
                        usage=one.usage,
                        failed=_failed(one.row) and (before is None or before.failed),
                        panels=(before.panels if before else frozenset()) | {panel},
                    )
    return tuple(sorted(found.values(), key=lambda one: (one.name, one.slug)))


def _slug(folder: Path, one: _Account) -> str:
    """Of a judge whose answers are still there; empty if they are not."""
    journal = _JOURNAL.fullmatch(one.journal.removeprefix("judge/"))
    return journal[1] if journal and (folder / one.journal).is_file() else ""


def _failed(row: _Counts) -> bool:
    return 0 == row.n_answered + row.n_refused < row.n_unjudged


def by_judge(run: OpenedRun, align: str | None, judge: str) -> bool:
    """Whether a run is to be shown by judges' scores of its open questions, and not by what rules read.

    Args:
        run: the run.
        align: how replies to questions with options are aligned; None: not.
        judge: the one that is named; empty for none.

    Raises:
        UsageError: a judge is named where it has nothing to do, or replies to open questions are to be aligned.
    """
    if not has_options(run):
        if align:
            raise UsageError(
                f"{run.folder.path}: the questions of {run.info.benchmark.name} are open, there is nothing to align; "
                "leave --align out, verdicts that the run holds are used"
            )
        return True
    if not judge or align:
        return False
    if not has_open(run):
        raise UsageError(f"--judge {judge} has nothing to do under --align rules; add --align judge or always")
    return True


def begun(folder: Path) -> tuple[str, ...]:
    """Journals of judges that answered and were never scored by: the judging was stopped before its end."""
    known = {one.journal for one in stored(folder)}
    paths = sorted((folder / "judge").glob("chat-*.jsonl"))
    return tuple(name for path in paths if (name := f"judge/{path.name}") not in known and _answered(path))


def _answered(journal: Path) -> bool:
    """Whether a judge ever answered: one that was tried in vain leaves no mark."""
    try:
        return any(record.text is not None and record.error is None for record in jsonl.read(journal, ReplyRecord))
    except RunFolderError:
        return True  # whoever goes on with it is told what is damaged


def in_common(folders: Mapping[Path, Sequence[StoredJudge]], wanted: str = "") -> tuple[StoredJudge, ...]:
    """The judges that all of these runs were judged by, asked alike: scores of other judges do not compare.

    Several are put together only if they were named together when the runs were judged. A judge that failed at every
    reply is passed over unless it is wanted.

    Args:
        folders: the judges of each.
        wanted: one of them, by name or slug; empty: all that they have, which then have to be the same.

    Raises:
        UsageError: a run was not judged, or by others; or one name stands for several, or they are no panel.
    """
    chosen = {path: _chosen(found, wanted) for path, found in folders.items()}
    for path, found in chosen.items():
        if not found:
            has = _listed({one.slug: one for one in folders[path]})
            what = f"has no verdicts of {wanted} (it has those of {has})" if wanted and has else "has not been judged"
            then = f"audiometry score {shlex.quote(str(path))} --judge {shlex.quote(wanted or 'MODEL')}"
            raise UsageError(f"{path} {what}; have that done by {then}")
    first, *others = chosen.values()
    shared = set(first).intersection(*others)
    if any(set(found) != shared for found in chosen.values()) and not (wanted and len(shared) == 1):
        which = "; ".join(f"{path} by {_listed(found)}" for path, found in chosen.items())
        hint = f"choose one with --judge {min(shared)}" if shared else "score them with the same judge, asked alike"
        raise UsageError(f"the runs were judged differently: {which}; {hint}")
    judges = tuple(first[slug] for slug in sorted(shared))
    first_of: dict[str, StoredJudge] = {}
    for one in judges:
        other = first_of.setdefault(one.name, one)
        if other is not one:
            raise UsageError(
                f"{one.name} was asked in several ways ({_apart(other, one)}): choose one with --judge {other.slug} "
                f"or --judge {one.slug}"
            )
    for path, found in chosen.items():
        if len(shared) > 1 and not any(panel >= shared for panel in found[min(shared)].panels):
            together = shlex.join([str(path), *(word for one in judges for word in ("--judge", one.name))])
            raise UsageError(
                f"{path} was judged by {_listed(first, shared)}, not by all of them together: choose one with "
                f"--judge {min(shared)}, or make them a panel by audiometry score {together}"
            )
    return judges


def _listed(judges: Mapping[str, StoredJudge], these: Iterable[str] = ()) -> str:
    return ", ".join(judges[slug].words for slug in sorted(these or judges))


def _chosen(found: Sequence[StoredJudge], wanted: str) -> dict[str, StoredJudge]:
    """By slug: the one that is wanted, or all that did not fail."""
    return {one.slug: one for one in found if (wanted in {one.name, one.slug} if wanted else not one.failed)}


def _apart(one: StoredJudge, other: StoredJudge) -> str:
    """In what two ways to ask one judge differ."""
    if one.prompt_sha256 != other.prompt_sha256:
        return "with other instructions"
    ways = [{**judge.parameters, **judge.parameters.get(FIRST, {})} for judge in (one, other)]
    keys = sorted(key for key in ways[0].keys() | ways[1].keys() if ways[0].get(key) != ways[1].get(key))
    return f"its parameters differ: {shown(', '.join(key for key in keys if key not in one.parameters), 200)}"
