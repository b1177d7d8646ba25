"""What a page says was sent: prompts to the letter, and the very clips that stood in for an item's own."""

import base64
import hashlib
import json
import math
import os

import msgspec
import pytest

from audiometry.cli.main import run as command_line
from audiometry.dispatch.ask import prompt_sha256
from audiometry.records import Audio, Prompt, ReplyRecord, Text, Turn
from audiometry.report import clips, html, pieces, sent
from audiometry.run.rebuilt import Rebuilt
from audiometry.score.opened import open_run

A_CLIP = Audio(data=b"", format="", sha256="", rate=0, channels=0, duration_s=0.0)
VARIANTS = ("noise", "silence", "other-clip", "text-only")


@pytest.fixture
def run(made, make_benchmark, tmp_path):
    """Ask a benchmark with awkward words, in any layout."""

    def ask(*more):
        entries = [made.item(i, task="bell") for i in range(5)]
        entries[0]["question"] = "  What, with blanks around? "
        entries[1]["options"] = ["one\nline", "{question}", "⟦0⟧", "d"]
        entries[1]["answer"] = "d"
        entries[2]["question"] = "⟦q⟧ and {options} are no holes </script>"
        folder = tmp_path / "asked"
        bench = make_benchmark(entries)
        with pytest.raises(SystemExit) as ended:
            command_line(["run", str(bench), "--model", "scripted/random", "-o", str(folder), *more])
        assert ended.value.code == 0
        return folder

    return ask


def filled(frame, words, question, options):
    """The prompt that the page shows, put together as its script does."""
    holes = {-1: question, -2: words} | dict(enumerate(options))
    say = lambda pieces: "".join(one if isinstance(one, str) else holes[one] for one in pieces)  # noqa: E731
    parts = [tuple(A_CLIP if piece is None else Text(say(piece)) for piece in parts) for _, parts in frame]
    return Prompt(turns=tuple(Turn(role, part) for (role, _), part in zip(frame, parts, strict=True)))


def replies(folder):
    lines = (folder / "replies.jsonl").read_bytes().splitlines()
    return {(one.item, one.variant): one for one in (msgspec.json.decode(line, type=ReplyRecord) for line in lines)}


@pytest.fixture
def page(made):
    def written(folder):
        return made.Page(html.write([folder]))

    return written


@pytest.mark.parametrize("prompt", ["ours", "airbench", "lmms-eval"])
def test_prompts_are_those_that_were_sent_to_the_letter(run, page, prompt):
    orders = ("--orders", "2", "--part-order", "text-first")
    folder = run("--prompt", prompt, *orders, *(word for name in VARIANTS for word in ("--variant", name)))
    shown, records = page(folder), replies(folder)
    names, seen = shown.data("names"), 0
    for item in shown.data("items"):
        for reply in item["replies"]:
            order = reply.get("order") or range(len(item["options"]))
            options = [item["options"][place] for place in order]
            frame = names["prompts"][reply.get("prompt", 0)]
            record = records[item["id"], names["variants"][reply.get("variant", 0)]]
            found = filled(frame, reply.get("words"), item["question"], options)
            assert prompt_sha256(found) == record.prompt_sha256, (item["id"], record.variant)
            seen += 1
    assert seen == len(records) == 5 * 6
    assert len(names["prompts"]) <= 4  # shared: with a clip and without, in whole words and in pieces


@pytest.mark.parametrize(
    "more", [("--shots", "1"), ("--shots", "2", "--shots-with", "audio"), ("--prompt", "muchomusic")]
)
def test_so_are_those_with_examples_and_with_fewer_options(run, page, more):
    folder = run(*more, "--shots", "2", "--variant", "text-only", "--variant", "leave-one-out")
    shown, records = page(folder), replies(folder)
    names, seen = shown.data("names"), 0
    for item in shown.data("items"):
        for reply in item["replies"]:
            order = reply.get("order") or range(len(item["options"]))
            frame = names["prompts"][reply.get("prompt", 0)]
            record = records[item["id"], names["variants"][reply.get("variant", 0)]]
            found = filled(frame, reply.get("words"), item["question"], [item["options"][place] for place in order])
            assert prompt_sha256(found) == record.prompt_sha256, (item["id"], record.variant)
            seen += 1
    assert seen == len(records) == 5 * 5


def test_a_prompt_of_another_layout_than_is_known_here_is_not_made_up(run, page):
    folder = run()
    path = folder / "replies.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"prompt_sha256":"', b'"prompt_sha256":"0'))
    assert {reply["prompt"] for item in page(folder).data("items") for reply in item["replies"]} == {-1}


def test_a_prompt_by_a_layout_that_has_changed_since_is_not_made_up(run, page):
    folder = run()
    info = json.loads((folder / "run.json").read_text())
    info["prompt"]["sha256"] = "0" * 64
    (folder / "run.json").write_text(json.dumps(info))
    assert {reply["prompt"] for item in page(folder).data("items") for reply in item["replies"]} == {-1}


def bytes_of(shown, number):
    entry = shown.data("clips")[number]
    _, _, rest = shown.text.partition(f'id="clip-{entry["embedded"]}">')
    return base64.b64decode(rest.partition("<")[0])


