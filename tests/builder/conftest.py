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
        tables = (one if one.lstrip().startswith("[") else f"[[task]]\n{one}" for one in tasks)
        path.write_text(whole + "".join(f"{one}\n" for one in tables), encoding="utf-8")
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


@pytest.fixture
def captioned():
    """Rows with a bird, a caption and a station each: ``captioned(5)``."""
    birds = ("robin", "wren", "crow", "rook", "tit")

    def rows(n):
        return [
            {"file": f"birds/{k}.wav", "species": birds[k % 5], "caption": f"call {k} at dawn", "station": f"s{k}"}
            for k in range(n)
        ]

    return rows


@pytest.fixture
def written(recordings, spec, cli, tmp_path, metadata, rejected, chat_server, captioned):
    """Build with a writer that plays a script: what was said, the items, what was rejected, and the server."""

    def make(script, *tasks, n=5, rows=None, faults=(), columns="", facts="", top="", more=(), name="out", spoil=None):
        recordings(n)
        if spoil is not None:
            spoil()
        server = chat_server(writer=json.dumps(script), faults=faults)
        facts = facts or 'species = "species", caption = "caption"'
        path = spec(rows or captioned(n), *tasks, facts=facts, columns=columns, top=top)
        path.write_text(path.read_text() + f'[writer]\nmodel = "openai/pen"\nbase_url = "{server.url}"\n')
        said = cli("build", path, "-o", tmp_path / name, *more)
        there = (tmp_path / name / "metadata.jsonl").exists()
        items = metadata(tmp_path / name) if there else []
        return said, items, rejected(tmp_path / name) if there else [], server

    return make
