"""Judges' words that a run folder holds, used again: no model is loaded and nobody asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.errors import RunFolderError, UsageError, shown
from audiometry.files import jsonl
from audiometry.records import ReplyRecord
from audiometry.score import kept as scores
from audiometry.score.extras import Mode
from audiometry.score.judge.question import FIRST, Kind
from audiometry.score.judge.settings import slug_of

_JOURNAL: Final = re.compile(r"judge/(chat|align|golden|equivalence)-([A-Za-z0-9.-]+)\.jsonl")
_SHOWN: Final = {
    "golden": ", shown the right choice",
    "equivalence": ", shown the reference",
}  # they call it right or not
_WHERE: Final = {None: "", "judge": " where the rules read nothing", "always": " of every reply"}


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A judge, asked in one way, whose words on a run are kept.

    Attributes:
        name: as ``provider/name``; of one that is shown what is right, of which no account is kept,
            its slug.
        slug: of the judge, its parameters and its instructions together: equal ones were asked alike.
        kind: what it was asked: to score open answers, which option replies choose, or, shown what is right, whether
            they are correct.
        mode: about which replies to questions with options; None: open ones.
        parameters, prompt_sha256: see `JudgeAccount`.
        usage: what its words took, as it was counted when they were scored.
        failed: it said nothing that can be read: nothing is made of it unless it is asked for by name.
        panels: the slugs of each set of judges that it was named with, its own among them.
    """

    name: str
    slug: str
    kind: Kind = "chat"
    mode: Mode | None = None
    parameters: dict[str, Any] = {}
    prompt_sha256: str = ""
    usage: Usage | None = None
    failed: bool = False
    panels: frozenset[frozenset[str]] = frozenset()

    @property
    def journal(self) -> str:
        """Path of its answers, relative to the folder of the run or the build."""
        return f"{'asked' if self.kind == 'written' else 'judge'}/{self.kind}-{self.slug}.jsonl"

    @property
    def words(self) -> str:
        """Who it is, for people."""
        where = _WHERE[self.mode] + _SHOWN.get(self.kind, "")
        return f"{self.name}{where} ({self.slug})"

    def is_called(self, wanted: str) -> bool:
        """Whether that is its name or its slug."""
        golden = self.kind in _SHOWN and re.fullmatch(
            rf"{re.escape(slug_of(wanted))}-[0-9a-f]{{8}}(-own-temperature)?", self.slug
        )
        return wanted in {self.name, self.slug} or bool(golden)


class _Counts(msgspec.Struct, frozen=True):
    n_answered: int = 0
    n_refused: int = 0
    n_unjudged: int = 0


class _Account(msgspec.Struct):
    journal: str
    judge: str = ""
    mode: Mode | None = None
    n_put: int = 0
    n_judge_failed: int = 0
    row: _Counts = _Counts()
    parameters: dict[str, Any] = {}
    prompt_sha256: str = ""
    usage: Usage | None = None

    @property
    def failed(self) -> bool:
        row = self.row
        return 0 < self.n_put <= self.n_judge_failed or 0 == row.n_answered + row.n_refused < row.n_unjudged


class _Extras(msgspec.Struct, frozen=True):
    judges: dict[str, _Account] = {}
    alignment: _Account | None = None


class _Row(msgspec.Struct):
    extras: _Extras = _Extras()


class _Document(msgspec.Struct):
    scores: dict[str, _Row] = {}


def stored(folder: Path, kind: Kind = "chat", profile: str = "") -> tuple[Stored, ...]:
    """The judges that a run folder has words of, by the scores that it holds; in the order of their names.

    Args:
        folder: of the run.
        kind: what they were asked; those that are shown what is right are known by their journals alone.
        profile: whose score holds the alignment.
    """
    if kind in _SHOWN:
        journals = (_JOURNAL.fullmatch(f"judge/{path.name}") for path in sorted((folder / "judge").glob(f"{kind}-*")))
        return tuple(Stored(name=one[2], slug=one[2], kind=kind, mode="always") for one in journals if one)
    found: dict[tuple[str, Mode | None], Stored] = {}
    for document in scores.kept(folder, _Document):
        for extras in (row.extras for name, row in document.scores.items() if kind == "chat" or name == profile):
            accounts = extras.judges if kind == "chat" else {one.judge: one for one in (extras.alignment,) if one}
            slugs = {name: slug for name, one in accounts.items() if (slug := _slug(folder, kind, one.journal))}
            for name, slug in slugs.items():
                one = accounts[name]
                before = found.get((slug, one.mode))
                found[slug, one.mode] = Stored(
                    name=name,
                    slug=slug,
                    kind=kind,
                    mode=one.mode,
                    parameters=one.parameters,
                    prompt_sha256=one.prompt_sha256,
                    usage=one.usage,
                    failed=one.failed and (before is None or before.failed),
                    panels=(before.panels if before else frozenset()) | {frozenset(slugs.values())},
                )
    return tuple(sorted(found.values(), key=lambda one: (one.name, one.mode or "", one.slug)))


