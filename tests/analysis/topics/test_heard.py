"""Queries that were spoken: recordings of votes written down once, and what is wrong with some of them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess

import numpy as np
import pytest
import soundfile

CLIPS = 4


@pytest.fixture
def spoken(votes, made_rows, tmp_path):
    """Votes without queries whose recordings are tones, and what is said in each."""
    rows = made_rows(n=40)
    said = {}
    for at, row in enumerate(rows):
        words = row.pop("query")
        name = f"clips/{at % CLIPS}.wav"
        path = tmp_path / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            wave = 0.1 * np.sin(2 * np.pi * (300 + 100 * at) * np.arange(8000) / 16000)
            soundfile.write(path, wave, 16000, subtype="PCM_16")
            said[hashlib.sha256(path.read_bytes()).hexdigest()] = words
        row["audio"] = name
    return rows, said


def test_recordings_are_written_down_once_and_become_queries(cli, votes, spoken, chat_server, tmp_path):
    rows, said = spoken
    server = chat_server(answers=said)
    path = votes(rows)
    words = ("topics", "--votes", path, "--transcribe", "openai/gpt-audio-1.5", "--base-url", server.url, "--json")
    found = cli(*words, "--write", tmp_path / "new.jsonl")
    assert found.code == 0
    assert (found.json["n_asked"], found.json["n_different"]) == (40, CLIPS)
    assert "heard by openai/gpt-audio-1.5" in found.json["signature"]
    assert any("4 recordings were written down" in one for one in found.json["warnings"])
    assert len(server.log()) == CLIPS
    again = cli(*words)
    assert again.json["uses"] == found.json["uses"]
    assert len(server.log()) == CLIPS
    written = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert {one["query"] for one in written} == set(said.values())


def test_what_is_wrong_with_recordings_costs_them_alone(cli, votes, spoken, chat_server, tmp_path):
    rows, said = spoken
    rows[0]["audio"] = "clips/none.wav"
    rows[1]["audio"] = "../../etc/passwd"
    (tmp_path / "clips" / "broken.wav").write_bytes(b"RIFF nonsense")
    rows[2]["audio"] = "clips/broken.wav"
    rows[3] |= {"audio": "", "query": "What is a comet?"}
    os.mkfifo(tmp_path / "clips" / "pipe.wav")
    rows[4]["audio"], rows[5]["audio"] = "clips/pipe.wav", "clips/1.wav\0"
    server = chat_server(answers=said)
    found = cli(
        "topics", "--votes", votes(rows), "--transcribe", "openai/gpt-audio-1.5", "--base-url", server.url, "--json"
    )
    assert found.code == 1
    assert found.json["n_asked"] == 35
    warnings = " ".join(found.json["warnings"])
    for told in (
        "cannot be read (No such file",
        "not beside the vote file",
        "could not be heard",
        "is no file",
        "no file can have",
    ):
        assert told in warnings
    assert len(server.log()) == CLIPS


def test_votes_without_recordings_are_refused(cli, votes, made_rows):
    said = cli("topics", "--votes", votes(made_rows(n=10)), "--transcribe", "cascade/pocketsphinx")
    assert said.code == 2
    assert "no vote without a query names its recording (column audio)" in said.err


def test_the_offline_recogniser_writes_queries_down(cli, votes, made_rows, system_program, tmp_path):
    rows = made_rows(n=2)
    for row, text in zip(rows, ("what time is it", None), strict=True):
        row.pop("query")
        row["audio"] = f"{row['battle']}.wav"
        if text:
            program = system_program("espeak-ng")
            subprocess.run([program, "-w", tmp_path / row["audio"], text], check=True)
        else:
            soundfile.write(tmp_path / row["audio"], np.zeros(16000), 16000, subtype="PCM_16")
    found = cli("topics", "--votes", votes(rows), "--transcribe", "cascade/pocketsphinx", "--json").json
    assert found["n_asked"] == 1
    assert found["topics"][0]["examples"][0].strip()
    assert any("no word was heard in 1 recording" in one for one in found["warnings"])
