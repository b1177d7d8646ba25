"""The process that listens: requests in on standard input, descriptions out on standard output.

Frames are a 4-byte big-endian length and a msgpack body. The process ends when its input does, so
it never outlives the one that started it, however that one died.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from typing import TYPE_CHECKING, BinaryIO, Literal

import msgspec

from audiometry.errors import AudioError, shown

if TYPE_CHECKING:
    from audiometry.models.cascade.transcribe import Recogniser

HEAD = struct.Struct(">I")
UNAVAILABLE = "model-unavailable"


class Focus(msgspec.Struct, frozen=True):
    """What a question asks to listen for, beside what is always measured.

    Attributes:
        phrases: one of them may be what is said.
        word: when is it said; empty: not asked.
    """

    phrases: tuple[str, ...] = ()
    word: str = ""


class Request(msgspec.Struct, frozen=True):
    """A clip, as a whole file, and what is wanted of it.

    Attributes:
        data: of the file; heeded unless nothing is wanted.
        focus: with one only that is listened for; for a description.
        wanted: all that can be measured and recognised, the words alone, or nothing but to know that it can be asked.
    """

    data: bytes
    focus: Focus | None = None
    wanted: Literal["description", "words", "nothing"] = "description"


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description or words, or why there are none: ``kind`` as a failure record calls it, and a line for people."""

    description: str = ""
    kind: str = ""
    message: str = ""


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame's body; None at the end of the stream."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def main(recogniser: str, threads: str) -> None:
    """Answer requests until the input ends."""
    # Ctrl-C reaches the whole terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A library that prints would break the frames: they get the real output, it gets the error stream.
    frames_out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from audiometry.models.cascade import transcribe

    loaded: transcribe.Recogniser | None = None
    failure = Answer()
    try:
        loaded = transcribe.recogniser(recogniser, int(threads))
    except (OSError, ValueError, RuntimeError) as error:  # what the recognisers raise over a missing or broken model
        failure = Answer(
            kind=UNAVAILABLE, message=f"the recogniser '{recogniser}' cannot be loaded: {shown(str(error), 200)}"
        )
    decoder = msgspec.msgpack.Decoder(Request)
    while (body := read_frame(sys.stdin.buffer)) is not None:
        request = decoder.decode(body)
        try:
            answer = Answer(_heard(loaded, request)) if loaded is not None else failure
        except AudioError as error:
            answer = Answer(kind=error.kind, message=str(error))
        out = msgspec.msgpack.encode(answer)
        frames_out.write(HEAD.pack(len(out)) + out)
        frames_out.flush()


def _heard(recogniser: Recogniser, request: Request) -> str:
    """What is wanted of a clip; instruments are not even imported where words alone are."""
    if request.wanted == "nothing":
        return ""
    if request.wanted == "description":
        from audiometry.models.cascade.hear import Listener

        return Listener(recogniser).listen(request)
    import numpy as np

    from audiometry.audio import clip
    from audiometry.models.cascade.transcribe import resampled

    heard = clip.read(request.data, where="the clip sent to the cascade")
    return " ".join(recogniser.words(resampled(heard.mono().astype(np.float64), heard.rate)).split())


if __name__ == "__main__":
    main(*sys.argv[1:3])
