"""From votes to why people prefer one reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

import audiometry
from audiometry.analysis.coding import rules as coding_rules
from audiometry.analysis.coding.labelled import HELD_OUT, ROUNDABOUT, SAMPLE, Agreement, agreement, between, sample
from audiometry.analysis.reasons import book as books
from audiometry.analysis.reasons import doubts
from audiometry.analysis.reasons.by_model import by_model
from audiometry.analysis.reasons.counts import counted_of, share
from audiometry.analysis.reasons.quotes import QUOTES, quotes
from audiometry.analysis.reasons.result import BookCode, Coder, Reasons, Tongue
from audiometry.analysis.reasons.spoken import HAS, Coding, Flags, Reason, Spoken, by_rules, coded, spoken, ways
from audiometry.analysis.reasons.tongues import teller, tongue
from audiometry.errors import UsageError, shown
from audiometry.files.code_book import Book
from audiometry.files.votes import VoteFile, said_of
from audiometry.records.votes import Outcome
from audiometry.score.judge.settings import Follow

if TYPE_CHECKING:
    from audiometry.score.judge.judge import Judge

RULES: Final = "rules"
HELD: Final = {HELD_OUT: SAMPLE, ROUNDABOUT: "comments in roundabout words"}
"""Parts of the labelled sample that coders are held against, and what they are called."""
TICKS: Final = "ticked tags"


class _Coded(msgspec.Struct, frozen=True):
    """What one coder makes of the comments."""

    coder: Coder
    flags: Flags
    failed: NDArray[np.bool_]
    held: tuple[Agreement, ...]


def reasons(
    file: VoteFile,
    *,
    book: Book | None = None,
    judges: Sequence[Judge] = (),
    keep: Path | None = None,
    follow: Follow | None = None,
    quoted: int = QUOTES,
) -> Reasons:
    """Say why people prefer one reply: tags that they ticked and comments that they wrote, by a code book.

    Comments are coded by the book's rules, and by judges where there are any; the first judge then counts. Under the
    house's book every coder is held against the half of a labelled sample that its rules were not written from.

    Args:
        file: the votes, read with their texts, and grouped by language where that is known.
        book: the codes; None: the house's.
        judges: who codes the comments besides the rules.
        keep: folder in which judges' answers are kept, so that nobody is asked twice; needed with judges.
        follow: who is told how it goes.
        quoted: comments of each reason that are quoted.

    Raises:
        UsageError: no vote says anything in words, or the book has no rules and there is no judge.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.
    """
    book = book or books.own()
    if not book.has_rules and not judges:
        raise UsageError("the code book has no rules, so that comments need a judge; name one with --judge")
    said = spoken(file, book)
    if not len(said.vote):
        raise UsageError(
            f"{file.path}: none of {file.votes.n:,} votes says anything in words; reasons are made of the columns "
            "comment and reasons"
        )
    found = [_by_rules(said, book)] if book.has_rules else []
    for judge in judges:
        assert keep is not None  # noqa: S101  see above
        found.append(_by_judge(said, judge, book, keep, follow))
    main = found[-1] if not judges else found[len(found) - len(judges)]
    flags = said.tags | main.flags
    given = [name for at, name in enumerate(said.names) if (flags[:, at] & HAS).any()]
    tongues = _tongues(file, said, main, book)
    result = Reasons(
        source=file.path,
        book=tuple(BookCode(one.name, one.title, one.about) for one in book.code),
        book_sha256=book.sha256,
        n_votes=file.votes.n,
        n_said=len(said.vote),
        n_commented=int(said.is_commented.sum()),
        n_tagged=int(said.is_tagged.sum()),
        n_voters=len(np.unique(said.voter[said.voter >= 0])) or None,
        coder=main.coder.name,
        n_uncoded=main.coder.n - main.coder.n_coded,
        tongues=tongues,
        reasons=counted_of(said, flags, main.flags, book),
        coders=(*_ticks(said), *(one.coder for one in found if one.coder.n)),
        agreement=tuple(_agreement(said, found, book)),
        by_model=tuple(by_model(said, flags, file.votes.models, given, kind) for kind in ("for", "against")),
        quotes=quotes(file, said, main.flags, given, quoted),
        warnings=tuple(said_of(file)),
        n_unread=file.n_apart,
        signature=_signature(file, book, found),
    )
    return msgspec.structs.replace(result, warnings=(*doubts.doubts(result, said), *result.warnings))


def _by_rules(said: Spoken, book: Book) -> _Coded:
    coding = by_rules(book)
    flags, failed = coded(said, coding)
    return _Coded(_coder(RULES, said, flags, failed), flags, failed, _held_rules() if book == books.own() else ())


def _by_judge(said: Spoken, judge: Judge, book: Book, keep: Path, follow: Follow | None) -> _Coded:
    from audiometry.analysis.reasons import judged  # what asks is not loaded where rules alone code
    from audiometry.score.judge.inquiry import Inquiry

    inquiry = Inquiry(judge, judged.questions(book), keep)
    held = [one for half in HELD for one in sample(books.SAMPLE, half)] if book == books.own() else []

    def contents() -> Iterator[tuple[str, judged.Asked]]:
        for comment, outcome in zip(said.comments, said.outcome.tolist(), strict=True):
            if comment:
                about = judged.asked(comment, Outcome(outcome))
                yield about.key, about
        for one in held:
            about = judged.asked(one.text, None)
            yield about.key, about

    answers = inquiry.ask(contents, follow)

    def coding(comment: str, outcome: Outcome | None) -> Sequence[Reason] | None:
        about = judged.asked(comment, outcome)
        answer = answers.of(about.key, about)
        return None if answer.text is None or answer.cut else judged.read(answer.text, book)

    flags, failed = coded(said, coding)
    coder = _coder(inquiry.asked.name, said, flags, failed)
    usage = answers.account({key for key, _ in contents()}, inquiry.price).usage()
    coder = msgspec.structs.replace(coder, usage=usage, prompt_sha256=inquiry.asked.prompt_sha256)
    return _Coded(coder, flags, failed, _held(coder.name, coding, book))


def _coder(name: str, said: Spoken, flags: Flags, failed: NDArray[np.bool_]) -> Coder:
    rows = np.flatnonzero(said.is_commented & ~failed)
    return Coder(
        name=name,
        kind="rules" if name == RULES else "judge",
        n=int(said.is_commented.sum()),
        n_coded=int((flags[rows] > 0).any(axis=1).sum()),
        n_failed=int(failed.sum()),
        codes={code: share(flags[rows, at] > 0, said.voter[rows]) for at, code in enumerate(said.names)},
    )


def _ticks(said: Spoken) -> Iterator[Coder]:
    rows = np.flatnonzero(said.is_tagged)
    if len(rows):
        codes = {code: share(said.tags[rows, at] > 0, said.voter[rows]) for at, code in enumerate(said.names)}
        n_coded = int((said.tags[rows] > 0).any(axis=1).sum())
        yield Coder(name=TICKS, kind="person", n=len(rows), n_coded=n_coded, n_failed=0, codes=codes)


@cache
def _held_rules() -> tuple[Agreement, ...]:
    """The same whatever the votes."""
    return _held(RULES, by_rules(books.own()), books.own())


def _held(name: str, coding: Coding, book: Book) -> tuple[Agreement, ...]:
    """A coder against labelled comments that rules were not written from; none under another book than the house's."""
    if book != books.own():
        return ()
    found = []
    for half, called in HELD.items():
        right = sample(books.SAMPLE, half)
        given = [ways(coding(one.text, None) or ()) for one in right]
        found.append(agreement(name, book.names, right, given, called))
    return tuple(found)


