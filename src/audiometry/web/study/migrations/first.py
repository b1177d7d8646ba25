"""Tables of studies and their participants."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make them."""
    at, person = sa.String(20), "study_participant.number"

    def said(name: str, kind: sa.String) -> sa.Column[str]:
        return sa.Column(name, kind, nullable=False, server_default="")

    op.create_table(
        "study",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("made_at", at, nullable=False),
    )
    op.create_table(
        "study_text",
        sa.Column("study", sa.String(40), sa.ForeignKey("study.name"), primary_key=True),
        sa.Column("version", sa.String(40), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "study_participant",
        sa.Column("number", sa.String(11), primary_key=True),
        sa.Column("study", sa.String(40), sa.ForeignKey("study.name"), nullable=False),
        sa.Column("key", sa.LargeBinary(32), nullable=False),
        sa.Column("arrived_at", at, nullable=False),
        *(said(name, kind) for name, kind in (("exit", sa.String(20)), ("exit_at", at), ("consent", sa.String(40)))),
        *(said(f"{name}_at", at) for name in ("consented", "screened", "demographics", "instructed", "withdrawn")),
        *(sa.Column(name, sa.JSON(none_as_null=True)) for name in ("screening", "demographics")),
        sa.Column("held_until", sa.Float),
        sa.Column("done", sa.Integer, nullable=False, server_default="0"),
        said("trouble", sa.Text()),
        sa.UniqueConstraint("study", "key"),
    )
    op.create_index("study_participant_places", "study_participant", ["study", "exit", "held_until"])
    op.create_table(
        "study_identity",
        sa.Column("key", sa.LargeBinary(32), primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
        said("session", sa.String(64)),
    )
    op.create_table(
        "study_session",
        sa.Column("token", sa.LargeBinary(32), primary_key=True),
        sa.Column("participant", sa.String(11), sa.ForeignKey(person), nullable=False),
        sa.Column("at", at, nullable=False),
    )
    op.create_table(
        "study_consent",
        sa.Column("participant", sa.String(11), sa.ForeignKey(person), primary_key=True),
        sa.Column("version", sa.String(40), primary_key=True),
        sa.Column("agreed", sa.Boolean, nullable=False),
        sa.Column("at", at, nullable=False),
    )
    op.create_table(
        "study_check",
        sa.Column("participant", sa.String(11), sa.ForeignKey(person), primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True),
        sa.Column("chosen", sa.Text, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("at", at, nullable=False),
    )
