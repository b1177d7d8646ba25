"""A database by its URL, SQLite or PostgreSQL: brought up to date, read and written in whole transactions."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from audiometry.errors import AudiometryError, StorageError, UsageError, shown
from audiometry.files import extras, secrets
from audiometry.web.synced import Synced

try:
    import sqlalchemy as sa
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from alembic.script.revision import RevisionError
    from alembic.util import CommandError
    from sqlalchemy import event
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.exc import TimeoutError as NoneFreeError
except ModuleNotFoundError as _missing:
    raise UsageError(f"a database needs SQLAlchemy and Alembic: {extras.install('arena')}") from _missing

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

FORM: Final = "sqlite:///FILE or postgresql://USER@HOST/NAME"
BUSY_S: Final = 10
"""Seconds that a writer waits for another process's."""
_TRIES: Final = 20
_PAUSE_S: Final = 0.1  # readers are done with an old state soon
_MOMENT_MS: Final = 50  # for which those who write may wait for a reader
_DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_LOCK: Final = 0x61756469  # of PostgreSQL's advisory locks: who brings tables up to date
_PRAGMAS: Final = (
    "journal_mode = WAL",  # which stays in the file
    "synchronous = NORMAL",  # `Synced` waits for the disk, outside of the line in which writers wait
    "foreign_keys = ON",
    "secure_delete = ON",  # what is deleted is written over
    f"busy_timeout = {BUSY_S * 1000}",
)
_PLAIN: Final = {
    "SQLITE_FULL": "the disk is full; free some space",
    "SQLITE_READONLY": "it may not be written to; see whose file it is, and its folder",
    "SQLITE_CANTOPEN": "it cannot be opened; see whether its folder is there and who may write to it",
    "SQLITE_BUSY": "another program is writing to it all the time; end that one",
    "SQLITE_LOCKED": "another program is writing to it all the time; end that one",
    "SQLITE_NOTADB": "it is no SQLite database; give another file",
    "SQLITE_CORRUPT": "it is damaged; put a copy in its place",
    "SQLITE_IOERR": "the disk refused; see whether it is full or failing",
    "53100": "its server's disk is full; free some space there",
    "53300": "its server has too many connections; end some, or raise max_connections",
    "42501": "its user may not do that; grant it the tables",
}


