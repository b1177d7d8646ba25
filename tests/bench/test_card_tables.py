"""Benchmarks described by a card alone: parquet with clips inside, and rows in CSV, TSV and JSON beside clips."""

import csv
import json
import random
import re
import sys
import tracemalloc

import pytest

from audiometry import bench
from audiometry.bench.check import check
from audiometry.errors import BenchmarkError, ShortageError, UnreadableAudioError, UsageError
from audiometry.files.extras import install

pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

COLUMNS = """
[benchmark]
name = "tables"
version = "3"
[data]
source = "{source}"
path = "{path}"
[data.columns]
id = ["set", "number"]
task = "kind"
question = "ask"
options = {options}
answer = "truth"
audio = "clip"
folder = ["kind", "set"]
tags = ["genre"]
"""


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def released_as_parquet(make_release, tmp_path):
    """The made release of AIR-Bench as parquet: two files, several row groups, clips as bytes and path."""
    data = make_release(2)
    root = data / "Foundation"
    rows = json.loads((root / "Foundation_meta.json").read_text())
    for row in rows:
        raw = (root / f"{row['task_name']}_{row['dataset_name']}" / row["path"]).read_bytes()
        row.setdefault("choice_c", None)
        row.setdefault("choice_d", None)
        row["audio"] = {"bytes": raw, "path": row["path"]}
    out = tmp_path / "copy" / "Foundation"
    out.mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows[:30]), out / "speech-00000.parquet", row_group_size=7)
    parquet.write_table(pa.Table.from_pylist(rows[30:]), out / "sound-00000.parquet", row_group_size=50)
    return data, out.parent


def test_a_parquet_copy_of_airbench_is_the_same_benchmark(released_as_parquet):
    released, copy = released_as_parquet
    ours, theirs = bench.load("airbench/foundation", data=released), bench.load("airbench/foundation", data=copy)
    assert len(theirs) == len(ours) == 50
    assert theirs.tasks() == ours.tasks()
    assert {(c.folder, c.rows, c.kept) for c in theirs.counts} == {(c.folder, c.rows, c.kept) for c in ours.counts}
    by_question = {item.question: item for item in ours}
    for item in theirs:
        twin = by_question[item.question]
        assert (item.task, item.options, item.answer) == (twin.task, twin.options, twin.answer)
        assert item.tags["folder"] == twin.tags["folder"]
        assert theirs.clip_path(item.file_name).read_bytes() == ours.clip_path(twin.file_name).read_bytes()


def test_a_row_of_parquet_that_is_left_out_is_named_by_its_place_in_the_file(tmp_path):
    row = {"id": "a", "task": "t", "question": "Which?", "options": ["dog", "cat"], "answer": "cat"}
    rows = [row | {"id": f"i{n}", "audio": {"bytes": b"RIFF", "path": "a.wav"}} for n in range(5)]
    for n in (0, 3):
        rows[n]["question"] = ""
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet", row_group_size=2)
    (tmp_path / "card.toml").write_text('[benchmark]\nname = "x"\n[data]\nsource = "parquet"\npath = "*.parquet"\n')
    where = [problem.where for problem in bench.load(tmp_path / "card.toml").problems]
    assert where == [f"{tmp_path / 'rows.parquet'}, row {number}" for number in (1, 4)]


def test_clips_are_taken_out_a_row_group_at_a_time_and_kept(released_as_parquet, tmp_path):
    _, copy = released_as_parquet
    loaded = bench.load("airbench/foundation", data=copy)
    assert not loaded.root.exists()
    first = next(item for item in loaded if item.file_name.startswith("001/"))
    loaded.clip_path(first.file_name)
    assert len(list(loaded.root.rglob("*.*"))) == 7
    kept = bench.load("airbench/foundation", data=copy)
    assert kept.root == loaded.root


def test_a_run_over_parquet_goes_the_whole_way(released_as_parquet, cli, tmp_path):
    _, copy = released_as_parquet
    said = cli(
        "run", "airbench/foundation", "--data", copy, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json"
    )
    assert said.json["scores"]["strict"]["value"] == 1.0
    assert cli("score", tmp_path / "r", "--json").json["scores"]["strict"]["n_items"] == 50


