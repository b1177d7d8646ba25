import io
import json
import os
import struct
from pathlib import Path

import msgspec
import numpy as np
import pytest
import soundfile as sf

from audiometry.audio import riff
from audiometry.audio.encode import to_pcm16
from audiometry.bench import load
from audiometry.bench.check import check
from audiometry.bench.check_clip import examine
from audiometry.bench.findings import CheckReport
from audiometry.errors import BenchmarkError, UnknownNameError

RATE = 16000
ANIMALS = ("dog", "cat", "cow", "owl")


def noise(seed, seconds=0.5, level=0.2):
    return (level * np.random.default_rng(seed).uniform(-1, 1, int(RATE * seconds))).astype(np.float32)


class Folder:
    """A benchmark folder in the making."""

    def __init__(self, root: Path):
        self.root, self.lines = root, []
        (root / "audio").mkdir(parents=True)
        (root / "benchmark.toml").write_text('[benchmark]\nname = "made"\n')

    def clip(self, name, samples, rate=RATE, **settings):
        if samples.dtype == np.float32 and "subtype" not in settings:  # libsndfile rounds differently into WAV and FLAC
            samples = to_pcm16(samples)
        sf.write(self.root / "audio" / name, samples, rate, **settings)
        return f"audio/{name}"

    def raw(self, name, data):
        (self.root / "audio" / name).write_bytes(data)
        return f"audio/{name}"

    def item(self, file_name, **fields):
        n = len(self.lines)
        item = {
            "id": f"i{n}",
            "task": "animal",
            "question": f"Which animal is it, number {'abcdefghijkl'[n % 12]}?",
            "file_name": file_name,
            "options": [ANIMALS[(n + k) % 4] for k in range(4)],
            "answer": ANIMALS[(n + n // 4) % 4],
        }
        self.lines.append(json.dumps(item | fields))
        return item["id"]

    def check(self, **settings) -> CheckReport:
        (self.root / "metadata.jsonl").write_text("\n".join(self.lines) + "\n")
        return check(self.root, **settings)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "made")


def codes(report, severity=None):
    return sorted(f.code for f in report.findings if severity in {None, f.severity})


def only(report, code):
    found = [f for f in report.findings if f.code == code]
    assert len(found) == 1, [str(f) for f in report.findings]
    return found[0]


def test_a_clean_folder_has_no_findings(folder):
    for n in range(24):
        folder.item(folder.clip(f"{n:02}.wav", noise(n)), sha256="")
    report = folder.check()
    assert report.findings == ()
    assert (report.n_errors, report.n_warnings, report.n_notes) == (0, 0, 0)
    assert (report.n_items, report.n_clips, report.n_clips_read) == (24, 24, 24)
    assert report.audio_s == pytest.approx(12)
    assert (report.rates, report.channels, report.formats) == ({RATE: 24}, {1: 24}, {"wav": 24})
    assert report.items_per_clip == {1: 24}
    task = report.tasks["animal"]
    assert (task.n_items, task.n_clips, task.n_options, task.n_answers) == (24, 24, {4: 24}, 4)
    assert task.answers == dict.fromkeys(ANIMALS, 6)
    assert sum(task.letters.counts) == 24


@pytest.mark.slow
def test_the_shipped_benchmark_has_no_error():
    report = check("mini")
    assert codes(report, "error") == []
    assert report.n_items == len(load("mini"))
    assert report.n_clips_read == report.n_clips


ERRORS = ["damaged", "empty", "missing", "not-audio", "not-numbers", "sha256", "truncated"]
WARNINGS = [
    "cancels", "clipped", "dc-offset", "duplicate", "duplicate-sound", "misnamed", "no-end", "other-name", "quiet",
    "short", "silent",
]  # fmt: skip


def with_every_defect(folder):
    """A clip with each defect; the ids of their items by the code that is to find them."""
    for n in range(8):
        folder.item(folder.clip(f"good{n}.wav", noise(n)))
    broken = noise(49)
    broken[4000] = np.nan
    clipped = noise(51, level=0.9)
    clipped[1000:1010] = 1.0
    both = noise(53)
    folder.clip("other.flac", noise(56))
    folder.clip("unused.wav", noise(61))
    ogg = sf_bytes(noise(60, 3), "OGG")
    half = riff.pcm16_header(32000, RATE, 1) + b"\x05\x10" * 8000
    clips = {
        "missing": "audio/none.wav",
        "empty": folder.raw("empty.wav", b""),
        "truncated": folder.raw("short.wav", half),
        "not-audio": folder.raw("page.wav", b"<html>404</html>"),
        "not-numbers": folder.clip("nan.wav", broken, subtype="FLOAT"),
        "damaged": folder.raw("zero.wav", riff.pcm16_header(0, RATE, 0)),
        "silent": folder.clip("silent.wav", np.zeros(8000, np.float32)),
        "quiet": folder.clip("quiet.wav", noise(50, level=0.005)),
        "clipped": folder.clip("clipped.wav", clipped),
        "dc-offset": folder.clip("offset.wav", noise(52) + np.float32(0.05)),
        "cancels": folder.clip("anti.wav", np.stack([both, -both], 1), subtype="FLOAT"),
        "short": folder.clip("tick.wav", noise(54, 0.05)),
        "misnamed": folder.raw("flac-inside.wav", sf_bytes(noise(55), "FLAC")),
        "other-name": "audio/other.wav",
        "duplicate": folder.clip("copy.wav", noise(0)),
        "duplicate-sound": folder.clip("again.flac", noise(1)),
        "long": folder.clip("long.wav", noise(58, 31)),
        "rates": folder.clip("eight.wav", noise(59), 8000),
        "no-end": folder.raw("cut.ogg", ogg[: ogg.rfind(b"OggS")]),
    }
    ids = {code: folder.item(name) for code, name in clips.items()}
    ids["sha256"] = folder.item(folder.clip("changed.wav", noise(57)), sha256="ab" * 32)
    return ids


def test_every_defect_of_a_clip_is_found_once(folder):
    ids = with_every_defect(folder)
    report = folder.check()
    assert codes(report, "error") == ERRORS
    assert codes(report, "warning") == WARNINGS
    assert codes(report, "note") == ["channels", "data", "long", "rates", "unused"]
    for code in [*ERRORS, *WARNINGS]:
        one = only(report, code)
        assert ids[code] in one.items
        assert one.what
        assert one.do
        assert one.n_items == (2 if code.startswith("duplicate") else 1)
    assert [f.severity for f in report.findings] == ["error"] * 7 + ["warning"] * 11 + ["note"] * 5
    assert (report.n_errors, report.n_warnings, report.n_notes) == (7, 11, 5)
    assert report.n_clips_read == report.n_clips - 4
    assert report.n_left_out == 2
    assert msgspec.json.decode(msgspec.json.encode(report), type=CheckReport) == report


def test_findings_carry_their_numbers(folder):
    ids = with_every_defect(folder)
    report = folder.check()
    assert only(report, "duplicate").items == ("i0", ids["duplicate"])
    assert only(report, "clipped").what == "clipped: 10 of 8000 samples (0.12 %) at full scale, 3 or more in a row"
    assert only(report, "dc-offset").what.startswith("DC offset: its mean is +0.0")
    assert "the longest 31.0 s (audio/long.wav)" in only(report, "long").what
    assert "50.0 %" in only(report, "truncated").what
    assert only(report, "missing").what == "names the clip 'audio/none.wav', which is not there"
    assert only(report, "missing").where == "metadata.jsonl, line 9"
    assert only(report, "unused").what == "1 audio file that no item names: audio/unused.wav"


def sf_bytes(samples, form):
    out = io.BytesIO()
    sf.write(out, samples, RATE, format=form)
    return out.getvalue()


def test_every_defect_of_the_metadata_is_found_with_its_line(folder):
    a, b, c = (folder.clip(f"{n}.wav", noise(n)) for n in range(3))
    folder.item(a)
    folder.item(b, id="i0")
    folder.lines.append("{not json")
    folder.item(a, answer="horse")
    folder.item(a, options=["dog", "dog", "cat", "cow"], answer="cat")
    folder.item(a, options=["dog"], answer="dog")
    folder.item(a, question=" ")
    folder.item("../../etc/passwd")
    folder.item(c, id="c1", question="Which?", options=["dog", "cat"], answer="dog")
    folder.item(c, id="c2", question="which? ", options=["cat", "dog"], answer="cat")
    folder.item(c, id="c3", question="Loud?", options=["yes", "no"], answer="no")
    folder.item(c, id="c4", question="Loud?", options=["yes", "no"], answer="no")
    folder.item("", id="c5")
    report = folder.check()
    (silent,) = (f for f in report.findings if f.code == "no-clip")
    assert (silent.severity, silent.where) == ("error", "metadata.jsonl, line 13")
    lines = {f.where: f.what for f in report.findings if f.code == "metadata"}
    assert sorted(lines) == [f"metadata.jsonl, line {n}" for n in range(2, 9)]
    assert "id that line 1 has already" in lines["metadata.jsonl, line 2"]
    assert "answer 'horse'" in lines["metadata.jsonl, line 4"]
    assert "option 'dog' twice" in lines["metadata.jsonl, line 5"]
    assert "one option only" in lines["metadata.jsonl, line 6"]
    assert "no question" in lines["metadata.jsonl, line 7"]
    assert "passwd" in lines["metadata.jsonl, line 8"]
    assert only(report, "contradiction").items == ("c1", "c2")
    assert only(report, "contradiction").severity == "error"
    assert only(report, "asked-twice").items == ("c3", "c4")
    assert only(report, "no-clip").items == ("c5",)
    assert (report.n_items, report.n_left_out, report.n_without_clip) == (5, 7, 0)
    assert report.items_per_clip == {1: 1, 4: 1}


def test_a_bad_card_is_an_error_and_rows_are_not_blamed_for_it(folder):
    folder.item(folder.clip("a.wav", noise(1)), options=[])
    (folder.root / "benchmark.toml").write_text("[benchmark\n")
    report = folder.check()
    assert only(report, "card").where == "benchmark.toml"
    assert codes(report) == ["card"]
    assert report.n_left_out == 0


def test_folders_without_items(folder, tmp_path):
    folder.lines = [""]
    assert codes(folder.check()) == ["no-items"]
    (tmp_path / "bare").mkdir()
    with pytest.raises(BenchmarkError, match=r"no metadata\.jsonl; write"):
        check(tmp_path / "bare")
    with pytest.raises(UnknownNameError):
        check(str(tmp_path / "nothing"))


def test_another_file_beside_the_metadata_is_no_fault_of_the_benchmark(folder):
    folder.item(folder.clip("a.wav", noise(1)))
    folder.clip("b.wav", noise(2))
    beside = {"file_name": "audio/b.wav", "id": "b", "task": "t"}
    for name, content in (("array", b"[1]"), ("wide", b"\xff\xfe["), ("others", json.dumps(beside).encode() + b"\n")):
        (folder.root / f"{name}.jsonl").write_bytes(content)
    (folder.root / "folder.jsonl").mkdir()
    os.mkfifo(folder.root / "pipe.jsonl")
    assert codes(folder.check()) == []
    (folder.root / "others.jsonl").unlink()
    assert codes(folder.check()) == ["unused"]


def test_two_labels_of_one_clip_contradict_each_other_and_two_open_answers_do_not(make_benchmark):
    task = '[benchmark]\nname = "b"\n[[task]]\nname = "sounds"\nkind = "{}"\n'
    clip = {"file_name": "audio/00000.wav", "options": [], "answer": "sad"}
    rows = [{"options": [], "answer": "sad"}, clip, clip | {"answer": "glad"}]
    for kind, code in (("label", "contradiction"), ("open", "asked-twice")):
        made = make_benchmark(rows, card=task.format(kind))
        assert [one.items for one in check(made).findings if one.code == code] == [
            ("item-00000", "item-00001", "item-00002")
        ]


def test_the_same_contradiction_in_a_copy_of_the_clip_is_found(folder):
    folder.item(folder.clip("a.wav", noise(1)), question="Which?", options=["dog", "cat"], answer="dog")
    folder.item(folder.clip("b.flac", noise(1)), question="Which?", options=["dog", "cat"], answer="cat")
    assert codes(folder.check()) == ["contradiction", "duplicate-sound"]


def test_progress_and_order_do_not_depend_on_workers(folder):
    for n in range(12):
        folder.item(folder.clip(f"{n}.wav", noise(n) if n != 5 else np.zeros(800, np.float32)))
    told = []
    one = folder.check(workers=1, progress=lambda done, total: told.append((done, total)))
    many = check(load(folder.root), workers=8)
    assert told[-1] == (12, 12)
    assert [d for d, _ in told] == sorted(d for d, _ in told)
    assert one == msgspec.structs.replace(many, folder=one.folder)


@pytest.mark.parametrize("at", [0, 100, 32766, 32767, 32768, 65530])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 70])
def test_runs_at_full_scale_are_counted_across_blocks(folder, at, length):
    x = np.full(70000, 0.1, np.float32)
    x[at : at + length] = -1.0
    x[50000], x[50002] = 1.0, 1.0
    folder.clip("a.wav", x)
    facts = examine("a", folder.root / "audio/a.wav")
    assert facts.clipped == (len(x[at : at + length]) if length >= 3 else 0)
    assert facts.samples == 70000
    assert facts.peak == 1.0