class Database:
    """An open database, of any number of threads.

    Args:
        engine: of SQLAlchemy.
        name: the URL without its password.

    Attributes:
        engine: of SQLAlchemy.
        name: for messages.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name = engine, name
        self._driver: Any = engine.dialect.loaded_dbapi
        # writers of this process wait in line: SQLite's own waiting polls, and lets some starve
        self._turn = threading.Lock() if self.is_sqlite else contextlib.nullcontext()
        self._synced = Synced(Path(f"{engine.url.database}-wal")) if self.is_sqlite else None

    @classmethod
    def open(cls, url: str, *, migrations: Path, version_table: str, make: bool = True) -> Self:
        """Open a database and bring its tables to the newest of the migrations.

        Args:
            url: ``sqlite:///FILE`` or ``postgresql://…``.
            migrations: folder of Alembic's scripts.
            version_table: which table says how far they got; parts that share a database have one each.
            make: whether tables are made or brought up to date; else they have to be there.

        Raises:
            UsageError: the URL names no such database, or one of a newer audiometry; not made, and not there.
            StorageError: it does not answer.
        """
        parsed = _parsed(url)
        name = name_of(url)
        if parsed.drivername == "sqlite" and not make and not Path(str(parsed.database)).is_file():
            raise UsageError(f"there is no database {shown(str(parsed.database))}; name the arena's own with --db")
        try:
            found = cls(_engine(parsed, make=make), name)
        except ModuleNotFoundError as problem:
            raise UsageError(f"PostgreSQL needs psycopg: {extras.install('arena')}") from problem
        try:
            found._migrate(migrations, version_table, make=make)
        except AudiometryError:
            found.close()
            raise
        return found

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of this machine."""
        return self.engine.dialect.name == "sqlite"

    @contextlib.contextmanager
    def reading(self, *, whole: bool = False) -> Iterator[Connection]:
        """A transaction that sees one state of the database, whatever is written meanwhile.

        Args:
            whole: whether whole tables are looked through.

        Raises:
            StorageError: the database does not answer.
        """
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._told(), self.engine.connect() as connection:
            connection.execution_options(**options)
            if whole and not self.is_sqlite:  # else `NOT IN` many rows looks through them again for each row
                connection.exec_driver_sql("SET LOCAL work_mem = '256MB'")
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept whole when this ends, and not at all if anything is raised.

        Raises:
            StorageError: the database does not answer or its disk is full; nothing is written.
        """
        with self._turn, self._told(), self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield connection
        if self._synced is not None:  # what is acknowledged outlives the machine's power, not only the process
            self._synced.wait()

    def hold(self, connection: Connection, key: int) -> None:
        """Keep others out who hold the same key, until the end of the transaction; SQLite has one writer anyhow.

        Args:
            connection: that writes.
            key: 63 bits.
        """
        if not self.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))

    def forget(self) -> bool:
        """Write what was deleted over in SQLite's log too; False where others read the old state for too long.

        Whoever writes meanwhile does not wait for them.
        """
        for _ in range(_TRIES if self.is_sqlite else 0):
            if self._log_emptied():
                return True
            time.sleep(_PAUSE_S)
        return not self.is_sqlite

    def _log_emptied(self) -> bool:
        with self._turn, self._told():
            raw = self.engine.raw_connection()
            try:
                cursor = raw.cursor()
                cursor.execute(f"PRAGMA busy_timeout = {_MOMENT_MS}")
                busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (1, 0, 0)
                cursor.execute(f"PRAGMA busy_timeout = {BUSY_S * 1000}")
            finally:
                raw.close()
        return not busy

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except NoneFreeError as problem:
            raise StorageError(f"{self.name} answers too slowly: no connection became free; try again") from problem
        except DBAPIError as problem:
            raise StorageError(f"{self.name}: {_why(problem.orig)}") from problem
        except self._driver.Error as problem:  # of what goes past SQLAlchemy
            raise StorageError(f"{self.name}: {_why(problem)}") from problem

    def _migrate(self, folder: Path, version_table: str, *, make: bool) -> None:
        script = ScriptDirectory(str(folder), version_locations=[str(folder)])
        with self.writing() as connection:
            self.hold(connection, _LOCK)
            context = MigrationContext.configure(connection, opts={"version_table": version_table})
            now = context.get_current_revision()
            try:
                steps = list(script.iterate_revisions("head", now or "base"))
            except (CommandError, RevisionError) as problem:
                raise UsageError(f"{self.name} was made by a newer audiometry; update this one") from problem
            if steps and not make:
                do = "serve the arena with this audiometry once" if now else "name the arena's own with --db"
                raise UsageError(f"{self.name} {'is of an older audiometry' if now else 'holds no such tables'}; {do}")
            for step in reversed(steps):
                with Operations.context(context):
                    step.module.upgrade()
                context.stamp(script, step.revision)


def name_of(url: str) -> str:
    """A URL without its password.

    Raises:
        UsageError: it names no such database.
    """
    parsed = _parsed(url)
    return parsed.set(drivername=parsed.get_backend_name()).render_as_string()


def _parsed(url: str) -> URL:
    try:
        parsed = sa.make_url(url)
    except (ArgumentError, ValueError) as problem:
        meant = FORM if "://" in url else f"sqlite:///{secrets.shown(url)} for a file of that name"
        raise UsageError(f"'{secrets.shown(url)}' is no database; give {meant}") from problem
    secrets.keep(str(parsed.password or ""))
    driver = _DRIVERS.get(parsed.get_backend_name())
    if driver is None:
        raise UsageError(f"no database of the kind '{shown(parsed.drivername, 40)}' is known; give {FORM}")
    if driver == "sqlite" and (parsed.database or ":memory:") == ":memory:":
        raise UsageError(f"'{shown(url)}' names no file, and would be gone at the end; give {FORM}")
    if driver == "sqlite" and parsed.query:
        more = "&".join(f"{name}={value}" for name, value in parsed.query.items())
        raise UsageError(f"nothing is done with '?{shown(more, 100)}' after a file; give {FORM}")
    return parsed.set(drivername=driver)


def _engine(url: URL, *, make: bool) -> Engine:
    engine = sa.create_engine(
        url,
        pool_size=10,
        max_overflow=30,
        pool_timeout=BUSY_S,
        pool_pre_ping=True,  # a server that was gone and is back is no error
        hide_parameters=True,  # they are people's words
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        connect_args={"isolation_level": None} if url.drivername == "sqlite" else {"connect_timeout": BUSY_S},
    )
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", functools.partial(_connected, _PRAGMAS if make else _PRAGMAS[1:]))
        event.listen(engine, "begin", _begun)
    return engine


def _connected(pragmas: Sequence[str], connection: DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    for pragma in pragmas:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begun(connection: Connection) -> None:
    """Begin as a writer at once: one that began as a reader cannot become one where another has written since."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _why(problem: BaseException | None) -> str:
    """What a driver's error says, in plain words."""
    code = str(getattr(problem, "sqlite_errorname", "") or getattr(problem, "sqlstate", "") or "")
    known = next((said for name, said in _PLAIN.items() if code.startswith(name)), "")
    if known:
        return known
    said = shown(str(problem).strip().partition(os.linesep)[0], 200) or "it does not answer"
    is_away = "Connection refused" in said or "failed to resolve" in said
    return f"{said}; see whether PostgreSQL runs there" if is_away else said