def test_a_parquet_without_audio_says_which_columns_there_are(tmp_path):
    (tmp_path / "Foundation").mkdir()
    parquet.write_table(pa.table({"question": ["x"], "audio": [1]}), tmp_path / "Foundation/x.parquet")
    with pytest.raises(BenchmarkError, match=r"holds no audio: no column 'audio' .*columns: question, audio"):
        bench.load("airbench/foundation", data=tmp_path)


def test_a_file_that_is_no_parquet(tmp_path):
    (tmp_path / "Foundation").mkdir()
    (tmp_path / "Foundation/x.parquet").write_bytes(b"nonsense")
    with pytest.raises(BenchmarkError, match=r"x\.parquet cannot be read \(.*\); delete it and download it again"):
        bench.load("airbench/foundation", data=tmp_path)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_parquet_is_refused_in_one_line(tmp_path, seed):
    rng = random.Random(seed)
    file = tmp_path / "Foundation/x.parquet"
    file.parent.mkdir()
    row = {"question": "Which?", "path": "a.wav", "audio": {"bytes": b"RIFF" * 30, "path": "a.wav"}}
    parquet.write_table(pa.Table.from_pylist([row] * 20), file, row_group_size=9)
    raw = bytearray(file.read_bytes())
    begin = rng.choice([4, len(raw) - 700])  # pages, or the description at the end
    for _ in range(rng.randint(1, 6)):
        raw[rng.randrange(begin, begin + 600) % len(raw)] = rng.randrange(256)
    file.write_bytes(raw)
    with pytest.raises((BenchmarkError, ShortageError)) as caught:  # unharmed, it lacks columns
        bench.load("airbench/foundation", data=tmp_path)
    assert "\n" not in str(caught.value)


