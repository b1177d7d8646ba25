"""Participants in the database: found, made, and kept under a number that says nothing of who they are."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

import msgspec
import sqlalchemy as sa

from audiometry.records.reply import now
from audiometry.web.study.flow import Person
from audiometry.web.study.tables import CHECK, IDENTITY, PARTICIPANT, SESSION

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, RowMapping

_KEPT: Final = frozenset(Person.__struct_fields__) - {"checks"}


class Paid(msgspec.Struct, frozen=True):
    """A participant beside the id under which they are paid.

    Attributes:
        person: how far they came.
        id, session: as the recruiter's link had them; empty once ids are forgotten.
    """

    person: Person
    id: str
    session: str


class People:
    """The participants of one study, in a transaction.

    Args:
        connection: in which all is read and written.
        study: its name.
        secret: key of the hashes of its participants' ids.
    """

    def __init__(self, connection: Connection, study: str, secret: bytes) -> None:
        self._do, self._study, self._secret = connection.execute, study, secret

    def come(self, participant: str, session: str) -> tuple[str, bool]:
        """The number of whoever has that id, and whether they are new; only here an id is met."""
        key = hmac.digest(self._secret, participant.encode(), "sha256")
        mine = (PARTICIPANT.c.study == self._study) & (PARTICIPANT.c.key == key)
        number = self._do(sa.select(PARTICIPANT.c.number).where(mine)).scalar()
        if number is not None:
            self._do(sa.update(IDENTITY).where(IDENTITY.c.key == key).values(session=session))
            return str(number), False
        number = f"p{secrets.token_hex(5)}"
        self._do(sa.insert(PARTICIPANT).values(number=number, study=self._study, key=key, arrived_at=now()))
        self._do(sa.insert(IDENTITY).values(key=key, id=participant, session=session))
        return number, True

    def known_by(self, token: str, number: str) -> None:
        """Have a browser's cookie stand for a participant."""
        self._do(sa.insert(SESSION).values(token=hashed(token), participant=number, at=now()))

    def of_token(self, token: str) -> str | None:
        """Whom a cookie stands for; None: nobody of this study."""
        asked = sa.select(PARTICIPANT.c.number).join(SESSION, SESSION.c.participant == PARTICIPANT.c.number)
        found = asked.where(SESSION.c.token == hashed(token), PARTICIPANT.c.study == self._study)
        return self._do(found).scalar()

    def person(self, number: str) -> Person:
        """A participant."""
        row = self._do(sa.select(PARTICIPANT).where(PARTICIPANT.c.number == number)).mappings().one()
        checks = self._do(sa.select(CHECK.c.n, CHECK.c.passed).where(CHECK.c.participant == number))
        return _person(row, dict(checks.all()))

    def all(self) -> list[Paid]:
        """Everybody, in the order in which they came."""
        mine = PARTICIPANT.c.study == self._study
        checks: dict[str, dict[int, bool]] = {}
        for number, n, passed in self._do(
            sa.select(CHECK.c.participant, CHECK.c.n, CHECK.c.passed)
            .join(PARTICIPANT, CHECK.c.participant == PARTICIPANT.c.number)
            .where(mine)
        ):
            checks.setdefault(number, {})[n] = passed
        found = self._do(
            sa.select(PARTICIPANT, IDENTITY.c.id, IDENTITY.c.session)
            .outerjoin(IDENTITY, IDENTITY.c.key == PARTICIPANT.c.key)
            .where(mine)
            .order_by(PARTICIPANT.c.arrived_at, PARTICIPANT.c.number)
        )
        return [
            Paid(_person(row, checks.get(row["number"], {})), row["id"] or "", row["session"] or "")
            for row in found.mappings()
        ]

    def under_way(self) -> list[str]:
        """Numbers of those who have begun to work and taken no way out."""
        begun = (PARTICIPANT.c.exit == "") & (PARTICIPANT.c.instructed_at != "")
        return list(
            self._do(sa.select(PARTICIPANT.c.number).where(begun, PARTICIPANT.c.study == self._study)).scalars()
        )

    def taken(self, but: str, at: float) -> int:
        """How many places are taken by others than one: by who is complete, or has a place still."""
        holds = (PARTICIPANT.c.exit == "") & (PARTICIPANT.c.held_until > at)
        others = (PARTICIPANT.c.study == self._study) & (PARTICIPANT.c.number != but)
        taken = sa.select(sa.func.count()).where(others, (PARTICIPANT.c.exit == "complete") | holds)
        return int(self._do(taken).scalar_one())

    def note(self, number: str, **values: Any) -> None:
        """Keep what became of a participant."""
        self._do(sa.update(PARTICIPANT).where(PARTICIPANT.c.number == number).values(**values))

    def add(self, table: sa.Table, **values: Any) -> None:
        """Keep a line of what a participant said."""
        self._do(sa.insert(table).values(**values))

    def forget_ids(self, but: Collection[str]) -> int:
        """Remove the ids of all but some, and give how many there were."""
        mine = sa.select(PARTICIPANT.c.key).where(PARTICIPANT.c.study == self._study, PARTICIPANT.c.number.not_in(but))
        return self._do(sa.delete(IDENTITY).where(IDENTITY.c.key.in_(mine))).rowcount


def hashed(token: str) -> bytes:
    """A cookie as it is kept."""
    return hashlib.sha256(token.encode()).digest()


def _person(row: RowMapping, checks: dict[int, bool]) -> Person:
    return Person(**{name: row[name] for name in _KEPT}, checks=checks)
