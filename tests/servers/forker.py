"""A process that forks the tests' servers: what they import is loaded once, and a server starts in a few milliseconds.

    python tests/servers/forker.py

It reads a JSON line a request and answers each with one:

    {"start": "chat_server", "arguments": ["--port", "0"], "errors": "stderr.txt"}
        → {"pid": 123, "line": "{\"port\": 8000}\n"}     what the server printed first; "" if it ended without a word
    {"stop": 123}
        → {"stopped": 123}                               terminated, or killed if it does not end

Each server is a process of its own: it can be killed, goes wrong alone, and shares nothing that it writes to. All are
killed when standard input ends, which is when the one who asked is gone.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import time
import traceback

READY_WITHIN_S = 30.0
ENDS_WITHIN_S = 3.0


def start(program: str, arguments: list[str], errors: str) -> tuple[int, int]:
    """The new server's process, and where what it prints can be read."""
    module = importlib.import_module(program)
    printed, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(printed)
        become(module.main, [program, *arguments], theirs, errors)
    os.close(theirs)
    return pid, printed


def become(main, words: list[str], printed: int, errors: str) -> None:
    """Be that server until it ends; never returns."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(printed, 1)
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = words
        main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:  # noqa: BLE001 -- whatever it is, the one who asked reads it
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def first_line(printed: int) -> str:
    """What the server says when it is ready."""
    raw, until = b"", time.monotonic() + READY_WITHIN_S
    while not raw.endswith(b"\n"):
        ready, _, _ = select.select([printed], [], [], max(0.0, until - time.monotonic()))
        more = os.read(printed, 65536) if ready else b""
        if not more:
            return ""
        raw += more
    return raw.decode()


def stop(pid: int) -> None:
    """End the process, gently and then not."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + ENDS_WITHIN_S
    wait = 0.0005
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(wait)
        wait = min(2 * wait, 0.05)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group: who asked ends the servers in order
    running: dict[int, int] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        if "stop" in asked:
            stop(asked["stop"])
            os.close(running.pop(asked["stop"]))
            told = {"stopped": asked["stop"]}
        else:
            pid, printed = start(asked["start"], asked["arguments"], asked["errors"])
            running[pid] = printed
            told = {"pid": pid, "line": first_line(printed)}
        print(json.dumps(told), flush=True)
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
