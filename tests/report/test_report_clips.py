"""Clips of a report: inside the file, beside it, or not to be had."""

import base64
import re

import pytest

from audiometry.audio import played
from audiometry.errors import StorageError
from audiometry.records import ReplyRecord
from audiometry.report import clips, html


def wav(n: int) -> bytes:
    return b"RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00" + bytes([n]) * 500


def entry(number: int, file_name: str) -> dict:
    return {
        "id": f"c/{number}",
        "task": "bell",
        "question": "What?",
        "file_name": file_name,
        "options": ["a", "b"],
        "answer": "a",
    }


@pytest.fixture
def make(make_benchmark, make_run):
    """A run over the given clips, by file name."""

    def build(files, names=None):
        items = [entry(i, name) for i, name in enumerate(names or files)]
        return make_run(make_benchmark(items, files), [ReplyRecord(item=item["id"], text="A") for item in items])

    return build


def embedded(text: str) -> dict[int, bytes]:
    found = re.findall(r'<script type="text/plain" id="clip-(\d+)">([^<]*)</script>', text)
    return {int(number): base64.b64decode(data, validate=True) for number, data in found}


def entries(text: str) -> list[dict]:
    import json

    return json.loads(re.search(r'id="clips">(.*?)</script>', text, re.DOTALL).group(1))


def test_few_clips_are_put_into_the_file_each_content_once(make):
    files = {"audio/a.wav": wav(1), "audio/b.wav": wav(2), "audio/same.wav": wav(1)}
    run = make(files, ["audio/a.wav", "audio/b.wav", "audio/same.wav", "audio/a.wav"])
    text = html.write([run]).read_text()
    assert embedded(text) == {0: wav(1), 1: wav(2)}
    assert [(e["name"], e["embedded"], e["type"]) for e in entries(text)] == [
        ("audio/a.wav", 0, "audio/wav"),
        ("audio/b.wav", 1, "audio/wav"),
        ("audio/same.wav", 0, "audio/wav"),
    ]
    assert "All 3 clips (0.0 MB) are inside this file" in text
    assert list(run.glob("*-audio")) == []


def test_many_clips_are_linked_beside_the_file(make, tmp_path, monkeypatch):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 1500)
    files = {f"audio/{i} ü.wav": wav(i) for i in range(3)}
    run = make(files)
    monkeypatch.setattr(clips, "MOST_EMBEDDED", sum(map(len, files.values())) - 1)
    output = tmp_path / "out" / "my report.html"
    text = html.write([run], output).read_text()
    assert embedded(text) == {}
    for listed, data in zip(entries(text), files.values(), strict=True):
        assert re.fullmatch(r"my%20report.html-audio/[0-9a-f]{20}\.wav", listed["href"])
        assert (output.parent / listed["href"].replace("%20", " ")).read_bytes() == data
    assert "my report.html-audio/" in text
    assert html.write([run], output).read_text() == text
    assert len(list((tmp_path / "out" / "my report.html-audio").iterdir())) == 3


@pytest.mark.parametrize(("name", "ending"), [("a.%41", ""), ("a.é", ""), ("a.longerthan", ""), ("a.m4a", ".m4a")])
def test_an_ending_that_could_do_harm_in_an_address_is_left_away(make, monkeypatch, name, ending):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    [listed] = entries(html.write([make({f"audio/{name}": wav(1)})]).read_text())
    assert re.fullmatch(rf"report.html-audio/[0-9a-f]{{20}}{ending}", listed["href"])


def test_at_the_limit_they_are_still_inside(make, monkeypatch):
    files = {f"audio/{i}.wav": wav(i) for i in range(3)}
    monkeypatch.setattr(clips, "MOST_EMBEDDED", sum(map(len, files.values())))
    assert len(embedded(html.write([make(files)]).read_text())) == 3


