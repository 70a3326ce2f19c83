"""Version 3: how far each node's facts are in the journal; on a PostgreSQL server entries are protected, too."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Make the table, and forbid what SQLite's triggers forbid."""
    op.create_table(
        "heard",
        sa.Column("outbox", sa.String(32), primary_key=True),
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("node", sa.String(32), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries "
            "FOR EACH STATEMENT EXECUTE FUNCTION entries_stay()"
        )