def test_a_parquet_whose_pages_are_damaged(released_as_parquet):
    _, copy = released_as_parquet
    file = next(copy.rglob("speech-*.parquet"))
    whole = file.read_bytes()
    benchmark = bench.load("airbench/foundation", data=copy)
    pages = parquet.ParquetFile(file).metadata.row_group(0).total_byte_size
    file.write_bytes(whole[:4] + b"\xff" * (pages // 2) + whole[4 + pages // 2 :])
    clip = next(item.file_name for item in benchmark if item.file_name.startswith("001/"))
    with pytest.raises(UnreadableAudioError, match=r"parquet cannot be read \(.*\); delete it and download it again"):
        benchmark.clip_path(clip)
    with pytest.raises(BenchmarkError, match=r"parquet cannot be read \(.*\); delete it and download it again"):
        bench.load("airbench/foundation", data=copy)


def test_without_pyarrow_it_says_how_to_get_it(released_as_parquet, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=re.escape(install("hub"))):
        bench.load("airbench/foundation", data=released_as_parquet[1])


ROWS = [
    {
        "set": "a",
        "number": n,
        "kind": "bells",
        "ask": f"Which, {n}?",
        "o1": "dog",
        "o2": "cat",
        "o3": "",
        "truth": "cat",
    }
    | {"clip": f"audio/{n:05}.wav", "genre": "x"}
    for n in range(3)
]


@pytest.fixture
def tables(make_benchmark):
    """A folder of clips with the same rows as CSV, TSV, a JSON array and JSON lines."""
    folder = make_benchmark(3)
    for name, delimiter in (("rows.csv", ","), ("rows.tsv", "\t")):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(ROWS[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(ROWS)
    (folder / "rows.json").write_text(json.dumps(ROWS))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


def card(folder, source, path, options='["o1", "o2", "o3"]'):
    file = folder / "card.toml"
    file.write_text(COLUMNS.format(source=source, path=path, options=options))
    return file


@pytest.mark.parametrize(
    ("source", "path"), [("csv", "rows.csv"), ("tsv", "rows.tsv"), ("json", "rows.json"), ("json", "rows.jsonl")]
)
def test_rows_beside_clips(tables, source, path, cli, tmp_path):
    file = card(tables, source, path)
    loaded = bench.load(file)
    item = loaded.item("a_1")
    assert (item.options, item.answer, item.task) == (("dog", "cat"), "cat", "bells")
    assert item.tags == {"genre": "x", "folder": "bells_a"}
    assert loaded.counts[0].kept == 3
    said = cli("run", file, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0


def test_a_list_column_of_options(tables):
    rows = [{k: v for k, v in row.items() if k not in {"o1", "o2", "o3"}} | {"all": ["dog", "cat"]} for row in ROWS]
    (tables / "rows.json").write_text(json.dumps(rows))
    assert bench.load(card(tables, "json", "rows.json", '"all"')).item("a_0").options == ("dog", "cat")


def test_a_row_without_the_description_that_the_card_names_is_kept_and_counted(tables):
    rows = [row | {"about": about} for row, about in zip(ROWS, ("a bell", " ", None), strict=True)]
    (tables / "rows.json").write_text(json.dumps(rows))
    file = card(tables, "json", "rows.json")
    file.write_text(file.read_text().replace("[data.columns]", '[data.columns]\nmeta = "about"'))
    loaded = bench.load(file)
    assert [item.meta for item in loaded] == ["a bell", "", ""]
    assert loaded.counts[0].noted == {"without about": 2}


SPOILED = {
    "clip missing": {"clip": "audio/gone.wav"},
    "has the file name": {"clip": "../../etc/passwd"},
    "is not among its options": {"truth": "cow"},
    "id twice": {"number": 1},
    "has no question": {"ask": ""},
}


@pytest.mark.parametrize("reason", SPOILED)
def test_a_spoiled_row_is_left_out_and_counted(tables, reason):
    rows = [ROWS[0], ROWS[1], ROWS[2] | SPOILED[reason]]
    (tables / "rows.json").write_text(json.dumps(rows))
    loaded = bench.load(card(tables, "json", "rows.json"))
    (count,) = loaded.counts
    assert (count.rows, count.kept) == (3, 2)
    assert reason in str(count.dropped)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("rows.json", "gone.json"), "no file matches gone.json"),
        (("rows.json", "../rows.json"), "is not a path below the card"),
        (('"ask"', '"asked"'), "there is no column 'asked'; did you mean 'ask'"),
        (('source = "json"', 'source = "jsn"'), "jsn"),
        (('audio = "clip"', 'sound = "clip"'), "sound"),
    ],
)
def test_a_wrong_card_says_what_to_correct(tables, change, says):
    file = card(tables, "json", "rows.json")
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(BenchmarkError, match=says):
        bench.load(file)


@pytest.mark.parametrize("rows", ["[1, 2", '[{"id": ' + "[" * 100_000 + "]" * 100_000 + "}]"])
def test_broken_json_rows(tables, rows):
    (tables / "rows.json").write_text(rows)
    with pytest.raises(BenchmarkError, match="a JSON array or JSON lines of objects is needed"):
        bench.load(card(tables, "json", "rows.json"))


@pytest.mark.parametrize("form", ["[{}]", "{}", '{{"a": {}}}'])
def test_a_row_of_json_with_a_key_twice_is_refused(tables, form):
    (tables / "rows.json").write_text(form.format('{"id": "a", "truth": "cat", "truth": "dog"}'))
    file = card(tables, "json", "rows.json")
    if "a" in form:
        file.write_text(file.read_text().replace("[data]", '[data]\nkeyed = "id"'))
    with pytest.raises(BenchmarkError, match="the key 'truth' stands twice"):
        bench.load(file)


def classes(names, *, kind="ClassLabel"):
    """What the hub's library writes into a table of which the column ``intent`` holds classes."""
    return {"huggingface": json.dumps({"info": {"features": {"intent": {"names": names, "_type": kind}}}})}


def slurp(tmp_path, intents, metadata=None):
    clip = {"bytes": b"RIFF" * 30, "path": "a.wav"}
    rows = [{"audio": clip, "intent": intent, "slurp_id": n} for n, intent in enumerate(intents)]
    table = pa.Table.from_pylist(rows).replace_schema_metadata(metadata)
    parquet.write_table(table, tmp_path / "test-00000-of-00001.parquet", row_group_size=2)
    return bench.load("static20/slurp-intent", data=tmp_path)


def test_numbers_of_classes_have_the_names_that_the_table_gives_them(tmp_path):
    found = slurp(tmp_path, [1, 0, 2, -1], classes(["alarm_set", "weather_query"]))
    assert [item.answer for item in found] == ["weather_query", "alarm_set", "2", "-1"]


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {"huggingface": b"\xff{"},
        {"huggingface": b"[" * 100_000},
        {"huggingface": '{"info": {"features": ["intent"]}}'},
        classes("alarm_set"),
        classes(["alarm_set"], kind="Value"),
        classes([["a"], {}]),
    ],
)
def test_numbers_of_classes_without_names_are_refused_where_they_would_be_shown(tmp_path, metadata):
    with pytest.raises(BenchmarkError, match=r"task slurp-intent are numbers \(0, 1\)"):
        slurp(tmp_path, [1, 0], metadata)


