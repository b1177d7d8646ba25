"""The process that listens: requests in on standard input, descriptions out on standard output.

A JSON document a line, both ways. The process ends when its input does.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import msgspec

from audiometry.errors import AudioError, shown
from audiometry.files import foreign
from audiometry.models.cascade.messages import UNAVAILABLE, Answer, Request

if TYPE_CHECKING:
    from audiometry.models.cascade.transcribe import Recogniser


def main(recogniser: str, threads: str) -> None:
    """Answer requests until the input ends."""
    # Ctrl-C reaches the whole terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A library that prints would answer in our place: answers get the real output, it gets the error stream.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
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
    decoder = foreign.Decoder(Request)
    for line in sys.stdin.buffer:
        request = decoder.decode(line)
        try:
            answer = Answer(_heard(loaded, request)) if loaded is not None else failure
        except AudioError as error:
            answer = Answer(kind=error.kind, message=str(error))
        out.write(msgspec.json.encode(answer) + b"\n")
        out.flush()


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
