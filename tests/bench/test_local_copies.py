"""Copies of published data that people have: every set of the suite in every form, and what is almost right."""

import csv
import json
import re

import numpy as np
import pytest
import soundfile

from audiometry import bench
from audiometry.errors import BenchmarkError, UsageError
from audiometry.files.benchmark_folder import read_card_file

pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

STATIC = bench.registry.SHIPPED / "static20"
SETS = sorted(path.stem for path in STATIC.glob("*.toml") if path.stem != "benchmark")
CARDS = {name: read_card_file(STATIC / f"{name}.toml") for name in SETS}
FREE = {  # answers of sets whose card lists no labels
    "slurp-intent": ["alarm_set", "weather_query"],
    "commonvoice-accent": ["United States English", "England English"],
    "fairspeech-age": ["18 - 22", "23 - 30"],
}
QUESTIONS = {"public-sg-speechqa", "cn-college-listen", "covost2-language", "librispeech-grounding", "slurp-entity"}
OPTIONS = ("one", "two", "three")


def clip(path, number):
    path.parent.mkdir(parents=True, exist_ok=True)
    tone = 0.1 * np.sin(2 * np.pi * (300 + 7 * number) * np.arange(1600) / 16_000)
    soundfile.write(path, tone + 0.001 * np.random.default_rng(number).normal(size=1600), 16_000, format="WAV")
    return path.read_bytes()


def answers_of(name):
    """Two answers as people write them, the first of them twice."""
    card = CARDS[name]
    task = card.task[0]
    if task.kind == "choice":
        return ["one", "two", "one"]
    if task.kind in {"open", "transcript"}:
        return ["a wet street", "no more tea", "it is late"]
    kinds = [*task.labels] or FREE[name]
    return [kinds[0], kinds[1], kinds[0]]


def raw(name, answer):
    """An answer as the published data write it."""
    card = CARDS[name]
    meant = card.data.values.get(card.data.columns.answer, {})
    return next((value for value, label in meant.items() if label == answer), answer)


def rows_of(name):
    """Plain rows: audio, answer, and what else its questions need."""
    rows = []
    for n, answer in enumerate(answers_of(name)):
        row = {"audio": f"clips/{n}.wav", "answer": answer}
        if name in QUESTIONS:
            row["question"] = f"Which is it, {n}?"
        if CARDS[name].task[0].kind == "choice":
            row["options"] = list(OPTIONS)
        rows.append(row)
    return rows


def table(folder, name, rows):
    separator = "\t" if name.endswith(".tsv") else ","
    cells = [{key: json.dumps(v) if isinstance(v, list) else v for key, v in row.items()} for row in rows]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(cells)


def clips(folder, rows, key="audio"):
    for n, row in enumerate(rows):
        clip(folder / row[key], len(str(folder)) + n)


def as_csv(folder, name):
    rows = rows_of(name)
    clips(folder, rows)
    table(folder, "metadata.csv", rows)


def as_csv_with_ids(folder, name):
    rows = [{"id": f"mine-{n}", **row} for n, row in enumerate(rows_of(name))]
    clips(folder, rows)
    table(folder, "metadata.csv", rows)


def as_tsv(folder, name):
    rows = rows_of(name)
    clips(folder, rows)
    table(folder, "mine.tsv", rows)


