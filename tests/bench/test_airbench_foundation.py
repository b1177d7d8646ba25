"""The released layout of AIR-Bench foundation, oddities included."""

import json
import time

import pytest

from audiometry import bench
from audiometry.errors import BenchmarkError, UnknownNameError, UsageError

ID = "airbench/foundation"


def load(data):
    return bench.load(ID, data=data)


def dropped(loaded):
    return {c.folder: c.dropped for c in loaded.counts if c.dropped}


def test_nineteen_tasks_in_twenty_five_folders_come_in_the_papers_order(make_release):
    loaded = load(make_release())
    assert len(loaded) == 50
    assert len(loaded.counts) == 25
    assert len(loaded.tasks()) == 19
    categories = [loaded.card.task_named(task).category for task in loaded.tasks()]
    assert categories == ["speech"] * 9 + ["sound"] * 4 + ["music"] * 6
    assert all((c.rows, c.with_audio, c.kept, c.dropped) == (2, 2, 2, {}) for c in loaded.counts)


def test_either_the_folder_above_or_the_folder_itself_may_be_given(make_release):
    data = make_release()
    assert load(data).sha256 == load(data / "Foundation").sha256


def test_absent_and_null_options_are_not_options(make_release):
    loaded = load(make_release())
    sizes = {len(item.options) for item in loaded if item.task == "Speaker_Gender_Recognition"}
    assert sizes == {2}


def test_three_options_stay_three(make_release):
    def three(rows):
        rows[0] |= {"choice_d": None, "answer_gt": rows[0]["choice_c"]}

    item = next(iter(load(make_release(change=three))))
    assert len(item.options) == 3
    assert item.answer == item.options[2]


def test_a_wav_that_is_a_flac_is_found_by_its_stem(make_release):
    def rename(rows):
        for row in rows:
            if row["task_name"] == "Audio_Grounding":
                row["path"] = row["path"].rpartition(".")[0] + ".wav"

    loaded = load(make_release(change=rename))
    assert len(loaded) == 50
    grounded = [item for item in loaded if item.task == "Audio_Grounding"]
    assert all(loaded.clip_path(item.file_name).exists() for item in grounded)


def test_items_keep_their_folder_and_data_set(make_release):
    item = next(i for i in load(make_release()) if i.task == "Speaker_Emotion_Recontion")
    assert item.id == "Speaker_Emotion_Recontion_iemocap/8"
    assert item.tags == {"folder": "Speaker_Emotion_Recontion_iemocap", "dataset": "iemocap"}