def _agreement(said: Spoken, found: Sequence[_Coded], book: Book) -> Iterator[Agreement]:
    """With the labelled sample; among coders, on each different comment once; with ticks, where a vote has both."""
    yield from (each for one in found for each in one.held)
    k = len(book.names)
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            rows = _once(said, ~one.failed & ~other.failed & said.is_commented)
            if len(rows):
                right, given = ((each.flags[rows, :k] > 0).astype(np.int64) for each in (other, one))
                yield between(one.coder.name, other.coder.name, book.names, right, given)
        both = np.flatnonzero(said.is_tagged & said.is_commented & ~one.failed & (said.tags[:, :k] > 0).any(axis=1))
        if len(both):
            right, given = ((flags[both, :k] > 0).astype(np.int64) for flags in (said.tags, one.flags))
            yield between(one.coder.name, TICKS, book.names, right, given)


def _once(said: Spoken, which: NDArray[np.bool_]) -> NDArray[np.int64]:
    first = {said.comments[at]: at for at in reversed(np.flatnonzero(which).tolist())}
    return np.array(sorted(first.values()), np.int64)


def _tongues(file: VoteFile, said: Spoken, main: _Coded, book: Book) -> tuple[Tongue, ...]:
    stated, tell = file.groups.get("language"), teller()
    n: Counter[tuple[str, bool]] = Counter()
    for at in np.flatnonzero(said.is_commented & (main.flags == 0).all(axis=1)).tolist():
        code = -1 if stated is None else int(stated.code[said.vote[at]])
        language = stated.values[code] if stated is not None and code >= 0 else tell(said.comments[at])
        n[tongue(said.comments[at], language, book)] += 1
    order = sorted(n, key=lambda one: (-n[one], one))
    return tuple(Tongue(name=one[0], is_read=one[1], n=n[one]) for one in order)


def _signature(file: VoteFile, book: Book, found: Sequence[_Coded]) -> str:
    who = ",".join(f"rules-v{coding_rules.VERSION}" if one.coder.name == RULES else one.coder.name for one in found)
    votes = shown(Path(file.path).name, 60)
    return f"reasons | book={book.short} | coders={who} | votes={votes} | audiometry={audiometry.__version__}"