def as_lines(folder, name):
    rows = rows_of(name)
    clips(folder, rows)
    lines = [{("file_name" if key == "audio" else key): v for key, v in row.items()} for row in rows]
    (folder / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def as_folders(folder, name):
    """AudioFolder's folders of labels; sets without labels as tables."""
    if CARDS[name].task[0].kind != "label":
        as_tsv(folder, name)
        return
    task = CARDS[name].task[0]
    for n, answer in enumerate(answers_of(name)):
        known = task.labels or task.synonyms
        clip(folder / (answer.replace(" ", "_") if known else answer) / f"{n}.wav", len(str(folder)) + n)


def as_published(folder, name):
    """The hub's parquet, Common Voice's release, or AIR-Bench's."""
    card = CARDS[name]
    columns, plain = card.data.columns, rows_of(name)
    if card.data.source == "airbench-foundation":
        root, task = folder / "Foundation", card.data.path
        rows = []
        for n, row in enumerate(plain):
            clip(root / f"{task}_set" / f"{n}.flac", len(str(folder)) + n)
            chosen = dict(zip(("choice_a", "choice_b", "choice_c"), OPTIONS, strict=True))
            rows.append({"path": f"{n}.flac", "question": row["question"], "answer_gt": row["answer"], **chosen})
            rows[-1] |= {"task_name": task, "dataset_name": "set", "uniq_id": n}
        (root / "Foundation_meta.json").write_text(json.dumps(rows))
        return
    extra = {key: "x" for key in (*columns.id, *columns.group, *columns.tags, columns.meta) if key}
    rows = []
    for n, row in enumerate(plain):
        made = extra | dict.fromkeys(columns.id, f"c{n}.mp3") | {columns.answer: raw(name, row["answer"])}
        if columns.question:
            made[columns.question] = row["question"]
        if columns.options:
            made[columns.options] = "(A) one (B) two (C) three"
            made[columns.answer] = f"({'ABC'[OPTIONS.index(row['answer'])]}) {row['answer']}"
        rows.append(made)
    if card.data.source == "tsv":
        for n, row in enumerate(rows):
            clip(folder / "clips" / row["path"], len(str(folder)) + n)
        table(folder, card.data.path, rows)
        return
    for n, row in enumerate(rows):
        row[columns.audio] = {"bytes": clip(folder.parent / "x.wav", len(str(folder)) + n), "path": f"{n}.wav"}
    file = card.data.path.replace("*", "0000") or f"data/{card.data.split}-00000-of-00001.parquet"
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), folder / file, row_group_size=2)


