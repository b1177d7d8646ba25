"""A clip is replaced after the run: whatever shows the run's numbers says so, and plays nothing that nobody heard."""

import json
import os
import re

import pytest

SAID = "made with clips that have changed since; the same run again asks only those"


def clips_of(page):
    text = page.read_text(encoding="utf-8")
    found = json.loads(re.search(r'id="clips">(.*?)</script>', text, re.DOTALL).group(1))
    return text, {entry["name"]: entry for entry in found}


@pytest.fixture
def run(cli, benchmark, tmp_path):
    """``run("name")`` asks about the same benchmark, of which ``how`` says whether its clips are converted."""

    def go(name="run", *words, **how):
        bench = tmp_path / "bench" if (tmp_path / "bench").exists() else benchmark(4, frames=800, **how)
        assert cli("run", bench, "--model", "scripted/random", "-o", tmp_path / name, *words).code == 0
        return bench, tmp_path / name

    return go


@pytest.mark.parametrize("how", [{}, {"rate": 44_100, "channels": 2}], ids=["sent as they are", "converted"])
def test_replies_to_clips_that_were_replaced_are_counted(run, cli, make_wav, replies, how):
    bench, folder = run("run", "--variant", "noise", "--variant", "other-clip", "--variant", "text-only", **how)
    assert not cli("score", folder).err
    make_wav(bench / "audio" / "1.wav", seed=1001, frames=800, **how)
    said = cli("score", folder).err
    stood_in = sum("replaced by the clip of i1" in r["audio_changes"] for r in replies(folder))
    assert stood_in
    assert said == f"{2 + stood_in} replies were {SAID}.\n"  # plain and noise
    run("run", "--variant", "noise", "--variant", "other-clip", "--variant", "text-only")
    assert not cli("score", folder).err


def test_a_clip_that_nobody_heard_is_not_played(run, cli, make_wav, tmp_path):
    bench, old = run("old")
    make_wav(bench / "audio" / "1.wav", seed=1001, frames=800)
    _, new = run("new")
    assert cli("report", old).code == 0
    text, clips = clips_of(old / "report.html")
    assert f"1 reply was {SAID}." in text
    assert "embedded" not in clips["audio/1.wav"]
    assert clips["audio/1.wav"]["problem"] == "the clip that was heard is gone, its file has changed since"
    assert all("embedded" in clips[f"audio/{n}.wav"] for n in (0, 2, 3))
    cli("report", old, new, "-o", tmp_path / "both.html")
    text, clips = clips_of(tmp_path / "both.html")
    assert f"(old)</bdi>: 1 reply was {SAID}." in text
    assert clips["audio/1.wav"]["note"].startswith("1 of 2 replies were to another clip")
    assert f"{old}: 1 reply was {SAID}" in cli("compare", old, new, "--json").json["warnings"]


def test_a_clip_that_was_linked_touched_or_taken_away_has_not_changed(run, cli, monkeypatch):
    bench, folder = run()
    os.link(bench / "audio" / "0.wav", bench / "link.wav")
    monkeypatch.setattr("audiometry.score.heard.sha256_of", lambda path: pytest.fail(f"{path} was read"))
    assert not cli("score", folder).err
    monkeypatch.undo()
    kept = (bench / "audio" / "1.wav").read_bytes()
    (bench / "audio" / "1.wav").unlink()
    (bench / "audio" / "1.wav").write_bytes(kept)
    (bench / "audio" / "2.wav").unlink()
    assert not cli("score", folder).err


@pytest.mark.parametrize("told", [{}, {"file_stat": "1-1-1-1+1-1-1-1", "file_sha256": f"{'0' * 64}+{'0' * 64}"}])
def test_records_that_do_not_tell_or_tell_of_other_clips_are_passed_over(run, cli, make_wav, replies, told):
    bench, folder = run()
    lines = [{k: v for k, v in r.items() if k not in {"file_stat", "file_sha256"}} | told for r in replies(folder)]
    (folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    make_wav(bench / "audio" / "1.wav", seed=1001, frames=800)
    assert not cli("score", folder).err
