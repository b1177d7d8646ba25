"""``--db``: commands that read votes from the database of an arena, and ``arena export``."""

import hashlib
import io
import json

import numpy as np
import pytest
import soundfile

from audiometry import seeds
from audiometry.arena.store.nouns import Heard, Pairing, Replied
from audiometry.arena.store.store import Store

STRENGTH = {"x/one": 1, "x/two": 2, "x/three": 4}
QUERIES = ("What is the capital of France", "Set a timer for ten minutes", "Tell me a joke", "Should I sell my car")


@pytest.fixture
def voted(tmp_path, monkeypatch):
    """The URL of an arena with 60 votes, better models more often preferred."""
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'arena.sqlite'}"
    store, stream = Store.open(url, tmp_path / "arena-audio"), seeds.stream(1, "votes")
    models = [store.contestant(name) for name in STRENGTH]
    names = {one.id: one.model for one in models}
    for n in range(60):
        voter = store.voter(f"voter {n % 12}")
        pair = store.draw(models, Pairing(), n)
        battle = store.begin(voter, f"{QUERIES[n % 4]}, please, number {n}?", pair)
        store.replied(battle.id, *(Replied(state="answered", text="word " * (3 + n % 5), latency_s=1.0) for _ in "ab"))
        a, b = (STRENGTH[names[one]] for one in (pair.a, pair.b))
        winner = "model_a" if stream.random() < a / (a + b) else "model_b"
        store.vote(voter, battle.id, winner, "It is more helpful and has more detail.", ["helpfulness"])
    store.close()
    return url


def test_a_board_of_a_database_is_that_of_its_export(voted, cli, tmp_path):
    board = cli("arena", "rank", "--db", voted, "--json")
    assert (board.code, board.err) == (0, "")
    assert cli("arena", "export", "-o", "votes.jsonl").out == "60 votes in votes.jsonl.\n"
    again = cli("arena", "rank", "--votes", "votes.jsonl", "--json").json
    assert board.json["models"] == again["models"]
    assert [one["model"] for one in board.json["models"]] == ["x/three", "x/two", "x/one"]
    suspects = [[(one["line"], one["apart"]) for one in found["set_apart"]["voters"]] for found in (board.json, again)]
    assert suspects[0] == suspects[1] == [(n, 5) for n in range(1, 13)]  # all too fast, and as many of each


def test_topics_reasons_and_the_gap_take_a_database_too(voted, cli, tmp_path):
    assert cli("reasons", "--db", voted, "--json").json["n_votes"] == 60
    topics = cli("topics", "--db", voted, "--topics", "2", "--json")
    assert (topics.code, topics.json["file"]["votes"]) == (0, 60)
    assert "audiometry arena export --texts" in cli("topics", "--db", voted, "--write", "new.jsonl").err
    scores = tmp_path / "scores.csv"
    scores.write_text("system,benchmark,score\n" + "".join(f"{m},b,{s}\n" for m, s in STRENGTH.items()))
    gap = cli("gap", "--scores", scores, "--db", voted, "--json")
    assert gap.json["n_systems"] == 3


