"""Delete my data: nothing of a person is left, in the bytes of the database, its log, files or exports."""

import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from audiometry.arena.store import exported
from audiometry.arena.store.nouns import Pairing, Replied, Voter
from audiometry.arena.store.refusals import NotThereError
from audiometry.arena.store.schema import METADATA
from audiometry.arena.store.words import code_of, code_sha256, sha256

SOUND, OTHER_SOUND = b"RIFF the same sound " * 40, b"RIFF a sound of Anna alone " * 40
ANNAS = (
    "annas-secret-key",
    "Firefox of Anna",
    "prolific-5f0e1d2c",
    "annas transcript",
    "annas question",
    "annas comment",
    "annas words that name a model",
)


def spoken(arena, key, clip, transcript, n=1, **facts):
    """A voter, her recording and a revealed battle about it."""
    store = arena.store
    voter = store.voter(key, **facts)
    kept = store.keep_recording(voter, clip, arena.heard, {"device": f"{key} settings"})
    store.transcribed(kept.id, transcript, "en")
    battle = store.begin(voter, kept, store.draw(arena.contestants(), Pairing(), n))
    quoting = Replied(state="answered", text=f"You said: {transcript}", latency_s=1.0)
    store.replied(battle.id, quoting, Replied(state="answered", text=f"{key} said that", latency_s=1.0))
    store.vote(voter, battle.id, "model_a", f"{transcript} comment", ["tone"])
    store.reveal(voter, battle.id)
    return voter, kept, battle


@pytest.fixture
def anna_and_ben(arena):
    """Two people who sent identical sound; Anna sent another one too and typed a question."""
    anna, hers, battle = spoken(arena, ANNAS[0], SOUND, ANNAS[3], client=ANNAS[1], participant=ANNAS[2])
    alone = spoken(arena, ANNAS[0], OTHER_SOUND, ANNAS[3], 2)[1]
    _, typed = arena.ready(key=ANNAS[0], query=ANNAS[4])
    arena.store.vote(anna, typed.id, "tie", ANNAS[5])
    arena.store.set_apart(battle.id, "identity-claim", ANNAS[6])
    ben, his, _ = spoken(arena, "bens-key", SOUND, "bens transcript", 3)
    return {"anna": anna, "ben": ben, "hers": hers, "his": his, "alone": alone, "battles": (battle.id, typed.id)}


def everything(store, folder: Path) -> bytes:
    """All bytes there are: of SQLite the database and its log, of PostgreSQL every row; the files; an export."""
    exported.export(store.database, folder / "export.jsonl", "jsonl", texts=True)
    raw = b"".join(one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file())
    if not store.database.is_sqlite:
        with store.database.reading() as connection:
            raw += repr([connection.execute(sa.select(table)).all() for table in METADATA.sorted_tables]).encode()
    return raw


def test_what_one_deletes_is_gone_and_the_others_identical_sound_still_plays(arena, anna_and_ben, tmp_path):
    store, his, hers, alone = arena.store, *(anna_and_ben[name] for name in ("his", "hers", "alone"))
    traces = [*ANNAS, sha256(ANNAS[0]), code_sha256(code_of(ANNAS[0])), hers.id, alone.id, f"{ANNAS[0]} settings"]
    before = everything(store, tmp_path)
    assert [one for one in traces[1:] if one.encode() not in before] == [], "the test would see them"
    assert ANNAS[0].encode() in before, "in the settings and a reply"
    assert OTHER_SOUND in before

    deleted = store.delete(code_of(ANNAS[0]).lower())
    assert (deleted.recordings, deleted.battles, deleted.votes) == (2, 3, 3)
    after = everything(store, tmp_path)
    assert [one for one in traces if one.encode() in after] == []
    assert OTHER_SOUND not in after
    assert not alone.path.exists()
    assert alone.path.name.encode() not in after

    assert store.recording(anna_and_ben["ben"], his.id).path.read_bytes() == SOUND
    assert store.current(anna_and_ben["ben"]).a == "You said: bens transcript"
    assert b"bens transcript comment" in after
    counted = store.votes(texts=True)
    assert counted.votes.n == 3, "what was counted stays, as agreed, and what was set apart stays so"
    assert sorted(counted.texts.comment) == ["", "", "bens transcript comment"]
    store.set_apart(anna_and_ben["battles"][1], "identity-asked", "annas words found late")
    assert b"annas words" not in everything(store, tmp_path)
    with pytest.raises(NotThereError, match="nobody's code"):
        store.delete(code_of(ANNAS[0]))
    assert store.voter(ANNAS[0]).id != anna_and_ben["anna"].id
    assert store.delete(code_of("bens-key")).recordings == 1
    assert not his.path.exists()