def test_a_symbolic_link_stands_in_where_a_hard_one_is_refused(make, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    monkeypatch.setattr(clips.os, "link", refuse)
    run = make({"audio/a.wav": wav(1)})
    text = html.write([run]).read_text()
    link = run / entries(text)[0]["href"]
    assert link.is_symlink()
    assert link.read_bytes() == wav(1)


def test_a_link_that_points_elsewhere_is_made_anew(make, monkeypatch):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    run = make({"audio/a.wav": wav(1)})
    link = run / entries(html.write([run]).read_text())[0]["href"]
    link.unlink()
    link.write_bytes(b"stale")
    html.write([run])
    assert link.read_bytes() == wav(1)


def test_a_link_that_another_report_has_made_meanwhile_is_no_error(make, monkeypatch):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    run, link = make({"audio/a.wav": wav(1)}), clips.os.link

    def twice(*paths):
        link(*paths)
        link(*paths)

    monkeypatch.setattr(clips.os, "link", twice)
    assert (run / entries(html.write([run]).read_text())[0]["href"]).read_bytes() == wav(1)


def test_links_that_cannot_be_made_are_one_error_and_no_half_report(make, monkeypatch):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    run = make({"audio/a.wav": wav(1)})
    (run / "report.html-audio").write_text("in the way")
    with pytest.raises(StorageError, match="cannot link a clip"):
        html.write([run])
    assert [one.name for one in run.glob("*report.html*")] == ["report.html-audio"]


@pytest.mark.parametrize("most", [10**9, 10])
def test_missing_empty_and_foreign_files_say_why_there_is_nothing_to_play(make, monkeypatch, most):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", most)
    files = {"audio/gone.wav": None, "audio/empty.wav": b"", "audio/page.wav": b"<html>" * 9, "audio/good.wav": wav(1)}
    found = {e["name"]: e for e in entries(html.write([make(files)]).read_text())}
    assert "no such file" in found["audio/gone.wav"]["problem"]
    assert "empty" in found["audio/empty.wav"]["problem"]
    assert "does not start like audio" in found["audio/page.wav"]["problem"]
    assert "problem" not in found["audio/good.wav"]


@pytest.mark.parametrize("most", [10**9, 10])
def test_a_page_claims_no_clip_that_it_has_not_and_says_at_its_head_what_is_missing(
    make, made, cli, monkeypatch, tmp_path, most
):
    monkeypatch.setattr(clips, "MOST_EMBEDDED", most)
    files = {"audio/gone.wav": None, "audio/empty.wav": b"", "audio/page.wav": b"<html>" * 9, "audio/good.wav": wav(1)}
    output = tmp_path / "out.html"
    told = cli("report", make(files), "-o", output).err
    said = "3 of 4 clips cannot be played: 1 missing, 2 no audio that can be read; if they are elsewhere, --bench"
    page = made.Page(output)
    assert told.count(said) == page.text.count(said) == page.section("summary").count(said) == 1
    foot = " ".join(page.text[page.text.rindex("Written by audiometry") :].split())
    claim = "1 of the 4 clips (0.0 MB) are inside" if most > 10 else "Of 4 clips the 1 that can be played (0.0 MB)"
    assert claim in foot
    assert "All 4 clips" not in foot


def test_of_a_page_with_all_its_clips_nothing_is_said_to_be_missing(make, cli, tmp_path):
    output = tmp_path / "out.html"
    assert "cannot be played" not in cli("report", make({"audio/good.wav": wav(1)}), "-o", output).err
    assert "The clip (0.0 MB) is inside this file" in output.read_text()
    assert "cannot be played" not in output.read_text()


@pytest.mark.parametrize(
    ("head", "kind", "noted"),
    [
        (wav(1), "audio/wav", False),
        (wav(1)[:20] + b"\x02\x00", "audio/wav", True),
        (b"fLaC\x00", "audio/flac", False),
        (b"OggS\x00", "audio/ogg", False),
        (b"ID3\x04", "audio/mpeg", False),
        (b"\xff\xfb\x90", "audio/mpeg", False),
        (b"\x00\x00\x00\x18ftypM4A ", "audio/mp4", False),
        (b"FORM\x00\x00\x00\x00AIFF", "audio/aiff", True),
        (b"caff\x00", "audio/x-caf", True),
        (b".snd\x00", "audio/basic", True),
        (b"RF64\xff\xff\xff\xffWAVE", "audio/wav", True),
        (b"riff\x2e\x91", "audio/wav", True),
    ],
)
def test_what_a_browser_makes_of_a_file_is_told_by_its_start(head, kind, noted):
    assert played.sniff(head) == (kind, clips.sniff(head)[1], "")
    assert bool(played.sniff(head)[1]) is noted


@pytest.mark.parametrize("head", [b"", b"\xff", b"\xff\x1f", b"GIF89a", b"RIFF\x00\x00\x00\x00AVI "])
def test_what_is_no_audio_is_not_played(head):
    kind, _, problem = played.sniff(head)
    assert (kind, bool(problem)) == ("", True)
