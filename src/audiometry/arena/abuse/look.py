"""All tests of votes that may be nobody's opinion, one after the other: which votes to set apart, and why."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.arena.abuse.alarm import Alarm, alarm
from audiometry.arena.abuse.chance import Chance, chance
from audiometry.arena.abuse.haste import bursts, too_fast
from audiometry.arena.abuse.one_side import one_side
from audiometry.records.votes import Outcome, Votes
from audiometry.stats.ranking.votes import chosen

Reason = Literal["chance", "one side", "burst", "too fast"]
REASONS: Final[tuple[Reason, ...]] = ("chance", "one side", "burst", "too fast")
ABOUT: Final[dict[Reason, str]] = {
    "chance": "the voter's choices are a coin's, not those of others",
    "one side": "the voter always chooses the same side",
    "burst": "more votes in a minute than anybody can ask for",
    "too fast": "cast before both replies can be read",
}


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """A voter of whom votes are set apart.

    Attributes:
        voter: the number in the votes.
        reason: the first that holds.
        apart: votes that are set apart, for any reason.
        votes: all of theirs.
        line: on which the first of all their votes stands in the file.
    """

    voter: int
    reason: Reason
    apart: int
    votes: int
    line: int


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        reason: ``int8[n]``, place in `REASONS` of the first that holds of a vote; -1: the vote stands.
        voters: of whom votes are set apart, those with most of them first, then by line.
        known: voters in all.
        chance: what can be said of each.
        of_their_own: lines of the first votes of voters who choose as one another do, and not as others.
        alarm: if the share of votes set apart has jumped.
    """

    reason: NDArray[np.int8]
    voters: tuple[Suspect, ...]
    known: int
    chance: Chance
    of_their_own: tuple[int, ...]
    alarm: Alarm | None

    @property
    def stands(self) -> NDArray[np.bool_]:
        """``bool[n]``, votes that count."""
        return self.reason < 0

    def n(self, reason: Reason) -> int:
        """Votes set apart for a reason."""
        return int((self.reason == REASONS.index(reason)).sum())


def look(
    votes: Votes,
    *,
    at: NDArray[np.float64] | None = None,
    seconds: NDArray[np.float64] | None = None,
    characters: NDArray[np.float64] | None = None,
    line: NDArray[np.int64] | None = None,
) -> Look:
    """Look at all votes.

    Votes that came too fast, or in bursts, are left out before voters are held against each other.

    Args:
        votes: as columns; those of nobody known are never set apart but for their haste.
        at: ``float64[n]``, when, in seconds since any moment, NaN where not known; None: of none, and then
            the order of the rows has no say: each voter's votes are taken in one that is drawn. No alarm is raised.
        seconds: as `too_fast` has it.
        characters: as `too_fast` has it.
        line: ``int64[n]``, on which each stands; None: numbers of rows, from 1.
    """
    order = _drawn(votes) if at is None else np.argsort(at, kind="stable")
    reason = np.full(votes.n, -1, np.int8)
    if seconds is not None:
        reason[too_fast(seconds, characters)] = REASONS.index("too fast")
    if at is not None and votes.voter is not None:
        reason[bursts(votes.voter, at)] = REASONS.index("burst")
    voter = np.full(votes.n, -1, np.int32) if votes.voter is None else votes.voter
    size = int(voter.max(initial=-1)) + 1
    calm = chosen(votes, order[reason[order] < 0])
    found = chance(calm)
    for name, per_voter in (("one side", one_side(calm)), ("chance", found.at_random)):
        theirs = np.zeros(size + 1, np.bool_)  # the last: of voters not known, whose number is -1
        theirs[: len(per_voter)] = per_voter
        reason[theirs[voter]] = REASONS.index(name)
    mine = np.flatnonzero(voter >= 0)
    apart = mine[reason[mine] >= 0]
    n_votes, n_apart = (np.bincount(voter[rows], minlength=size) for rows in (mine, apart))
    first = np.full(size, len(REASONS), np.int8)
    np.minimum.at(first, voter[apart], reason[apart])
    lines = np.arange(1, votes.n + 1) if line is None else line
    begins = np.full(size, int(lines.max(initial=0)))
    np.minimum.at(begins, voter[mine], lines[mine])
    suspects = [
        Suspect(
            voter=one,
            reason=REASONS[int(first[one])],
            apart=int(n_apart[one]),
            votes=int(n_votes[one]),
            line=int(begins[one]),
        )
        for one in np.flatnonzero(n_apart).tolist()
    ]
    return Look(
        reason=reason,
        voters=tuple(sorted(suspects, key=lambda one: (-one.apart, one.line))),
        known=int((n_votes > 0).sum()),
        chance=found,
        of_their_own=tuple(sorted(begins[np.flatnonzero(found.of_their_own)].tolist())),
        alarm=None if at is None else alarm((reason >= 0)[order]),
    )


def _drawn(votes: Votes) -> NDArray[np.int64]:
    """An order of the rows in which those of a voter do not stand by what they say, nor by where they stand now.

    Put in order by what they are, they are dealt by numbers that are drawn, the same ones for every voter.
    """
    low, high = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
    turned = (votes.a > votes.b).astype(np.int8)  # which of a pair's two is called a has no say
    said = np.where(votes.outcome < Outcome.TIE, votes.outcome ^ turned, votes.outcome)
    first = np.full(votes.n, -1, np.int8) if votes.first is None else votes.first
    left = np.where(first < 0, first, first ^ turned)
    voter = np.full(votes.n, -1, np.int32) if votes.voter is None else votes.voter
    order = np.lexsort((left, said, high, low, voter))
    start = np.flatnonzero(np.diff(voter[order], prepend=-2))
    number = np.arange(votes.n) - np.repeat(start, np.diff(np.append(start, votes.n)))
    dealt = seeds.generator(0, "arena", "abuse", "order").random(votes.n)[number]
    return np.asarray(order[np.lexsort((dealt, voter[order]))], np.int64)
