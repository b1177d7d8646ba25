"""Puts a model behind audiometry's pipe. One file, Python 3.8 or newer, nothing to install: copy it.

    import audiometry_pipe
    audiometry_pipe.take_over()                  # before anything can print

    def answer(requests):                        # at most `batch` of them
        return [model.reply(r.text, r.clips[0].path) for r in requests]

    audiometry_pipe.serve(answer, name="my-model", batch=4, rate=16000, longest_s=30)

Then: audiometry run mini --model "exec/python that_file.py"
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import json
import os
import queue
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:  # Python 3.8 cannot evaluate these
    from collections.abc import Callable, Iterator, Sequence

    Reply = str | dict[str, Any] | Exception

PROTOCOL = 1
LINGER_S = 0.05  # how long an incomplete batch waits for more
_pipe: tuple[BinaryIO, BinaryIO] | None = None


class Clip:
    """A sound: ``path`` of its file (None if it came as bytes), ``format``, ``rate`` in Hz, ``channels``, seconds."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.path = fields.get("path")
        self.format, self.rate, self.channels = fields["format"], fields["rate"], fields["channels"]
        self.duration_s = fields["duration_s"]
        self._base64 = fields.get("base64")

    def read(self) -> bytes:
        """The bytes of the whole file."""
        if self._base64 is not None:
            return base64.b64decode(self._base64)
        with open(self.path, "rb") as file:  # noqa: PTH123  plain Python
            return file.read()


class Request:
    """A prompt: ``turns`` as they came, ``parts`` in their order (a string or a `Clip`), ``decoding`` (settings).

    ``text`` is all words, ``before`` those before the first clip and ``after`` those after it; ``clips`` is all sounds.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.id, self.turns, self.decoding = fields["id"], fields["turns"], fields.get("decoding", {})
        parts = [part for turn in self.turns for part in turn["parts"]]
        self.parts = [part["text"] if "text" in part else Clip(part["audio"]) for part in parts]
        self.clips = [part for part in self.parts if isinstance(part, Clip)]
        first = self.parts.index(self.clips[0]) if self.clips else len(self.parts)
        self.text, self.before, self.after = map(_words, (self.parts, self.parts[:first], self.parts[first:]))

    @property
    def clip(self) -> Clip | None:
        """The only clip, None if there is none; more are an error of this prompt."""
        if len(self.clips) > 1:
            raise ValueError(f"this program takes one clip a prompt, here are {len(self.clips)}")
        return self.clips[0] if self.clips else None


def _words(parts: list[Any]) -> str:
    return "\n\n".join(part for part in parts if isinstance(part, str))


def take_over() -> None:
    """Keep the pipe for replies alone: what is printed goes to standard error, what reads input finds none.

    This holds for libraries in C and for programs that are started from here as well.
    """
    global _pipe  # noqa: PLW0603  there is one standard output
    if _pipe is None:
        sys.stdout.flush()
        _pipe = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdin, sys.stdout = open(os.devnull), sys.stderr  # noqa: PTH123, SIM115  for as long as the program runs


@contextlib.contextmanager
def research_code(what: str, url: str, repo: str = "") -> Iterator[None]:
    """Import research code inside this: where it is missing, the program ends with one line that says what to do.

    ``repo`` is the folder of its clone, which becomes the working directory, since such code reads files beside itself.
    """
    if repo:
        if not os.path.isdir(repo):  # noqa: PTH112  plain Python
            sys.exit(f"{_name()}: there is no folder {repo}; clone {url} and give --repo FOLDER")
        os.chdir(repo)
        sys.path.insert(0, os.getcwd())  # noqa: PTH109  plain Python
    try:
        yield
    except ImportError as problem:
        where = "clone it, install its requirements into this Python, and give --repo FOLDER" if repo else "install it"
        sys.exit(f"{_name()}: {what} cannot be imported ({problem}); {where}: {url}")


def options(**wanted: tuple[Any, str]) -> argparse.Namespace:
    """What stands behind the program's name on the command line: for each option its default, and what it is."""
    parser = argparse.ArgumentParser()
    for name, (default, about) in wanted.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default, type=type(default), help=about)
    return parser.parse_args()


def each(reply: Callable[[Request], Reply]) -> Callable[[list[Request]], list[Reply]]:
    """An ``answer`` for `serve`, from a function that answers one request."""
    return lambda requests: [reply(request) for request in requests]


def _name() -> str:
    return os.path.basename(sys.argv[0])  # noqa: PTH119  plain Python