def test_who_reads_for_long_keeps_no_word_for_good(arena, anna_and_ben, tmp_path, monkeypatch):
    store = arena.store
    monkeypatch.setattr("audiometry.web.database._TRIES", 1)
    with store.database.reading() as long:
        long.execute(sa.text("SELECT count(*) FROM vote")).all()
        store.delete(code_of(ANNAS[0]))
        is_left = ANNAS[3].encode() in everything(store, tmp_path)
        assert is_left == store.database.is_sqlite, "SQLite's log is read still"
    store.expire()
    assert ANNAS[3].encode() not in everything(store, tmp_path)


def test_votes_go_too_where_that_was_agreed(arena, anna_and_ben, tmp_path):
    store = arena.store
    assert store.withdraw(anna_and_ben["anna"]).votes == 3
    assert store.votes().votes.n == 1
    after = everything(store, tmp_path)
    assert not [one for one in (*ANNAS, *anna_and_ben["battles"]) if one.encode() in after]
    assert store.withdraw(Voter(id=anna_and_ben["anna"].id)).votes == 0


def test_words_and_sounds_are_kept_as_long_as_was_agreed(arena, anna_and_ben, tmp_path):
    store = arena.store
    assert store.expire(keep_s=3600).emptied == 0
    assert store.expire(keep_s=-1).emptied == 4 + 3
    after = everything(store, tmp_path)
    assert not [one for one in (*ANNAS[3:7], "bens transcript") if one.encode() in after]
    assert SOUND not in after
    assert store.votes().votes.n == 3
    assert store.expire(keep_s=-1).emptied == 0


def test_a_battle_that_nobody_goes_on_with_is_failed_or_abandoned_and_may_be_voted_on_after_all(arena):
    store = arena.store
    voter, _ = arena.begun(query="never answered")
    _, left = arena.ready(query="never voted on")
    assert store.expire() == store.expire(keep_s=1e9)
    done = store.expire(asking_s=-1, vote_s=-1)
    assert (done.failed, done.abandoned, done.emptied) == (1, 1, 0)
    assert store.battle(voter, left.id).state == "abandoned"
    assert store.vote(voter, left.id, "tie").state == "voted"
    assert store.asking() == ()


def test_files_that_a_killed_server_left_behind_are_swept(arena, tmp_path):
    store = arena.store
    kept = store.keep_recording(store.voter("key"), SOUND, arena.heard, {})
    orphan = store.audio.path(sha256("orphan"))
    half = orphan.with_name(f".{orphan.name[:40]}.abcd1234")
    orphan.parent.mkdir(parents=True)
    for one in (orphan, half):
        one.write_bytes(b"left behind")
    assert store.audio.sweep() == 0, "somebody may be about to name them"
    for one in (orphan, half, kept.path):
        os.utime(one, (time.time() - 4000,) * 2)
    store.expire()
    assert [one.exists() for one in (orphan, half, kept.path)] == [False, False, True]


def test_deleting_while_others_send_the_same_sound_loses_no_sound(arena):
    store, counter = arena.store, itertools.count()

    def comes_and_goes(_: int) -> None:
        key = f"guest {next(counter)}"
        store.keep_recording(store.voter(key), SOUND, arena.heard, {})
        store.delete(code_of(key))

    def stays(n: int) -> tuple[Voter, str]:
        voter = store.voter(f"stays {n}")
        return voter, store.keep_recording(voter, SOUND, arena.heard, {}).id

    with ThreadPoolExecutor(6) as pool:
        gone = pool.map(comes_and_goes, range(12))
        kept = list(pool.map(stays, range(4)))
        list(gone)
    assert all(store.recording(voter, one).path.read_bytes() == SOUND for voter, one in kept)
    for voter, _ in kept:
        store.withdraw(voter)
    assert not store.audio.path((kept and store.audio.path("x").name) or "").exists()
