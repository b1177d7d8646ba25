"""How a database of an older audiometry becomes one of this: Alembic's scripts, the first of which makes the tables."""