def test_what_the_card_says_of_numbers_goes_before_what_the_table_says(tmp_path):
    table = pa.table({"audio": [{"bytes": b"RIFF" * 30, "path": "a.wav"}], "label": [0]})
    said = {"huggingface": json.dumps({"info": {"features": {"label": {"names": ["other"], "_type": "ClassLabel"}}}})}
    parquet.write_table(table.replace_schema_metadata(said), tmp_path / "session5-00000-of-00001.parquet")
    assert [item.answer for item in bench.load("static20/iemocap", data=tmp_path)] == ["angry"]


LABELLED = """
[benchmark]
name = "heard"
[data]
source = "parquet"
path = "*.parquet"
[data.columns]
id = []
task = ""
question = ""
options = ""
answer = "label"
[[task]]
name = "mood"
kind = "label"
labels = ["glad", "sorry"]
wordings = ["Glad or sorry?"]
"""
CLIP = {"bytes": b"RIFF" * 30, "path": "a.wav"}


def labelled(folder, columns, **how):
    """A card for labels and a table of these columns, two columns of one name too."""
    table = pa.Table.from_arrays([pa.array(values) for _, values in columns], names=[name for name, _ in columns])
    parquet.write_table(table, folder / "rows.parquet", **how)
    (folder / "card.toml").write_text(LABELLED)
    return folder / "card.toml"


@pytest.mark.parametrize(
    "unread",
    [
        pa.array([2**30] * 2, pa.date32()),
        pa.array([2**62] * 2, pa.timestamp("us")),
        pa.array([1] * 2, pa.timestamp("us", tz="Mars/Olympus")),
        [b"\xff" * 9, None],
    ],
)
def test_columns_that_the_card_does_not_name_are_not_read(tmp_path, unread):
    card = labelled(tmp_path, [("audio", [CLIP] * 2), ("label", ["glad", "sorry"]), ("more", unread), ("more", unread)])
    assert [item.answer for item in bench.load(card)] == ["glad", "sorry"]


def test_the_memory_of_a_column_that_the_card_does_not_name_is_not_taken(tmp_path):
    text = pa.array(["x" * 100_000]).dictionary_encode()
    many = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), text.dictionary)
    card = labelled(tmp_path, [("audio", [CLIP] * 2000), ("label", ["glad"] * 2000), ("text", many)])
    tracemalloc.start()
    try:
        assert len(bench.load(card)) == 2000
        assert tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() < 50_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("twice", ["audio", "label"])
def test_a_column_that_the_card_names_may_stand_once_only(tmp_path, twice):
    columns = {"audio": [CLIP] * 2, "label": ["glad", "sorry"]}
    with pytest.raises(BenchmarkError, match=f"rows.parquet: has the column '{twice}' twice; rename one"):
        bench.load(labelled(tmp_path, [*columns.items(), (twice, columns[twice])]))


def test_a_date_that_cannot_be_read_says_what_to_do(tmp_path):
    card = labelled(tmp_path, [("audio", [CLIP]), ("label", pa.array([2**62], pa.duration("s")))])
    with pytest.raises(BenchmarkError, match=r"rows\.parquet cannot be read \(.*\); write the dates and times"):
        bench.load(card)


