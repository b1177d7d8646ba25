"""Running what is measured in processes of its own, and what the kernel says of them afterwards."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOT_PASSED_ON = frozenset({"PYTHONDONTWRITEBYTECODE"})
"""Some shells export it; every start would then compile its sources anew, which is not what users have."""


@dataclass(frozen=True)
class Used:
    """What one process used from start to end.

    Attributes:
        wall_s, cpu_s: seconds; CPU of user and system.
        peak_mb: most memory held at once. Never less than the parent held when it started the process, so the
            parent is kept small.
        output: of the process.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float
    output: str


def inherited() -> dict[str, str]:
    """The environment that every process here gets, the reference loops' and ours alike."""
    return {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}


def run(command: Sequence[str | Path], *, expected: Sequence[int] = (0,), **environment: str) -> Used:
    """Run a command to its end; stop with what it said if its exit code is not an expected one."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command], stdout=out, stderr=errors, env=inherited() | environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode not in expected:
            said = (out.read() + errors.read()).decode(errors="replace")[-2000:]
            sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{said}")
        return Used(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read().decode())


class Mock:
    """The mock server, in a process of its own."""

    def __init__(self, *, delay_ms: float, replies: Sequence[str]) -> None:
        command = [sys.executable, HERE / "mock_server.py", "--delay-ms", f"{delay_ms:g}", "--replies", *replies]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=inherited())
        if self.process.stdout is None:
            raise RuntimeError("the mock server has no standard output")
        self.port = int(json.loads(self.process.stdout.readline())["port"])

    @property
    def url(self) -> str:
        """The base URL that a chat-completions client is given."""
        return f"http://127.0.0.1:{self.port}/v1"

    def stats(self, path: str = "stats") -> dict[str, Any]:
        """What it counted since the last reset."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=30) as reply:
            return json.load(reply)

    def reset(self) -> None:
        """Count from nothing."""
        self.stats("reset")


@contextlib.contextmanager
def mock_server(*, delay_ms: float, replies: Sequence[str] = "ABCD") -> Iterator[Mock]:
    """A mock server that gives one of these replies and is ended at the end."""
    mock = Mock(delay_ms=delay_ms, replies=replies)
    try:
        yield mock
    finally:
        mock.process.terminate()
        mock.process.wait()
        if mock.process.stdout is not None:
            mock.process.stdout.close()


def median(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of every key."""
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def folder_bytes(folder: Path) -> int:
    """Of all files in it but the report."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
