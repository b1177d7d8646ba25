"""What a metric program answered, kept as it comes, so that it is asked nothing twice and a stop loses nothing."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from audiometry.errors import RunFolderError, StorageError
from audiometry.files import jsonl, presence
from audiometry.files.journal import Journal
from audiometry.files.rating_lines import LARGEST
from audiometry.files.stamp import sha256_of
from audiometry.programs.terms import Terms
from audiometry.score.measures.pipe import Answers, Introduction, Keep, ask, unkept
from audiometry.score.measures.references import Watch


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the file.

    Attributes:
        key: hash of all that shaped the answer as far as it can be seen: the command, the files that it names, the
            variables that it gets, and the question.
        item: of the question, for people.
        score: the answer.
        itself: what the program had said of itself by then.
    """

    key: str
    item: str
    score: Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
    itself: Introduction = Introduction()


def asked(terms: Terms, lines: Mapping[str, bytes], watch: Watch, path: Path | None) -> tuple[Answers, int]:
    """The answers to all questions: those that are kept, and those that the program gives now.

    Failures are not kept. Where the program says by now that it is another than it was, it is asked everything anew.

    Args:
        terms: of the program.
        lines: by question, what is sent.
        watch: told how it goes.
        path: where answers are kept; None: nowhere.

    Returns:
        Also, how many are from before.

    Raises:
        UsageError: see `pipe.ask`.
        RunFolderError: the file is damaged, or another process asks the program for this run.
    """
    if path is None:
        return ask(terms, lines, watch), 0
    keys = _keys(terms, lines)
    itself, before = _before(path, keys)
    missing = {question: line for question, line in lines.items() if question not in before}
    if not missing:
        return Answers(dict(before), itself), len(before)
    with _keeping(path, keys) as keep:
        found = ask(terms, missing, watch, keep)
        came = any(isinstance(score, float) for score in found.scores.values())
        if before and came and found.itself != itself:
            again = ask(terms, {question: lines[question] for question in before}, watch, keep)
            return Answers({**again.scores, **found.scores}, found.itself), 0
    return Answers({**before, **found.scores}, itself if before else found.itself), len(before)


def _keys(terms: Terms, lines: Mapping[str, bytes]) -> dict[str, str]:
    program = msgspec.json.encode([terms.command, terms.passed, [sha256_of(Path(word)) for word in terms.command]])
    return {question: hashlib.sha256(program + line).hexdigest()[:32] for question, line in lines.items()}


def _before(path: Path, keys: Mapping[str, str]) -> tuple[Introduction, dict[str, float]]:
    """What the program said of itself last, and the answers that it gave as that."""
    wanted = {key: question for question, key in keys.items()}
    kept = {one.key: one for one in jsonl.read(path, Kept) if one.key in wanted}
    if not kept:
        return Introduction(), {}
    itself = next(reversed(kept.values())).itself
    return itself, {wanted[one.key]: one.score for one in kept.values() if one.itself == itself}


@contextlib.contextmanager
def _keeping(path: Path, keys: Mapping[str, str]) -> Iterator[Keep]:
    """What writes answers down; where the disk takes none, they are the caller's alone."""
    if presence.exists(path) and not presence.is_file(path):  # a device, which would take them and keep none
        yield unkept
        return
    try:
        journal = Journal(path)
    except RunFolderError as problem:
        raise RunFolderError(
            f"{path} is in use by another process; wait for it, then run the same command"
        ) from problem
    except StorageError:
        yield unkept
        return

    def keep(question: str, score: float, itself: Introduction) -> None:
        with contextlib.suppress(StorageError):
            journal.append(Kept(key=keys[question], item=question, score=score, itself=itself))

    with journal:
        yield keep
