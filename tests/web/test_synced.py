"""Group commit: nobody returns before a sync that began after the own write, and one serves many."""

import threading
import time

import pytest

from audiometry.errors import StorageError
from audiometry.web import synced


def test_each_write_is_synced_after_it_was_made_and_many_by_one_call(tmp_path, monkeypatch):
    clock, made, lock = [0], {}, threading.Lock()
    calls = []

    def tick():
        with lock:
            clock[0] += 1
            return clock[0]

    def slow(path):
        began = tick()
        time.sleep(0.02)
        calls.append(began)

    monkeypatch.setattr(synced, "_sync", slow)
    file = synced.Synced(tmp_path / "log")

    def write(n):
        for k in range(5):
            written = tick()
            file.wait()
            made[n, k] = (written, max(calls))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(made) == 60
    assert all(any(written < began for began in calls) and newest > written for written, newest in made.values())
    assert len(calls) < 40


def test_all_who_wait_are_told_that_the_disk_refused_and_the_next_are_not(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"written")
    file = synced.Synced(path)
    with monkeypatch.context() as broken:
        broken.setattr(synced.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(StorageError, match=r"the disk refused .Input/output error."):
            file.wait()
    file.wait()
    path.unlink()
    file.wait()
