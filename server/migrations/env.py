"""What Alembic runs around the steps: on a connection that it is given, in the transaction that is open there."""

from alembic import context

from server.journal_schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
