"""The store of an arena, on each kind of database."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audiometry.arena.store.store import Store


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
