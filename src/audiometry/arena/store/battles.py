"""Battles: begun, answered, voted on, revealed. Whoever changes one holds its row until that is committed."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from audiometry.arena.store import pairs, voters
from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import (
    OUTCOMES,
    SKIP,
    Asking,
    Battle,
    Pair,
    Recording,
    Replied,
    Revealed,
    Side,
)
from audiometry.arena.store.recordings import Audio
from audiometry.arena.store.refusals import ClosedError, FullError, NotThereError
from audiometry.arena.store.schema import APART, BATTLE, LEASE, REPLY, VOTE, VOTER
from audiometry.arena.store.words import clean
from audiometry.errors import UsageError, shown
from audiometry.web.database import Database

OVER_QUOTA: Final = "over-quota"
"""Why a vote is set apart that came when its place had been given to another."""
CLOSED_S: Final = 3600.0
"""Seconds after which nobody can tell any more from a board whose vote has moved it."""
_CAN_BE_VOTED_ON: Final = ("answered", "refused")
_ASKED: Final = ("asking", "ready", "abandoned")
_UNDER_WAY: Final = (*_ASKED, "voted")


def begin(database: Database, connection: Connection, voter: int, query: Recording | str, pair: Pair) -> Battle:
    """See `Store.begin`."""
    connection.execute(sa.select(VOTER.c.id).where(VOTER.c.id == voter).with_for_update())  # one beginning at a time
    voters.present(connection, voter)
    recording = query.id if isinstance(query, Recording) else None
    text = None if isinstance(query, Recording) else clean(query)
    same = BATTLE.c.recording == recording if recording is not None else BATTLE.c.text == text
    under_way = _UNDER_WAY if recording is not None else _ASKED  # who types it again after the vote asks it again
    known = connection.scalar(
        sa.select(BATTLE.c.id)
        .where(BATTLE.c.voter == voter, same, BATTLE.c.state.in_(under_way))
        .order_by(BATTLE.c.made_at.desc())
        .limit(1)
    )
    if known is not None:
        connection.execute(sa.delete(LEASE).where(LEASE.c.id == pair.lease, LEASE.c.battle.is_(None)))
        return _seen(connection, known)
    battle = secrets.token_hex(16)
    how, now = pair.pairing, time.time()
    connection.execute(
        sa.insert(BATTLE).values(
            id=battle,
            voter=voter,
            recording=recording,
            text=text,
            language=query.language if isinstance(query, Recording) else "",
            a=pair.a,
            b=pair.b,
            propensity=pair.propensity,
            seed=pair.seed,
            study=how.study,
            quota=how.quota,
            state="asking",
            made_at=now,
        )
    )
    attached = sa.update(LEASE).where(LEASE.c.id == pair.lease).values(battle=battle)
    if how.quota and not connection.execute(attached).rowcount:  # it has ended, and may be another's
        pairs.free(database, connection, how.study, [pairs.unordered(pair.a, pair.b)], how.quota)
        pairs.hold(connection, how.study, (pair.a, pair.b), now + how.lease_s, battle)
    return _seen(connection, battle)


def replied(connection: Connection, battle: str, replies: Sequence[Replied], language: str) -> Battle:
    """See `Store.replied`."""
    row = _held(connection, battle)
    if row.state == "asking":
        deleted = _is_emptied(row)  # meanwhile; a reply may say what was asked
        for side, one in enumerate(replies):
            connection.execute(
                sa.insert(REPLY).values(
                    battle=battle,
                    side=side,
                    state=one.state,
                    text="" if deleted else clean(one.text),
                    error="" if deleted else clean(one.error),
                    length=len(one.text),
                    latency_s=one.latency_s,
                    first_token_s=one.first_token_s,
                    finish_reason=clean(one.finish_reason),
                    tokens_in=one.tokens_in,
                    tokens_out=one.tokens_out,
                    at=time.time(),
                )
            )
        ready = all(one.state in _CAN_BE_VOTED_ON for one in replies)
        told = {"language": clean(language)} if language and not deleted else {}
        _change(connection, battle, state="ready" if ready else "failed", ready_at=time.time(), **told)
        if not ready:
            pairs.let_go(connection, battle)
    return _seen(connection, battle)


def vote(
    database: Database, connection: Connection, voter: int, battle: str, outcome: str, comment: str, tags: Sequence[str]
) -> Battle:
    """See `Store.vote`."""
    if outcome not in OUTCOMES:
        raise UsageError(f"'{shown(outcome, 40)}' is no outcome; say {', '.join(OUTCOMES)}")
    voters.present(connection, voter)
    row = _held(connection, battle, voter)
    if row.state == "revealed":
        raise ClosedError("the two are revealed, so that this vote stands as it is")
    if row.state in {"asking", "failed"}:
        raise ClosedError("there are no two replies to vote on")
    now, code = time.time(), OUTCOMES.index(outcome)
    said = {"outcome": code, "comment": clean(comment), "tags": clean(list(tags))}
    before = connection.execute(sa.select(VOTE).where(VOTE.c.battle == battle)).first()
    if before is None:
        seconds = now - (row.released_at or row.ready_at or now)
        known = {**_facts(connection, row), "at": now, "seconds": max(seconds, 0.0), "changes": 0}
        connection.execute(sa.insert(VOTE).values(**known, **said))
    elif any(getattr(before, name) != value for name, value in said.items()):
        changed = {**said, "changes": before.changes + 1, "at": now}
        connection.execute(sa.update(VOTE).where(VOTE.c.battle == battle).values(**changed))
    _change(connection, battle, state="voted", shareable=None)
    if row.quota:
        _take_place(database, connection, row, counts=code != SKIP)
    return _seen(connection, battle)


def reveal(connection: Connection, voter: int, battle: str) -> Revealed:
    """See `Store.reveal`."""
    row = _held(connection, battle, voter)
    if row.state not in {"voted", "revealed"}:
        raise ClosedError("vote first; then it is told who the two were")
    if row.state == "voted":
        _change(connection, battle, state="revealed", revealed_at=time.time())
    called = names(connection)
    sides = {
        one.side: Side(name=called[(row.a, row.b)[one.side]], latency_s=one.latency_s, first_token_s=one.first_token_s)
        for one in connection.execute(sa.select(REPLY).where(REPLY.c.battle == battle))
    }
    return Revealed(battle=_seen(connection, battle), a=sides[0], b=sides[1])


def released(connection: Connection, battle: str) -> None:
    """See `Store.released`."""
    connection.execute(
        sa.update(BATTLE).where(BATTLE.c.id == battle, BATTLE.c.released_at.is_(None)).values(released_at=time.time())
    )


def set_apart(connection: Connection, battle: str, reason: str, rule: str = "") -> None:
    """See `Store.set_apart`."""
    row = _held(connection, battle)
    if _is_emptied(row):
        rule = ""
    is_there = sa.select(APART.c.battle).where(APART.c.battle == battle, APART.c.reason == reason)
    if connection.scalar(is_there) is None:
        connection.execute(sa.insert(APART).values(battle=battle, reason=reason, rule=rule, at=time.time()))
    pairs.let_go(connection, battle)


def found(connection: Connection, voter: int, battle: str | None = None) -> Battle | None:
    """A battle of that voter; None: the newest."""
    mine = sa.select(BATTLE.c.id).where(BATTLE.c.voter == voter).order_by(BATTLE.c.made_at.desc()).limit(1)
    known = connection.scalar(mine if battle is None else mine.where(BATTLE.c.id == battle))
    return None if known is None else _seen(connection, known)


def asking(connection: Connection, audio: Audio) -> tuple[Asking, ...]:
    """See `Store.asking`."""
    rows = connection.execute(sa.select(BATTLE).where(BATTLE.c.state == "asking").order_by(BATTLE.c.made_at)).all()
    return tuple(
        Asking(
            battle=row.id,
            voter=row.voter,
            query=(row.recording and audio.found(connection, row.voter, row.recording)) or row.text or "",
            a=row.a,
            b=row.b,
            made_at=row.made_at,
        )
        for row in rows
    )


def still_open() -> sa.Select[Any]:
    """Battles whose vote is its voter's secret yet: it is new, and the two are not revealed."""
    vote, battle = VOTE.alias("new"), BATTLE.alias("unrevealed")
    chosen = sa.select(vote.c.battle).join(battle, battle.c.id == vote.c.battle)
    return chosen.where(battle.c.state == "voted", vote.c.at > time.time() - CLOSED_S)


