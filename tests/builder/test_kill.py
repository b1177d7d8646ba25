"""A build that is killed at any moment goes on, and ends with the same bytes as one that nobody stopped."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

SPECIES = 'name = "species"\nmake = "label"\nabout = "species"\nquestion = ["Which?", "What?"]\nper_clip = 2'
KILLS = 20


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows(n):
    """Two spans and the whole of each recording."""
    spans = [("", ""), (0.1, 0.5), (0.4, 0.9)]
    return [
        {"file": f"birds/{k}.wav", "a": a, "b": b, "species": f"bird {(k + j) % 7}", "station": k}
        for k in range(n)
        for j, (a, b) in enumerate(spans)
    ]


@pytest.mark.slow
def test_a_build_killed_twenty_times_ends_with_the_same_bytes(recordings, spec, cli, tmp_path):
    recordings(400, seconds=1)
    path = spec(rows(400), SPECIES, columns='audio = "file", start = "a", end = "b", group = ["station"]')
    assert cli("build", path, "-o", tmp_path / "whole").code == 0
    draw, kills, wait, whole = random.Random(5), 0, 0.5, False
    while kills < KILLS:
        if whole:  # done before its kill: another one is begun, with shorter waits
            wait, whole = wait * 0.7, False
            (tmp_path / "killed").rename(tmp_path / f"done-{kills}")
        command = [sys.executable, "-m", "audiometry", "build", str(path), "-o", str(tmp_path / "killed")]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not (tmp_path / "killed" / "build").exists() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        try:
            child.wait(draw.random() * wait)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        whole = child.wait() == 0
    said = cli("build", path, "-o", tmp_path / "killed")
    assert said.code == 0, said.err
    for folder in (tmp_path / "killed", *tmp_path.glob("done-*")):
        assert tree(folder) == tree(tmp_path / "whole")


def test_clips_that_were_written_are_not_written_again(recordings, spec, cli, tmp_path, monkeypatch):
    from audiometry.builder import audio_files, build

    recordings(6, seconds=1)
    path = spec(rows(6), SPECIES, columns='audio = "file", start = "a", end = "b", group = ["station"]')
    assert cli("build", path, "-o", tmp_path / "whole").code == 0
    real, seen = audio_files._written, []

    def stops(folder, clips):
        seen.append(clips)
        if len(seen) == 4:
            raise KeyboardInterrupt
        return real(folder, clips)

    monkeypatch.setattr(audio_files, "processors", lambda: 1)
    monkeypatch.setattr(audio_files, "_written", stops)
    with pytest.raises(KeyboardInterrupt):
        build.build(path, tmp_path / "out")
    kept = (tmp_path / "out/build/clips.jsonl").read_text().count("\n")
    assert kept == 9  # three clips of each of three recordings
    seen.extend([None] * 10)
    before = len(seen)
    said = cli("build", path, "-o", tmp_path / "out")
    assert said.code == 0, said.err
    assert len(seen) - before == 3
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


def test_two_builds_into_one_folder_at_once_are_refused(recordings, spec, cli, tmp_path):
    from audiometry.files.journal import Journal

    recordings(3)
    path = spec(rows(3), SPECIES)
    with Journal(tmp_path / "out/build/clips.jsonl"):
        said = cli("build", path, "-o", tmp_path / "out")
    assert said.code == 2
    assert "is in use by another process; wait for it, or give another folder with -o" in said.err
