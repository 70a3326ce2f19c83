"""Version 2: messages that wait until a webhook has taken them."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "outbox",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("webhook", sa.String(40), nullable=False, index=True),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("written_at", sa.String(32), nullable=False),
        sqlite_autoincrement=True,
    )
