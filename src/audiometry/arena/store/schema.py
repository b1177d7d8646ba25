"""The tables of the arena. Times are seconds since 1970, UTC; hashes are hexadecimal SHA-256.

What a person said in words, or a model said to it, stands in few columns, so that `cleared` can remove it and leave
what was counted: `battle.text`, `recording`, `reply.text`, `reply.error`, `vote.comment`, `apart.rule`, and who it was
in `voter`.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_HASH: Final = sa.String(64)
_ID: Final = sa.String(32)


def _column(name: str, kind: Any, *more: Any, null: bool = False, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, *more, nullable=null, **options)


VOTER: Final = sa.Table(
    "voter",
    METADATA,
    _column("id", sa.Integer, primary_key=True),
    _column("key_sha256", _HASH, null=True, unique=True),  # none: the person had it deleted
    _column("code_sha256", _HASH, null=True, unique=True),
    _column("made_at", sa.Double),
    _column("consent", sa.Text),  # version of what was agreed to; empty: nothing yet
    _column("consent_at", sa.Double, null=True),
    _column("client", sa.Text),
    _column("participant", sa.Text, null=True),
)

AUDIO: Final = sa.Table(
    "audio",
    METADATA,
    _column("sha256", _HASH, primary_key=True),
    _column("size", sa.BigInteger),
    _column("duration_s", sa.Double),
    _column("rate", sa.Integer),
    _column("channels", sa.Integer),
    _column("peak_dbfs", sa.Double, null=True),  # none: silence
    _column("level_dbfs", sa.Double, null=True),
)

RECORDING: Final = sa.Table(
    "recording",
    METADATA,
    _column("id", _ID, primary_key=True),
    _column("voter", sa.ForeignKey(VOTER.c.id), index=True),
    _column("audio", sa.ForeignKey(AUDIO.c.sha256), index=True),
    _column("at", sa.Double),
    _column("settings", sa.JSON),
    _column("transcript", sa.Text),
    _column("language", sa.Text),
)

CONTESTANT: Final = sa.Table(
    "contestant",
    METADATA,
    _column("id", sa.Integer, primary_key=True),
    _column("sha256", _HASH, unique=True),
    _column("model", sa.Text),
    _column("release", sa.Text),
    _column("system_prompt", sa.Text),
    _column("parameters", sa.JSON),
    _column("card", sa.JSON),
    _column("first_seen", sa.Double),
    _column("merged_into", sa.ForeignKey("contestant.id"), null=True),
)

BATTLE: Final = sa.Table(
    "battle",
    METADATA,
    _column("id", _ID, primary_key=True),
    _column("voter", sa.ForeignKey(VOTER.c.id), index=True),
    _column("recording", sa.ForeignKey(RECORDING.c.id), null=True, index=True),
    _column("text", sa.Text, null=True),
    _column("language", sa.Text),  # of the query
    _column("a", sa.ForeignKey(CONTESTANT.c.id)),  # shown on the left, or first
    _column("b", sa.ForeignKey(CONTESTANT.c.id)),
    _column("propensity", sa.Double),
    _column("seed", sa.BigInteger),
    _column("study", sa.Text),
    _column("quota", sa.Integer),  # of the pair in the study; 0: none
    _column("state", sa.String(12)),
    _column("made_at", sa.Double),
    _column("ready_at", sa.Double, null=True),
    _column("released_at", sa.Double, null=True),
    _column("revealed_at", sa.Double, null=True),
    _column("shareable", sa.Boolean, null=True),  # none: nobody has looked through it
    sa.Index(None, "state", "made_at"),
)

REPLY: Final = sa.Table(
    "reply",
    METADATA,
    _column("battle", sa.ForeignKey(BATTLE.c.id, ondelete="CASCADE"), primary_key=True),
    _column("side", sa.SmallInteger, primary_key=True),  # 0 a, 1 b
    _column("state", sa.String(12)),
    _column("text", sa.Text),
    _column("error", sa.Text),
    _column("length", sa.Integer),  # characters
    _column("latency_s", sa.Double, null=True),
    _column("first_token_s", sa.Double, null=True),
    _column("finish_reason", sa.Text),
    _column("tokens_in", sa.Integer, null=True),
    _column("tokens_out", sa.Integer, null=True),
    _column("at", sa.Double),
)

VOTE: Final = sa.Table(  # all that a board is made of: one table is read for it
    "vote",
    METADATA,
    _column("battle", sa.ForeignKey(BATTLE.c.id, ondelete="CASCADE"), primary_key=True),
    _column("voter", sa.ForeignKey(VOTER.c.id), index=True),
    _column("a", sa.ForeignKey(CONTESTANT.c.id)),
    _column("b", sa.ForeignKey(CONTESTANT.c.id)),
    _column("outcome", sa.SmallInteger),  # as `Outcome`, and `SKIP`
    _column("propensity", sa.Double),
    _column("length_a", sa.Integer),
    _column("length_b", sa.Integer),
    _column("latency_a", sa.Double, null=True),
    _column("latency_b", sa.Double, null=True),
    _column("at", sa.Double),
    _column("seconds", sa.Double, null=True),  # from the replies to the first vote
    _column("changes", sa.Integer),
    _column("comment", sa.Text),
    _column("tags", sa.JSON),
)

LEASE: Final = sa.Table(  # a place in a pair's quota: for a while, or for good once there is a vote
    "lease",
    METADATA,
    _column("id", _ID, primary_key=True),
    _column("study", sa.Text),
    _column("low", sa.ForeignKey(CONTESTANT.c.id)),
    _column("high", sa.ForeignKey(CONTESTANT.c.id)),
    _column("battle", sa.ForeignKey(BATTLE.c.id, ondelete="CASCADE"), null=True, unique=True),
    _column("expires", sa.Double, null=True),
    sa.Index(None, "study", "low", "high"),
)

APART: Final = sa.Table(
    "apart",
    METADATA,
    _column("battle", sa.ForeignKey(BATTLE.c.id, ondelete="CASCADE"), primary_key=True),
    _column("reason", sa.String(40), primary_key=True),
    _column("rule", sa.Text),
    _column("at", sa.Double),
)