def serve(
    answer: Callable[[list[Request]], list[Reply]],
    *,
    name: str = "",
    version: str | None = None,
    batch: int = 1,
    rate: int | None = 16000,
    channels: int | None = 1,
    formats: Sequence[str] = ("wav",),
    longest_s: float | None = None,
    part_order: str = "audio-first",
    fixed_order: bool = False,
    needs_audio: bool = False,
    clips: str = "path",
    decoding: Sequence[str] = (),
) -> None:
    """Say hello and answer until there is nothing more to answer.

    ``answer`` takes a list of 1 to ``batch`` `Request` and gives as many replies, in the same order: a text, a dict
    with ``text`` and perhaps ``finish_reason``, ``tokens_in``, ``tokens_out``, ``notes``, or an exception for one that
    failed. If it raises for several requests, each is asked again alone, so that one bad clip harms nobody else.
    With ``fixed_order`` prompts of the other order are refused, with ``needs_audio`` those without a clip.
    ``version`` is by default the hash of the script, so that replies of an edited one are not mixed up with older ones.
    """
    take_over()
    assert _pipe is not None  # noqa: S101  take_over sees to it
    source, output = _pipe
    hello = {
        "audiometry": PROTOCOL,
        "name": name,
        "version": _script() if version is None else str(version),
        "batch": batch,
        "rate": rate,
        "channels": channels,
        "formats": list(formats),
        "longest_s": longest_s,
        "part_order": part_order,
        "fixed_order": fixed_order,
        "needs_audio": needs_audio,
        "clips": clips,
        "decoding": list(decoding),
    }
    try:
        _say(output, hello)
        waiting: queue.Queue[Request | None] = queue.Queue()
        threading.Thread(target=_listen, args=(waiting, source), daemon=True).start()
        while True:
            requests = _batch(waiting, batch)
            if not requests:
                return
            taken = []
            for request in requests:
                why = _unfit(request, part_order if fixed_order else "", needs_audio=needs_audio)
                if why:
                    _say(output, {"id": request.id, "error": why})
                else:
                    taken.append(request)
            for request, reply in zip(taken, _answers(answer, taken)):  # noqa: B905  as Python 3.8 has it
                _say(output, dict(reply, id=request.id))
    except BrokenPipeError:
        return  # nobody is there any more


def _unfit(request: Request, order: str, *, needs_audio: bool) -> dict[str, str] | None:
    """Why a prompt is not for this program, though the hello said what is."""
    if needs_audio and not request.clips:
        return {"kind": "no-clip", "message": "this program answers no prompt without a clip"}
    if order and request.clips and (request.before if order == "audio-first" else request.after):
        return {"kind": "part-order", "message": f"this program takes prompts {order} alone"}
    return None


def _script() -> str:
    try:
        with open(sys.argv[0], "rb") as file:  # noqa: PTH123  plain Python
            return hashlib.sha256(file.read()).hexdigest()[:12]
    except OSError:
        return ""


def _listen(waiting: queue.Queue[Request | None], pipe: BinaryIO) -> None:
    try:
        for line in pipe:
            waiting.put(Request(json.loads(line.decode("utf-8"))))
    finally:
        waiting.put(None)


def _batch(waiting: queue.Queue[Request | None], most: int) -> list[Request]:
    """Up to ``most`` requests, at least one; none at the end."""
    found: list[Request] = []
    while len(found) < most:
        try:
            request = waiting.get(timeout=LINGER_S if found else None)
        except queue.Empty:
            break
        if request is None:
            waiting.put(None)  # to be found again after this batch
            break
        found.append(request)
    return found


def _answers(answer: Callable[[list[Request]], list[Reply]], requests: list[Request]) -> list[dict[str, Any]]:
    try:
        replies = answer(requests) if requests else []
        if not isinstance(replies, (list, tuple)) or len(replies) != len(requests):
            raise TypeError(f"answer() must give a list of {len(requests)} replies")  # noqa: TRY301  one place tells of all
    except Exception as problem:  # noqa: BLE001  whatever research code raises belongs in the record
        traceback.print_exc()
        if len(requests) == 1:
            return [_reply(problem)]
        return [reply for request in requests for reply in _answers(answer, [request])]
    return [_reply(reply) for reply in replies]


def _reply(reply: Reply) -> dict[str, Any]:
    if isinstance(reply, Exception):
        return {"error": {"kind": type(reply).__name__, "message": str(reply)}}
    if isinstance(reply, dict):
        return dict(reply)
    if isinstance(reply, str):
        return {"text": reply}
    return {"error": {"kind": "no-text", "message": f"the model gave a {type(reply).__name__}, not a text"}}


def _say(pipe: BinaryIO, message: dict[str, Any]) -> None:
    # half characters, which a byte-wise tokenizer may leave, become question marks
    line = json.dumps(message, ensure_ascii=False, default=str).encode("utf-8", "replace")
    pipe.write(line + b"\n")
    pipe.flush()