FORMS = [as_published, as_csv, as_csv_with_ids, as_tsv, as_lines, as_folders]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_set_in_every_form_opens_is_clean_and_scores_full(form, cli, tmp_path):
    data = tmp_path / "data"
    for name in SETS:
        form(data / name, name)
        one = bench.load(f"static20/{name}", data=data / name)
        assert sorted(item.answer for item in one) == sorted(answers_of(name)), name
        assert (one.problems, one.notes) == ((), ()), name
        if form is as_csv_with_ids:
            assert [item.id for item in one] == ["mine-0", "mine-1", "mine-2"]
    said = cli("check", "static20", "--data", data, "--json")
    errors = [found for found in said.json["findings"] if found["severity"] == "error"]
    assert (errors, said.json["n_items"]) == ([], 60)
    said = cli("run", "static20", "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.code == 0, said.err
    tasks = {name: task["value"] for one in said.json["scores"].values() for name, task in one["tasks"].items()}
    assert tasks == {name: 0.0 if CARDS[name].task[0].kind == "transcript" else 1.0 for name in SETS}


def test_a_table_may_be_given_itself(tmp_path):
    as_tsv(tmp_path / "x", "iemocap")
    one = bench.load("static20/iemocap", data=tmp_path / "x/mine.tsv")
    assert [item.answer for item in one] == ["angry", "happy", "angry"]
    assert bench.load("static20/iemocap", data=tmp_path / "x").sha256 == one.sha256


def test_a_copy_of_which_no_row_is_left_is_checked_all_the_same(cli, tmp_path):
    table(tmp_path, "metadata.csv", [{"audio": "1.wav", "answer": "England English"}])
    said = cli("check", "static20/commonvoice-accent", "--data", tmp_path, "--json")
    assert (said.code, said.json["findings"][0]["code"]) == (1, "missing")


def test_a_run_over_each_kind_of_copy_is_opened_again(cli, tmp_path):
    for form in (as_csv, as_folders, as_published):
        folder, run = tmp_path / form.__name__, tmp_path / f"r-{form.__name__}"
        form(folder, "iemocap")
        said = cli("run", "static20/iemocap", "--data", folder, "--model", "scripted/oracle", "-o", run)
        assert said.code == 0, said.err
        assert cli("score", run, "--json").json["scores"]["macro-f1"]["value"] == 1.0


def test_folders_of_a_split_are_taken_alone_and_labels_in_other_letters_are_read(tmp_path):
    for n, name in enumerate(("session5/Angry/1.wav", "session5/SAD/2.wav", "session4/angry/3.wav")):
        clip(tmp_path / name, n)
    one = bench.load("static20/iemocap", data=tmp_path)
    assert [(item.file_name, item.answer) for item in one] == [
        ("session5/Angry/1.wav", "angry"),
        ("session5/SAD/2.wav", "sad"),
    ]


def test_a_folder_that_is_no_label_is_left_out_and_named(tmp_path):
    for n, name in enumerate(("angry/1.wav", "sad/2.wav", "bored/3.wav")):
        clip(tmp_path / name, n)
    one = bench.load("static20/iemocap", data=tmp_path)
    (problem,) = one.problems
    assert len(one) == 2
    assert "bored" in problem.what
    assert problem.where.endswith("bored/3.wav")


def test_a_table_of_another_split_is_not_taken_for_the_one_that_is_meant(tmp_path):
    rows = [{"audio": "1.wav", "answer": "joy"}]
    clips(tmp_path, rows)
    table(tmp_path, "train.csv", rows)
    with pytest.raises(BenchmarkError, match=r"holds train\.csv, named after another split"):
        bench.load("static20/meld", data=tmp_path)
    table(tmp_path, "test.csv", rows)
    assert len(bench.load("static20/meld", data=tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("iemocap", "train.csv"),
        ("iemocap", "session1.csv"),
        ("commonvoice-sex", "validated.tsv"),
        ("commonvoice-sex", "train.tsv"),
        ("librispeech-clean", "train-00000-of-00001.csv"),
    ],
)
def test_a_table_of_another_split_is_refused_whatever_the_split_of_the_card_is_called(tmp_path, name, file):
    rows = rows_of(name)
    clips(tmp_path, rows)
    table(tmp_path, file, rows)
    with pytest.raises(BenchmarkError, match=rf"holds {re.escape(file)}, named after another split than is meant"):
        bench.load(f"static20/{name}", data=tmp_path)
    (tmp_path / file).rename(tmp_path / f"mine{file[-4:]}")
    assert len(bench.load(f"static20/{name}", data=tmp_path)) == len(rows)


def test_of_a_folder_of_several_sets_the_one_that_is_asked_is_read_and_no_other_is_advised(tmp_path):
    as_csv(tmp_path / "callhome", "callhome")
    as_csv(tmp_path / "meld", "meld")
    with pytest.raises(BenchmarkError, match="holds no folder iemocap, but callhome, meld; wanted is"):
        bench.load("static20/iemocap", data=tmp_path)
    as_published(tmp_path / "iemocap", "iemocap")
    one = bench.load("static20/iemocap", data=tmp_path)
    assert (len(one), one.data) == (3, str(tmp_path / "iemocap"))


@pytest.mark.parametrize("name", sorted(QUESTIONS & {name for name in SETS if CARDS[name].task[0].kind == "choice"}))
@pytest.mark.parametrize("options", ['["B", "two", "three"]', "(A) B (B) two (C) three"])
@pytest.mark.parametrize(("answer", "meant"), [("A", "B"), ("(C) three", "three"), ("two", "two")])
def test_options_and_answers_of_a_copy_may_be_letters(tmp_path, name, options, answer, meant):
    rows = [{"audio": "1.wav", "question": "Which?", "options": options, "answer": answer}]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    assert [item.answer for item in bench.load(f"static20/{name}", data=tmp_path)] == [meant]


def test_an_answer_that_is_the_text_of_an_option_is_no_letter(tmp_path):
    rows = [{"audio": "1.wav", "question": "Which?", "options": '["B", "A"]', "answer": "A"}]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    assert [item.answer for item in bench.load("static20/slurp-entity", data=tmp_path)] == ["A"]


def test_a_copy_whose_measure_needs_answers_has_to_hold_them(tmp_path):
    rows = [{"audio": "1.wav", "question": "Which?", "reference": "a"}]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    with pytest.raises(
        BenchmarkError, match="has no column of the answer, 'answer'; it has audio, question, reference"
    ):
        bench.load("static20/public-sg-speechqa", data=tmp_path)


def test_rows_that_are_meant_but_for_their_case_are_named_with_what_is_meant(tmp_path):
    rows = [{"audio": f"{n}.wav", "answer": answer} for n, answer in enumerate(("male", "Female"))]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    (problem,) = bench.load("static20/fairspeech-sex", data=tmp_path).problems
    assert "'female' differs from it only in case" in problem.what


def test_of_a_copy_with_a_column_of_splits_the_rows_of_the_cards_split_are_meant(tmp_path):
    rows = [{"audio": f"{n}.wav", "answer": "joy", "split": split} for n, split in enumerate(("train", "test", "test"))]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    one = bench.load("static20/meld", data=tmp_path)
    assert (len(one), any("1 row not meant" in note for note in one.notes)) == (2, True)
    table(tmp_path, "metadata.csv", rows[:1])
    with pytest.raises(BenchmarkError, match=r"none of 1 row is meant .* last has split 'train', kept are split test"):
        bench.load("static20/meld", data=tmp_path)


ALMOST = {
    "nothing there": ({}, "holds nothing and no table"),
    "clips alone": ({"clips/1.wav": None}, "holds 1 clip in clips and no table"),
    "a column misnamed": ({"metadata.csv": "audio,emotion\n1.wav,sad\n"}, "'answer' or 'label'; it has audio, emotion"),
    "clips misnamed": ({"metadata.csv": "sound_of,answer\n1.wav,sad\n"}, "'file_name' or 'audio'; it has sound_of"),
    "one level too high": ({"in/metadata.csv": "audio,answer\n1.wav,sad\n"}, r"holds no table, but in/metadata\.csv"),
    "no such number": ({"metadata.csv": "audio,answer\n1.wav,7\n", "1.wav": None}, "'7', which is none of the labels"),
    "clips missing": ({"metadata.csv": "audio,answer\n1.wav,sad\n"}, "names the clip '1.wav', which is not there"),
    "other folders": ({"dogs/1.wav": None, "cats/1.wav": None}, "the folders cats, dogs, and none is called after a"),
    "a header alone": ({"metadata.csv": "audio,answer\n"}, r"metadata\.csv: holds no rows; write a header, and a line"),
    "half a parquet": ({"metadata.parquet": "PAR1"}, r"metadata\.parquet cannot be read \("),
    "no JSON": ({"metadata.jsonl": "audio"}, r"metadata\.jsonl, line 1: .* JSON lines of objects is needed"),
    "arrow": ({"data-00000-of-00001.arrow": ""}, r"holds \.arrow files, which are not read"),
    "two tables": ({"a.csv": "x", "b.csv": "x"}, r"holds a\.csv, b\.csv, and nothing says which"),
    "two kinds": ({"data/session5.csv": "x"}, r"wanted is metadata\.csv with the columns audio, answer"),
}


@pytest.mark.parametrize("kind", ALMOST)
def test_what_is_almost_right_is_named_in_one_line(tmp_path, kind):
    files, says = ALMOST[kind]
    for name, text in files.items():
        if text is None:
            clip(tmp_path / name, 1)
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError, match=says) as caught:
        bench.load("static20/iemocap", data=tmp_path)
    assert "\n" not in str(caught.value)


