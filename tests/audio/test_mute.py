"""What the MP3 decoder prints of broken files reaches nobody; what others print does."""

import contextlib
import ctypes
import io
import os
import threading

import numpy as np
import pytest
import soundfile

from audiometry.audio import decode
from audiometry.audio.inspect import inspect
from audiometry.audio.mute import mute
from audiometry.errors import AudioError


def broken_mp3s():
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(1).normal(0, 0.1, 32_000), 16_000, format="MP3")
    draw = np.random.default_rng(2)
    for _ in range(40):
        data = bytearray(file.getvalue())
        data[draw.integers(600, len(data))] ^= 0xFF
        at = draw.integers(600, len(data))
        del data[at : at + draw.integers(1, 900)]
        yield bytes(data)


def printed(text):
    c = ctypes.CDLL(None)
    c.perror(text.encode())
    c.fflush(None)


def test_a_broken_mp3_prints_nothing(capfd):
    for data in broken_mp3s():
        with contextlib.suppress(soundfile.SoundFileError), soundfile.SoundFile(io.BytesIO(data)) as file:
            file.read()
    if not capfd.readouterr().err:
        pytest.skip("this libsndfile says nothing of broken files")
    for data in broken_mp3s():
        with contextlib.suppress(AudioError):
            assert [len(block) for block in decode.blocks(data, inspect(data, "x"), "x")]
    assert capfd.readouterr().err == ""


def test_only_c_is_silent_and_only_as_long_as_somebody_wants_it(capfd):
    with mute(), mute():
        printed("unheard")
        os.write(2, b"ours\n")
    printed("heard")
    err = capfd.readouterr().err
    assert "unheard" not in err
    assert err.startswith("ours\nheard")


def test_threads_and_forks_leave_nothing_silent(capfd):
    def often():
        for _ in range(500):
            with mute():
                pass

    threads = [threading.Thread(target=often) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with mute():
        child = os.fork()
        if not child:
            printed("in the child")
            os._exit(0)
        os.waitpid(child, 0)
    printed("after")
    err = capfd.readouterr().err
    assert "in the child" in err
    assert "after" in err
