"""What is acknowledged stays, whatever ends the process; what cannot be kept is told in plain words, and not there."""

import contextlib
import itertools
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from audiometry.arena.store.nouns import OUTCOMES, Pairing, Replied
from audiometry.arena.store.schema import BATTLE, METADATA, REPLY, VOTE
from audiometry.arena.store.store import Store
from audiometry.errors import StorageError, UsageError
from audiometry.web import database

VOTES = """
    import itertools, sys
    from pathlib import Path
    from audiometry.arena.store.nouns import OUTCOMES, Pairing, Replied
    from audiometry.arena.store.store import Store

    url, folder = sys.argv[1:]
    store = Store.open(url, Path(folder))
    two = [store.contestant("x/one"), store.contestant("x/two")]
    said = Replied(state="answered", text="Yes.", latency_s=1.0)
    for n in itertools.count():
        voter = store.voter(f"voter {n % 7}")
        battle = store.begin(voter, f"question {n}", store.draw(two, Pairing(), n))
        store.replied(battle.id, said, said)
        for outcome in OUTCOMES[n % 5], OUTCOMES[n % 3]:
            store.vote(voter, battle.id, outcome)
            print(battle.id, outcome, flush=True)
"""


def test_every_acknowledged_vote_is_there_once_after_kill_9(open_store, url, tmp_path):
    open_store()
    start = [sys.executable, "-c", textwrap.dedent(VOTES), url, str(tmp_path / "audio")]
    acknowledged, began = {}, Counter()
    for lines in (11, 20):  # killed twice
        with subprocess.Popen(start, stdout=subprocess.PIPE, text=True) as running:
            for line in itertools.islice(running.stdout, lines):
                battle, outcome = line.split()
                acknowledged[battle] = outcome
                began[battle] += 1
            running.send_signal(signal.SIGKILL)
            for line in running.stdout:  # what was acknowledged before the signal came
                if line.endswith("\n"):
                    battle, outcome = line.split()
                    acknowledged[battle] = outcome
        assert running.returncode == -signal.SIGKILL
    store = open_store()
    with store.database.reading() as connection:
        kept = connection.execute(sa.select(VOTE.c.battle, VOTE.c.outcome)).all()
        states = dict(connection.execute(sa.select(BATTLE.c.state, sa.func.count()).group_by(BATTLE.c.state)).all())
        replies = connection.scalar(sa.select(sa.func.count()).select_from(REPLY))
    outcomes = {battle: OUTCOMES[outcome] for battle, outcome in kept}
    assert len(outcomes) == len(kept)
    assert acknowledged.keys() <= outcomes.keys()
    differ = [battle for battle, said in acknowledged.items() if outcomes[battle] != said]
    assert len(differ) <= 2, "at most the change under way at each death was kept and not told"
    assert len(outcomes) - len(acknowledged) <= 2
    assert states["voted"] == len(outcomes)
    assert replies == 2 * (states["voted"] + states.get("ready", 0)), "no half of a pair of replies"
    assert sum(states.values()) - states["voted"] <= 2


def rows(store):
    with store.database.reading() as connection:
        return {table.name: connection.execute(sa.select(table)).all() for table in METADATA.sorted_tables}


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_full_disk_is_told_and_nothing_is_half_written(arena):
    store = arena.store
    voter, battle = arena.ready()
    store.vote(voter, battle.id, "tie", "before")
    before = rows(store)
    with store.database.reading() as connection:
        pages = connection.scalar(sa.text("PRAGMA page_count"))
        connection.execute(sa.text(f"PRAGMA max_page_count = {pages}"))
    long = "word " * 10_000
    for late in (
        lambda: store.vote(voter, battle.id, "model_a", long),
        lambda: arena.ready(query=long),
        lambda: store.keep_recording(voter, b"sound", arena.heard, {"settings": long}),
    ):
        with pytest.raises(StorageError, match=r"arena\.db: the disk is full; free some space") as told:
            late()
        assert "word" not in str(told.value)
    assert rows(store) == before
    assert not [one for one in store.audio.path("xx").parent.parent.rglob("*") if one.is_file()]
    with store.database.reading() as connection:
        connection.execute(sa.text("PRAGMA max_page_count = 100000"))
    assert store.vote(voter, battle.id, "model_a", long).outcome == "model_a"


