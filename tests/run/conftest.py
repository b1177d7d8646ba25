"""Benchmark folders made in the test, and the command line in this process or in one of its own."""

import json
import math
import os
import subprocess
import sys
import wave
from array import array
from functools import cache
from pathlib import Path

import pytest

from audiometry.cli.main import run as command_line

OPTIONS = ["violin", "piano", "drum", "flute"]


@cache
def tone(seed, frames, channels, width):
    """Another one for every seed."""
    top = 100 if width == 1 else 12_000
    values = [
        round(top * math.sin(i * (0.05 + seed * 1e-4)) + seed % 7) for i in range(frames) for _ in range(channels)
    ]
    return bytes(128 + v for v in values) if width == 1 else array("h", values).tobytes()


def write_wav(path, *, seed=0, frames=80, rate=16_000, channels=1, width=2):
    """A tone of its own for every seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(tone(seed, frames, channels, width))


def write_benchmark(
    folder: Path, n: int, *, tasks=("instrument",), version="1", question="What plays?", **clip
) -> Path:
    """``n`` items, each with a clip of its own; the answer goes round over the options."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = "".join(f'[[task]]\nname = "{task}"\n' for task in tasks)
    (folder / "benchmark.toml").write_text(f'[benchmark]\nname = "{folder.name}"\nversion = "{version}"\n{listed}')
    with (folder / "metadata.jsonl").open("w") as file:
        for i in range(n):
            write_wav(folder / "audio" / f"{i}.wav", seed=i, **clip)
            line = {
                "id": f"i{i}",
                "task": tasks[i % len(tasks)],
                "file_name": f"audio/{i}.wav",
                "question": question,
                "options": OPTIONS,
                "answer": OPTIONS[i % 4],
            }
            file.write(json.dumps(line) + "\n")
    return folder


@pytest.fixture
def make_wav():
    return write_wav


@pytest.fixture
def benchmark(tmp_path):
    """``benchmark(12)`` writes a folder ``bench`` with so many items."""
    return lambda n=8, name="bench", **how: write_benchmark(tmp_path / name, n, **how)


class Done:
    """What a command left: exit code, what it printed."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def said(self):
        """The one line of an error."""
        lines = [line for line in self.err.splitlines() if line.startswith("audiometry: ")]
        assert len(lines) == 1, self.err
        return lines[0]

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli(capfd):
    """The command line in this process."""

    def call(*words):
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            command_line([os.fspath(word) if isinstance(word, Path) else str(word) for word in words])
        out = capfd.readouterr()
        return Done(left.value.code, out.out, out.err)

    return call


LIMITED = (
    "import os, resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))\n"
    "os.execv(sys.executable, [sys.executable, '-m', 'audiometry', *sys.argv[3:]])\n"
)


@pytest.fixture
def start():
    """The command line in a process of its own, running; ended with the test; ``limit=(soft, hard)``: of open files."""
    running = []

    def go(*words, env=None, limit=None, **how):
        before = [sys.executable, "-c", LIMITED, *map(str, limit)] if limit else [sys.executable, "-m", "audiometry"]
        process = subprocess.Popen(
            [*before, *map(str, words)],
            stdout=how.pop("stdout", subprocess.PIPE),
            stderr=how.pop("stderr", subprocess.PIPE),
            env=dict(os.environ) | (env or {}),
            **how,
        )
        running.append(process)
        return process

    yield go
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_replies(folder):
    path = Path(folder) / "replies.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def replies():
    """The records of a run folder."""
    return read_replies


@pytest.fixture
def asked(cli, tmp_path):
    """``asked(bench, server, "--limit", 3)``: a run of openai/mock on a server, kept in ``run``."""

    def go(bench, server, *words, folder="run", model="openai/mock"):
        return cli(
            "run", bench, "--no-probe", "--model", model, "--base-url", server.url, "-o", tmp_path / folder, *words
        )

    return go