def test_names_of_columns_in_another_case_and_semicolons_are_read_as_elsewhere(tmp_path):
    clip(tmp_path / "1.wav", 1)
    (tmp_path / "metadata.csv").write_text("\ufeffAudio; ANSWER\n1.wav;sad\n", encoding="utf-8")
    one = bench.load("static20/iemocap", data=tmp_path)
    assert [item.answer for item in one] == ["sad"]
    assert any("semicolons" in note for note in one.notes)


def test_a_copy_in_the_hubs_own_folders_may_be_linked(tmp_path):
    as_published(tmp_path / "there", "iemocap")
    (tmp_path / "data").mkdir()
    for file in (tmp_path / "there").rglob("*.parquet"):
        (tmp_path / "data" / file.name).symlink_to(file)
    assert len(bench.load("static20/iemocap", data=tmp_path / "data")) == 3


def test_a_folder_that_is_not_there_and_a_file_that_is_no_table(tmp_path):
    with pytest.raises(BenchmarkError, match="gone is not there; give the folder that holds the data of static20/meld"):
        bench.load("static20/meld", data=tmp_path / "gone")
    (tmp_path / "x.zip").write_bytes(b"")
    with pytest.raises(BenchmarkError, match=r"x\.zip is no table and no folder"):
        bench.load("static20/meld", data=tmp_path / "x.zip")


