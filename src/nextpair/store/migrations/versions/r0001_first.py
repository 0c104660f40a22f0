"""The first schema, as released with 0.1.0."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    _campaigns()
    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("campaign", sa.String(64)),
        sa.Column("worker", sa.String(64)),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.ForeignKeyConstraint(["campaign", "worker"], ["workers.campaign", "workers.id"]),
    )
    op.create_index("tokens_worker", "tokens", ["campaign", "worker"])
    op.create_table(
        "media",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "attempts",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("window", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("count", sa.Integer, nullable=False),
    )


def _campaigns() -> None:
    op.create_table(
        "journal",
        sa.Column("campaign", sa.String(64), primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
    )
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("join_version", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("campaign", sa.String(64), sa.ForeignKey("campaigns.id"), primary_key=True),
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("image", sa.Text),
    )
    op.create_table(
        "workers",
        sa.Column("campaign", sa.String(64), sa.ForeignKey("campaigns.id"), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("outside_id", sa.String(200)),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.UniqueConstraint("campaign", "outside_id", name="workers_outside_id"),
    )
