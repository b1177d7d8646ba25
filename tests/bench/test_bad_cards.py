"""Cards and tables that are wrong, and parquet that holds its clips in whatever way: one clear line each."""

import io
import json

import numpy as np
import pytest
import soundfile

from audiometry import bench
from audiometry.errors import BenchmarkError, UnreadableAudioError

pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

TABLE = '[benchmark]\nname = "x"\n[data]\nsource = "{source}"\npath = "{path}"\n{more}\n'
ROW = {"task": "t", "question": "Which?", "options": ["dog", "cat"], "answer": "dog"}
CSV = 'id,task,question,options,answer,audio,mood\na,t,Which?,"[""dog"", ""cat""]",dog,1.wav,sad\n'
LABELS = """
[benchmark]
name = "{name}"
[data]
source = "csv"
path = "{name}.csv"
[data.columns]
id = []
question = ""
task = ""
options = ""
[[task]]
name = "{name}"
kind = "label"
labels = ["sad", "glad"]
wordings = ["Sad or glad?"]
"""


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "cache"))


def wav(number):
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(number).normal(0, 0.1, 800), 8000, format="WAV")
    return file.getvalue()


def refused(card):
    with pytest.raises(BenchmarkError) as caught:
        bench.load(card)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def tables(tmp_path):
    """Write parquet files of rows beside a file ``2.wav``; gives their card."""

    def write(*files, more=""):
        (tmp_path / "2.wav").write_bytes(wav(2))
        for number, clips in enumerate(files):
            rows = [ROW | {"id": f"i{number}{n}", "audio": clip} for n, clip in enumerate(clips)]
            parquet.write_table(pa.Table.from_pylist(rows), tmp_path / f"{number}.parquet", row_group_size=2)
        (tmp_path / "card.toml").write_text(TABLE.format(source="parquet", path="*.parquet", more=more))
        return tmp_path / "card.toml"

    return write


NAMED = {"bytes": None, "path": "2.wav"}


@pytest.mark.parametrize(
    "files",
    [
        [[{"bytes": wav(1), "path": "1.wav"}, NAMED]],
        [[NAMED, NAMED, {"bytes": wav(1), "path": None}]],
        [[wav(1)], ["2.wav"]],
        [["2.wav"], [{"bytes": wav(1), "path": "1.wav"}]],
    ],
    ids=["structs with and without bytes", "most without", "bytes, then paths", "paths, then structs"],
)
def test_clips_inside_and_clips_that_are_named_may_be_mixed(tables, cli, tmp_path, files):
    card = tables(*files)
    loaded = bench.load(card)
    found = [loaded.clip_path(item.file_name).read_bytes() for item in loaded]
    assert sorted(found) == sorted(wav(2) if clip in (NAMED, "2.wav") else wav(1) for clips in files for clip in clips)
    said = cli("run", card, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert (said.code, said.json["scores"]["strict"]["value"]) == (0, 1.0), said.err


@pytest.mark.parametrize(
    "clips",
    [
        [{"bytes": wav(1), "path": "1.wav"}, None, {"bytes": None, "path": None}],
        [wav(1), None, None],
        ["2.wav", None, ""],
    ],
    ids=["structs", "bytes", "paths"],
)
def test_a_row_of_parquet_without_a_clip_is_left_out_and_counted(tables, clips):
    loaded = bench.load(tables(clips))
    assert [item.id for item in loaded] == ["i00"]
    assert [problem.where.rpartition(", ")[2] for problem in loaded.problems] == ["row 2", "row 3"]
    assert "has no clip, its 'audio' is empty; fetch it or remove the row" in loaded.said_left_out()
    assert loaded.counts[0].dropped == {"clip missing": 2}
    asked = bench.load(tables(clips, more='[[task]]\nname = "t"\naudio = "optional"'))
    assert [asked.items.has_clip(n) for n in range(3)] == [True, False, False]


def test_a_struct_that_stands_before_the_audio_does_not_hide_its_empty_cells(tmp_path):
    rows = [ROW | {"id": f"i{n}", "facts": {"a": 1, "b": 2}, "audio": clip} for n, clip in enumerate([wav(1), None])]
    table = pa.Table.from_pylist(rows).select(["facts", "id", "task", "question", "options", "answer", "audio"])
    parquet.write_table(table, tmp_path / "0.parquet")
    (tmp_path / "card.toml").write_text(TABLE.format(source="parquet", path="*.parquet", more=""))
    assert [item.id for item in bench.load(tmp_path / "card.toml")] == ["i0"]


def test_a_named_clip_that_goes_after_the_benchmark_was_read_is_a_failure_of_its_own(tables, tmp_path):
    loaded = bench.load(tables([wav(1)], ["2.wav"]))
    (tmp_path / "2.wav").unlink()
    with pytest.raises(UnreadableAudioError, match=r"2\.wav"):
        loaded.clip_path("2.wav")


@pytest.mark.parametrize(
    ("clip", "says"),
    [
        ([0.1, 0.2], "holds no audio: no column 'audio' of bytes and path, of bytes, or of paths"),
        ({"array": [0.1], "sampling_rate": 8000}, "holds no audio: no column 'audio'"),
        (7, "holds no audio: no column 'audio'"),
        (None, "holds no audio: no column 'audio'"),
    ],
    ids=["samples", "decoded", "numbers", "nothing at all"],
)
def test_a_column_that_holds_no_clips_is_named(tables, clip, says):
    assert says in refused(tables([clip, clip]))


def test_parquet_without_the_column_names_the_one_that_holds_bytes(tables, tmp_path):
    card = tables([wav(1)], more='[data.columns]\naudio = "sound"')
    assert "0.parquet holds no audio in a column 'sound'; write audio = \"audio\" under" in refused(card)
    (tmp_path / "0.parquet").write_bytes(b"PAR1 is not all of it PAR1")
    assert "0.parquet cannot be read (" in refused(card)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            '[data.values.moood]\n0 = "sad"',
            r"no column 'moood'; did you mean 'mood'\?; correct its name in \[data\.values\] of the card",
        ),
        (
            '[data.where]\nmod = ["sad"]',
            r"no column 'mod'; did you mean 'mood'\?; correct its name in \[data\.where\] of the card",
        ),
        (
            '[data.where]\nmood = ["glad"]',
            r"none of 1 row is meant by \[data\.where\], the last has mood 'sad', kept are mood glad; write them",
        ),
        (
            '[data.columns]\nid = ["number"]',
            r"no column 'number'; .* what yours is called \(id = \[\] if there is none\)",
        ),
        ("[data.colums]\nid = []", "unknown key 'colums' in 'data'; did you mean 'columns'"),
        ('[data.columns]\nanwser = "x"', "unknown key 'anwser' in 'columns' in 'data'; did you mean 'answer'"),
        ('[[task]]\nname = "t"\nlables = ["x"]', "unknown key 'lables' in entry 1 of 'task'; did you mean 'labels'"),
        ('[[tsk]]\nname = "t"', "unknown key 'tsk'; did you mean 'task'"),
        ('[[task]]\nname = "t"\nkind = "labels"', "'kind' in entry 1 of 'task' is none of its choices"),
    ],
)
def test_a_slip_in_a_card_is_named_with_the_nearest(tmp_path, more, says):
    (tmp_path / "1.wav").write_bytes(wav(1))
    (tmp_path / "rows.csv").write_text(CSV)
    (tmp_path / "card.toml").write_text(TABLE.format(source="csv", path="rows.csv", more=more))
    with pytest.raises(BenchmarkError, match=says) as caught:
        bench.load(tmp_path / "card.toml")
    assert "\n" not in str(caught.value)