def test_measures_of_a_clip_are_exact(folder):
    x = np.random.default_rng(0).integers(-9000, 9000, (40000, 3), dtype=np.int16)
    x[:, 1] += 500
    folder.clip("a.wav", x)
    facts = examine("a", folder.root / "audio/a.wav")
    values = x / 32768
    assert facts.offset == pytest.approx(values.mean(axis=0)[1], abs=1e-12)
    assert facts.peak == np.abs(values).max()
    assert facts.left == pytest.approx(np.sum(values.mean(axis=1) ** 2) / np.sum(values**2) * 3, rel=1e-5)
    assert facts.info.frames == 40000
    assert facts.bytes == (folder.root / "audio/a.wav").stat().st_size


def test_eight_bit_clips_clip_at_their_own_full_scale(folder):
    x = noise(3, level=0.5)
    x[10:20] = 1.0
    folder.clip("a.wav", x, subtype="PCM_U8")
    assert examine("a", folder.root / "audio/a.wav").clipped == 10


def test_a_three_hour_header_is_truncated_not_allocated(folder):
    folder.item(folder.raw("a.wav", riff.pcm16_header(3 * 3600 * 32000, RATE, 1) + bytes(1000)))
    assert "truncated" in only(folder.check(), "truncated").what


def test_an_extensible_header_says_nothing_bad(folder):
    folder.item(folder.raw("a.wav", struct.pack("<4sI4s", b"RIFF", 0, b"WAVE")))
    assert codes(folder.check()) == ["truncated"]
