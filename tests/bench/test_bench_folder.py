"""Benchmark folders: what is read, what is refused and how it is said."""

import json
import os
import re
import sys
import tracemalloc

import pytest

from audiometry import bench
from audiometry.bench import id_table, store
from audiometry.bench.store import MetadataFile, digest
from audiometry.errors import AudiometryError, BenchmarkError, UnknownNameError
from audiometry.records import BenchmarkInfo, Card


def test_items_come_in_the_order_of_their_lines_and_by_id(make_benchmark):
    loaded = bench.load(make_benchmark(5))
    assert [item.id for item in loaded] == [f"item-{n:05}" for n in range(5)]
    assert loaded.item("item-00003").answer == "hen"
    assert loaded.item("nobody") is None
    assert len(loaded) == 5


def test_a_folder_without_a_card_has_its_own_name(make_benchmark):
    folder = make_benchmark(1)
    (folder / "benchmark.toml").unlink()
    assert bench.load(folder).name == folder.name


def test_the_path_of_the_metadata_or_the_card_stands_for_the_folder(make_benchmark):
    folder = make_benchmark(1)
    for name in ("metadata.jsonl", "benchmark.toml"):
        assert bench.load(folder / name).root == folder


def test_another_content_is_another_benchmark(make_benchmark):
    folder = make_benchmark(2)
    before = bench.load(folder).sha256
    assert bench.load(folder).sha256 == before
    card = folder / "benchmark.toml"
    card.write_text(card.read_text() + "# one more word\n")
    assert bench.load(folder).sha256 != before


def test_a_limit_takes_from_the_tasks_in_turn(make_benchmark):
    rows = [{"task": "a"}] * 6 + [{"task": "b"}] * 2 + [{"task": "c"}] * 6
    loaded = bench.load(make_benchmark(rows))
    chosen = [loaded.items.task_of(p) for p in loaded.select(limit=8)]
    assert {t: chosen.count(t) for t in "abc"} == {"a": 3, "b": 2, "c": 3}
    assert loaded.select(limit=8)[:3] == [0, 1, 2]
    assert loaded.select(["b"]) == [6, 7]
    assert loaded.select(limit=99) == list(range(14))


def test_an_unknown_task_suggests_the_nearest(make_benchmark):
    loaded = bench.load(make_benchmark([{"task": "Speech_Grounding"}]))
    with pytest.raises(UnknownNameError, match="did you mean 'Speech_Grounding'"):
        loaded.select(["speech_grounding"])


def test_an_unknown_benchmark_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown benchmark 'minni'; did you mean 'mini'"):
        bench.load("minni")


def test_a_file_that_is_no_card_and_a_card_that_is_not_there(tmp_path):
    (tmp_path / "rows.txt").touch()
    with pytest.raises(BenchmarkError, match=r"rows\.txt is a file; give the folder that holds metadata\.jsonl"):
        bench.load(tmp_path / "rows.txt")
    with pytest.raises(UnknownNameError, match="unknown benchmark '/"):
        bench.load(tmp_path / "card.toml")


def test_a_path_that_is_no_id_is_a_folder_though_it_reads_like_one(make_benchmark, monkeypatch):
    folder = make_benchmark(1)
    folder.rename(folder.with_name("mini"))
    monkeypatch.chdir(folder.parent)
    assert [len(bench.load(name)) for name in ("./mini", "mini/")] == [1, 1]
    assert len(bench.load("mini")) > 1
    for name in ("../bench/mini", "cards/airbench-foundation"):  # from where the shipped ones are they would be
        with pytest.raises(UnknownNameError):
            bench.locate(name)


def test_a_file_of_the_same_stem_stands_in_for_a_wrong_ending(make_benchmark):
    folder = make_benchmark(1)
    (folder / "audio/00000.wav").rename(folder / "audio/00000.flac")
    assert bench.load(folder).clip_path("audio/00000.wav").name == "00000.flac"
    for ending in ("opus", "mp3", "ogg"):  # of several, what is said to be used is used
        (folder / f"audio/00000.{ending}").write_bytes(b"x")
        loaded = bench.load(folder)
        assert f"'audio/{loaded.clip_path('audio/00000.wav').name}' is used for 'audio/00000.wav'" in loaded.notes[0]
    assert loaded.clip_path("audio/00000.opus").name == "00000.opus"