def test_values_are_not_passed_over_where_they_cannot_be_applied(make_benchmark):
    card = make_benchmark(1) / "benchmark.toml"
    card.write_text(card.read_text() + '[data.where]\nanswer = ["x"]\n')
    assert "[data.values] and [data.where] are for tables" in refused(card.parent)


def a_set(folder, name, moods):
    (folder / "1.wav").write_bytes(wav(1))
    (folder / f"{name}.toml").write_text(LABELS.format(name=name))
    (folder / f"{name}.csv").write_text("audio,answer\n" + "".join(f"1.wav,{mood}\n" for mood in moods))
    return folder / f"{name}.toml"


def test_labels_outside_the_set_are_left_out_and_counted_and_refused_if_all_are(tmp_path, cli):
    card = a_set(tmp_path, "one", ["sad", "sod", "glad"])
    said = cli("run", card, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["macro-f1"]["value"] == 1.0
    assert bench.load(card).left_out() == {"one": 1}
    assert "one.csv, line 3: item 00002 has the answer 'sod', which is none of the labels of its task" in said.err
    assert "nothing can be asked: 2 of 2 rows are left out" in refused(a_set(tmp_path, "two", ["sod", "good"]))


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        (["one.toml", "oen.toml"], "names 'oen.toml', which is no card beside it; did you mean 'one.toml'?"),
        (["../one.toml"], "names '../one.toml', which is no card beside it"),
        (["/etc/passwd"], "names '/etc/passwd', which is no card beside it"),
        (["one.toml", "one.toml"], "names 'one.toml' twice; keep one"),
        (["suite.toml"], "names 'suite.toml', a suite; name the cards of its sets"),
        ([], "cards names none; write cards ="),
    ],
)
def test_a_suite_that_names_what_is_no_card_of_it_is_refused(tmp_path, cards, says):
    a_set(tmp_path, "one", ["sad"])
    suite = tmp_path / "suite.toml"
    suite.write_text(f'[benchmark]\nname = "s"\n[data]\nsource = "cards"\ncards = {json.dumps(cards)}\n')
    assert says in refused(suite)


def test_a_suite_may_have_a_set_whose_metadata_lie_beside_its_card(tmp_path):
    a_set(tmp_path, "one", ["sad"])
    line = {"id": "q", "file_name": "1.wav", "question": "What is it?", "answer": "noise"}
    (tmp_path / "open.jsonl").write_text(json.dumps(line) + "\n")
    task = '[[task]]\nname = "open"\nkind = "open"\n'
    (tmp_path / "open.toml").write_text(f'[benchmark]\nname = "open"\n[data]\npath = "open.jsonl"\n{task}')
    suite = tmp_path / "suite.toml"
    suite.write_text('[benchmark]\nname = "s"\n[data]\nsource = "cards"\ncards = ["one.toml", "open.toml"]\n')
    assert [item.id for item in bench.load(suite)] == ["one/00001", "open/q"]