def _held(connection: Connection, battle: str, voter: int | None = None) -> Row[Any]:
    """The row of a battle, which nobody else changes until the end of the transaction."""
    asked = sa.select(BATTLE).where(BATTLE.c.id == battle).with_for_update()
    row = connection.execute(asked if voter is None else asked.where(BATTLE.c.voter == voter)).first()
    if row is None:
        raise NotThereError("there is no such battle")
    return row


def _is_emptied(row: Row[Any]) -> bool:
    """Whether what was asked was deleted."""
    return row.text is None and row.recording is None


def _change(connection: Connection, battle: str, **values: Any) -> None:
    connection.execute(sa.update(BATTLE).where(BATTLE.c.id == battle).values(**values))


def _take_place(database: Database, connection: Connection, row: Row[Any], *, counts: bool) -> None:
    """Keep the place of a battle for good if its vote counts; if another has it by now, the vote is set apart."""
    if not counts:
        pairs.let_go(connection, row.id)
        return
    kept = sa.update(LEASE).where(LEASE.c.battle == row.id).values(expires=None)
    is_apart = sa.select(APART.c.battle).where(APART.c.battle == row.id)
    if connection.execute(kept).rowcount or connection.scalar(is_apart.limit(1)) is not None:
        return
    try:
        pairs.free(database, connection, row.study, [pairs.unordered(row.a, row.b)], row.quota)
    except FullError:
        set_apart(connection, row.id, OVER_QUOTA, "its place was given to another when no vote came in time")
    else:
        pairs.hold(connection, row.study, (row.a, row.b), None, row.id)


