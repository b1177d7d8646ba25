"""The items of a report: inside the page while they are small, in files beside it when they are many."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Self

import msgspec

from audiometry.files import atomic, foreign, presence
from audiometry.report.clips import ClipEntry
from audiometry.report.record_row import BriefReply
from audiometry.report.rows import BriefItem, encoded
from audiometry.report.spool import refused

MOST_EMBEDDED: Final = 25_000_000
"""Bytes of items that are put into the file; beyond that all of them are in files beside it."""

A_PIECE: Final = 2_000_000
"""Bytes of such a file, but for a single item that is larger."""

_NAMED: Final = re.compile(rb'"([0-9a-f]{20}\.js)"')
_NAME: Final = re.compile(r"[0-9a-f]{20}\.js")
OPENING: Final = b'<script type="application/json" id="pieces">'
"""Before what a page says of its pieces."""

_BETWEEN: Final = b",\n"
_ASKS: Final = 301  # characters of a question, which a row cuts behind 300
_READ: Final = frozenset({"", "label"})  # kinds of which a row shows what was read, not the reply
_WORD: Final = 200  # of an answer or a tag's value; a longer one is none to filter by


class Brief(BriefItem, omit_defaults=True):
    """What the list and its filters need of an `ItemRow` with its replies."""

    replies: list[BriefReply] = msgspec.field(default_factory=list)


class _Heard(msgspec.Struct):
    """The clips that were sent in place of an item's own."""

    heard: tuple[int, ...] = ()


class _Clips(msgspec.Struct):
    """The clips that an item names, and its replies'."""

    clips: tuple[int, ...] = ()
    replies: tuple[_Heard, ...] = ()

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.clips, *(number for reply in self.replies for number in reply.heard))


class Pieces(msgspec.Struct, frozen=True):
    """Where a page finds its items.

    Attributes:
        folder: beside the page.
        brief: files of all `Brief` items, in order.
        whole: files of all whole items in order, each with the place of its first item.
    """

    folder: str
    brief: list[str]
    whole: list[tuple[str, int]]


class Earlier(msgspec.Struct, frozen=True):
    """What the page that stands somewhere has beside it.

    Attributes:
        names: of its pieces.
        until: when it was written, as its disk tells the time, ns; all of them were before.
    """

    names: frozenset[str] = frozenset()
    until: int = 0


