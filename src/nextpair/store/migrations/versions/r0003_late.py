"""Which questions a worker answered too late."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add them to the workers; nobody knows them of before."""
    op.add_column("workers", sa.Column("late", sa.Text))