BAD_ROWS = {
    "an answer that is not an option": ({"answer": "horse"}, "answer 'horse', which is not among its options"),
    "an option twice": ({"options": ["dog", "dog ", "cat"], "answer": "cat"}, "option 'dog ' twice|option 'dog' twice"),
    "no options": ({"options": [], "answer": "x"}, "has no options"),
    "one option": ({"options": ["dog"]}, "one option only"),
    "an empty option": ({"options": ["dog", " "], "answer": "dog"}, "an empty option"),
    "too many options": ({"options": [f"o{n}" for n in range(27)]}, "27 options; 26 is the most"),
    "a question of a megabyte": ({"question": "x" * 1_000_000}, "question of 1,000,000 characters"),
    "options of a megabyte": ({"options": ["x" * 600_000, "y" * 600_000]}, "options of 1,200,000 characters in all"),
    "a file name with nothing to see": ({"file_name": "\0"}, "a name is needed"),
    "no question": ({"question": "  "}, "has no question"),
    "no task": ({"task": ""}, "has no task"),
    "no id": ({"id": ""}, "has no id"),
    "a path upwards": ({"file_name": "../../etc/passwd"}, "must not leave the benchmark folder"),
    "a path upwards, other slashes": ({"file_name": "audio\\..\\..\\x.wav"}, "must not leave the benchmark folder"),
    "an absolute path": ({"file_name": "/etc/passwd"}, "must be relative"),
    "a drive": ({"file_name": "C:\\x.wav"}, "must be relative"),
    "a number where words belong": ({"question": 7}, "'question' is a number .7.; a text is needed"),
    "both kinds of file names": ({"file_names": ["audio/x.wav"]}, "both file_name and file_names"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_left_out_with_its_line_and_what_to_do(make_benchmark, name):
    row, says = BAD_ROWS[name]
    folder = make_benchmark([{}, row])
    loaded = bench.load(folder)
    assert [item.id for item in loaded] == ["item-00000"]
    assert re.search(says, str(loaded.problems[0]))
    with pytest.raises(BenchmarkError, match="--strict") as caught:
        bench.load(folder, strict=True)
    for message in (str(caught.value), loaded.said_left_out()):
        assert "1 of 2 rows are left out: metadata.jsonl, line 2: " in message
        assert "\n" not in message
        assert len(message) < 600


@pytest.mark.parametrize(
    "raw",
    [
        b"{nonsense\n",
        b'{"id": "x"\n',
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b'{"id": "x", "task": 3}\n',
        b'{"id": "x", "extra": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    ],
)
def test_a_line_that_is_not_an_item_is_named(make_benchmark, raw):
    folder = make_benchmark(1)
    with (folder / "metadata.jsonl").open("ab") as file:
        file.write(raw)
    loaded = bench.load(folder)
    assert len(loaded) == 1
    (problem,) = loaded.problems
    assert re.search(r"metadata\.jsonl, line 2: .*correct or remove the line", str(problem))


def test_an_id_twice_names_both_lines(make_benchmark):
    folder = make_benchmark([{"id": "same"}, {}, {"id": "same"}])
    loaded = bench.load(folder)
    assert "line 3: item same has an id that line 1 has already" in loaded.said_left_out()
    assert [item.id for item in loaded] == ["same", "item-00001"]


@pytest.mark.parametrize("n", [2, 5, 10, 26])
def test_two_to_twenty_six_options_are_fine(make_benchmark, n):
    row = {"options": [f"option {k}" for k in range(n)]}
    assert len(bench.load(make_benchmark([row])).item("item-00000").options) == n


def test_items_are_the_same_in_any_order_and_those_in_a_row_are_read_together(make_benchmark, monkeypatch):
    monkeypatch.setattr(store, "AHEAD", 1000)
    long = {"question": "x" * 3000}
    loaded = bench.load(make_benchmark([{}, {}, long, {}, *[{"question": "y" * 200}] * 6]))
    every = list(loaded)
    assert [item.id for item in every] == [f"item-{n:05}" for n in range(10)]
    assert len(every[2].question) == 3000
    for order in ([9, 0, 5, 5, 4, 6, 7, 8, 2, 3, 1], range(9, -1, -1), [3, 2, 4]):
        assert [loaded.items.at(n) for n in order] == [every[n] for n in order]
    reads = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *how: reads.append(how) or pread(*how))
    loaded = bench.load(make_benchmark(100))
    reads.clear()
    assert len(list(loaded)) == 100
    assert len(reads) < 50


def test_a_file_that_changes_under_way_is_noticed(make_benchmark):
    folder = make_benchmark(3)
    loaded = bench.load(folder)
    (folder / "metadata.jsonl").write_text("x" * 2000)
    with pytest.raises(BenchmarkError, match="was changed while in use"):
        loaded.items.at(1)


def test_no_metadata_and_no_items_are_told_apart(tmp_path):
    with pytest.raises(BenchmarkError, match=r"has no metadata\.jsonl; write one JSON object a line"):
        bench.load(tmp_path)
    (tmp_path / "metadata.jsonl").write_text("\n\n")
    with pytest.raises(BenchmarkError, match="holds no items"):
        bench.load(tmp_path)


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ("name = ", "benchmark.toml"),
        ('[[task]]\nkind = "open"\n', "'name' is missing in entry 1 of 'task'"),
        ('[benchmark]\nname = "x"\n[[task]]\nname = "t"\nkind = "choise"\n', "choise"),
    ],
)
def test_a_bad_card_is_named(make_benchmark, card, says):
    with pytest.raises(BenchmarkError, match=says):
        bench.load(make_benchmark(1, card=card))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text_of_the_items(tmp_path):
    path = tmp_path / "metadata.jsonl"
    n = 20_000
    with path.open("w") as file:
        for k in range(n):
            row = {
                "id": f"item-{k:05}",
                "task": f"t{k % 9}",
                "question": "why? " * 60,
                "options": ["a", "b"],
                "answer": "a",
                "file_name": f"audio/{k}.wav",
            }
            file.write(json.dumps(row) + "\n")
    tracemalloc.start()
    items = MetadataFile(path, Card(benchmark=BenchmarkInfo(name="x")), absent=())
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(items) == n
    assert held / n < 50
    assert items.position("item-00007") == 7
    assert items.at(n - 1).id == f"item-{n - 1:05}"
    assert sys.getsizeof(items.at(0).question) > 300


