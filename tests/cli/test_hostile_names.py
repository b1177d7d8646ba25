"""Names that no file can have, and files that are none: told for each item, by `run`, `check` and `report`."""

import json
import os
import time

import pytest

from audiometry import bench

WORSE = {
    "long": "audio/" + "x" * 300 + ".wav",
    "endless": "a/" * 3000 + "a.wav",
    "through": "audio/00000.wav/below.wav",
    "escape": "audio/\x1b[2J\u202e.wav",
    "pipe": "audio/pipe.wav",
    "zero": "audio/zero.wav",
    "sparse": "audio/sparse.wav",
    "folder": "audio",
    "ring": "audio/ring.wav",
}
SAID = {
    "long": "longer than the file system takes",
    "endless": "longer than the file system takes",
    "through": "a part of the path is a file",
    "escape": "is not there",
    "pipe": "a device or a pipe",
    "zero": "a device or a pipe",
    "sparse": "at most 2,147,483,648 are read",
    "folder": "a folder, not a file",
    "ring": "a ring of links",
}


@pytest.fixture
def hostile(make_benchmark):
    """Two good items around one of each kind."""
    rows = [{}, *[{"id": kind, "file_name": name} for kind, name in WORSE.items()], {}]
    folder = make_benchmark(rows)
    os.mkfifo(folder / "audio/pipe.wav")
    (folder / "audio/zero.wav").symlink_to("/dev/zero")
    (folder / "audio/ring.wav").symlink_to(folder / "audio/ring.wav")
    with (folder / "audio/sparse.wav").open("wb") as file:
        file.truncate(4 << 30)
    return folder


def as_if_all_had_been_asked(run, benchmark):
    """The run as one from before the clips were spoiled."""
    info = json.loads((run / "run.json").read_text())
    info["benchmark"] |= {"sha256": benchmark.sha256, "absent": [], "left_out": 0}
    (run / "run.json").write_text(json.dumps(info | {"n_items": len(benchmark)}))


def test_run_records_each_and_report_shows_each(hostile, cli, tmp_path):
    run = tmp_path / "run"
    said = cli("run", hostile, "--model", "scripted/random", "-o", run)
    assert (said.code, "Traceback" in said.err) == (1, False)
    assert "8 of 11 rows are left out" in said.err  # what can never be read is not asked about
    records = {r["item"]: r for r in map(json.loads, (run / "replies.jsonl").read_text().splitlines())}
    assert set(records) == {"item-00000", "sparse", "item-00010"}
    assert records["sparse"]["error"]["kind"] == "audio-unreadable"
    assert SAID["sparse"] in records["sparse"]["error"]["message"]
    assert sum("text" in record for record in records.values()) == 2
    as_if_all_had_been_asked(run, bench.load(hostile, absent=()))
    for folder in (tmp_path / "embedded.html", tmp_path / "again.html"):
        assert cli("report", run, "-o", folder).code == 0
        page = folder.read_text()
        for kind in set(SAID) - {"ring", "escape"}:
            # the sparse file makes the clips too many to be put into the page: only its head is read
            words = "does not start like audio" if kind == "sparse" else SAID[kind].partition(" are read")[0]
            assert words in page, kind


def test_check_finds_each(hostile, cli):
    for how in ((), ("--headers",)):
        said = cli("check", hostile, "--json", *how)
        assert said.code == 1
        found = [f for f in said.json["findings"] if f["severity"] == "error"]
        for kind in SAID:
            (one,) = [f for f in found if kind in f["items"]]
            assert SAID[kind].partition(" are")[0] in one["what"], one


@pytest.mark.parametrize("linked", [False, True], ids=["in the page", "beside it"])
def test_report_reads_what_became_of_clips_by_the_same_door(make_benchmark, cli, tmp_path, linked):
    folder = make_benchmark(6)
    assert cli("run", folder, "--model", "scripted/random", "-o", tmp_path / "run").code == 0
    clips = [folder / f"audio/{n:05}.wav" for n in range(5)]
    for clip in clips:
        clip.unlink()
    os.mkfifo(clips[0])
    clips[1].symlink_to("/dev/zero")
    clips[2].mkdir()
    clips[3].symlink_to(clips[3])
    if linked:
        with clips[4].open("wb") as file:
            file.truncate(4 << 30)
    started = time.monotonic()
    assert cli("report", tmp_path / "run", "-o", tmp_path / "page.html").code == 0
    assert time.monotonic() - started < 30
    page = (tmp_path / "page.html").read_text()
    assert page.count("a device or a pipe, not a file") == 2
    last = "the clip that was heard is gone, its file has changed since" if linked else "no such file"
    for words in ("a folder, not a file", "ELOOP", last):
        assert page.count(words) == 1, words
    assert len(page) < 2_000_000


@pytest.mark.parametrize("name", ["x" * 300, "y/" * 3000, "\udcff", "x" * 300 + ".toml", "pipe.toml"], ids=ascii)
def test_a_benchmark_or_run_of_no_possible_name_is_one_line(name, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe.toml")
    for words in (
        ("run", name, "--model", "scripted/random"),
        ("check", name),
        ("list", "tasks", name),
        ("list", "runs", name),
        ("report", name),
        ("score", name),
        ("compare", name, name),
    ):
        said = cli(*words)
        assert said.code == 2, words
        assert said.err.count("\n") == 1, said.err
        assert len(said.err) < 600
        assert said.out == ""


@pytest.mark.parametrize("name", ["x" * 300, "y/" * 3000 + "z"], ids=["long", "endless"])
def test_an_output_of_no_possible_name_is_one_line(name, cli, make_benchmark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = make_benchmark(2)
    said = cli("run", folder, "--model", "scripted/random", "-o", name)
    assert (said.code in {1, 2}, said.out) == (True, "")
    assert len(said.err.strip().splitlines()) == 1
    assert cli("run", folder, "--model", "scripted/random", "-o", "run").code == 0
    said = cli("report", "run", "-o", name)
    assert said.code in {1, 2}
    assert len(said.err.strip().splitlines()) == 1
