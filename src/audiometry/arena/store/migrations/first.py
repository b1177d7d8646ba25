"""The first tables, as they were made; what changes later is a script of its own."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision: Final = "first"
down_revision: Final = None

_HASH, _ID, _STATE = sa.String(64), sa.String(32), sa.String(12)


def upgrade() -> None:
    """Make them, those before which others point to them."""
    _people()
    _battles()
    _votes()


def _people() -> None:
    _table(
        "voter",
        {
            "id": sa.Integer,
            "key_sha256?": _HASH,
            "code_sha256?": _HASH,
            "made_at": sa.Double,
            "consent": sa.Text,
            "consent_at?": sa.Double,
            "client": sa.Text,
            "participant?": sa.Text,
        },
        unique=("key_sha256", "code_sha256"),
    )
    _table(
        "audio",
        {
            "sha256": _HASH,
            "size": sa.BigInteger,
            "duration_s": sa.Double,
            "rate": sa.Integer,
            "channels": sa.Integer,
            "peak_dbfs?": sa.Double,
            "level_dbfs?": sa.Double,
        },
        key=("sha256",),
    )
    _table(
        "recording",
        {
            "id": _ID,
            "voter": sa.Integer,
            "audio": _HASH,
            "at": sa.Double,
            "settings": sa.JSON,
            "transcript": sa.Text,
            "language": sa.Text,
        },
        points={"voter": "voter.id", "audio": "audio.sha256"},
        indexes=(("voter",), ("audio",)),
    )
    _table(
        "contestant",
        {
            "id": sa.Integer,
            "sha256": _HASH,
            "model": sa.Text,
            "release": sa.Text,
            "system_prompt": sa.Text,
            "parameters": sa.JSON,
            "card": sa.JSON,
            "first_seen": sa.Double,
            "merged_into?": sa.Integer,
        },
        points={"merged_into": "contestant.id"},
        unique=("sha256",),
    )


def _battles() -> None:
    _table(
        "battle",
        {
            "id": _ID,
            "voter": sa.Integer,
            "recording?": _ID,
            "text?": sa.Text,
            "language": sa.Text,
            "a": sa.Integer,
            "b": sa.Integer,
            "propensity": sa.Double,
            "seed": sa.BigInteger,
            "study": sa.Text,
            "quota": sa.Integer,
            "state": _STATE,
            "made_at": sa.Double,
            "ready_at?": sa.Double,
            "released_at?": sa.Double,
            "revealed_at?": sa.Double,
            "shareable?": sa.Boolean,
        },
        points={"voter": "voter.id", "recording": "recording.id", "a": "contestant.id", "b": "contestant.id"},
        indexes=(("voter",), ("recording",), ("state", "made_at")),
    )
    _table(
        "reply",
        {
            "battle": _ID,
            "side": sa.SmallInteger,
            "state": _STATE,
            "text": sa.Text,
            "error": sa.Text,
            "length": sa.Integer,
            "latency_s?": sa.Double,
            "first_token_s?": sa.Double,
            "finish_reason": sa.Text,
            "tokens_in?": sa.Integer,
            "tokens_out?": sa.Integer,
            "at": sa.Double,
        },
        key=("battle", "side"),
        points={"battle": "battle.id"},
    )


def _votes() -> None:
    _table(
        "vote",
        {
            "battle": _ID,
            "voter": sa.Integer,
            "a": sa.Integer,
            "b": sa.Integer,
            "outcome": sa.SmallInteger,
            "propensity": sa.Double,
            "length_a": sa.Integer,
            "length_b": sa.Integer,
            "latency_a?": sa.Double,
            "latency_b?": sa.Double,
            "at": sa.Double,
            "seconds?": sa.Double,
            "changes": sa.Integer,
            "comment": sa.Text,
            "tags": sa.JSON,
        },
        key=("battle",),
        points={"battle": "battle.id", "voter": "voter.id", "a": "contestant.id", "b": "contestant.id"},
        indexes=(("voter",),),
    )
    _table(
        "lease",
        {
            "id": _ID,
            "study": sa.Text,
            "low": sa.Integer,
            "high": sa.Integer,
            "battle?": _ID,
            "expires?": sa.Double,
        },
        points={"low": "contestant.id", "high": "contestant.id", "battle": "battle.id"},
        unique=("battle",),
        indexes=(("study", "low", "high"),),
    )
    _table(
        "apart",
        {"battle": _ID, "reason": sa.String(40), "rule": sa.Text, "at": sa.Double},
        key=("battle", "reason"),
        points={"battle": "battle.id"},
    )


def _table(
    name: str,
    columns: dict[str, Any],
    *,
    key: tuple[str, ...] = ("id",),
    points: dict[str, str] | None = None,
    unique: tuple[str, ...] = (),
    indexes: tuple[tuple[str, ...], ...] = (),
) -> None:
    """A table; a column may be empty whose name ends with ``?``, and what points to a battle goes with it."""
    op.create_table(
        name,
        *(sa.Column(column.rstrip("?"), kind, nullable=column.endswith("?")) for column, kind in columns.items()),
        *(
            sa.ForeignKeyConstraint(
                [own], [to], name=f"fk_{name}_{own}", ondelete="CASCADE" if to == "battle.id" else None
            )
            for own, to in (points or {}).items()
        ),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        *(sa.UniqueConstraint(own, name=f"uq_{name}_{own}") for own in unique),
    )
    for several in indexes:
        op.create_index(f"ix_{name}_{'_'.join(several)}", name, list(several))
