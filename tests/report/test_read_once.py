"""A report opens its benchmark once, decodes an item once and reads a reply once, whatever stands on its page."""

from collections import Counter

import pytest

from audiometry import bench as benchmarks
from audiometry.bench.store import MetadataFile
from audiometry.files import replies
from audiometry.records import ReplyRecord
from audiometry.report import html, read_once
from audiometry.score import filling
from audiometry.score.readers.label import LabelReader
from audiometry.score.readers.words import WordsReader


@pytest.fixture
def read(monkeypatch):
    """Counts of benchmarks that were opened, items that were decoded, and runs whose replies were read."""
    found = Counter()

    def counted(owner, name, key):
        before = getattr(owner, name)

        def call(*given, **named):
            found[key(*given)] += 1
            return before(*given, **named)

        monkeypatch.setattr(owner, name, call)

    counted(benchmarks, "asked", lambda stamp, *_: stamp.name)
    counted(MetadataFile, "at", lambda _, position: position)
    counted(replies, "that_count", lambda path, *_: path.parent.name)
    return found


def test_of_two_runs_with_options_each_file_is_read_once(made, make_benchmark, make_run, tmp_path, read):
    items = [made.item(i) for i in range(12)]
    bench = make_benchmark(items)
    more = [ReplyRecord(item=entry["id"], variant="noise", text="A") for entry in items]
    runs = [
        make_run(bench, made.answers(items, right=right) + more, name=name, variants=("plain", "noise"))
        for name, right in (("one", lambda _: True), ("two", lambda i: i % 2))
    ]
    read.clear()
    html.write(runs, tmp_path / "two.html")
    assert read == {"small": 1, "one": 1, "two": 1} | dict.fromkeys(range(12), 1)


def test_of_two_judged_runs_each_file_is_read_once(made, make_benchmark, make_run, tmp_path, read):
    items = [made.open_item(i) for i in range(6)]
    bench = make_benchmark(items, name="open", card=made.OPEN_CARD.replace("{name}", "made/chat"))
    records = [ReplyRecord(item=entry["id"], text=f"I hear {entry['id']}.") for entry in items]
    runs = [make_run(bench, records, name=name) for name in ("one", "two")]
    for run in runs:
        made.verdicts(run, lambda _: "8 6")
    read.clear()
    html.write(runs, tmp_path / "two.html")
    assert read == {"made/chat": 1, "one": 1, "two": 1} | dict.fromkeys(range(6), 1)


FOUR = """
[benchmark]
name = "four"

[[task]]
name = "bell"

[[task]]
name = "mood"
kind = "label"
labels = ["glad", "sad"]

[[task]]
name = "words"
kind = "transcript"

[[task]]
name = "talk"
kind = "open"
"""


def test_of_two_runs_of_four_kinds_each_reply_is_scored_once_by_each_measure(
    made, make_benchmark, make_run, tmp_path, read, monkeypatch
):
    said = {"bell": "A", "mood": "sad", "words": "a cat", "talk": "A cat."}
    items = [
        made.item(i, task=list(said)[i % 4], answer=made.item(i)["answer"] if i % 4 == 0 else "sad") for i in range(16)
    ]
    for entry in items:
        if entry["task"] != "bell":
            entry["options"] = []
    bench = make_benchmark(items, name="four", card=FOUR)
    records = [
        ReplyRecord(item=entry["id"], variant=variant, text=said[entry["task"]])
        for entry in items
        for variant in ("plain", "noise")
    ]
    runs = [make_run(bench, records, name=name, variants=("plain", "noise")) for name in ("one", "two")]
    for run in runs:
        made.verdicts(run, lambda _: "8 6")
    sheets = Counter()
    before = filling.Book.__init__

    def book(self, run, wanted, *more):
        sheets[run.folder.path.name, wanted.profile.name, wanted.measure.name] += 1
        before(self, run, wanted, *more)

    monkeypatch.setattr(filling.Book, "__init__", book)
    reads = Counter()
    for reader in (LabelReader, WordsReader):

        def counted(self, reply, item, *more, before=reader.read):
            reads[item.id, reply.variant] += 1
            return before(self, reply, item, *more)

        monkeypatch.setattr(reader, "read", counted)
    read.clear()
    page = made.Page(html.write(runs, tmp_path / "two.html"))
    assert read == {"four": 1, "one": 1, "two": 1} | dict.fromkeys(range(16), 1)
    once = {key: n for key, n in sheets.items() if key[2] in {"accuracy", "macro-f1", "wer"}}
    assert set(once.values()) == {1}
    assert {key[2] for key in once} == {"accuracy", "macro-f1", "wer"}
    assert set(reads.values()) == {len(runs)}
    assert len(reads) == 8 * 2
    parts = ("tasks-accuracy", "tasks-judge-score", "tasks-macro-f1", "tasks-wer")
    assert all(page.section(name) for name in parts)
    assert page.section("comparison-wer")
    assert [page.text.count(f">{name}</a>") for name in ("Listening", "Comparison", "Rules")] == [1, 1, 1]


@pytest.mark.slow
def test_of_more_items_than_stay_in_memory_each_reply_is_still_read_once_and_the_page_is_the_same(
    made, make_benchmark, make_run, tmp_path, read, monkeypatch
):
    items = [made.item(i) for i in range(12)]
    bench = make_benchmark(items)
    variants = ("plain", "order-1", "noise")
    runs = []
    for name in ("one", "two"):
        replies = [ReplyRecord(item=entry["id"], variant=v, text="B") for v in variants for entry in reversed(items)]
        runs.append(make_run(bench, replies[:-3], name=name, variants=variants))
    page = html.write(runs, tmp_path / "two.html").read_bytes()
    read.clear()
    monkeypatch.setattr(read_once, "MOST_KEPT", 11)
    assert html.write(runs, tmp_path / "two.html").read_bytes() == page
    assert {name: read[name] for name in ("small", "one", "two")} == {"small": 1, "one": 1, "two": 1}
    assert read[5] > 1  # none was kept