@pytest.mark.slow
def test_what_was_spoken_in_an_arena_can_be_written_down(voted, cli, chat_server, tmp_path):
    store = Store.open(voted, tmp_path / "arena-audio")
    said = {}
    for n in range(3):
        clip, voter = io.BytesIO(), store.voter(f"speaker {n}")
        soundfile.write(clip, 0.1 * np.sin(np.arange(8000) / (3 + n)), 16000, format="FLAC")
        kept = store.keep_recording(voter, clip.getvalue(), Heard(duration_s=0.5, rate=16000), {})
        battle = store.begin(voter, kept, store.draw([store.contestant(name) for name in STRENGTH], Pairing(), n))
        store.replied(battle.id, *(Replied(state="answered", text="word", latency_s=1.0) for _ in "ab"))
        store.vote(voter, battle.id, "tie", "", [])
        said[hashlib.sha256(clip.getvalue()).hexdigest()] = f"Tell me a story of number {n}"
    store.close()
    server = chat_server(answers=said)
    words = ("topics", "--db", voted, "--topics", "2", "--json")
    assert cli(*words).json["n_without"] == 3
    found = cli(*words, "--transcribe", "openai/gpt-audio-1.5", "--base-url", server.url)
    assert (found.code, found.json["n_without"], found.json["n_asked"]) == (0, 0, 63)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "give the votes: a file with --votes, or an arena's database with --db"),
        (("--votes", "v.jsonl", "--db", "sqlite:///arena.sqlite"), "give the votes once"),
        (("--db", "sqlite:///none.sqlite"), "there is no database none.sqlite; name the arena's own with --db"),
        (("--db", "mysql://me:hunter22@host/x"), "no database of the kind 'mysql' is known; give sqlite:///FILE or"),
        (
            ("--db", "arena.sqlite"),
            "'arena.sqlite' is no database; give sqlite:///arena.sqlite for a file of that name",
        ),
        (("--db", "sqlite://"), "names no file"),
        (("--db", "sqlite:///empty.sqlite?mode=ro"), "nothing is done with '?mode=ro' after a file; give sqlite:///"),
        (("--db", "sqlite:///notes.txt"), "notes.txt: it is no SQLite database; give another file"),
        (("--db", "sqlite:///empty.sqlite"), "empty.sqlite holds no such tables; name the arena's own with --db"),
    ],
)
def test_a_database_that_cannot_be_read_is_told(cli, tmp_path, monkeypatch, arguments, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("no database, " * 100)
    (tmp_path / "empty.sqlite").write_bytes(b"")
    said = cli("arena", "rank", *arguments)
    assert said.code == 2 or "notes" in why
    assert why in said.err
    assert "hunter22" not in said.err
    assert "Traceback" not in said.err
    assert (tmp_path / "empty.sqlite").read_bytes() == b"", "who only reads makes no tables"


def test_an_arena_without_votes_is_told(cli, tmp_path):
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    Store.open(url, tmp_path / "audio").close()
    assert "holds no vote that counts yet; let people vote first" in cli("arena", "rank", "--db", url).err


def test_words_are_looked_through_before_they_are_exported(voted, cli, tmp_path):
    said = cli("arena", "export", "--to-look-through", "-o", "look.jsonl")
    assert "60 votes to look through in look.jsonl; put share true or false into each line." in said.out
    lines = [json.loads(line) | {"share": True} for line in (tmp_path / "look.jsonl").read_text().splitlines()]
    (tmp_path / "look.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:50]))
    done = cli("arena", "export", "--looked-through", "look.jsonl", "--texts", "--to", "parquet", "-o", "v.parquet")
    assert done.out == "50 votes looked through, 50 may be shared.\n60 votes in v.parquet.\n"
    assert done.err == "Note: the words of 10 votes are left out: nobody said that they may be shared.\n"
    found = cli("arena", "export", "--texts", "-o", "v.jsonl", "--json").json
    assert found == {"file": "v.jsonl", "votes": 60, "withheld": 10, "same_recording": 0, "left_out": []}
    assert cli("topics", "--votes", "v.parquet", "--topics", "2").code == 0
    assert cli("arena", "export").code == 2
    assert "leave the rest" in cli("arena", "export", "--to-look-through", "--texts", "-o", "x").err


def test_rates_stand_beside_the_ranks_of_a_database(voted, cli, tmp_path):
    store = Store.open(voted, tmp_path / "arena-audio")
    models = [store.contestant(name) for name in STRENGTH]
    for n in range(3):
        battle = store.begin(store.voter("key"), f"fails {n}", store.draw(models[:2], Pairing(), 1))
        store.replied(battle.id, *(Replied(state="failed", error="it hangs"),) * 2)
    store.close()
    board = cli("arena", "rank", "--db", voted, "--json").json
    rates = {one["model"]: one for one in board["rates"]}
    assert [rates[name]["failed"] for name in STRENGTH] == [3, 3, 0]
    assert sum(one["asked"] for one in rates.values()) == 2 * 63
    cli("arena", "rank", "--db", voted, "--tables", "t", "-o", "board.html")
    table = (tmp_path / "t" / "rates.csv").read_text().splitlines()
    one = rates["x/one"]
    assert f"x/one,{one['asked']},{300 / one['asked']:.1f}" in table[-1]
    assert "What became of asking" in (tmp_path / "board.html").read_text()
    assert "rates" not in cli("arena", "rank", "--votes", export(cli), "--json").json


def export(cli):
    cli("arena", "export", "-o", "votes.jsonl")
    return "votes.jsonl"


def test_contestants_are_listed_and_merged(voted, cli, tmp_path):
    store = Store.open(voted, tmp_path / "arena-audio")
    old, new = store.contestant("x/one"), store.contestant("x/one", parameters={"temperature": 0.5}, release="2026-10")
    store.close()
    listed = cli("arena", "contestants", "--json").json["contestants"]
    assert [one["model"] for one in listed] == [*STRENGTH, "x/one"]
    assert [one["counts_as"] for one in listed][::3] == [f"x/one@{one.sha256[:8]}" for one in (old, new)]
    merge = f"{new.sha256[:12]}={old.sha256[:12]}"
    said = cli("arena", "contestants", "--merge", merge)
    assert said.code == 0
    assert "@" not in said.out
    assert "are one contestant already" in cli("arena", "contestants", "--merge", merge).err
    assert cli("arena", "contestants", "--json").json["contestants"][3]["counts_as"] == "x/one"
