"""How often each contestant failed, refused or said nothing, and how often nobody voted on what it said."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.columns import still_open
from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import Rates
from audiometry.arena.store.schema import BATTLE, REPLY, VOTE

_STATES: Final = ("answered", "refused", "empty", "failed")


def rates(connection: Connection, *, closed: bool) -> tuple[Rates, ...]:
    """See `Store.failures`."""
    called = names(connection)
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    voted = sa.and_(BATTLE.c.state == "voted", sa.exists().where(VOTE.c.battle == BATTLE.c.id, ~still_open()))
    over = sa.or_(BATTLE.c.state.in_(("failed", "abandoned", "revealed")), voted) if closed else sa.true()
    who = sa.case((REPLY.c.side == 0, BATTLE.c.a), else_=BATTLE.c.b).label("who")
    asked = (
        sa.select(who, REPLY.c.state, sa.func.count(), sa.func.sum(sa.cast(BATTLE.c.state == "abandoned", sa.Integer)))
        .join(BATTLE, REPLY.c.battle == BATTLE.c.id)
        .where(over)
        .group_by(who, REPLY.c.state)
    )
    for contestant, state, n, abandoned in connection.execute(asked):
        counted[called[contestant]].update({state: n, "abandoned": abandoned})
    return tuple(
        Rates(
            model=model,
            asked=sum(n[state] for state in _STATES),
            abandoned=n["abandoned"],
            **{state: n[state] for state in _STATES},
        )
        for model, n in sorted(counted.items())
    )
