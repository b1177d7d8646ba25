"""How often each contestant failed, refused or said nothing, and how often nobody voted on what it said."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import Rates
from audiometry.arena.store.schema import BATTLE, REPLY

_STATES: Final = ("answered", "refused", "empty", "failed")


def rates(connection: Connection) -> tuple[Rates, ...]:
    """See `Store.failures`."""
    called = names(connection)
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for side, contestant in enumerate((BATTLE.c.a, BATTLE.c.b)):
        asked = (
            sa.select(
                contestant,
                REPLY.c.state,
                sa.func.count(),
                sa.func.sum(sa.cast(BATTLE.c.state == "abandoned", sa.Integer)),
            )
            .join(REPLY, sa.and_(REPLY.c.battle == BATTLE.c.id, REPLY.c.side == side))
            .group_by(contestant, REPLY.c.state)
        )
        for id_, state, n, left in connection.execute(asked):
            counted[called[id_]].update({state: n, "abandoned": left})
    return tuple(
        Rates(
            model=model,
            asked=sum(n[state] for state in _STATES),
            abandoned=n["abandoned"],
            **{state: n[state] for state in _STATES},
        )
        for model, n in sorted(counted.items())
    )
