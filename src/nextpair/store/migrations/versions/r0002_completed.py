"""When a worker was first given the completion code."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the moment to the workers; nobody knows it of those who were given the code before."""
    op.add_column("workers", sa.Column("completed_at", sa.Double))
