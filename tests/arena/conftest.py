"""The store of an arena, on each kind of database."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from audiometry.arena.store.nouns import Battle, Contestant, Heard, Pairing, Recording, Replied, Voter
from audiometry.arena.store.store import Store

PLAIN = Pairing()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'arena.db'}"
    return request.getfixturevalue("new_database")()


OpenStore = Callable[[], Store]


@pytest.fixture
def open_store(url: str, tmp_path: Path) -> Iterator[OpenStore]:
    """Open the store of the same database again: ``open_store()``; all are closed with the test."""
    with contextlib.ExitStack() as stack:

        def call() -> Store:
            store = Store.open(url, tmp_path / "audio")
            stack.callback(store.close)
            return store

        yield call


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    """The store of an empty database, once of each kind."""
    return open_store()


class Arena:
    """Steps of an arena that tests of its store have in common."""

    heard = Heard(duration_s=1.5, rate=16_000, channels=1, peak_dbfs=-3.0, level_dbfs=-20.0)
    answered = Replied(state="answered", text="Yes, it is.", latency_s=1.5, first_token_s=0.5, tokens_out=4)

    def __init__(self, store: Store) -> None:
        self.store = store

    def contestants(self, *names: str) -> list[Contestant]:
        """Three, or those that are named."""
        return [self.store.contestant(name) for name in names or ("x/one", "x/two", "x/three")]

    def begun(
        self, key: str = "key", query: str | Recording = "What is that?", how: Pairing = PLAIN, seed: int = 1
    ) -> tuple[Voter, Battle]:
        """A voter and a battle whose replies are not there yet."""
        voter = self.store.voter(key)
        return voter, self.store.begin(voter, query, self.store.draw(self.contestants(), how, seed))

    def ready(self, *given: Any, **named: Any) -> tuple[Voter, Battle]:
        """A voter and a battle that can be voted on."""
        voter, battle = self.begun(*given, **named)
        return voter, self.store.replied(battle.id, self.answered, self.answered)


@pytest.fixture
def arena(store: Store) -> Arena:
    """Steps with that store: ``arena.ready(key="anna")``."""
    return Arena(store)