@pytest.mark.parametrize("inside", [7, "x", [1, 2], {"bytes": b"x"}])
def test_bytes_of_another_type_are_no_audio(tmp_path, inside):
    card = labelled(tmp_path, [("audio", [{"bytes": inside, "path": "a.wav"}]), ("label", ["glad"])])
    with pytest.raises(BenchmarkError, match="holds no audio: no column 'audio' of bytes and path"):
        bench.load(card)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_clip_of_more_bytes_than_are_read_is_a_finding_and_the_others_are_there(tmp_path, monkeypatch, groups):
    monkeypatch.setattr("audiometry.bench.parquet.LARGEST", 100_000)
    clips = [{"bytes": b"x" * n, "path": f"{n}.wav"} for n in (40_000, 100_001, 40_000)]
    card = labelled(tmp_path, [("audio", clips), ("label", ["glad"] * 3)], row_group_size=3 // groups)
    loaded = bench.load(card)
    for item, n in zip(loaded, (40_000, 0, 40_000), strict=True):
        if n:
            assert loaded.clip_path(item.file_name).stat().st_size == n
        else:
            with pytest.raises(UnreadableAudioError, match=r"rows\.parquet: no clip of 1 to 100,000 bytes is there"):
                loaded.clip_path(item.file_name)
    found = [one for one in check(loaded).findings if one.code == "unreadable"]
    assert [one.where.rpartition("/")[2] for one in found] == ["000001.wav" if groups == 1 else "000000.wav"]


def test_a_corrected_clip_is_heard_though_nothing_but_its_bytes_is_another(tmp_path):
    clips = [{"bytes": bytes([n]) * 900, "path": f"{n}.wav"} for n in range(2)]
    columns = [("label", ["glad", "sorry"])]
    for given in (clips, [one | {"bytes": other["bytes"]} for one, other in zip(clips, clips[::-1], strict=True)]):
        loaded = bench.load(labelled(tmp_path, [("audio", given), *columns]))
        heard = [loaded.clip_path(item.file_name).read_bytes() for item in loaded]
        assert heard == [one["bytes"] for one in given]


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_nothing_of_a_table_that_is_a_link_to_elsewhere_is_quoted(tmp_path, name):
    (tmp_path / "in").mkdir()
    secret = tmp_path / "secret"
    secret.write_text('[{"token:hf_x": 1}]' if name.endswith("json") else "token:hf_x,b\n1,2\n")
    (tmp_path / "in" / name).symlink_to(secret)
    card = LABELLED.replace("parquet", name.rpartition(".")[2])
    (tmp_path / "in/card.toml").write_text(card)
    for load in (
        lambda: bench.load(tmp_path / "in/card.toml"),
        lambda: bench.load("static20/iemocap", tmp_path / "in"),
    ):
        with pytest.raises(BenchmarkError, match="no column") as caught:
            load()
        assert "hf_x" not in str(caught.value)


def test_nothing_of_a_folders_table_that_is_a_link_to_elsewhere_is_quoted(make_benchmark, tmp_path):
    made = make_benchmark([{}])
    (made / "metadata.jsonl").unlink()
    (tmp_path / "secret").write_text("id,file_name,question,options,answer,token:hf_x\na,b,c,d,e,f\n")
    (made / "metadata.csv").symlink_to(tmp_path / "secret")
    assert not any("hf_x" in f"{one.what} {one.where}" for one in check(made).findings)


def test_a_source_that_is_not_what_the_table_is_is_what_to_correct(tmp_path):
    card = labelled(tmp_path, [("audio", [CLIP]), ("label", ["glad"])])
    card.write_text(LABELLED.replace('"parquet"', '"csv"'))
    with pytest.raises(BenchmarkError, match=r"rows\.parquet is parquet, and \[data\] source of the card says csv"):
        bench.load(card)
    (tmp_path / "rows.csv").write_text("audio,label\n")
    card.write_text(LABELLED.replace("*.parquet", "*.csv"))
    with pytest.raises(BenchmarkError, match=r"rows\.csv cannot be read \(.*\); correct \[data\] source"):
        bench.load(card)


@pytest.mark.parametrize("values", ["", '[data.values.label]\n0 = "glad"\n1 = "sorry"\n'])
def test_numbers_for_labels_are_read_as_pandas_writes_them_and_told_how(tables, values):
    (tables / "rows.csv").write_text("audio,label\naudio/i0.wav,0.0\naudio/i1.wav,1\n")
    card = tables / "labels.toml"
    card.write_text(LABELLED.replace("*.parquet", "rows.csv").replace("parquet", "csv") + values)
    if values:
        assert [problem.code for problem in bench.opened(card).problems if problem.code == "metadata"] == []
    else:
        assert all("under [data.values] of the card" in problem.what for problem in bench.opened(card).problems)


def test_an_error_about_columns_is_not_as_long_as_the_table_is_wide(tmp_path):
    card = labelled(tmp_path, [(f"column-{n}", ["x"]) for n in range(500)])
    with pytest.raises(BenchmarkError, match="holds no audio") as caught:
        bench.load(card)
    assert len(str(caught.value)) < 1000
