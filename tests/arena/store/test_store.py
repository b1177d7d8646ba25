"""Operations of the store, each on SQLite and on PostgreSQL."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from audiometry.arena.store.nouns import Pairing, Replied
from audiometry.arena.store.refusals import ClosedError, FullError, NotThereError
from audiometry.arena.store.schema import METADATA
from audiometry.arena.store.store import VERSION_TABLE
from audiometry.errors import UsageError


def test_migrations_make_the_tables_that_the_code_knows(store):
    def ours(_, name, kind, *__):
        return kind != "table" or name != VERSION_TABLE

    with store.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours, "compare_type": True})
        assert compare_metadata(context, METADATA) == []
        cascades = {
            (table, key["constrained_columns"][0]): key["options"].get("ondelete")
            for table in METADATA.tables
            for key in sa.inspect(connection).get_foreign_keys(table)
        }
    declared = {
        (name, key.parent.name): key.ondelete for name, table in METADATA.tables.items() for key in table.foreign_keys
    }
    assert cascades == declared


def test_a_voter_is_found_again_by_the_key_which_is_not_kept(store):
    voter = store.voter("secret-key", client="Firefox 140", participant="p-1")
    assert store.voter("secret-key") == voter
    assert store.voter("another").id != voter.id
    assert store.consent(voter, "2026-11").consent == "2026-11"
    assert store.voter("secret-key").consent == "2026-11"
    with store.database.reading() as connection:
        kept = connection.execute(sa.text("SELECT * FROM voter")).all()
    assert "secret-key" not in str(kept)


def test_a_recording_is_its_voters_alone_and_one_file_for_all_who_sent_it(store, arena):
    anna, ben = store.voter("a"), store.voter("b")
    one = store.keep_recording(anna, b"RIFF-sound", arena.heard, {"echoCancellation": True})
    two = store.keep_recording(ben, b"RIFF-sound", arena.heard, {})
    assert store.recording(anna, one.id) == one
    assert one.heard == arena.heard
    assert store.recording(ben, one.id) is None
    assert store.recording(anna, two.id) is None
    assert store.recording(anna, one.path.name) is None, "never by its hash"
    assert one.id != two.id
    assert one.path == two.path
    assert one.path.read_bytes() == b"RIFF-sound"
    store.transcribed(one.id, "What is that?", "en")
    assert store.recording(anna, one.id).transcript == "What is that?"


def test_a_contestant_is_new_on_any_change_until_it_is_merged(store):
    plain = store.contestant("x/one", parameters={"temperature": 0, "top_p": 1})
    assert store.contestant("x/one", parameters={"top_p": 1, "temperature": 0}) == plain
    changed = [
        store.contestant("x/one", parameters={"temperature": 0.5, "top_p": 1}),
        store.contestant("x/one", parameters={"temperature": 0, "top_p": 1}, release="2026-10"),
        store.contestant("x/one", parameters={"temperature": 0, "top_p": 1}, system_prompt="Be brief."),
        store.contestant("x/one", parameters={"temperature": 0, "top_p": 1}, card={"rate": 16_000}),
        store.contestant("x/two", parameters={"temperature": 0, "top_p": 1}),
    ]
    assert len({one.id for one in (plain, *changed)}) == 6
    for label in ("One", "Uno", ""):  # what it is called makes no other of it, and is what people are told
        assert store.contestant("x/two", parameters={"temperature": 0, "top_p": 1}, label=label).id == changed[-1].id
        called = next(one for one in store.listed() if one.sha256 == changed[-1].sha256)
        assert (called.counts_as, called.parameters.get("model")) == (label or "x/two", "x/two" if label else None)
    store.merge(changed[0].sha256[:12], changed[1].sha256)
    store.merge(changed[1].sha256, plain.sha256)
    again = store.contestant("x/one", parameters={"temperature": 0.5, "top_p": 1})
    assert again.id == plain.id
    with pytest.raises(UsageError, match="already"):
        store.merge(changed[0].sha256, plain.sha256)
    with pytest.raises(NotThereError, match="0 contestants have a hash that begins with 'none'"):
        store.merge("none", plain.sha256)
    with pytest.raises(NotThereError, match="no contestants"):
        store.merge("", plain.sha256)


def test_a_battle_from_its_beginning_to_its_end(store, arena):
    voter, battle = arena.begun()
    assert battle.state == "asking"
    assert store.current(voter) == battle
    with pytest.raises(ClosedError, match="no two replies"):
        store.vote(voter, battle.id, "tie")
    with pytest.raises(ClosedError, match="vote first"):
        store.reveal(voter, battle.id)
    other = Replied(state="refused", text="I cannot say.", latency_s=0.5)
    battle = store.replied(battle.id, arena.answered, other)
    assert (battle.state, battle.a, battle.b) == ("ready", arena.answered.text, other.text)
    assert store.replied(battle.id, other, other) == battle, "replies stand as they came first"
    store.released(battle.id)
    with pytest.raises(ClosedError):
        store.reveal(voter, battle.id)
    with pytest.raises(UsageError, match="'maybe' is no outcome; say model_a, model_b, tie, both_bad, skip"):
        store.vote(voter, battle.id, "maybe")
    assert store.vote(voter, battle.id, "model_b", "shorter", ["helpfulness"]).outcome == "model_b"
    battle = store.vote(voter, battle.id, "model_a", "longer \0", ["tone"])
    assert (battle.state, battle.outcome, battle.comment, battle.tags) == ("voted", "model_a", "longer �", ("tone",))
    assert store.battle(voter, battle.id) == battle
    revealed = store.reveal(voter, battle.id)
    assert revealed.battle.state == "revealed"
    assert {revealed.a.name, revealed.b.name} < {"x/one", "x/two", "x/three"}
    assert (revealed.a.latency_s, revealed.a.first_token_s, revealed.b.latency_s) == (1.5, 0.5, 0.5)
    assert store.reveal(voter, battle.id) == revealed
    with pytest.raises(ClosedError, match="revealed"):
        store.vote(voter, battle.id, "tie")
    assert store.current(voter) == revealed.battle


def test_nobody_else_sees_votes_on_or_reveals_a_battle(store, arena):
    voter, battle = arena.ready()
    stranger = store.voter("stranger")
    assert store.battle(stranger, battle.id) is None
    assert store.current(stranger) is None
    for call in (lambda: store.vote(stranger, battle.id, "tie"), lambda: store.reveal(stranger, battle.id)):
        with pytest.raises(NotThereError, match="no such battle"):
            call()
    with pytest.raises(NotThereError):
        store.vote(voter, "'; DROP TABLE vote; --", "tie")
    assert store.vote(voter, battle.id, "tie").outcome == "tie"


def test_the_same_query_is_the_same_battle_until_it_has_failed_or_is_over(store, arena):
    voter, battle = arena.begun()
    assert arena.begun(seed=2)[1] == battle
    assert arena.begun(query="And that?")[1].id != battle.id
    assert store.replied(battle.id, arena.answered, Replied(state="empty")).state == "failed"
    again = arena.begun()[1]
    assert again.id != battle.id
    store.replied(again.id, arena.answered, arena.answered)
    assert arena.begun()[1].id == again.id
    store.vote(voter, again.id, "tie")
    assert arena.begun()[1].id != again.id  # typed anew after the vote, revealed or not: it is asked again
    recording = store.keep_recording(voter, b"sound", arena.heard, {})
    spoken = arena.begun(query=recording)[1]
    assert (spoken.recording, spoken.text) == (recording.id, "")
    assert arena.begun(query=recording)[1] == spoken
    store.replied(spoken.id, arena.answered, arena.answered)
    store.vote(voter, spoken.id, "tie")
    assert arena.begun(query=recording)[1].id == spoken.id  # one recording, sent again by the back button
    store.reveal(voter, spoken.id)
    assert arena.begun(query=recording)[1].id != spoken.id


def test_a_uniform_draw_says_how_likely_its_pair_was_and_comes_again_with_its_seed(store, arena):
    three = arena.contestants()
    drawn = [store.draw(three, Pairing(), seed) for seed in range(200)]
    assert {one.propensity for one in drawn} == {1 / 3}
    assert {(one.a, one.b) for one in drawn} == {(a.id, b.id) for a in three for b in three if a != b}
    assert store.draw(list(reversed(three)), Pairing(), 7) == store.draw(three, Pairing(), 7)
    with pytest.raises(FullError, match="two models"):
        store.draw(three[:1], Pairing(), 1)


def test_a_quota_gives_each_pair_its_places_and_says_when_all_are_taken(store, arena):
    how = Pairing(quota=2, study="s")
    done = 0
    for seed in range(6):
        voter, battle = arena.begun(key=f"v{seed}", how=how, seed=seed)
        store.replied(battle.id, arena.answered, arena.answered)
        if seed < 5:
            store.vote(voter, battle.id, "tie")
            done += 1
    with pytest.raises(FullError, match="for now") as problem:
        store.draw(arena.contestants(), how, 9)
    assert not problem.value.done
    store.vote(voter, battle.id, "tie")
    with pytest.raises(FullError, match=r"taken$") as problem:
        store.draw(arena.contestants(), how, 9)
    assert problem.value.done
    assert store.draw(arena.contestants(), Pairing(quota=2, study="another"), 9)


def test_a_quota_is_not_full_while_a_model_that_rests_has_places(store, arena):
    how, (one, two, three) = Pairing(quota=1, study="s"), arena.contestants()
    for pair, done in (((one, two), False), ((one, three), False), ((two, three), True)):
        voter = store.voter(f"{pair[0].model} {pair[1].model}")
        battle = store.begin(voter, "What?", store.draw(pair, how, 1))
        store.replied(battle.id, arena.answered, arena.answered)
        with pytest.raises(FullError, match="for now") as held:
            store.draw(pair, how, 2, [one, two, three])
        assert not held.value.done
        store.vote(voter, battle.id, "tie")
        with pytest.raises(FullError) as found:
            store.draw(pair, how, 2, [one, two, three])
        assert found.value.done is done


def test_battles_without_replies_are_found_again_for_who_asks(store, arena):
    voter, spoken = arena.begun(query=store.keep_recording(store.voter("key"), b"sound", arena.heard, {}))
    _, typed = arena.begun(key="other", query="Why?", seed=5)
    arena.ready(query="And this?")
    one, two = store.asking()
    assert (one.battle, one.voter, two.battle, two.query) == (spoken.id, voter.id, typed.id, "Why?")
    assert one.query.path.read_bytes() == b"sound"
    drawn = store.draw(arena.contestants(), Pairing(), 5)
    assert (two.a, two.b) == (drawn.a, drawn.b)


def test_votes_are_counted_changed_ones_once_and_skipped_ones_too(store, arena):
    voter = store.voter("key")
    for n, outcome in enumerate(("tie", "skip", "model_a")):
        _, battle = arena.ready(query=f"question {n}")
        store.vote(voter, battle.id, "both_bad")
        store.vote(voter, battle.id, outcome)
    assert store.count(voter) == 3
    assert store.count(store.voter("other")) == 0
