"""How a journal of an older version becomes one of today's: one file per step, run by Alembic when a hall is opened."""
