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
    voted = sa.exists().where(VOTE.c.battle == BATTLE.c.id, ~still_open())
    over = sa.or_(BATTLE.c.state.in_(("failed", "abandoned")), voted) if closed else sa.true()
    left = sa.func.sum(sa.cast(BATTLE.c.state == "abandoned", sa.Integer))
    for side, contestant in enumerate((BATTLE.c.a, BATTLE.c.b)):
        asked = (
            sa.select(contestant, REPLY.c.state, sa.func.count(), left)
            .join(REPLY, sa.and_(REPLY.c.battle == BATTLE.c.id, REPLY.c.side == side))
            .where(over)
            .group_by(contestant, REPLY.c.state)
        )
        for id_, state, n, abandoned in connection.execute(asked):
            counted[called[id_]].update({state: n, "abandoned": abandoned})
    return tuple(
        Rates(
            model=model,
            asked=sum(n[state] for state in _STATES),
            abandoned=n["abandoned"],
            **{state: n[state] for state in _STATES},
        )
        for model, n in sorted(counted.items())
    )
