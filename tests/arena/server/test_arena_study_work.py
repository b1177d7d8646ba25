"""What a study knows of the arena that it is around."""

import asyncio
from types import SimpleNamespace

from audiometry.arena.server.study_work import StudyWork
from audiometry.arena.store.nouns import Pairing, Replied
from audiometry.arena.store.store import Store
from audiometry.web.study.flow import Done


def test_places_of_whoever_withdraws_are_for_others_again(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "audio")
    arena = SimpleNamespace(store=store, full=False, key_of="study s {}".format, forget=lambda: None)
    work, how = StudyWork(arena), Pairing(quota=1, study="s")
    two = [store.contestant(name) for name in ("x/one", "x/two")]
    voter = store.voter("study s p1", participant="p1")
    battle = store.begin(voter, "What?", store.draw(two, how, 1))
    store.replied(battle.id, *[Replied(state="answered", text="That.", latency_s=1.0)] * 2)
    store.vote(voter, battle.id, "tie")
    arena.full = True  # as the next draw finds
    assert asyncio.run(work.done("p1")) == Done(1, more=False)
    asyncio.run(work.withdraw("p1"))
    assert asyncio.run(work.done("p2")).more
    assert store.draw(two, how, 2).lease
    store.close()
