"""Converted clips, kept by what they were made of: variants, orders and later runs do not convert them again.

The newest stay in memory. All items are asked in one variant before the next begins, so that what memory drops first is
what is asked for first: where that will happen older ones go to a file without a name, which ends with this process
however that ends. In a folder that the user names they stay.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final

import msgspec

from audiometry.audio.clip_file import file_size, read_small
from audiometry.errors import StorageError, UndecodableError
from audiometry.files import atomic, foreign
from audiometry.records import Audio, ModelCard

IN_MEMORY: Final = 64 << 20  # bytes
IN_FILE: Final = 8 << 30
IN_FOLDER: Final = 64 << 30
SHARE: Final = 64
"""A clip is put on a disk that has room for so many of it."""

_VERSION: Final = "1"
"""Of the conversion: to be raised whenever the same file would become other bytes."""

_LARGEST: Final = 1 << 31  # bytes of a clip


def key_of(file_sha256: str, card: ModelCard) -> str:
    """Hash of all that shapes a converted clip: the file, what the card asks for, and the converter.

    Args:
        file_sha256: of the file's bytes.
        card: what the model takes.
    """
    cut = (card.longest_s,) if card.cut else ()
    silence = ("silence", card.shortest_s) if card.padded else ()
    shaped_by = file_sha256, card.rate, card.channels, card.formats, _VERSION, *_libraries(), *cut, *silence
    return hashlib.sha256(repr(shaped_by).encode()).hexdigest()


@functools.cache
def _libraries() -> tuple[str, str]:
    from importlib.metadata import version

    return version("soundfile"), version("soxr")


class KeptClips:
    """A bounded store of converted clips, for several threads.

    Args:
        folder: where clips stay, made if missing; None: nowhere.
        beside: a folder on whose disk older clips may lie while this store lives; None: they are dropped.

    Raises:
        StorageError: there can be no such folder, or nothing can be written to it.
    """

    def __init__(self, folder: Path | None = None, beside: Path | None = None) -> None:
        self._folder, self._beside, self._lock = folder, beside, threading.Lock()
        self._decoder = foreign.Decoder(Audio)
        self._newest: OrderedDict[str, Audio] = OrderedDict()
        self._in_memory = 0
        self._file: int | None = None
        self._places: dict[str, tuple[int, int, Audio]] = {}  # in the file: from where, how long, all but the bytes
        self._written = 0 if folder is None else _bytes_in(folder)  # to the folder or the file, whichever it is

    def get(self, key: str) -> Audio | None:
        """The clip kept under that key; None if there is none, or none that is whole."""
        with self._lock:
            if key in self._newest:
                self._newest.move_to_end(key)
                return self._newest[key]
            found = self._from_file(key)
        found = self._from_folder(key) if found is None else found
        if found is None or hashlib.sha256(found.data).hexdigest() != found.sha256:
            return None
        return found

    def put(self, key: str, clip: Audio) -> None:
        """Keep a clip, as far as there is room."""
        self._to_folder(key, clip)
        with self._lock:
            if key in self._newest:
                return
            self._newest[key] = clip
            self._in_memory += len(clip.data)
            while self._in_memory > IN_MEMORY:
                oldest, clip = self._newest.popitem(last=False)
                self._in_memory -= len(clip.data)
                self._to_file(oldest, clip)

    def close(self) -> None:
        """Forget all but what lies in the folder."""
        with self._lock:
            self._newest.clear()
            self._places.clear()
            self._in_memory = 0
            if self._file is not None:
                os.close(self._file)
            self._file = None

    def _to_file(self, key: str, clip: Audio) -> None:
        if self._beside is None or self._folder is not None or key in self._places:
            return
        with contextlib.suppress(OSError):  # a full disk: it will be converted again
            if self._file is None:
                with tempfile.TemporaryFile(dir=self._beside) as file:
                    self._file, self._written = os.dup(file.fileno()), 0
            if self._room(len(clip.data), IN_FILE, os.fstatvfs(self._file)):
                os.pwrite(self._file, clip.data, self._written)
                self._places[key] = self._written, len(clip.data), msgspec.structs.replace(clip, data=b"")
                self._written += len(clip.data)

    def _from_file(self, key: str) -> Audio | None:
        if self._file is None or key not in self._places:
            return None
        start, length, clip = self._places[key]
        try:
            return msgspec.structs.replace(clip, data=os.pread(self._file, length, start))
        except OSError:
            return None

    def _to_folder(self, key: str, clip: Audio) -> None:
        if self._folder is None:
            return
        said = msgspec.json.encode(msgspec.structs.replace(clip, data=b""))
        with contextlib.suppress(OSError, StorageError):  # as above; one that is not whole is as good as none
            with self._lock:
                if not self._room(len(clip.data), IN_FOLDER, os.statvfs(self._folder)):
                    return
                self._written += len(clip.data)
            atomic.write_parts(self._folder / key, (said, b"\n", clip.data), durable=False)

    def _from_folder(self, key: str) -> Audio | None:
        if self._folder is None:
            return None
        said, _, data = read_small(str(self._folder / key), _LARGEST).partition(b"\n")
        try:
            return msgspec.structs.replace(self._decoder.decode(said), data=data) if data else None
        except UndecodableError:
            return None

    def _room(self, size: int, most: int, disk: os.statvfs_result) -> bool:
        return self._written + size <= most and size * SHARE <= disk.f_bavail * disk.f_frsize


def _bytes_in(folder: Path) -> int:
    """Of all files in a folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return sum(file_size(path) for path in folder.iterdir())
    except OSError as problem:
        raise StorageError(f"cannot keep clips in {folder}: {problem.strerror}; name another folder") from problem
