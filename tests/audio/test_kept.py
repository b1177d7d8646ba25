"""Converted clips are kept, found again, and given out only whole."""

import os
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from audiometry.audio import kept as keeping
from audiometry.audio.clip import Clip
from audiometry.audio.encode import encode
from audiometry.audio.kept import KeptClips, key_of
from audiometry.audio.prepare import prepare
from audiometry.errors import StorageError
from audiometry.records import ModelCard

CARD = ModelCard()


def source(seed=0, rate=44100, frames=20000):
    samples = np.random.default_rng(seed).uniform(-0.5, 0.5, (frames, 2)).astype(np.float32)
    return encode(Clip(samples=samples, rate=rate))


@pytest.fixture(params=["memory", "file", "folder", "folder, opened again"])
def store(request, tmp_path, monkeypatch):
    """A store of each kind, and the same or its successor when the clips are asked for again."""
    if request.param == "memory":
        one = KeptClips()
        yield lambda: one
        one.close()
        return
    monkeypatch.setattr(keeping, "IN_MEMORY", 0)
    if request.param == "file":
        one = KeptClips(beside=tmp_path)
        yield lambda: one
        one.close()
        assert not list(tmp_path.iterdir())
        return
    one = KeptClips(tmp_path / "clips")
    yield lambda: KeptClips(tmp_path / "clips") if "again" in request.param else one


def test_a_clip_is_converted_once(store, conversions):
    files = [source(seed) for seed in range(4)]
    first = [prepare(data, CARD, where="a", kept=store()) for data in files]
    assert [prepare(data, CARD, where="b", kept=store()) for data in files] == first
    assert first == [prepare(data, CARD, where="c") for data in files]
    assert len(conversions) == 8


def test_another_file_another_card_and_another_converter_are_others(monkeypatch):
    one = key_of("a", CARD)
    assert key_of("a", msgspec.structs.replace(CARD, longest_s=9.0, name="other/model")) == one
    others = [{"rate": 8000}, {"channels": 2}, {"formats": ("flac",)}]
    keys = {one, key_of("b", CARD), *(key_of("a", msgspec.structs.replace(CARD, **other)) for other in others)}
    monkeypatch.setattr(keeping, "_VERSION", "0")
    keys.add(key_of("a", CARD))
    assert len(keys) == 6


def test_what_is_sent_as_it_is_is_not_kept(tmp_path):
    data = source(rate=16000)
    fits = prepare(data, ModelCard(channels=2), where="a", kept=KeptClips(tmp_path))
    assert fits.data is data
    assert not list(tmp_path.iterdir())


def test_memory_is_bounded_and_the_clip_asked_for_last_stays(monkeypatch, conversions):
    files = [source(seed) for seed in range(3)]
    size = len(prepare(files[0], CARD, where="a").data)
    monkeypatch.setattr(keeping, "IN_MEMORY", 2 * size)
    one = KeptClips()
    for number in (0, 1, 0, 2):
        prepare(files[number], CARD, where="a", kept=one)
    del conversions[:]
    prepare(files[0], CARD, where="a", kept=one)
    assert not conversions
    prepare(files[1], CARD, where="a", kept=one)
    assert len(conversions) == 1
    assert one._in_memory <= 2 * size


@pytest.mark.parametrize("bound", ["IN_FILE", "IN_FOLDER"])
def test_the_disk_is_bounded(bound, tmp_path, monkeypatch, conversions):
    files = [source(seed) for seed in range(3)]
    size = len(prepare(files[0], CARD, where="a").data)
    monkeypatch.setattr(keeping, "IN_MEMORY", 0)
    monkeypatch.setattr(keeping, bound, 2 * size + 1)
    one = KeptClips(tmp_path) if bound == "IN_FOLDER" else KeptClips(beside=tmp_path)
    for data in files * 2:
        prepare(data, CARD, where="a", kept=one)
    assert len(conversions) == 1 + 3 + 1
    one.close()


def damaged(path, how):
    raw = path.read_bytes()
    path.unlink()
    if how == "a pipe":
        os.mkfifo(path)
    elif how == "a folder":
        path.mkdir()
    else:
        damage = {
            "empty": b"",
            "cut": raw[:-1],
            "no header": raw.partition(b"\n")[2],
            "another header": b'{"rate":"x"}\n' + raw.partition(b"\n")[2],
            "nested": b"[" * 100_000 + raw,
            "another clip": raw[:-100] + bytes(100),
        }
        path.write_bytes(damage[how])


@pytest.mark.parametrize(
    "how", ["empty", "cut", "no header", "another header", "nested", "another clip", "a pipe", "a folder"]
)
def test_what_is_damaged_in_the_folder_is_made_again(how, tmp_path, conversions):
    data = source()
    wanted = prepare(data, CARD, where="a", kept=KeptClips(tmp_path))
    (path,) = tmp_path.iterdir()
    damaged(path, how)
    assert prepare(data, CARD, where="a", kept=KeptClips(tmp_path)) == wanted
    assert len(conversions) == 2


def test_a_folder_that_cannot_be_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot keep clips in .*file/clips: Not a directory; name another folder"):
        KeptClips(tmp_path / "file" / "clips")


def test_a_disk_that_refuses_costs_a_conversion_and_no_run(tmp_path, monkeypatch, conversions):
    def refuse(*_given, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping, "IN_MEMORY", 0)
    monkeypatch.setattr(os, "pwrite", refuse)
    monkeypatch.setattr(os, "fdopen", refuse)
    for one in (KeptClips(beside=tmp_path), KeptClips(tmp_path)):
        del conversions[:]
        assert prepare(source(), CARD, where="a", kept=one) == prepare(source(), CARD, where="a", kept=one)
        assert len(conversions) == 2
        one.close()


def test_threads_share_a_store(tmp_path, monkeypatch):
    files = [source(seed, frames=4000) for seed in range(12)]
    wanted = [prepare(data, CARD, where="a") for data in files]
    monkeypatch.setattr(keeping, "IN_MEMORY", 3 * len(wanted[0].data))
    one, wrong = KeptClips(beside=tmp_path), []

    def work(seed):
        numbers = np.random.default_rng(seed).integers(0, len(files), 60)
        wrong.extend(n for n in numbers if prepare(files[n], CARD, where="a", kept=one) != wanted[n])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    one.close()
    assert not list(Path(tmp_path).iterdir())