def test_a_set_that_does_not_come_along_says_what_a_copy_may_hold():
    with pytest.raises(
        UsageError, match=r"--data FOLDER: metadata\.csv with .* or the release \(test\.tsv and clips/\)"
    ):
        bench.load("static20/commonvoice-age")
    with pytest.raises(UsageError, match=r"columns audio, answer, question, options .* the release \(Foundation/\)"):
        bench.load("static20/covost2-language")


def test_the_suite_says_that_a_folder_lies_too_low_or_too_high(tmp_path):
    as_csv(tmp_path / "in/meld", "meld")
    with pytest.raises(
        BenchmarkError, match=r"meld is the folder of one set: give the one above it, or ask static20/meld"
    ):
        bench.load("static20", data=tmp_path / "in/meld")
    with pytest.raises(BenchmarkError, match=r"none of its 20 sets is there; sets are in .*/in: give that folder"):
        bench.load("static20", data=tmp_path)
    assert len(bench.load("static20", data=tmp_path / "in")) == 3


def test_folders_of_sets_under_nearly_their_names_are_named_and_one_that_is_not_there_too(tmp_path):
    as_csv(tmp_path / "meld", "meld")
    for name in ("IEMOCAP", "callhome ", "other"):
        (tmp_path / name).mkdir()
    notes = "\n".join(bench.load("static20", data=tmp_path).notes)
    assert "; rename 'IEMOCAP' to iemocap, 'callhome' to callhome" in notes
    with pytest.raises(BenchmarkError, match="nowhere is no folder that is there"):
        bench.load("static20", data=tmp_path / "nowhere")


def test_a_task_whose_set_is_not_there_is_not_called_unknown(tmp_path):
    as_csv(tmp_path / "meld", "meld")
    one = bench.load("static20", data=tmp_path)
    with pytest.raises(UsageError, match="task openhermes of static20: none of its items is there to be asked"):
        one.select(tasks=["openhermes"])


def test_values_and_rows_that_are_meant_hold_for_the_plain_name_of_the_answer(tmp_path):
    rows = [{"audio": f"{n}.wav", "answer": answer} for n, answer in enumerate(("male_masculine", "other", ""))]
    clips(tmp_path, rows)
    table(tmp_path, "metadata.csv", rows)
    one = bench.load("static20/commonvoice-sex", data=tmp_path)
    assert ([item.answer for item in one], one.problems) == (["male"], ())
    assert any("2 rows not meant" in note for note in one.notes)
