"""The board: models ranked from a vote file, over all votes and over parts of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from audiometry.arena.abuse.look import Look, look
from audiometry.arena.moves import Move, moves
from audiometry.arena.parts import some, split
from audiometry.arena.store.nouns import Rates
from audiometry.errors import UsageError
from audiometry.files.votes import VoteFile
from audiometry.records.votes import Outcome, Votes
from audiometry.stats.ranking import Ranking, bradley_terry, chosen
from audiometry.stats.ranking.dropped import Dropped, fewest
from audiometry.stats.ranking.prepared import Ties
from audiometry.stats.ranking.reversals import Reversal, reversals

MOST_PARTS: Final = 30  # boards of one split; values with fewer votes are counted and have none


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How votes are ranked; see `bradley_terry`.

    Attributes:
        ties: what a tie counts; ``drop``: it is left out.
        prior: virtual votes of each model; 0: none.
        anchor: a model and its rating; None: ratings average 1000.
        first: whether what being shown first is worth is estimated and taken out.
        control: covariates that are held constant.
        bootstrap: resamples for intervals; 0: the sandwich.
        seed: of the resamples.
    """

    ties: Ties | Literal["drop"] = "half"
    prior: float = 0.0
    anchor: tuple[str, float] | None = None
    first: bool = False
    control: tuple[str, ...] = ()
    bootstrap: int = 0
    seed: int = 0

    @property
    def counted(self) -> Ties:
        """What a tie counts among those that are not left out."""
        return "davidson" if self.ties == "davidson" else "half"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The board of some votes.

    Attributes:
        name: of the part.
        votes: in it.
        ranking: None if there is none.
        why: there is none, or what is other than on the whole board; empty: nothing.
    """

    name: str
    votes: int
    ranking: Ranking | None
    why: str = ""


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The boards of one split of the votes.

    Attributes:
        by: what they are split by.
        parts: the boards.
        unknown: votes of which it is not known.
        others: values beyond `MOST_PARTS`, and their votes.
        moves: models whose strength in a part was held against that in all other votes, the surest first.
    """

    by: str
    parts: tuple[Part, ...]
    unknown: int
    others: tuple[int, int]
    moves: tuple[Move, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """Models ranked from a vote file.

    Attributes:
        file: it.
        settings: how.
        ranking: of all votes.
        reversals: models ranked above one that beat them head to head.
        splits: boards of parts.
        dropped: the fewest votes, and voters where they are known, found whose absence changes the leader.
        look: which votes may be nobody's opinion; None: no voter is known, and no haste.
        set_apart: whether those are left out of all above.
        rates: what became of asking each model; empty: that is not known, as of a file.
        ties_left_out: ties that are left out of all above, as was asked.
    """

    file: VoteFile
    settings: Settings
    ranking: Ranking
    reversals: tuple[Reversal, ...] = ()
    splits: tuple[Parts, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    look: Look | None = None
    set_apart: bool = False
    rates: tuple[Rates, ...] = ()
    ties_left_out: int = 0


def board(
    file: VoteFile,
    settings: Settings,
    by: tuple[str, ...] = (),
    reached: Callable[[int, int], None] | None = None,
    *,
    set_apart: bool = False,
) -> Board:
    """Rank the models of a vote file.

    Args:
        file: the votes, read with the columns that ``by`` names.
        settings: how.
        by: what to split the votes by besides.
        reached: told how many boards of how many are made.
        set_apart: leave out votes that may be nobody's opinion.

    Raises:
        UsageError: the votes cannot be ranked or split as asked.
    """
    found = looked(file)
    if set_apart and found is not None:
        if not found.stands.any():
            raise UsageError(f"{file.path}: all votes would be set apart; look at them without --set-apart")
        file = some(file, found.stands)
    tied = file.votes.outcome == Outcome.TIE
    if settings.ties == "drop":
        if tied.all():
            raise UsageError(f"{file.path}: all votes are ties, and would be left out; take them with --ties half")
        file = some(file, ~tied)
    splits = [split(file, one) for one in by]  # refused before anything is worked out
    whole = ranked(file.votes, settings)
    made = []
    n_boards = 1 + sum(2 * min(len(one.names), MOST_PARTS) for one in splits)
    done = 1
    for one in splits:
        parts, moved = [], []
        for code, name in enumerate(one.names[:MOST_PARTS]):
            rows = one.code == code
            part = _part(name, chosen(file.votes, rows), settings)
            parts.append(part)
            known = (one.code >= 0) & ~rows
            rest = _part("", chosen(file.votes, known), settings) if known.any() else None
            moved += moves(name, part.ranking, rest.ranking if rest else None)
            done += 2
            if reached is not None:
                reached(done, n_boards)
        beyond = one.code >= MOST_PARTS
        made.append(
            Parts(
                by=one.by,
                parts=tuple(parts),
                unknown=int((one.code < 0).sum()),
                others=(max(len(one.names) - MOST_PARTS, 0), int(beyond.sum())),
                moves=Move.corrected(moved),
            )
        )
    turned = reversals(
        file.votes, ties=settings.counted, prior=settings.prior, first=settings.first, contrasts=settings.control
    )
    return Board(
        file=file,
        settings=settings,
        ranking=whole,
        reversals=turned,
        splits=tuple(made),
        dropped=_dropped(file.votes, settings),
        look=found,
        set_apart=set_apart,
        ties_left_out=int(tied.sum()) if settings.ties == "drop" else 0,
    )


def looked(file: VoteFile) -> Look | None:
    """Which votes may be nobody's opinion; None where neither voters nor how long they took are known."""
    if file.votes.voter is None and file.seconds is None:
        return None
    return look(file.votes, at=file.at, seconds=file.seconds, characters=file.characters, line=file.line)


def _dropped(votes: Votes, settings: Settings) -> tuple[Dropped, ...]:
    """Of votes that count alike, whatever else the ranking takes into account."""
    units = (False, True) if votes.voter is not None else (False,)
    found = (fewest(votes, ties=settings.counted, prior=settings.prior, by_voter=one) for one in units)
    return tuple(one for one in found if one is not None)


def ranked(votes: Votes, settings: Settings) -> Ranking:
    """The ranking of some votes."""
    return bradley_terry(
        votes,
        ties=settings.counted,
        prior=settings.prior,
        anchor=settings.anchor,
        first=settings.first,
        contrasts=settings.control,
        bootstrap=settings.bootstrap,
        seed=settings.seed,
    )


def _part(name: str, votes: Votes, settings: Settings) -> Part:
    """The board of a part, on which the anchor may have no place."""
    try:
        return Part(name=name, votes=votes.n, ranking=ranked(votes, settings))
    except UsageError as problem:
        if settings.anchor is None:
            return Part(name=name, votes=votes.n, ranking=None, why=str(problem))
    part = _part(name, votes, msgspec.structs.replace(settings, anchor=None))
    if part.ranking is None:
        return part
    return msgspec.structs.replace(part, why="the anchor has no place here, so that ratings average 1000")
