"""A build that is killed at any moment goes on, and ends with the same bytes as one that nobody stopped."""

import json
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


def killed_and_done(path, folder, *words, wait):
    """Kill the build at random moments; those that end before are set aside as ``done-…``."""
    draw, kills, whole = random.Random(5), 0, False
    while kills < KILLS:
        if whole:  # done before its kill: another one is begun, with shorter waits
            wait, whole = wait * 0.7, False
            folder.rename(folder.with_name(f"done-{kills}"))
        command = [sys.executable, "-m", "audiometry", "build", str(path), "-o", str(folder), *words]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not (folder / "build").exists() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        try:
            child.wait(draw.random() * wait)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        whole = child.wait() == 0


@pytest.mark.slow
def test_a_build_killed_twenty_times_ends_with_the_same_bytes(recordings, spec, cli, tmp_path):
    recordings(400, seconds=1)
    path = spec(rows(400), SPECIES, columns='audio = "file", start = "a", end = "b", group = ["station"]')
    assert cli("build", path, "-o", tmp_path / "whole").code == 0
    killed_and_done(path, tmp_path / "killed", wait=0.5)
    said = cli("build", path, "-o", tmp_path / "killed")
    assert said.code == 0, said.err
    for folder in (tmp_path / "killed", *tmp_path.glob("done-*")):
        assert tree(folder) == tree(tmp_path / "whole")


@pytest.mark.slow
def test_nothing_that_was_written_is_paid_twice_or_lost(recordings, spec, cli, tmp_path, chat_server, captioned):
    """But what is under way at a kill: a reply that was not there yet nobody could keep."""
    recordings(200)
    pen, other, at_a_time = chat_server(writer="{}", delay_ms=40), chat_server(answer="no bird"), 4
    tasks = (
        'name = "near"\nmake = "near"\nabout = "species"\nquestion = ["Which bird is heard?"]\nn = 100',
        'name = "chat"\ncategory = "sound"\nmake = "chat"\nn = 100',
        f'[writer]\nmodel = "openai/pen"\nbase_url = "{pen.url}"\n[filter]\ntext = ["openai/other@{other.url}"]',
    )
    path = spec(captioned(200), *tasks, facts='species = "species", caption = "caption"')
    words = ("--concurrency", str(at_a_time))
    assert cli("build", path, "-o", tmp_path / "whole", *words).code == 0
    once = {one: len(one.log()) for one in (pen, other)}
    killed_and_done(path, tmp_path / "killed", *words, wait=4)
    assert cli("build", path, "-o", tmp_path / "killed", *words).code == 0
    builds = [tmp_path / "killed", *tmp_path.glob("done-*")]
    for folder in builds:
        assert beside_asked(folder) == beside_asked(tmp_path / "whole")
        for journal in (folder / "build/asked").rglob("*.jsonl"):
            kept = [(one["item"], one["variant"]) for one in map(json.loads, journal.read_text().splitlines())]
            assert len(set(kept)) == len(kept)
    for server, n in once.items():
        assert n * (1 + len(builds)) <= len(server.log()) <= n * (1 + len(builds)) + KILLS * at_a_time


def beside_asked(folder):
    return {path: data for path, data in tree(folder).items() if "asked" not in path.parts and path.suffix != ".html"}


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
