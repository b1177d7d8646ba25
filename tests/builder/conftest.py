"""Recordings and specs to build from."""

import io
import json

import numpy as np
import pytest
import soundfile

RATE = 16_000


def noise(number, seconds=0.3, channels=1, rate=RATE):
    """Noise, another one for every number: int16 samples of shape (frames, channels)."""
    drawn = np.random.default_rng(number).normal(0, 0.1, (int(seconds * rate), channels))
    return (drawn * 32767).astype(np.int16)


def wav(samples, rate=RATE):
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


@pytest.fixture
def recordings(tmp_path):
    """A folder ``birds/`` with recordings ``0.wav``, …: ``recordings(4)``."""

    def make(n, seconds=0.3, channels=1):
        folder = tmp_path / "birds"
        folder.mkdir(exist_ok=True)
        for number in range(n):
            (folder / f"{number}.wav").write_bytes(wav(noise(number, seconds, channels)))
        return folder

    return make


@pytest.fixture
def spec(tmp_path):
    """A spec beside the folder ``birds/``, and its table: ``spec(rows, TASK, columns="…", facts="…")``."""

    def make(rows, *tasks, columns="", facts='species = "species"', top="", source="", benchmark='licence = "CC0-1.0"'):
        header = list(dict.fromkeys(name for row in rows for name in row))
        lines = [",".join(header), *(",".join(json.dumps(str(row.get(k, ""))) for k in header) for row in rows)]
        (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        columns = columns or 'audio = "file", group = ["station"]'
        whole = f"""{top}
[benchmark]
name = "dawn"
{benchmark}
[[source]]
source = "csv"
path = "rows.csv"
name = "rows"
columns = {{{columns}}}
facts = {{{facts}}}
{source}
"""
        path = tmp_path / "spec.toml"
        path.write_text(whole + "".join(f"[[task]]\n{task}\n" for task in tasks), encoding="utf-8")
        return path

    return make


@pytest.fixture
def metadata():
    """The items of a built folder."""

    def read(folder):
        return [json.loads(line) for line in (folder / "metadata.jsonl").read_text("utf-8").splitlines()]

    return read


@pytest.fixture
def rejected():
    """What a build rejected."""

    def read(folder):
        return [json.loads(line) for line in (folder / "build/rejected.jsonl").read_text("utf-8").splitlines()]

    return read