def _facts(connection: Connection, row: Row[Any]) -> dict[str, Any]:
    """What a board needs to know of a battle, as it stands beside the vote."""
    facts = {"battle": row.id, "voter": row.voter, "a": row.a, "b": row.b, "propensity": row.propensity}
    for one in connection.execute(sa.select(REPLY).where(REPLY.c.battle == row.id)):
        side = "ab"[one.side]
        facts |= {f"length_{side}": one.length, f"latency_{side}": one.latency_s}
    return facts


def _seen(connection: Connection, battle: str) -> Battle:
    """The battle as its voter sees it."""
    row = connection.execute(
        sa.select(BATTLE, VOTE.c.outcome, VOTE.c.comment, VOTE.c.tags)
        .outerjoin(VOTE, VOTE.c.battle == BATTLE.c.id)
        .where(BATTLE.c.id == battle)
    ).one()
    replies = {}
    if row.state not in {"asking", "failed"}:
        replies = {
            "ab"[side]: text
            for side, text in connection.execute(sa.select(REPLY.c.side, REPLY.c.text).where(REPLY.c.battle == battle))
        }
    return Battle(
        id=row.id,
        state=row.state,
        text=row.text or "",
        recording=row.recording or "",
        **replies,
        outcome="" if row.outcome is None else OUTCOMES[row.outcome],
        comment=row.comment or "",
        tags=tuple(row.tags or ()),
        made_at=row.made_at,
        study=row.study,
    )