@pytest.fixture
def small_disk(postgres, tmp_path):
    """A database of the PostgreSQL server on a disk of 16 MB, and the folder where that is mounted."""
    folder = Path(tempfile.mkdtemp(prefix="small-", dir="/tmp"))
    mounting = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0777", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mounting, check=False, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("a small disk can be mounted by root alone")
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as line:
        try:
            (folder / "pg").mkdir()
            shutil.chown(folder / "pg", "nobody")
            line.execute(f"CREATE TABLESPACE small LOCATION '{folder}/pg'")
            line.execute("CREATE DATABASE on_small TABLESPACE small")
            yield f"{postgres}/on_small", folder
        finally:
            line.execute("DROP DATABASE IF EXISTS on_small WITH (FORCE)")
            line.execute("DROP TABLESPACE IF EXISTS small")
            subprocess.run(["umount", "-l", str(folder)], check=True)
            folder.rmdir()


@pytest.mark.slow
def test_a_full_disk_of_postgresql_is_told_and_nothing_is_half_written(small_disk, tmp_path):
    url, disk = small_disk
    store = Store.open(url, tmp_path / "audio")
    two = [store.contestant("x/one"), store.contestant("x/two")]
    said = Replied(state="answered", text="Yes.", latency_s=1.0)

    def voted(n):
        voter = store.voter(f"voter {n}")
        battle = store.begin(voter, "word " * 2_000, store.draw(two, Pairing(), n))
        store.replied(battle.id, said, said)
        store.vote(voter, battle.id, "tie", "".join(map(str, range(n, n + 2_000))))

    voted(0)
    free = shutil.disk_usage(disk).free
    (disk / "filler").write_bytes(bytes(max(free - 100_000, 0)))
    acknowledged = [0]

    def filled():
        for n in range(1, 1_000):
            voted(n)
            acknowledged.append(n)

    with pytest.raises(StorageError, match="its server's disk is full; free some space there") as told:
        filled()
    done = len(acknowledged)
    assert "word" not in str(told.value)
    assert store.votes().votes.n == done  # each that was acknowledged, and no other
    (disk / "filler").unlink()
    voted(5_000)
    assert store.votes().votes.n == done + 1
    store.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_folder_of_audio_that_cannot_be_written_is_told(arena, tmp_path):
    (tmp_path / "audio").write_text("a file in its place")
    with pytest.raises(StorageError, match="a file stands where its folder has to be"):
        arena.store.keep_recording(arena.store.voter("key"), b"sound", arena.heard, {})


def test_a_database_that_is_gone_for_a_while_loses_nothing(arena, url, postgres, monkeypatch):
    store = arena.store
    voter, battle = arena.ready()
    store.vote(voter, battle.id, "model_a")
    with gone(store, url, postgres):
        for late in (lambda: store.vote(voter, battle.id, "tie"), lambda: store.begin(voter, "?", None)):
            with pytest.raises(StorageError, match=r"another program is writing|not currently accepting connections"):
                late()
    assert store.current(voter).outcome == "model_a"
    assert store.vote(voter, battle.id, "tie").outcome == "tie"


@contextlib.contextmanager
def gone(store, url, postgres):
    """While nobody reaches the database: SQLite's is held by another program, PostgreSQL lets nobody in."""
    if store.database.is_sqlite:
        with store.database.engine.connect() as connection:
            connection.execute(sa.text("PRAGMA busy_timeout = 50"))
        with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
        return
    name = url.rpartition("/")[2]
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def test_a_server_that_does_not_answer_is_told_without_its_password(tmp_path):
    with pytest.raises(StorageError, match=r"postgresql://me:\*\*\*@127.0.0.1:9/x: .*refused") as told:
        Store.open("postgresql://me:hunter22@127.0.0.1:9/x", tmp_path)
    assert "hunter22" not in str(told.value)
    with pytest.raises(StorageError, match="it cannot be opened; see whether its folder is there"):
        Store.open(f"sqlite:///{tmp_path}/none/arena.db", tmp_path)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_database_of_a_newer_audiometry_is_told(open_store, url, tmp_path):
    store = open_store()
    with store.database.writing() as connection:
        connection.execute(sa.text("UPDATE arena_version SET version_num = 'twentieth'"))
    for make in (True, False):
        with pytest.raises(UsageError, match="was made by a newer audiometry; update this one"):
            Store.open(url, tmp_path, make=make)


@pytest.mark.slow
def test_two_that_open_a_new_database_at_once_make_its_tables_once(url, tmp_path):
    start = [sys.executable, "-c", textwrap.dedent(VOTES).partition("two =")[0], url, str(tmp_path)]
    running = [subprocess.Popen(start, stderr=subprocess.PIPE) for _ in range(3)]
    assert [one.communicate(timeout=60)[1] for one in running] == [b"", b"", b""]
    Store.open(url, tmp_path, make=False).close()


def test_urls_are_known_by_their_kind():
    assert database.name_of("postgres://me:secret@host/x") == "postgresql://me:***@host/x"
    with pytest.raises(UsageError, match="no database of the kind 'oracle'"):
        database.name_of("oracle://x")
