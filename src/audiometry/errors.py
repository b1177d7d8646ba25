"""The one tree of errors that audiometry raises. Every message is one line: what was wrong, where, what to do.

::

    AudiometryError
    ├── UsageError            what was asked for cannot be done as asked (exit code 2)
    │   └── UnknownNameError  a model, benchmark, task or profile of that name is not known
    ├── BenchmarkError        the data of a benchmark are not what the format says (exit code 2)
    ├── AudioError            a clip cannot be read, converted or measured
    │   ├── UnreadableAudioError
    │   ├── SilentAudioError
    │   ├── RateMismatchError
    │   └── TooLongAudioError / TooShortAudioError / TooLargeAudioError / NoAudioError
    ├── ModelError            a model gave no reply; carries what a retry policy needs to know
    ├── RunFolderError        a run folder belongs to something else, is in use, or is damaged (exit code 2)
    ├── UndecodableError      bytes from outside are not the JSON, TOML or text that they should be (exit code 2)
    ├── StorageError          the disk refused a write
    └── ShortageError         the machine is short of open files, memory, threads or room for now: nobody's fault
"""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from unicodedata import category


class AudiometryError(Exception):
    """Anything that audiometry can explain; its text is meant for the person at the terminal."""

    exit_code = 1


class UsageError(AudiometryError):
    """The request itself is wrong: an option, a name, a combination."""

    exit_code = 2


class BrokenPackageWarning(UserWarning):
    """What an installed package gives cannot be used; everything else goes on without it."""


class UnknownNameError(UsageError):
    """A name that stands for nothing here.

    Args:
        kind: what was looked for, in the singular ("model", "task").
        name: what was given.
        known: the names that exist; the nearest one is suggested.
        hint: what else to do, as a sentence without its full stop.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        known = list(known)
        self.kind, self.name, self.nearest = kind, name, nearest(name, known)
        parts = (f"unknown {kind} '{shown(name)}'", suggestion(name, known), hint)
        super().__init__("; ".join(filter(None, parts)))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None if none is near."""
    lowered = {one.lower(): one for one in sorted(known)}
    near = difflib.get_close_matches(name[:LONGEST_NAME].lower(), lowered, n=1, cutoff=0.5)
    return lowered[near[0]] if near else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """What to write for a name that is not known: the nearest one that is, or which there are; empty if there are none.

    >>> suggestion("opions", ["options", "answer"]), suggestion("x", ["options", "answer"])
    ("did you mean 'options'?", 'known: answer, options')
    """
    known = sorted(known)
    if near := nearest(name, known):
        return f"did you mean '{shown(near)}'?"
    listed = ", ".join(map(shown, known[:12])) + (", …" if len(known) > 12 else "")  # noqa: PLR2004  a screen line
    return f"known: {listed}" if known else ""


class BenchmarkError(AudiometryError):
    """A benchmark's card or metadata cannot be used as they are."""

    exit_code = 2


class AudioError(AudiometryError):
    """A clip cannot be used; ``kind`` is what a failure record calls it."""

    kind = "audio"


class UnreadableAudioError(AudioError):
    """Missing, empty, truncated, without channels, not audio, or with samples that are not numbers.

    Args:
        message: one line.
        flaw: short, stable word for what is wrong (``missing``, ``truncated``, ``not-audio``).
    """

    kind = "audio-unreadable"

    def __init__(self, message: str, flaw: str = "unreadable") -> None:
        super().__init__(message)
        self.flaw = flaw


class SilentAudioError(AudioError):
    """A clip without measurable loudness where a level is needed."""

    kind = "audio-silent"


class RateMismatchError(AudioError):
    """Two clips of different rates where one rate is needed."""

    kind = "audio-rate"


class TooLongAudioError(AudioError):
    """A clip longer than what the model takes; nothing is cut silently."""

    kind = "audio-too-long"


class TooShortAudioError(AudioError):
    """A clip shorter than what the model takes."""

    kind = "audio-too-short"


class TooLargeAudioError(AudioError):
    """A clip of more bytes than a request to the model may have."""

    kind = "audio-too-large"


class NoAudioError(AudioError):
    """An item without a clip, for a model that takes no prompt without one."""

    kind = "no-audio"


class ModelError(AudiometryError):
    """No reply came.

    Args:
        kind: short, stable word for the record (``http-429``, ``timeout``, ``not-json``).
        message: one line, without keys.
        retry: whether the same request may succeed later.
        retry_after_s: how long the other side asked to wait, seconds.
        fatal: no other item can succeed either (a rejected key, an unknown model): the run stops.
    """

    def __init__(
        self, kind: str, message: str, *, retry: bool = False, retry_after_s: float | None = None, fatal: bool = False
    ) -> None:
        super().__init__(message)
        self.kind, self.retry, self.retry_after_s, self.fatal = kind, retry, retry_after_s, fatal


class RunFolderError(AudiometryError):
    """A run folder that cannot be continued or read: usually the wrong one was given."""

    exit_code = 2