SPOILED = {
    "a clip that is not there": (lambda row: row.update(path="gone.wav"), "clip missing", 0),
    "an answer that is no option": (lambda row: row.update(answer_gt="gone"), "answer matches no option", 1),
    "an answer that is two options": (
        lambda row: row.update(choice_b=row["choice_a"], answer_gt=row["choice_a"]),
        "answer matches two options",
        1,
    ),
    "a path out of the folder": (lambda row: row.update(path="../../x.wav"), "clip missing", 0),
    "a row without a question": (lambda row: row.pop("question"), "'question' is missing", 0),
    "a row with an empty question": (lambda row: row.update(question=" "), "has no question", 1),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_row_is_left_out_and_counted_with_its_reason(make_release, name):
    spoil, reason, with_audio = SPOILED[name]
    loaded = load(make_release(change=lambda rows: spoil(rows[0])))
    assert len(loaded) == 49
    found = dropped(loaded)
    assert list(found) == ["Speech_Grounding_librispeech"]
    assert [reason in r for r in found["Speech_Grounding_librispeech"]] == [True]
    count = loaded.counts[0]
    assert (count.rows, count.with_audio, count.kept) == (2, 1 + with_audio, 1)
    assert sum(c.rows for c in loaded.counts) == 50


def test_an_empty_file_and_an_id_twice_are_counted(make_release):
    def twice(rows):
        rows[3]["uniq_id"] = rows[2]["uniq_id"]

    data = make_release(change=twice)
    (data / "Foundation/Speech_Grounding_librispeech/clip-0.mp3").write_bytes(b"")
    assert dropped(load(data)) == {
        "Speech_Grounding_librispeech": {"clip empty": 1},
        "Spoken_Language_Identification_covost2": {"uniq_id twice in one folder": 1},
    }


def test_an_unknown_task_is_counted_under_its_own_folder_with_the_nearest_name(make_release):
    data = make_release(change=lambda rows: rows[0].update(task_name="Speech_Groundin"))
    found = dropped(load(data))
    (reason,) = found["Speech_Groundin_librispeech"]
    assert "did you mean 'Speech_Grounding'" in reason


def test_a_corrupt_clip_becomes_an_item_and_fails_when_asked(make_release, cli, tmp_path):
    data = make_release()
    (data / "Foundation/Speech_Grounding_librispeech/clip-0.mp3").write_bytes(b"nonsense" * 99)
    said = cli("run", ID, "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.code == 1
    strict = said.json["scores"]["strict"]
    assert strict["n_failed"] == 1
    assert strict["n_answered"] == 49
    assert cli("score", tmp_path / "r", "--json").json["scores"]["strict"]["n_items"] == 50


def test_a_check_reads_headers_and_names_the_corrupt_clip(make_release, cli):
    data = make_release()
    (data / "Foundation/Speech_Grounding_librispeech/clip-0.mp3").write_bytes(b"nonsense" * 99)
    said = cli("check", ID, "--data", data, "--headers", "--json")
    assert said.code == 1
    errors = [f for f in said.json["findings"] if f["severity"] == "error"]
    assert [(f["code"], f["where"]) for f in errors] == [("not-audio", "Speech_Grounding_librispeech/clip-0.mp3")]
    assert said.json["n_clips_read"] == 49


def test_rows_that_went_missing_make_another_content(make_release):
    data = make_release()
    before = load(data).sha256
    (data / "Foundation/Speech_Grounding_librispeech/clip-0.mp3").unlink()
    assert load(data).sha256 != before


def test_without_data_it_says_where_to_get_them():
    with pytest.raises(UsageError, match="--data FOLDER"):
        load(None)


def test_data_for_a_benchmark_that_needs_none(make_release):
    with pytest.raises(UsageError, match="mini needs none"):
        bench.load("mini", data=make_release(1))


def test_wrong_folders_say_what_was_expected(make_release, tmp_path):
    with pytest.raises(BenchmarkError, match=r"holds neither Foundation/ nor Foundation_meta\.json"):
        load(tmp_path)
    (tmp_path / "Foundation").mkdir()
    with pytest.raises(BenchmarkError, match=r"Foundation has no Foundation_meta\.json"):
        load(tmp_path)
    with pytest.raises(BenchmarkError, match="is not a folder"):
        load(tmp_path / "gone")


def test_a_folder_inside_the_release_is_told_which_one_to_give(make_release):
    data = make_release(1)
    with pytest.raises(BenchmarkError, match=r"lies inside the release; give --data .*/Foundation$"):
        load(data / "Foundation" / "Sound_AQA_avqa")


def test_metadata_as_json_lines_or_broken(make_release):
    data = make_release()
    path = data / "Foundation/Foundation_meta.json"
    rows = json.loads(path.read_text())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(BenchmarkError, match="objects, as JSON lines are"):
        load(data)
    path.write_text("[{]")
    with pytest.raises(BenchmarkError, match="download it again"):
        load(data)
    path.write_text("[]")
    with pytest.raises(BenchmarkError, match="holds no items"):
        load(data)


def test_an_unknown_task_option_suggests_the_releases_spelling(make_release):
    with pytest.raises(UnknownNameError, match="'Speaker_Emotion_Recontion'"):
        load(make_release()).select(["Speaker_Emotion_Recognition"])


def test_a_run_prints_what_is_there_by_folder(make_release, cli, tmp_path):
    data = make_release(change=lambda rows: rows[0].update(path="gone.wav"))
    said = cli("run", ID, "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert "1 clip missing" in said.out
    assert "Music_Mood_Recognition_MTJ-Jamendo" in said.out


def test_a_large_release_is_planned_in_little_time(make_release):
    """A sanity bound, far above the measured time; the figure itself is the benchmark's."""
    data = make_release(1)
    path = data / "Foundation/Foundation_meta.json"
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([row | {"uniq_id": f"{row['uniq_id']}-{k}"} for k in range(1000) for row in rows]))
    started = time.process_time()
    assert len(load(data)) == 25_000
    assert time.process_time() - started < 10
