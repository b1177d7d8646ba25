"""A suite of several cards, sets by a card alone, and local copies of published data."""

import csv
import json
from collections import Counter

import pytest

from audiometry import bench
from audiometry.bench.lettered import lettered
from audiometry.errors import BenchmarkError, UsageError
from audiometry.files.benchmark_folder import read_card_file
from audiometry.score.published import published, published_tasks

STATIC = bench.registry.SHIPPED / "static20"
SETS = sorted(path.stem for path in STATIC.glob("*.toml") if path.stem != "benchmark")
WAV = b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x02\0\0\0\0\0"


def table(folder, rows, header, name="metadata.csv", clips=""):
    """A folder with a table and the clips that its first column names."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t" if name.endswith(".tsv") else ",").writerows([header, *rows])
    for row in rows:
        clip = folder / clips / row[0]
        clip.parent.mkdir(parents=True, exist_ok=True)
        clip.write_bytes(WAV)
    return folder


@pytest.fixture
def data(tmp_path):
    """Local copies of four of the twenty sets, each in another form."""
    answers = [("a.wav", "angry"), ("b.wav", "sad"), ("c.wav", "2"), ("d.wav", "amused")]
    table(tmp_path / "iemocap", answers, ["audio", "answer"])
    voices = [
        ("v1.mp3", "s1", "twenties", "male_masculine"),
        ("v2.mp3", "s1", "fourties", ""),
        ("v3.mp3", "s2", "", "other"),
    ]
    for name in ("commonvoice-sex", "commonvoice-age"):
        table(tmp_path / name, voices, ["path", "client_id", "age", "gender"], "test.tsv", "clips")
    calls = tmp_path / "callhome"
    calls.mkdir()
    (calls / "x.wav").write_bytes(WAV)
    (calls / "metadata.jsonl").write_text(json.dumps({"id": "x", "file_name": "x.wav", "answer": "friend"}) + "\n")
    return tmp_path


def test_the_suite_has_the_twenty_sets_in_the_order_of_the_published_table():
    suite = read_card_file(STATIC / "benchmark.toml")
    assert len(SETS) == len(suite.data.cards) == 20
    assert sorted(name.removesuffix(".toml") for name in suite.data.cards) == SETS
    printed = [task.task_name for task in published_tasks("static20")]
    assert Counter(printed) == Counter(SETS) - Counter(["librispeech-clean", "commonvoice-asr"])


@pytest.mark.parametrize("name", SETS)
def test_each_set_says_what_it_is_where_it_is_had_and_what_nobody_published(name):
    card = read_card_file(STATIC / f"{name}.toml")
    (task,) = card.task
    assert card.benchmark.name == f"static20/{name}"
    assert task.name == name
    assert task.category
    assert card.benchmark.unknown
    assert len(set(task.wordings)) == 3
    assert bool(card.data.repository) == (card.data.source == "hub")
    assert card.data.source in {"hub", "tsv", "airbench-foundation"}
    if task.labels:
        assert all(label in {*task.labels} for label in card.data.values.get(card.data.columns.answer, {}).values())
        known = {*task.labels}
        assert all(any(label in wording for wording in task.wordings) for label in known), "a wording names the labels"


def test_the_four_sets_of_choices_say_over_what_their_macro_f1_is():
    choices = {name for name in SETS if read_card_file(STATIC / f"{name}.toml").task[0].kind == "choice"}
    assert choices == {"cn-college-listen", "covost2-language", "librispeech-grounding", "slurp-entity"}
    for name in choices:
        assert read_card_file(STATIC / f"{name}.toml").task[0].measure == "macro-f1"
        told = (STATIC / f"{name}.toml").read_text().partition("\n")[0]
        assert told.lower().endswith("macro f1 is over the letters as shown in the benchmark's own order.")


def test_the_published_sizes_are_those_of_the_public_table():
    sizes = {name: read_card_file(STATIC / f"{name}.toml").benchmark.size for name in SETS}
    assert sizes["callhome"] == 24
    assert sizes["meld"] == 2608
    assert sum(sizes[task.task_name] for task in published_tasks("static20")) == 17_853


def test_the_published_mean_of_each_system_is_that_of_its_eighteen_sets():
    systems = published("static20")
    assert len(systems) == 11
    assert [one.name for one in systems if one.commercial] == ["Gemini-1.5-Pro", "GPT-4o"]
    for one in systems:
        mean = sum(one.tasks.values()) / len(one.tasks)
        assert abs(float(mean) - float(one.average)) < 0.00051, one.name


def test_a_suite_asks_the_sets_that_are_there_and_names_the_others(data):
    suite = bench.load("static20", data=data)
    assert suite.tasks() == {"iemocap": 3, "callhome": 1, "commonvoice-sex": 1, "commonvoice-age": 2}
    assert any("4 of 20 sets are there" in note for note in suite.notes)
    assert any("has no folder urfunny, mustard, " in note for note in suite.notes)
    count = {one.folder: one for one in suite.counts}
    assert (count["meld"].rows, count["meld"].kept) == (2608, 0)
    item = suite.item("iemocap/00001")
    assert item.answer == "angry"
    assert suite.clip_path(item.file_name).read_bytes() == WAV
    assert item.question == read_card_file(STATIC / "iemocap.toml").task[0].wordings[0]
    assert suite.item("callhome/x").answer == "friend"
    assert suite.items.position("nowhere/1") is None


def test_values_stand_for_what_the_card_says_and_a_label_outside_is_left_out_and_named(data):
    one = bench.load("static20/iemocap", data=data / "iemocap")
    assert [item.answer for item in one] == ["angry", "sad", "neutral"]
    (problem,) = one.problems
    assert "amused" in problem.what
    assert "none of the labels" in problem.what


def test_rows_that_are_not_meant_are_passed_over_and_counted(data):
    sex = bench.load("static20/commonvoice-sex", data=data / "commonvoice-sex")
    assert [item.answer for item in sex] == ["male"]
    assert not sex.problems
    assert any("2 rows not meant" in note for note in sex.notes)
    age = bench.load("static20/commonvoice-age", data=data / "commonvoice-age")
    assert [item.answer for item in age] == ["twenties", "forties"]
    assert [item.file_name for item in age] == ["clips/v1.mp3", "clips/v2.mp3"]


def test_a_speaker_whom_two_sets_share_is_one_cluster(data):
    suite = bench.load("static20", data=data)
    clusters = {item.cluster for item in suite if item.task.startswith("commonvoice")}
    assert len(clusters) == 1
    assert suite.item("iemocap/00001").cluster != suite.item("iemocap/00002").cluster


def test_another_set_makes_it_another_benchmark(data, tmp_path):
    before = bench.load("static20", data=data).sha256
    table(data / "meld", [("m.wav", "joy")], ["audio", "answer"])
    assert bench.load("static20", data=data).sha256 != before


def test_how_many_of_the_published_items_are_there_is_said_of_the_sets_that_have_a_size(data):
    suite = bench.load("static20", data=data)
    assert suite.said_of_published() == f"7 of {17_853 + 2_620:,} published items"
    assert bench.load("static20/iemocap", data=data / "iemocap").said_of_published() == "3 of 1,023 published items"
    assert bench.load("mini").said_of_published() == ""


def test_what_is_said_of_most_sets_names_those_of_which_it_is_not(data):
    (said,) = (fact for fact in bench.load("static20", data=data).card.benchmark.unknown if "own wordings" in fact)
    assert said == "all but librispeech-clean and commonvoice-asr: the paper's own wordings: these are ours"


def test_a_small_set_is_marked_in_the_suite_and_by_itself_and_no_other_is(data):
    suite = bench.load("static20", data=data).card
    assert [task.name for task in suite.task if "small" in suite.called(task.name)] == ["callhome"]
    assert suite.called("callhome") == "Relationship (CallHome), small: 24 items"
    assert suite.called("callhome", asked=6) == "Relationship (CallHome), small: 6 items"
    title = suite.called("iemocap")
    assert suite.called("iemocap", asked=99) == f"{title}, small: 99 items"  # so many were asked
    assert suite.called("iemocap", asked=100) == title
    alone = bench.load("static20/callhome", data=data / "callhome").card
    assert alone.called("callhome") == suite.called("callhome")
    assert suite.called("alpaca") == "Spoken instructions (Alpaca-Audio)"  # of 100


def test_what_nobody_published_of_the_sets_stands_once_with_those_of_which_that_is_so(data):
    unknown = bench.load("static20", data=data).card.benchmark.unknown
    assert len(set(unknown)) == len(unknown)
    (drawn,) = (fact for fact in unknown if "which 1,000 clips the paper drew" in fact)
    assert drawn == "fairspeech-sex, fairspeech-age: which 1,000 clips the paper drew"


def test_nothing_there_is_refused_in_one_line(tmp_path):
    with pytest.raises(BenchmarkError, match="none of its 20 sets is there"):
        bench.load("static20", data=tmp_path)


def test_data_that_do_not_come_along_have_to_be_given():
    with pytest.raises(UsageError, match="give its data with --data FOLDER"):
        bench.load("static20/commonvoice-age")


def test_two_sets_of_one_task_are_refused(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(
            f'[benchmark]\nname = "{name}"\n[data]\nsource = "csv"\npath = "t.csv"\n'
            '[[task]]\nname = "same"\nkind = "label"\n'
        )
    card = tmp_path / "suite.toml"
    card.write_text('[benchmark]\nname = "s"\n[data]\nsource = "cards"\ncards = ["one.toml", "two.toml"]\n')
    with pytest.raises(BenchmarkError, match="both one and two have a task same"):
        bench.load(card)


@pytest.mark.parametrize("name", ["gone.toml", "../mini/benchmark.toml", "sub/one.toml"])
def test_a_card_that_is_not_beside_the_suite_is_refused(tmp_path, name):
    card = tmp_path / "suite.toml"
    card.write_text(f'[benchmark]\nname = "s"\n[data]\nsource = "cards"\ncards = ["{name}"]\n')
    with pytest.raises(BenchmarkError, match="is no card beside it"):
        bench.load(card)


def test_the_suite_is_listed_with_the_tasks_of_its_sets():
    assert len(bench.published_cards()["static20"].task) == 20


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("(A) one (B) two (C) three", ("one", "two", "three")),
        ("A. one\nB. two", ("one", "two")),
        ("A) one, B) two; C) plan B. and more", ("one", "two", "plan B. and more")),
        ("B. one C. two", ()),
        ("A. only one", ()),
        ("no letters at all", ()),
        ("", ()),
    ],
)
def test_options_in_one_text_are_read_by_their_letters(text, options):
    assert lettered(text) == options


def test_lettered_options_and_answers_make_choices(tmp_path):
    rows = [("1.wav", "What?", "(A) Go. (B) Stay.", "(B) Stay."), ("2.wav", "Where?", "A. here B. there", "A")]
    table(tmp_path, rows, ["audio", "question", "options", "answer"])
    one = bench.load("static20/cn-college-listen", data=tmp_path)
    assert [(item.options, item.answer) for item in one] == [(("Go.", "Stay."), "Stay."), (("here", "there"), "here")]