def test_what_was_heard_in_place_of_a_clip_is_in_the_page_byte_for_byte(run, page):
    folder = run(*(word for name in VARIANTS for word in ("--variant", name)))
    shown, records = page(folder), replies(folder)
    variants = shown.data("names")["variants"]
    heard = dict.fromkeys(variants, 0)
    for item in shown.data("items"):
        for reply in item["replies"]:
            name = variants[reply.get("variant", 0)]
            record = records[item["id"], name]
            for number in reply.get("heard", []):
                found = hashlib.sha256(bytes_of(shown, number)).hexdigest()
                assert found == (record.audio_sha256 if name == "noise" else record.file_sha256 or record.audio_sha256)
                assert number not in item["clips"]
                heard[name] += 1
    assert heard == {"plain": 0, "noise": 5, "silence": 0, "other-clip": 5, "text-only": 0}


def test_a_stand_in_whose_item_is_not_on_the_page_is_there_all_the_same(run, page):
    folder = run("--limit", "1", "--variant", "other-clip")
    shown = page(folder)
    (item,) = shown.data("items")
    (number,) = item["replies"][1]["heard"]
    assert shown.data("clips")[number]["name"] != item["clips"]
    assert bytes_of(shown, number) != bytes_of(shown, item["clips"][0])


def test_a_stand_in_that_has_changed_since_is_not_shown_as_what_was_heard(run, page, made, tmp_path):
    folder = run("--variant", "other-clip")
    for i in range(5):
        (tmp_path / "bench-small" / f"audio/{i}.wav").write_bytes(made.tone(value=60 + i))
    for item in page(folder).data("items"):
        assert "heard" not in item["replies"][1]


def test_noise_beyond_its_room_or_unlike_what_was_sent_is_left_out(run, page, monkeypatch):
    folder = run("--variant", "noise")
    size = len(bytes_of(page(folder), page(folder).data("items")[0]["replies"][1]["heard"][0]))
    monkeypatch.setattr(sent, "MOST_MADE", 2 * size)
    shown = page(folder)
    assert sum("heard" in item["replies"][1] for item in shown.data("items")) == 2
    assert "3 of 10 clips cannot be played: 3 made anew, for which the page has no room" in shown.text
    info = json.loads((folder / "run.json").read_text())
    info["seed"] += 1  # other noise
    (folder / "run.json").write_text(json.dumps(info))
    assert not any("heard" in item["replies"][1] for item in page(folder).data("items"))


def test_a_long_clip_takes_no_room_from_the_noise_of_others_and_is_not_made(run, page, monkeypatch):
    folder = run("--variant", "noise")
    first = next(iter(replies(folder)))
    asked = []
    size, make = Rebuilt.size, Rebuilt.replaced
    monkeypatch.setattr(Rebuilt, "size", lambda *a: 9e6 if a[1].id == first[0] else size(*a))
    monkeypatch.setattr(Rebuilt, "replaced", lambda *a: asked.append(a[1].id) or make(*a))
    shown = page(folder)
    assert {item["id"]: "heard" in item["replies"][1] for item in shown.data("items")} == {
        one: one != first[0] for one, _ in replies(folder)
    }
    assert first[0] not in asked
    assert "1 of 10 clips cannot be played: 1 made anew" in shown.text


def test_the_size_of_noise_is_told_by_the_clips_header_and_nothing_else_has_any(run):
    opened = open_run(run(*(word for name in VARIANTS for word in ("--variant", name))))
    rebuilt, records = Rebuilt(opened.benchmark, opened.info), replies(opened.folder.path)
    item = opened.benchmark.items.at(0)
    (noise,) = rebuilt.replaced(item, records[item.id, "noise"])
    rebuilt.close()
    assert rebuilt.size(item, records[item.id, "noise"]) + 44 == len(noise.data)
    assert {rebuilt.size(item, records[item.id, name]) for name in ("plain", *VARIANTS[1:])} == {0}
    path = opened.benchmark.clip_path(item.clips[0])
    path.write_bytes(path.read_bytes()[:20])
    assert rebuilt.size(item, records[item.id, "noise"]) == math.inf
    path.unlink()
    os.mkfifo(path)
    assert rebuilt.size(item, records[item.id, "noise"]) == math.inf


def test_items_in_files_beside_the_page_bring_what_was_heard_with_them(run, page, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_EMBEDDED", 10)
    folder = run("--variant", "other-clip")
    page(folder)
    (whole,) = [one for one in (folder / "report.html-items").iterdir() if b'"clips"' in one.read_bytes()]
    text = whole.read_text().removeprefix("audiometryPiece('").rpartition("')")[0]
    piece = json.loads(text.replace("\\\\", "\\").replace("\\'", "'"))
    assert all(str(number) in piece["clips"] for item in piece["items"] for number in item["replies"][1]["heard"])


def test_what_was_made_again_never_makes_a_page_link_its_clips(run, page, monkeypatch):
    folder = run("--variant", "noise")
    size = len(bytes_of(page(folder), 0))
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 7 * size + size // 2)  # five clips, and noise for two
    entries = page(folder).data("clips")
    assert [("embedded" in entry) for entry in entries].count(True) == 7
    full = [entry for entry in entries if entry.get("problem")]
    assert {entry["problem"] for entry in full} == {"what was sent is not in the page, which is full"}
    assert len(full) == 3
    monkeypatch.setattr(clips, "MOST_EMBEDDED", 10)
    entries = page(folder).data("clips")
    assert [("href" in entry, "problem" in entry) for entry in entries].count((True, False)) == 5
    assert not any("embedded" in entry for entry in entries)