class ItemShelf:
    """Where the items of a report are kept while it is written, which is on the disk.

    Args:
        output: the report's file.

    Attributes:
        total: bytes of items.
    """

    def __init__(self, output: Path) -> None:
        self.folder = output.parent / f"{output.name}-items"  # whole: a.htm and a.html are two pages
        self.total = 0
        self._output = output
        self._file = tempfile.SpooledTemporaryFile[bytes](A_PIECE)
        self._written: dict[str, int | None] = {}  # of those that did not stand there before, the number on the disk

    def put(self, items: Iterable[bytes]) -> None:
        """Take the items, one document each, safe inside a page.

        Raises:
            StorageError: the disk refused.
        """
        for document in items:
            try:
                self.total += self._file.write(_BETWEEN + document if self.total else document)
            except OSError as problem:
                raise refused(problem) from problem

    def __enter__(self) -> Self:
        """Nothing is to be done."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Give back memory and disk, all of it where the page does not come to stand."""
        self._file.close()
        if kind is not None:
            self._remove(lambda path: path.name in self._written and path.stat().st_ino == self._written[path.name])

    @property
    def embedded(self) -> bool:
        """Whether they go into the page."""
        return self.total <= MOST_EMBEDDED

    def document(self) -> Iterator[bytes]:
        """All items as one JSON array."""
        self._file.seek(0)
        yield b"[\n"
        yield from iter(lambda: self._file.read(1 << 20), b"")
        yield b"]"

    def write(self, clips: Sequence[ClipEntry]) -> Pieces:
        """Write the files beside the page, each under a name made of its content.

        Args:
            clips: of all items, by number.

        Raises:
            StorageError: the disk refused.
        """
        whole: list[tuple[str, int]] = []
        clips_of, brief_of = foreign.Decoder(_Clips).decode, foreign.Decoder(Brief).decode
        for first, rows in self._batches():
            named = {number for row in rows for number in clips_of(row).all}
            entries = encoded({str(number): clips[number] for number in sorted(named)})
            whole.append((self._put(b'{"clips":%b,"items":[%b]}' % (entries, b",".join(rows))), first))
        briefs = _sized(encoded(_brief(brief_of(row))) for row in self._rows())
        brief = [self._put(b"[%b]" % b",".join(rows)) for rows in briefs]
        return Pieces(self.folder.name, brief, whole)

    def _rows(self) -> Iterator[bytes]:
        self._file.seek(0)
        return (line.rstrip(_BETWEEN) for line in self._file)

    def _batches(self) -> Iterator[tuple[int, list[bytes]]]:
        first = 0
        for rows in _sized(self._rows()):
            yield first, rows
            first += len(rows)

    def _put(self, document: bytes) -> str:
        r"""Write a script that hands over a document. In quotes, as a key ``__proto__`` is special in a literal."""
        text = document.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
        script = b"audiometryPiece('%b');\n" % text
        name = f"{hashlib.sha256(script).hexdigest()[:20]}.js"
        path = self.folder / name
        new = not path.exists()
        atomic.write(path, script)
        if name not in self._written:
            self._written[name] = path.stat().st_ino if new else None
        return name

    def earlier(self) -> Earlier:
        """What has to be known of the page that stands there, before another takes its place."""
        if not presence.is_folder(self.folder):
            return Earlier()
        try:
            with self._output.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as page:
                start = page.find(OPENING)
                block = page[start : page.find(b"</script>", start)] if start >= 0 else b""
                names = frozenset(name.decode() for name in _NAMED.findall(block))
        except (OSError, ValueError):  # no page, or an empty one
            return Earlier()
        return Earlier(names, self._output.stat().st_mtime_ns)

    def sweep(self, earlier: Earlier) -> None:
        """Remove the files of the page that stood there, once there is the one that does without them.

        And what killed writers left, whole files of theirs too: those that nobody has written to for an hour. Nothing
        else: the others may be of a page that is being written at this moment. That may need a file of the earlier page
        too, and has then written it again.
        """
        abandoned = time.time_ns() - int(atomic.ABANDONED_S * 1e9)

        def old(path: Path) -> bool:
            if path.name in self._written or not _NAME.fullmatch(path.name):
                return False
            return path.stat().st_mtime_ns <= (earlier.until if path.name in earlier.names else abandoned)

        atomic.sweep(self._output.parent, self._output.name[: atomic.NAMED].__eq__)
        atomic.sweep(self.folder, _NAME.fullmatch)
        self._remove(old)

    def _remove(self, unwanted: Callable[[Path], bool]) -> None:
        with contextlib.suppress(OSError):  # what cannot be removed does no harm
            for path in self.folder.iterdir():
                if unwanted(path):
                    path.unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()


def _sized(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Rows in batches of about `A_PIECE` bytes."""
    batch: list[bytes] = []
    size = 0
    for row in rows:
        if batch and size + len(row) > A_PIECE:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row)
    if batch:
        yield batch


def _brief(found: Brief) -> Brief:
    found.question, found.answer = found.question[:_ASKS], found.answer[:_WORD]
    found.options = tuple(text[:_WORD] for text in found.options)
    found.tags = {name: value for name, value in found.tags.items() if len(str(value)) <= _WORD}
    for reply in found.replies:
        reply.read = reply.read[:_WORD]
        reply.text = reply.text[:_ASKS] if reply.text is not None and found.kind not in _READ else None
    return found