def _slug(folder: Path, kind: Kind, journal: str) -> str:
    """Of a judge whose answers are still there; empty if they are not. An alignment may have needed none."""
    found = _JOURNAL.fullmatch(journal)
    there = found and found[1] == kind and (kind == "align" or (folder / journal).is_file())
    return found[2] if found and there else ""


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


def in_common(
    held: Mapping[Path, Sequence[Stored]], wanted: str = "", lacking: Callable[[Path], str] | None = None
) -> tuple[Stored, ...]:
    """The judges that all of these runs were judged by, asked alike: scores of other judges do not compare.

    Several are put together only if they score open answers and were named together when the runs were judged. A judge
    that failed at every reply is passed over unless it is wanted, or nobody else reads choices.

    Args:
        held: the judges of each.
        wanted: one of them, by name or slug; empty: all that they have, which then have to be the same.
        lacking: of judges that read choices, of whom there can be but one: what to say of a run without.

    Raises:
        UsageError: a run was not judged, or by others; or one name stands for several, or they are no panel.
    """
    chosen = {path: _chosen(found, wanted, alone=lacking is not None) for path, found in held.items()}
    for path, found in chosen.items():
        if not found:
            raise UsageError(lacking(path) if lacking else _not_judged(path, held[path], wanted))
    first, *others = chosen.values()
    shared = set(first).intersection(*others)
    enough = shared and (lacking or (wanted and len(shared) == 1))
    if not enough and any(set(found) != shared for found in chosen.values()):
        which = "; ".join(f"{path} by {_listed(found)}" for path, found in chosen.items())
        hint = f"choose one with --judge {min(shared)}" if shared else "score them with the same judge, asked alike"
        raise UsageError(f"the runs were {'aligned' if lacking else 'judged'} differently: {which}; {hint}")
    if lacking and len(shared) > 1:
        raise UsageError(f"there are several alignments: {_listed(first, shared)}; choose one with --judge")
    judges = tuple(first[slug] for slug in sorted(shared))
    first_of: dict[str, Stored] = {}
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


def _not_judged(path: Path, found: Sequence[Stored], wanted: str) -> str:
    has = ", ".join(one.words for one in found)
    what = f"has no verdicts of {wanted} (it has those of {has})" if wanted and has else "has not been judged"
    command = f"audiometry score {shlex.quote(str(path))} --judge {shlex.quote(wanted or 'MODEL')}"
    return f"{path} {what}; have that done by {command}"


def _listed(judges: Mapping[str, Stored], these: Iterable[str] = ()) -> str:
    return ", ".join(judges[slug].words for slug in sorted(these or judges))


def _chosen(found: Sequence[Stored], wanted: str, *, alone: bool) -> dict[str, Stored]:
    """By slug: the one that is wanted, or all that did not fail."""
    if wanted:
        return {one.slug: one for one in found if one.is_called(wanted)}
    return {one.slug: one for one in found if not one.failed} or {one.slug: one for one in found if alone}


def _apart(one: Stored, other: Stored) -> str:
    """In what two ways to ask one judge differ."""
    if one.prompt_sha256 != other.prompt_sha256:
        return "with other instructions"
    ways = [{**judge.parameters, **judge.parameters.get(FIRST, {})} for judge in (one, other)]
    keys = sorted(key for key in ways[0].keys() | ways[1].keys() if ways[0].get(key) != ways[1].get(key))
    return f"its parameters differ: {shown(', '.join(key for key in keys if key not in one.parameters), 200)}"
