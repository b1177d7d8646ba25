"""How a database of an older arena becomes one of this: Alembic's scripts, the first of which makes it."""
