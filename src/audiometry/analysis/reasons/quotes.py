"""A few comments of each reason, with their battle and what was chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from audiometry.analysis.reasons.result import Quote
from audiometry.analysis.reasons.spoken import AGAINST, AGAINST_A, AGAINST_B, FOR, FOR_A, FOR_B, Flags, Spoken
from audiometry.errors import shown
from audiometry.files.vote_words import OURS
from audiometry.files.votes import VoteFile

QUOTES: Final = 4  # of each reason
LONGEST: Final = 300  # characters of a comment
LONGEST_ID: Final = 80


def quotes(file: VoteFile, said: Spoken, flags: Flags, codes: Sequence[str], n: int) -> tuple[Quote, ...]:
    """Some comments of each code, different ones, praise and complaints in turn.

    Which ones hangs on what they say, not on where in the file they stand.

    Args:
        file: the votes.
        said: those that say something.
        flags: of their comments.
        codes: in their order.
        n: of each code at most.
    """
    found = list[Quote]()
    for code in codes:
        mine = flags[:, said.names.index(code)]
        seen, rows = set[str](), list[int]()
        for at in sorted(np.flatnonzero(mine).tolist(), key=lambda at: _drawn(file, said, at)):
            if said.comments[at] not in seen:
                seen.add(said.comments[at])
                rows.append(at)
        found += [_quote(file, said, code, at, int(mine[at])) for at in list(_in_turn(rows, mine))[:n]]
    return tuple(found)


def _drawn(file: VoteFile, said: Spoken, at: int) -> tuple[str, str]:
    """An order that is none of the file's, and the battle's id to end it."""
    battle = "" if file.texts is None else file.texts.battle[int(said.vote[at])]
    return hashlib.sha256(said.comments[at].encode(errors="surrogatepass")).hexdigest(), battle


def _in_turn(rows: Sequence[int], mine: Flags) -> Iterator[int]:
    """One that praises, one that faults, one of neither, and again."""
    kinds: list[list[int]] = [[], [], []]
    for at in rows:
        kinds[0 if mine[at] & FOR else 1 if mine[at] & AGAINST else 2].append(at)
    for turn in range(max(map(len, kinds), default=0)):
        yield from (kind[turn] for kind in kinds if turn < len(kind))


def _quote(file: VoteFile, said: Spoken, code: str, at: int, flag: int) -> Quote:
    vote, models = int(said.vote[at]), file.votes.models
    a, b = models[int(said.a[at])], models[int(said.b[at])]
    return Quote(
        code=code,
        battle=shown("" if file.texts is None else file.texts.battle[vote], LONGEST_ID),
        line=int(file.line[vote]),
        outcome=OURS[int(said.outcome[at])],
        model_a=a,
        model_b=b,
        comment=shown(said.comments[at], LONGEST),
        praised=tuple(name for bit, name in ((FOR_A, a), (FOR_B, b)) if flag & bit),
        faulted=tuple(name for bit, name in ((AGAINST_A, a), (AGAINST_B, b)) if flag & bit),
    )