def test_ids_of_one_hash_are_told_apart(make_benchmark, monkeypatch):
    """Of 100,000 that is once in four billion benchmarks; then the items themselves say which is meant."""
    monkeypatch.setattr(id_table, "hash", len, raising=False)
    items = bench.load(make_benchmark(5)).items
    assert [items.position(f"item-0000{k}") for k in range(6)] == [0, 1, 2, 3, 4, None]


@pytest.mark.parametrize("name", ["benchmark.toml", "metadata.jsonl"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(make_benchmark, name):
    folder = make_benchmark(3)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(AudiometryError):
        bench.load(folder)


def _benchmark_of(folder, n):
    """A folder of n open items of two tasks; every third is silent, every clip but those of the last two is there."""
    folder.mkdir()
    (folder / "benchmark.toml").write_text(
        '[benchmark]\nname = "b"\n[[task]]\nname = "t0"\nkind = "open"\naudio = "optional"\n'
        '[[task]]\nname = "t1"\nkind = "open"\naudio = "optional"\n'
    )
    lines = []
    for i in range(n):
        clip = f'"file_name": "c{i}.wav", ' if i % 3 else ""
        lines.append(f'{{{clip}"id": "ü{i}", "task": "t{i % 2}", "question": "What?"}}\n')
        if i % 3 and i < n - 2:
            (folder / f"c{i}.wav").write_bytes(b"x")
    (folder / "metadata.jsonl").write_text("".join(lines).removesuffix("\n"), encoding="utf-8")
    return folder


@pytest.mark.parametrize("n", [9, 2001])
def test_content_that_was_checked_before_is_opened_the_same_without_checking_its_lines(tmp_path, monkeypatch, n):
    """By the sha256 of a run's stamp, with the rows left out whose clips were not there then."""
    folder = _benchmark_of(tmp_path / "b", n)
    first = bench.load(folder)
    assert first.absent
    again = bench.load(folder, absent=first.absent)
    monkeypatch.setattr(MetadataFile, "_look", lambda *_: pytest.fail("lines were checked again"))
    taken = bench.load(folder, absent=first.absent, checked=first.sha256)
    assert list(taken) == list(again) == list(first)
    assert taken.tasks() == first.tasks()
    assert taken.sha256 == first.sha256
    assert taken.problems == again.problems
    assert [taken.items.has_clip(i) for i in range(len(taken))] == [first.items.has_clip(i) for i in range(len(first))]
    assert [taken.items.position(one.id) for one in first] == list(range(len(first)))


@pytest.mark.parametrize("change", ["card", "line", "absent", "sha256"])
def test_content_that_is_another_than_was_checked_before_is_checked(tmp_path, change):
    """Its card, its lines or what was left out; and a sha256 says nothing of what it is not the sha256 of."""
    folder = _benchmark_of(tmp_path / "b", 9)
    first = bench.load(folder)
    absent, sha256 = first.absent, first.sha256
    if change == "card":
        with (folder / "benchmark.toml").open("a") as file:
            file.write('[[task]]\nname = "t2"\n')
    elif change == "line":
        with (folder / "metadata.jsonl").open("a") as file:
            file.write('\n{"id": "x", "task": "t0", "question": ""}')
    elif change == "absent":
        absent = absent[1:]
    else:
        sha256 = "0" * 64
    assert not _checked(bench.load(folder, absent=absent, checked=sha256))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"id": "ü4"', '"id": 4'),
        ('"id": "ü4"', '"id": "ü3"'),
        ('"task": "t0", "question": "What?"}\n', '"task": "t0", "question": "What?"}\n\n'),
        ('{"id": "ü0"', '\ufeff{"id": "ü0"'),
        ('{"id": "ü0", ', '{"id": "ü0",\n '),
    ],
)
def test_lines_that_are_not_plain_are_checked_whatever_a_stamp_says(tmp_path, old, new):
    """Numbers as ids, an id twice, blank lines, a byte-order mark, an item over two lines: as without a stamp."""
    folder = _benchmark_of(tmp_path / "b", 9)
    path = folder / "metadata.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    careful = bench.load(folder, absent=())
    claimed = digest((folder / "benchmark.toml").read_bytes(), path)
    found = bench.load(folder, absent=(), checked=claimed)
    assert not _checked(found)
    assert list(found) == list(careful)
    assert found.problems == careful.problems


def _checked(found):
    return found.items.checked