class UndecodableError(AudiometryError):
    """Bytes from outside that are not what they should be; its text says what is wrong, not yet where.

    Args:
        what: is wrong, in the words of whoever wrote the bytes.
        line: of the fault, from 1; 0 where it is not known.
        short: the same without what differs from case to case, to count by; empty: ``what``.
    """

    exit_code = 2

    def __init__(self, what: str, line: int = 0, short: str = "") -> None:
        super().__init__(what)
        self.line, self.short = line, short or what

    def at(self, path: str | Path, line: int = 0) -> str:
        """The whole message: file, line and what is wrong; of a file elsewhere (`leads_out`) nothing is quoted.

        Args:
            path: of the file.
            line: of the file on which the bytes began, where they are a part of it; 0: they are all of it.
        """
        number = line + max(self.line - 1, 0) if line else self.line
        return f"{path}{f', line {number}' if number else ''}: {self.short if leads_out(path) else self}"


def leads_out(path: str | Path) -> bool:
    """Whether it is a link to somewhere outside its own folder: then nothing that stands there is to be quoted."""
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120  pathlib raises where the name cannot be
    return os.path.islink(path) and not os.path.realpath(path).startswith(f"{os.path.realpath(folder)}{os.sep}")  # noqa: PTH114  as above


class StorageError(AudiometryError):
    """A write failed: disk full, file-size limit, no permission."""


class ShortageError(AudiometryError):
    """The machine is short of something for now, whatever clip or model was at hand; a later try may succeed."""


LONGEST_NAME: Final = 200  # characters that are compared: the time grows with their square
_SHORT_OF = {
    "EMFILE": "this program may open no more files; raise the limit (ulimit -n) or lower --concurrency",
    "ENFILE": "the machine has no more open files; end other programs or lower --concurrency",
    "ENOMEM": "the machine has no more memory; end other programs or lower --concurrency",
    "ENOBUFS": "the machine has no more network buffers; end other programs or lower --concurrency",
    "EAGAIN": "the machine has no more processes, threads or buffers; end other programs or lower --concurrency",
    "ENOSPC": "the disk is full; free some space",
    "EDQUOT": "the disk quota is used up; free some space",
}
_NO_MEMORY = ("failed to map", "cannot allocate")  # how libraries say so that cannot be loaded


def short_of(problem: BaseException) -> str:
    """What the machine is short of if that is what an error says, and what to do; empty for any other error.

    >>> short_of(MemoryError()) == short_of(OSError(errno.ENOMEM, "Cannot allocate memory"))
    True
    >>> short_of(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    ''
    """
    name = ""
    if isinstance(problem, ShortageError):
        return str(problem)
    if isinstance(problem, MemoryError) or (
        isinstance(problem, ImportError | SystemError | OSError) and any(w in str(problem).lower() for w in _NO_MEMORY)
    ):
        name = "ENOMEM"
    elif isinstance(problem, OSError) and problem.errno:
        name = errno.errorcode.get(problem.errno, "")
    elif isinstance(problem, RuntimeError) and str(problem).startswith("can't start new thread"):
        name = "EAGAIN"
    return _SHORT_OF.get(name, "")


def counted(n: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "item"), counted(1200, "reply"), counted(0, "retry")
    ('1 item', '1,200 replies', '0 retries')
    """
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else several}"


def shown(text: str, width: int = 80, *, strip: bool = True) -> str:
    r"""Foreign text made safe for one line of a terminal: `visible`, on one line, cut to ``width`` characters.

    Without ``strip`` the blanks at its ends stay, where they tell.

    >>> shown("a\x1b[31mb\nc")
    'a\\x1b[31mb c'
    """
    flat = visible(text[: width * 4].translate(_ON_ONE_LINE))
    flat = flat.strip() if strip else flat
    return flat if len(flat) <= width and len(text) <= width * 4 else flat[: width - 1] + "…"


def visible(text: str) -> str:
    r"""Text in which nothing moves a cursor, hides or reorders; newlines and tabs stay.

    Escaped are control characters (C0, C1), marks, overrides and isolates of direction, characters without width,
    separators of lines, lone surrogates, and marks that pile up on one letter beyond the fourth. Wide and no-break
    spaces become plain ones.

    >>> visible("a\x1b[31m\u202egpj.exe\u2066"), visible("你好\u3000\n")
    ('a\\x1b[31m\\u202egpj.exe\\u2066', '你好 \n')
    """
    if text.isascii() and text.isprintable():
        return text
    out, marks = [], 0
    for c in text:
        kind = category(c)
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if kind == "Zs":
            out.append(" ")
        elif c in "\n\t" or (c.isprintable() and c not in _UNSEEN and marks <= MOST_MARKS):
            out.append(c)
        else:
            out.append(c.encode("unicode_escape").decode("ascii"))
    return "".join(out)


MOST_MARKS: Final = 4  # on one letter; no living spelling needs more
_ON_ONE_LINE: Final = str.maketrans("\r\n\t", "   ")
# printable to Python and drawn as nothing: joiners, fillers and selectors, but for the two that choose an emoji's look
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(c) for c in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}
