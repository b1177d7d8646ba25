"""Sets of mixes: what their lines say is found again in the files by other means, whatever stops them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest
import soundfile
from scipy.fft import irfft, next_fast_len, rfft

from audiometry import bench
from audiometry.audio.clip import Clip
from audiometry.audio.encode import encode

MINI = Path(bench.__file__).parent / "mini" / "audio"
PLAN = """
n = {n}
seed = 5
format = "flac"
[[source]]
path = "{a}"
[[source]]
path = "{b}"
"""


def demo_clips(seconds, rate):
    """Demo clips of one rate and no great length."""
    for path in sorted(MINI.iterdir()):
        info = soundfile.info(path)
        if info.samplerate == rate and seconds[0] < info.frames / rate < seconds[1] and info.channels == 1:
            yield path


@pytest.fixture
def plan(tmp_path):
    """A plan over noise of 8 kHz: ``plan(n)``."""
    rng = np.random.default_rng(1)
    for side in "ab":
        (tmp_path / side).mkdir()
        for k in range(6):
            samples = rng.standard_normal((4000 + 800 * rng.integers(2, 8), 1)) * rng.uniform(0.01, 0.3)
            (tmp_path / side / f"{side}{k}.wav").write_bytes(encode(Clip(samples.astype(np.float32), 8_000)))

    def write(n, more=""):
        path = tmp_path / "pairs.toml"
        path.write_text(more + PLAN.format(n=n, a="a", b="b"))
        return path

    return write


def lines(folder, name="metadata.jsonl"):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def found_in(mixed, a, b):
    """Gains and onsets of both clips by least squares over every onset of each while the other starts at 0.

    The energy that both explain together, for all onsets at once, from correlations by Fourier transform.
    """
    size = next_fast_len(len(mixed), real=True)
    of = {id(x): rfft(x, size) for x in (mixed, a, b)}
    best = (-1.0, (0.0, 0.0), (0, 0))
    for turned, (first, second) in enumerate(((a, b), (b, a))):
        lags = len(mixed) - len(second) + 1
        with_mix = irfft(of[id(mixed)] * of[id(second)].conj(), size)[:lags]
        with_first = irfft(of[id(first)] * of[id(second)].conj(), size)[:lags]
        of_first, of_second, of_mix = first @ first, second @ second, mixed[: len(first)] @ first
        det = of_first * of_second - with_first**2
        gain_first = (of_mix * of_second - with_mix * with_first) / det
        gain_second = (with_mix * of_first - of_mix * with_first) / det
        explained = gain_first * of_mix + gain_second * with_mix
        lag = int(np.argmax(explained))
        gains, onsets = (gain_first[lag], gain_second[lag]), (0, lag)
        if explained[lag] > best[0] * (1 + 1e-12):
            best = explained[lag], gains[::-1] if turned else gains, onsets[::-1] if turned else onsets
    return best[1:]


@pytest.mark.parametrize("n", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_gains_and_onsets_of_demo_clips_are_recovered_by_least_squares(cli, tmp_path, n):
    rate, meter = 16_000, pyloudnorm.Meter(16_000, filter_class="DeMan")
    for k, path in enumerate(list(demo_clips((0.7, 1.4), rate))[:60]):
        (tmp_path / "ab"[k % 2]).mkdir(exist_ok=True)
        shutil.copy(path, tmp_path / "ab"[k % 2])
    (tmp_path / "pairs.toml").write_text(PLAN.format(n=n, a="a", b="b"))
    document = cli("mix", tmp_path / "pairs.toml", "-o", tmp_path / "set", "--json").json
    assert document["n"] == n
    read = {}
    for line in lines(tmp_path / "set"):
        mixed, its_rate = soundfile.read(tmp_path / "set" / line["file_name"])
        assert its_rate == line["rate"] == rate
        parts = []
        for one in line["sources"].values():
            path = tmp_path / one["path"]
            if path not in read:
                samples = soundfile.read(path)[0]
                whole = len(samples) - (len(samples) - rate * 4 // 10) % (rate // 10)  # blocks that the end cuts
                read[path] = samples, meter.integrated_loudness(samples[:whole])
            parts.append(read[path])
        gains, onsets = found_in(mixed, parts[0][0], parts[1][0])
        assert onsets == tuple(round(line["sources"][name]["onset_s"] * rate) for name in "ab")
        assert 20 * np.log10(gains) == pytest.approx([line["gain_db"][name] for name in "ab"], abs=0.05)
        levels = [part[1] + 20 * np.log10(gain) for part, gain in zip(parts, gains, strict=True)]
        difference = levels[0] - levels[1]
        assert abs(difference) == pytest.approx(line["level_difference"], abs=0.1)
        heard = "equal" if abs(difference) < 0.5 else "a" if difference > 0 else "b"
        assert heard == line["louder"]
        starts = "equal" if onsets[0] == onsets[1] else "a" if onsets[0] < onsets[1] else "b"
        assert starts == line["ahead"]


def test_a_set_says_what_it_holds_and_is_a_source_itself(cli, plan, tmp_path):
    said = cli("mix", plan(25), "-o", tmp_path / "set")
    assert said.code == 0
    assert "25 mixes" in said.out
    assert [line["id"] for line in lines(tmp_path / "set")] == [f"{k:05}" for k in range(1, 26)]
    assert not (tmp_path / "set" / "failed.jsonl").exists()
    (tmp_path / "spec.toml").write_text(
        '[benchmark]\nname = "heard"\nlicence = "CC0-1.0"\n[[source]]\npath = "set"\n'
        'facts = {louder = "louder"}\n[[task]]\nname = "louder"\nmake = "label"\nabout = "louder"\n'
        'question = ["Which recording is louder?"]\n'
    )
    built = cli("build", tmp_path / "spec.toml", "-o", tmp_path / "heard", "--json").json
    assert built["items"] == {"louder": 25}


def test_a_set_that_is_made_again_is_read_only(cli, plan, tmp_path):
    path = plan(20)
    assert cli("mix", path, "-o", tmp_path / "set").code == 0
    stood = {one.name: one.stat().st_mtime_ns for one in (tmp_path / "set" / "audio").iterdir()}
    (tmp_path / "set" / "audio" / "00007.flac").unlink()
    (tmp_path / "set" / "audio" / ".00003.flac.abcdefgh").write_bytes(b"half")
    del stood["00007.flac"]
    said = cli("mix", path, "-o", tmp_path / "set")
    assert "19 of them were there already" in said.out
    now = {one.name: one.stat().st_mtime_ns for one in (tmp_path / "set" / "audio").iterdir()}
    assert now.pop("00007.flac")
    assert now == stood


def test_the_same_plan_gives_the_same_lines_and_samples(cli, plan, tmp_path):
    path = plan(20)
    for name in ("one", "two"):
        assert cli("mix", path, "-o", tmp_path / name).code == 0
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    for line in lines(tmp_path / "one"):
        one, two = (soundfile.read(tmp_path / name / line["file_name"], dtype="int16")[0] for name in ("one", "two"))
        assert np.array_equal(one, two)


@pytest.mark.slow
def test_a_set_that_is_killed_goes_on(cli, plan, tmp_path):
    path, killed = plan(250), tmp_path / "killed"
    command = [sys.executable, "-m", "audiometry", "mix", path, "-o", killed]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while process.poll() is None and not ((killed / "metadata.jsonl").exists() and len(lines_so_far(killed)) > 10):
            time.sleep(0.005)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    kept = lines_so_far(killed)
    assert 10 < len(kept) < 250
    with (killed / "metadata.jsonl").open("ab") as file:
        file.write(b'{"id":"00')  # a line that a power cut tore
    said = cli("mix", path, "-o", killed)
    assert f"250 mixes, {len(kept)} of them were there already" in said.out
    assert cli("mix", path, "-o", tmp_path / "whole").code == 0
    assert lines(killed) == lines(tmp_path / "whole")
    files = [
        {one.name: one.read_bytes() for one in (name / "audio").iterdir()} for name in (killed, tmp_path / "whole")
    ]
    assert files[0] == files[1]


def lines_so_far(folder):
    return (folder / "metadata.jsonl").read_bytes().split(b"\n")[:-1]


def test_a_clip_that_cannot_be_mixed_is_a_row_and_others_are_drawn(cli, plan, tmp_path):
    path = plan(24)
    silent = encode(Clip(np.zeros((9000, 1), np.float32), 8_000))
    (tmp_path / "a" / "a0.wav").write_bytes(silent)
    (tmp_path / "b" / "nothing.wav").write_bytes(b"")
    soundfile.write(tmp_path / "b" / "b1.wav", np.full(9000, np.nan), 8_000, subtype="FLOAT")
    assert cli("mix", path, "-o", tmp_path / "set").code == 0
    made = lines(tmp_path / "set")
    assert len(made) == 24
    for side, n in (("a", 5), ("b", 5)):
        used = Counter(line["sources"][side]["path"] for line in made)
        assert len(used) == n
        assert all((tmp_path / name).is_file() for name in used)
    rejected = {(one["rule"], one["reason"].partition(":")[0]) for one in lines(tmp_path / "set", "rejected.jsonl")}
    assert {("silent", "a/a0.wav"), ("unreadable", "b/b1.wav")} < rejected
    held = (tmp_path / "set/metadata.jsonl").read_bytes()
    assert cli("mix", path, "-o", tmp_path / "set").code == 0
    assert (tmp_path / "set/metadata.jsonl").read_bytes() == held


def test_a_pair_that_fails_is_a_line_and_the_rest_goes_on(cli, plan, tmp_path):
    path = plan(24)
    quiet = np.random.default_rng(2).standard_normal((9000, 1)) * 3.5e-4
    (tmp_path / "a" / "a0.wav").write_bytes(encode(Clip(quiet.astype(np.float32), 8_000)))
    said = cli("mix", path, "-o", tmp_path / "set")
    failed = lines(tmp_path / "set", "failed.jsonl")
    assert said.code == 1
    assert 0 < len(failed) < 5
    assert f"{len(failed)} could not be mixed: {failed[0]['id']}, b/b" in said.out
    assert "too near the -70 below which nothing is measured" in failed[0]["error"]
    assert all("a0.wav" in one["a"] and one["b"].startswith("b, row ") for one in failed)
    assert {one["louder"] for one in failed} | {one["ahead"] for one in failed} <= {"a", "b", "equal"}
    assert len(lines(tmp_path / "set")) == 24 - len(failed)
    assert cli("mix", path, "-o", tmp_path / "set", "--json").json["failed"] == failed  # tried again


def test_spans_and_channels_of_a_table_are_what_is_mixed(cli, tmp_path):
    rng = np.random.default_rng(3)
    stereo = (rng.standard_normal((80_000, 2)) * 0.05).astype(np.float32)
    (tmp_path / "long.wav").write_bytes(encode(Clip(stereo, 8_000)))
    rows = [f"long.wav,{k},{k + 2},{'left' if k % 2 else 'right'}" for k in range(8)]
    (tmp_path / "spans.csv").write_text("file,begin,end,side\n" + "\n".join(rows))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.wav").write_bytes(encode(Clip(stereo[:9000, :1] * 2, 8_000)))
    columns = 'columns = {audio = "file", start = "begin", end = "end", channel = "side"}'
    source = f'source = "csv"\npath = "spans.csv"\n{columns}'
    text = f'n = 8\nrate = 8000\n[[source]]\n{source}\n[[source]]\npath = "b"\n'
    (tmp_path / "pairs.toml").write_text(text)
    assert cli("mix", tmp_path / "pairs.toml", "-o", tmp_path / "set").code == 0
    for line in lines(tmp_path / "set"):
        one = line["sources"]["a"]
        begin, end = one["span_s"]
        assert (one["duration_s"], one["channels"], end - begin) == (2, 1, 2)
        assert one["channel"] == (1 if begin % 2 else 2)
        mixed = soundfile.read(tmp_path / "set" / line["file_name"])[0]
        part = soundfile.read(tmp_path / "long.wav")[0][int(begin * 8000) : int(end * 8000), one["channel"] - 1]
        other = soundfile.read(tmp_path / "b" / "b.wav")[0]
        gains, onsets = found_in(mixed, part, other)
        assert 20 * np.log10(gains[0]) == pytest.approx(line["gain_db"]["a"], abs=0.05)
        assert onsets[0] == round(one["onset_s"] * 8000)


def test_a_name_that_tells_what_is_private_stands_nowhere(cli, plan, tmp_path):
    path = plan(12)
    (tmp_path / "a" / "a1.wav").rename(tmp_path / "a" / "Anna_Meyer-1.wav")
    silent = encode(Clip(np.zeros((9000, 1), np.float32), 8_000))
    (tmp_path / "a" / "Anna_Meyer-2.wav").write_bytes(silent)
    rows = "a0.wav,Bo Berg\nAnna_Meyer-1.wav,Anna Meyer\nAnna_Meyer-2.wav,Anna Meyer\n"
    (tmp_path / "a" / "ward.csv").write_text("file,patient\n" + rows)
    columns = 'columns = {audio = "file", private = ["patient"]}'
    path.write_text(path.read_text().replace('path = "a"', f'source = "csv"\npath = "a/ward.csv"\n{columns}', 1))
    said = cli("mix", path, "-o", tmp_path / "set")
    assert said.code == 0
    held = "".join(one.read_text() for one in (tmp_path / "set").glob("*.jsonl")) + said.out + said.err
    assert "Meyer" not in held
    assert '"path":"ward.csv, row 3"' in held
    assert "ward.csv, row 4: never above" in held


def test_no_recording_of_a_source_is_written_over(cli, plan, tmp_path):
    path = plan(5)
    (tmp_path / "a").rename(tmp_path / "audio")
    path.write_text(path.read_text().replace('path = "a"', 'path = "audio"'))
    path.rename(tmp_path / "plan.toml")
    (tmp_path / "metadata.jsonl").write_text("")
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    said = cli("mix", tmp_path / "plan.toml", "-o", tmp_path)
    assert said.code == 2
    assert "holds the recordings of the source audio, which are never written over" in said.err
    assert {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()} == before


def test_a_folder_of_something_else_is_not_written_to(cli, plan, tmp_path):
    path = plan(5)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    assert "is not empty and holds no set of mixes" in cli("mix", path, "-o", tmp_path / "other").err
    assert cli("mix", path, "-o", tmp_path / "set").code == 0
    said = cli("mix", plan(6), "-o", tmp_path / "set")
    assert said.code == 2
    assert "holds mixes of another plan or of other clips" in said.err
    assert "is a file; a plan makes a folder" in cli("mix", path, "-o", path).err
    assert "--by does nothing with a plan" in cli("mix", path, "--by", 3, "-o", tmp_path / "set").err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("by = [1, 12]", "has by = [1, 12]; from 3 to 30 LU are meant"),
        ("by = [3, 40]", "has by = [3, 40]"),
        ("offset = [0.2, 3]", "has offset = [0.2, 3]; from 0.5 to 3600 s"),
        ("offset = [3, 1]", "the lower first"),
        ("equal = 2.0", "has equal = 2; a share is meant, 0 to 1"),
        ("rate = 3", "has rate = 3; 4000 Hz or more"),
        ("offset = [0.5, nan]", "has offset"),
        ("equals = 0.1", "did you mean 'equal'"),
        ("[[source]]\n", "has 3 [[source]]s; two are mixed"),
        ("=", "not TOML"),
    ],
)
def test_a_plan_with_a_slip_is_refused(cli, plan, tmp_path, more, says):
    path = plan(5)
    text = path.read_text()
    path.write_text(f"{text}{more}" if more.startswith("[[") else f"{more}\n{text}")
    said = cli("mix", path, "-o", tmp_path / "set")
    assert said.code == 2
    assert says in said.err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"), [("n = 5", "n = 0", "how many"), ('"flac"', '"mp4"', "did you mean 'mp3'")]
)
def test_a_plan_without_number_or_with_another_coding_is_refused(cli, plan, tmp_path, old, new, says):
    path = plan(5)
    path.write_text(path.read_text().replace(old, new))
    assert says in cli("mix", path, "-o", tmp_path / "set").err
