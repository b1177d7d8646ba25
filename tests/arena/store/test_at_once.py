"""Many people at once, in threads and processes: exact quotas, one battle for a double click, one row for a vote."""

import itertools
import subprocess
import sys
import textwrap
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry.arena.store.battles import OVER_QUOTA
from audiometry.arena.store.nouns import Pairing, Replied
from audiometry.arena.store.refusals import ClosedError, FullError
from audiometry.arena.store.schema import APART, BATTLE, LEASE, VOTE

QUOTA = Pairing(quota=5, study="s")


def by_pair(store):
    """Votes that count, by pair."""
    with store.database.reading() as connection:
        apart = sa.select(APART.c.battle)
        rows = connection.execute(sa.select(VOTE.c.a, VOTE.c.b).where(VOTE.c.outcome != 4, VOTE.c.battle.not_in(apart)))
        return Counter(frozenset(pair) for pair in rows)


def fill(arena, key, how=QUOTA):
    """Vote until there is no place; one in four goes away before the vote, one in four skips."""
    store = arena.store
    for n in itertools.count():
        try:
            voter, battle = arena.ready(key=f"{key}-{n}", query=f"{key} {n}", how=how, seed=n)
        except FullError:
            return
        if n % 4 != 3:
            store.vote(voter, battle.id, "skip" if n % 4 == 2 else "model_a")


def test_threads_fill_each_pair_to_its_quota_and_not_beyond(arena):
    how = Pairing(quota=5, study="s", lease_s=0.2)
    arena.contestants()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: fill(arena, n, how), range(6)))
    time.sleep(0.25)  # the places of those who went away
    for more in range(8):
        fill(arena, f"more {more}", Pairing(quota=5, study="s", lease_s=0))
    assert set(by_pair(arena.store).values()) == {5}
    assert len(by_pair(arena.store)) == 3


PROCESS = """
    import sys
    from pathlib import Path
    from audiometry.arena.store.nouns import Pairing, Replied
    from audiometry.arena.store.refusals import FullError
    from audiometry.arena.store.store import Store

    url, folder, me = sys.argv[1:]
    store = Store.open(url, Path(folder))
    three = [store.contestant(name) for name in ("x/one", "x/two", "x/three")]
    said = Replied(state="answered", text="Yes.")
    for n in range(1000):
        voter = store.voter(f"{me} {n}")
        try:
            battle = store.begin(voter, "What?", store.draw(three, Pairing(quota=8, study="s"), n))
        except FullError:
            break
        store.replied(battle.id, said, said)
        store.vote(voter, battle.id, "tie")
    print(n)
"""


@pytest.mark.slow
def test_processes_fill_each_pair_to_its_quota_and_not_beyond(store, url, tmp_path):
    start = [sys.executable, "-c", textwrap.dedent(PROCESS), url, str(tmp_path / "audio")]
    running = [subprocess.Popen([*start, str(n)], stdout=subprocess.PIPE, text=True) for n in range(3)]
    done = [int(one.communicate(timeout=120)[0]) for one in running]
    assert [one.returncode for one in running] == [0, 0, 0]
    assert sum(done) == 3 * 8
    assert by_pair(store) == dict.fromkeys(by_pair(store), 8)
    assert len(by_pair(store)) == 3


def test_a_vote_whose_place_went_to_another_is_kept_and_set_apart(arena):
    store, how = arena.store, Pairing(quota=1, study="s", lease_s=-1)
    two = arena.contestants()[:2]
    late, lasts = [], Pairing(quota=1, study="s")
    for n in range(2):
        voter = store.voter(f"late {n}")
        battle = store.begin(voter, "?", store.draw(two, how, n))
        store.replied(battle.id, arena.answered, arena.answered)
        late.append((voter, battle))
    assert store.vote(*of(late[0]), "tie").state == "voted"
    with pytest.raises(FullError, match=r"taken$"):
        store.draw(two, lasts, 1)
    assert store.vote(*of(late[1]), "model_a").outcome == "model_a", "nobody is told that she came too late"
    assert store.votes().notes == (f"1 vote set apart: {OVER_QUOTA}",)
    assert store.votes().votes.n == 1
    assert store.vote(*of(late[0]), "skip").state == "voted"
    assert store.draw(two, lasts, 1).lease, "who skips gives the place back"


def of(voter_and_battle):
    voter, battle = voter_and_battle
    return voter, battle.id


