"""Keeps off the terminal what the MP3 decoder within libsndfile prints of broken files, for which it has no switch."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from typing import Final

_NAMES: Final = ("stderr", "__stderrp")  # of C's stream for errors: on Linux and the BSDs, on macOS


class _Errors:
    """C's stream for errors, led elsewhere as long as anybody wants that; Python's own, and its descriptor, stay.

    Where it is no variable that can be set (Windows), nothing is done.
    """

    def __init__(self) -> None:
        self._count, self._lock = 0, threading.Lock()
        self._stream, self._own, self._nowhere = _streams()
        if self._stream is not None:
            os.register_at_fork(after_in_child=self._anew)

    def _anew(self) -> None:
        """The threads that wanted it are not there in a forked process, and nobody would let go of the lock."""
        self._count, self._lock = 0, threading.Lock()
        self._lead()

    def want(self, more: int) -> None:
        """One more, or one less, wants it."""
        with self._lock:
            self._count = max(0, self._count + more)
            self._lead()

    def _lead(self) -> None:
        if self._stream is not None:
            self._stream.value = self._nowhere if self._count else self._own


def _streams() -> tuple[ctypes.c_void_p | None, int | None, int | None]:
    """C's variable, what it holds, and a stream to nowhere."""
    if os.name == "posix":
        c = ctypes.CDLL(None)
        c.fopen.restype = ctypes.c_void_p
        for name in _NAMES:
            with contextlib.suppress(ValueError):
                stream = ctypes.c_void_p.in_dll(c, name)
                nowhere = c.fopen(os.devnull.encode(), b"we")
                return (stream, stream.value, nowhere) if nowhere else (None, None, None)
    return None, None, None


_errors: Final = _Errors()


@contextlib.contextmanager
def mute() -> Iterator[None]:
    """As long as it is entered, in any thread, what C code prints as an error goes nowhere."""
    _errors.want(1)
    try:
        yield
    finally:
        _errors.want(-1)
