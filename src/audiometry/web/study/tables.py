"""The tables of studies. Participants' ids stand in one of their own, which nothing else holds or points into."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import sqlalchemy as sa

MIGRATIONS: Final = Path(__file__).parent / "migrations"
VERSION_TABLE: Final = "study_version"

METADATA: Final = sa.MetaData()
_NUMBER: Final = sa.String(11)
_AT: Final = sa.String(20)  # UTC, ISO 8601, to the second

STUDY: Final = sa.Table(
    "study",
    METADATA,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),  # key of the hashes of ids
    sa.Column("made_at", _AT, nullable=False),
)
TEXT: Final = sa.Table(  # what each version of a consent said
    "study_text",
    METADATA,
    sa.Column("study", sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("version", sa.String(40), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)
PARTICIPANT: Final = sa.Table(
    "study_participant",
    METADATA,
    sa.Column("number", _NUMBER, primary_key=True),
    sa.Column("study", sa.ForeignKey("study.name"), nullable=False),
    sa.Column("key", sa.LargeBinary(32), nullable=False),  # keyed hash of the id: who comes again is known by it
    sa.Column("arrived_at", _AT, nullable=False),
    sa.Column("exit", sa.String(20), nullable=False, server_default=""),
    sa.Column("exit_at", _AT, nullable=False, server_default=""),
    sa.Column("held_until", sa.Float),
    sa.Column("consent", sa.String(40), nullable=False, server_default=""),
    sa.Column("consented_at", _AT, nullable=False, server_default=""),
    sa.Column("screening", sa.JSON(none_as_null=True)),
    sa.Column("screened_at", _AT, nullable=False, server_default=""),
    sa.Column("demographics", sa.JSON(none_as_null=True)),
    sa.Column("demographics_at", _AT, nullable=False, server_default=""),
    sa.Column("instructed_at", _AT, nullable=False, server_default=""),
    sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("withdrawn_at", _AT, nullable=False, server_default=""),
    sa.Column("trouble", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("study", "key"),
    sa.Index("study_participant_places", "study", "exit", "held_until"),
)
IDENTITY: Final = sa.Table(  # may be emptied once people are paid: who came before is still known by the hash
    "study_identity",
    METADATA,
    sa.Column("key", sa.LargeBinary(32), primary_key=True),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("session", sa.String(64), nullable=False, server_default=""),
)
SESSION: Final = sa.Table(
    "study_session",
    METADATA,
    sa.Column("token", sa.LargeBinary(32), primary_key=True),  # sha256 of the cookie
    sa.Column("participant", sa.ForeignKey("study_participant.number"), nullable=False),
    sa.Column("at", _AT, nullable=False),
)
CONSENT: Final = sa.Table(
    "study_consent",
    METADATA,
    sa.Column("participant", sa.ForeignKey("study_participant.number"), primary_key=True),
    sa.Column("version", sa.String(40), primary_key=True),
    sa.Column("agreed", sa.Boolean, nullable=False),
    sa.Column("at", _AT, nullable=False),
)
CHECK: Final = sa.Table(
    "study_check",
    METADATA,
    sa.Column("participant", sa.ForeignKey("study_participant.number"), primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True),
    sa.Column("chosen", sa.Text, nullable=False),
    sa.Column("passed", sa.Boolean, nullable=False),
    sa.Column("at", _AT, nullable=False),
)