def test_a_place_is_free_again_when_a_model_fails_or_the_battle_is_set_apart(arena):
    store, how = arena.store, Pairing(quota=1, study="s")
    two = arena.contestants()[:2]
    voter = store.voter("key")
    battle = store.begin(voter, "?", store.draw(two, how, 1))
    with pytest.raises(FullError):
        store.draw(two, how, 1)
    store.replied(battle.id, arena.answered, Replied(state="failed", error="it hangs"))
    battle = store.begin(voter, "?", store.draw(two, how, 1))
    store.replied(battle.id, arena.answered, arena.answered)
    store.vote(voter, battle.id, "tie")
    store.set_apart(battle.id, "identity-claim")
    assert store.draw(two, how, 1).lease


def test_places_of_a_contestant_that_is_merged_count_for_the_one_that_is_left(arena):
    store, how = arena.store, Pairing(quota=1, study="s")
    old, other = arena.contestants()[:2]
    new = store.contestant("x/one", release="2026-10")
    voter = store.voter("key")
    battle = store.begin(voter, "?", store.draw([new, other], how, 1))
    store.replied(battle.id, arena.answered, arena.answered)
    store.vote(voter, battle.id, "tie")
    assert store.draw([old, other], how, 1).lease
    store.merge(new.sha256, old.sha256)
    with pytest.raises(FullError):
        store.draw([store.contestant("x/one", release="2026-10"), other], how, 1)


def test_a_double_click_begins_one_battle_and_gives_the_second_place_back(arena):
    store, voter = arena.store, arena.store.voter("key")
    models = arena.contestants()
    with ThreadPoolExecutor(6) as pool:
        began = list(pool.map(lambda n: store.begin(voter, "What?", store.draw(models, QUOTA, n)).id, range(6)))
    assert len(set(began)) == 1
    with store.database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(BATTLE)) == 1
        assert connection.scalars(sa.select(LEASE.c.battle)).all() == [began[0]]


def test_votes_from_several_tabs_are_one_row_and_end_with_the_reveal(arena):
    store = arena.store
    voter, battle = arena.ready()
    store.vote(voter, battle.id, "tie")

    def click(n):
        try:
            if n == 10:
                return store.reveal(voter, battle.id).battle.outcome
            return store.vote(voter, battle.id, ("model_a", "model_b")[n % 2]).outcome
        except ClosedError:
            return "closed"

    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(click, range(20)))
    with store.database.reading() as connection:
        row = connection.execute(sa.select(VOTE)).one()
    assert ("model_a", "model_b")[row.outcome] == said[10], "what stood at the reveal stands"
    assert store.battle(voter, battle.id).state == "revealed"


STEPS = st.lists(
    st.tuples(st.sampled_from(["begin", "fail", "vote", "skip", "expire", "apart", "reveal"]), st.integers(0, 5)),
    max_size=30,
)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@given(steps=STEPS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_order_of_steps_goes_beyond_a_quota_or_loses_a_vote(arena, steps):
    store, how = arena.store, Pairing(quota=2, study=str(next(STUDIES)), lease_s=600)
    two, battles, votes = arena.contestants()[:2], [], {}
    for step, n in steps:
        voter, battle = battles[n % len(battles)] if battles else (None, None)
        try:
            if step == "begin":
                voter = store.voter(f"{how.study} {len(battles)}")
                battle = store.begin(voter, "?", store.draw(two, how, n))
                store.replied(battle.id, arena.answered, arena.answered)
                battles.append((voter, battle.id))
            elif battle is None:
                continue
            elif step in {"vote", "skip"}:
                outcome = "skip" if step == "skip" else "tie"
                store.vote(voter, battle, outcome)
                votes[battle] = outcome
            elif step == "expire":
                with store.database.writing() as connection:
                    open_ = sa.and_(LEASE.c.study == how.study, LEASE.c.expires.is_not(None))
                    connection.execute(sa.update(LEASE).where(open_).values(expires=0))
            elif step == "apart":
                store.set_apart(battle, "identity-claim")
            elif step == "reveal":
                store.reveal(voter, battle)
        except (FullError, ClosedError):
            continue
    with store.database.reading() as connection:
        mine = sa.select(BATTLE.c.id).where(BATTLE.c.study == how.study)
        kept = connection.execute(sa.select(VOTE.c.battle, VOTE.c.outcome).where(VOTE.c.battle.in_(mine))).all()
        apart = set(connection.scalars(sa.select(APART.c.battle).where(APART.c.battle.in_(mine))))
    assert {battle: "skip" if outcome == 4 else "tie" for battle, outcome in kept} == votes
    counted = sum(outcome != 4 and battle not in apart for battle, outcome in kept)
    assert counted <= 2
    assert apart or counted == sum(outcome != 4 for _, outcome in kept)


STUDIES = itertools.count()
