"""A server that is killed, ended, or loses its database: every acknowledged vote is there, and battles go on."""

import contextlib
import http.client
import itertools
import json
import os
import signal
import sqlite3
import threading
import time

import pytest

LATE = [{"name": "acme/ears-one", "text": "Yes.", "delay": 1.0}, {"name": "zenith/listener-two", "text": "No."}]


def counted(arena, table="vote"):
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        return line.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  a name of ours


def until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
    return found


def healthy(voter):
    try:
        return voter.get("/health")[1]
    except OSError:
        return None


def test_votes_that_were_acknowledged_outlive_a_killed_server(serve, staged):
    arena = serve(limits=staged[2])
    port, acknowledged, stopped = arena.port, [], threading.Event()

    def votes():
        voter, number = arena.voter(), itertools.count()
        while not stopped.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException, AssertionError, json.JSONDecodeError):
                acknowledged.append(voter.voted("tie", f"Is it {next(number)}?")["battle"])

    threads = [threading.Thread(target=votes) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        n = len(acknowledged)
        until(lambda n=n: len(acknowledged) > n + 10)
        arena.kill()
        arena.start(port)
    n = len(acknowledged)
    until(lambda: len(acknowledged) > n + 10)
    stopped.set()
    for thread in threads:
        thread.join()
    assert len(set(acknowledged)) == len(acknowledged)  # a voter's next battle is another one
    with sqlite3.connect(arena.url.removeprefix("sqlite:///")) as line:
        kept = [battle for (battle,) in line.execute("SELECT battle FROM vote")]
    assert set(acknowledged) <= set(kept)
    assert len(set(kept)) == len(kept)


def test_a_battle_that_was_asking_is_asked_again_by_the_next_server(serve):
    arena = serve(LATE)
    anna = arena.voter()
    status, battle = anna.post("/battle", {"text": "Still there?"})
    assert (status, battle["state"]) == (200, "asking")
    arena.kill()
    arena.start(arena.port)
    found = anna.post("/state")[1]["battle"]
    assert (found["battle"], found["state"]) == (battle["battle"], "asking")
    found = anna.get(f"/battle/{battle['battle']}/wait")[1]
    assert (found["state"], {found["a"], found["b"]}) == ("ready", {"Yes.", "No."})


def test_a_battle_of_a_model_that_is_gone_has_failed_and_the_query_is_free(serve):
    arena = serve(LATE)
    anna = arena.voter()
    battle = anna.post("/battle", {"text": "Still there?"})[1]
    arena.kill()
    models = [LATE[1], {"name": "nadir/newcomer", "text": "Perhaps."}]
    again = serve(models, url=arena.url)
    anna.port = again.port
    found = until(lambda: (one := anna.get(f"/battle/{battle['battle']}/wait")[1])["state"] != "asking" and one)
    assert found["state"] == "failed"
    assert anna.asked(text="Still there?")["state"] == "ready"


def test_an_ended_server_finishes_its_battles_and_takes_no_more(serve):
    arena = serve([{**LATE[0], "delay": 2.0}, LATE[1]])
    anna = arena.voter()
    battle = anna.post("/battle", {"text": "Before you go?"})[1]
    waited = []
    waiting = threading.Thread(target=lambda: waited.append(anna.get(f"/battle/{battle['battle']}/wait")[1]))
    waiting.start()
    time.sleep(0.3)
    began = time.monotonic()
    os.kill(arena.pid, signal.SIGTERM)
    waiting.join()
    assert waited[0]["state"] == "asking"  # nobody is kept waiting by a server that ends
    assert time.monotonic() - began < 10
    until(lambda: counted(arena, "reply") == 2)
    arena.stop()
    assert "waiting for 1 battle under way" in arena.errors.read_text()
    arena.start()
    anna.port = arena.port
    assert anna.post("/state")[1]["battle"]["state"] == "ready"


@pytest.mark.slow
def test_a_database_that_is_gone_for_ten_seconds_loses_nothing(serve, new_database, staged):
    """PostgreSQL that refuses and drops all connections: who votes is asked to try again, and then it is kept."""
    import psycopg

    url = new_database()
    arena = serve([{**LATE[0], "delay": 0.5}, LATE[1]], url=url, limits=staged[2])
    anna = arena.voter()
    ready = anna.asked(text="First?")
    asking = anna.post("/battle", {"text": "Second?"})[1]
    plain = url.replace("postgresql+psycopg", "postgresql")
    base, _, name = plain.rpartition("/")
    name = name.partition("?")[0]
    with psycopg.connect(f"{base}/postgres", autocommit=True) as line:
        line.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        line.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            status, why = anna.post("/vote", {"battle": ready["battle"], "outcome": "tie"})
            assert (status, list(why)) == (503, ["error"])
            assert anna.headers["retry-after"] == "2"
            time.sleep(1)
        assert anna.get("/health")[0] == 503
        line.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    until(lambda: anna.get("/health")[1]["status"] == "ok")
    assert anna.post("/vote", {"battle": ready["battle"], "outcome": "tie"})[1]["outcome"] == "tie"
    found = anna.get(f"/battle/{asking['battle']}/wait")[1]
    assert found["state"] == "ready"
    said = arena.errors.read_text()
    assert "the database is there again" in said
    assert "Traceback" not in said
