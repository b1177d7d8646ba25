"""The released layout of AIR-Bench chat, oddities included."""

import json
import time
from collections import Counter

import pytest

from audiometry import bench
from audiometry.errors import BenchmarkError, UsageError
from audiometry.files import jsonl
from audiometry.records import ReplyRecord

ID = "airbench/chat"
BROKEN = ("SNG1312_85.3_109.69.wav", "MUL0182_261.98_275.05.wav", "MUL1565_217.36_227.21.wav")
SPOKENWOZ = "speech_dialogue_QA_spokenwoz"


def load(data):
    return bench.load(ID, data=data)


def count_of(loaded, folder):
    return next(c for c in loaded.counts if c.folder == folder)


def with_broken_dialogues(make_chat, content):
    """A release whose dialogues from SpokenWOZ are the three files that are broken in the published one."""

    def rename(rows):
        for row, name in zip([r for r in rows if r["dataset_name"] == "spokenwoz"], BROKEN, strict=True):
            row["path"] = name

    data = make_chat(3, change=rename)
    for name in BROKEN:
        (data / "Chat" / SPOKENWOZ / name).write_bytes(content)
    return data


def test_eight_tasks_in_ten_folders_come_in_the_papers_order(make_chat):
    loaded = load(make_chat())
    assert len(loaded) == 20
    assert len(loaded.counts) == 10
    assert len(loaded.tasks()) == 8
    tasks = [loaded.card.task_named(task) for task in loaded.tasks()]
    assert Counter(task.category for task in tasks) == {"speech": 2, "sound": 2, "music": 2, "mixed": 2}
    assert {task.kind for task in tasks} == {"open"}
    assert all((c.rows, c.with_audio, c.kept, c.dropped, c.noted) == (2, 2, 2, {}, {}) for c in loaded.counts)


def test_the_two_tasks_of_a_category_are_one_pool_but_for_mixed_audio(make_chat):
    loaded = load(make_chat())
    pools = {
        task.category: {t.pool for t in loaded.card.task if t.category == task.category} for task in loaded.card.task
    }
    assert pools == {"speech": {"speech"}, "sound": {"sound"}, "music": {"music"}, "mixed": {""}}


def test_an_item_is_a_question_without_options_with_its_description_word_for_word(make_chat):
    data = make_chat()
    row = json.loads((data / "Chat/Chat_meta.json").read_text())[2]
    item = load(data).item("speech_QA_iemocap/2")
    assert (item.task, item.question, item.answer) == ("speech_QA", row["question"], row["answer_gt"])
    assert item.options == ()
    assert item.meta == row["meta_info"]
    assert item.file_name == "speech_QA_iemocap/clip-2.mp3"
    assert item.tags == {"folder": "speech_QA_iemocap", "dataset": "iemocap", "emotion": "neutral", "gender": "male"}


def test_mixed_audio_is_tagged_as_far_as_its_description_tells(make_chat):
    loaded = load(make_chat())
    found = {i.task: (i.tags.get("louder"), i.tags.get("ahead")) for i in loaded if i.task.startswith("speech_and")}
    assert found == {"speech_and_sound_QA": ("speech", "sound"), "speech_and_music_QA": ("music", "speech")}
    assert all("louder" not in i.tags for i in loaded if i.task == "speech_QA")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"Louder": "speech", "parts": ["a", "b"]}, '{"Louder":"speech","parts":["a","b"]}'),
        (["a", " b "], '["a"," b "]'),
        (7, "7"),
        ("not a dict at all", "not a dict at all"),
        ("{'broken': ", "{'broken': "),
        ("{" * 5000, "{" * 5000),
        ("a dialogue, " * 9000, "a dialogue, " * 9000),
    ],
)
def test_a_description_of_another_shape_is_kept(make_chat, given, kept):
    loaded = load(make_chat(change=lambda rows: rows[0].update(meta_info=given)))
    assert len(loaded) == 20
    assert loaded.item("speech_QA_common_voice_en/0").meta == kept
    assert all(not c.noted for c in loaded.counts)


@pytest.mark.parametrize("given", [None, "", "  ", {}, [], ...])
def test_a_row_without_a_description_can_be_asked_and_is_named(make_chat, given):
    def spoil(rows):
        if given is ...:
            rows[0].pop("meta_info")
        else:
            rows[0]["meta_info"] = given

    loaded = load(make_chat(change=spoil))
    assert len(loaded) == 20
    assert loaded.item("speech_QA_common_voice_en/0").meta == ""
    count = loaded.counts[0]
    assert (count.kept, count.noted) == (2, {"without meta_info": 1})
    assert count.named == {"without meta_info": ("clip-0.mp3",)}


@pytest.mark.parametrize("where", ["meta_info", "question", "task_name"])
def test_a_row_that_is_not_text_is_left_out(make_chat, where):
    data = make_chat(change=lambda rows: rows[0].update({where: "@@"}))
    path = data / "Chat/Chat_meta.json"
    path.write_bytes(path.read_bytes().replace(b"@@", b"\xff\xfe"))
    loaded = load(data)
    assert len(loaded) == 19
    (reason,) = [reason for count in loaded.counts for reason in count.dropped]
    assert "utf-8" in reason.lower()


def test_a_description_nested_without_end_is_one_clear_line(make_chat):
    data = make_chat(change=lambda rows: rows[0].update(meta_info="@@"))
    path = data / "Chat/Chat_meta.json"
    path.write_text(path.read_text().replace('"@@"', "[" * 100_000 + "]" * 100_000))
    with pytest.raises(BenchmarkError, match=r"nested too deeply; download it again"):
        load(data)


def test_a_description_costs_no_more_than_its_length(make_chat):
    """A text made to be slow to look through; measured: a quarter of a second."""
    loaded = make_chat(change=lambda rows: rows[-1].update(meta_info='"\\' * 90_000))
    started = time.process_time()
    assert len(load(loaded)) == 20
    assert time.process_time() - started < 5


SPOILED = {
    "a clip that is not there": (lambda row: row.update(path="gone.wav"), "clip missing"),
    "a path out of the folder": (lambda row: row.update(path="../../x.wav"), "clip missing"),
    "a row without a question": (lambda row: row.pop("question"), "'question' is missing"),
    "a row with an empty question": (lambda row: row.update(question=" "), "has no question"),
    "a row without a reference": (lambda row: row.pop("answer_gt"), "'answer_gt' is missing"),
    "a row with an empty reference": (lambda row: row.update(answer_gt=" "), "no reference answer"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_row_is_left_out_and_counted_with_its_reason(make_chat, name):
    spoil, reason = SPOILED[name]
    loaded = load(make_chat(change=lambda rows: spoil(rows[0])))
    assert len(loaded) == 19
    (found,) = [c for c in loaded.counts if c.dropped]
    assert found.folder == "speech_QA_common_voice_en"
    assert [(reason in r, n) for r, n in found.dropped.items()] == [(True, 1)]
    assert sum(c.rows for c in loaded.counts) == 20


def test_an_unknown_task_is_counted_under_its_own_folder_with_the_nearest_name(make_chat):
    loaded = load(make_chat(change=lambda rows: rows[0].update(task_name="speech_qa")))
    (reason,) = count_of(loaded, "speech_qa_common_voice_en").dropped
    assert "did you mean 'speech_QA'" in reason


def test_questions_on_one_file_of_a_data_set_are_one_group(make_chat):
    def same(rows):
        for row in rows:
            if row["dataset_name"] == "clotho":
                row["path"] = "rain.wav"

    data = make_chat(change=same)
    for folder in ("sound_QA_clotho", "sound_generation_QA_clotho"):
        first = next((data / "Chat" / folder).glob("*.wav"))
        first.rename(first.with_name("rain.wav"))
    loaded = load(data)
    assert len({item.cluster for item in loaded if item.tags["dataset"] == "clotho"}) == 1
    assert len({item.cluster for item in loaded}) == 17


def test_empty_dialogues_are_counted_and_named(make_chat, cli):
    data = with_broken_dialogues(make_chat, b"")
    count = count_of(load(data), SPOKENWOZ)
    assert (count.rows, count.with_audio, count.kept, count.dropped) == (3, 0, 0, {"clip empty": 3})
    assert count.named == {"clip empty": BROKEN}
    said = cli("check", ID, "--data", data, "--headers")
    assert all(name in " ".join(said.out.split()) for name in BROKEN)


def test_corrupt_dialogues_are_named_by_the_check_and_by_the_run(make_chat, cli, tmp_path):
    data = with_broken_dialogues(make_chat, b"nonsense" * 99)
    said = cli("check", ID, "--data", data, "--headers", "--json")
    assert said.code == 1
    errors = {(f["code"], f["where"]) for f in said.json["findings"] if f["severity"] == "error"}
    assert errors == {("not-audio", f"{SPOKENWOZ}/{name}") for name in BROKEN}
    said = cli("run", ID, "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 1
    failed = [r for r in jsonl.read(tmp_path / "r/replies.jsonl", ReplyRecord) if r.error]
    assert len(failed) == 3
    assert all(any(name in r.error.message for r in failed) for name in BROKEN)


def test_a_dialogue_that_stops_early_fails_and_is_named(make_chat, cli, tmp_path):
    data = make_chat()
    path = data / "Chat" / SPOKENWOZ / "clip-7.wav"
    path.write_bytes(path.read_bytes()[:20])
    cli("run", ID, "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r")
    (failed,) = [r for r in jsonl.read(tmp_path / "r/replies.jsonl", ReplyRecord) if r.error]
    assert "clip-7.wav" in failed.error.message


def test_a_model_is_asked_the_bare_question(make_chat, cli, tmp_path, chat_server):
    server = chat_server()
    said = cli(
        *("run", ID, "--data", make_chat(1), "--model", "openai/m", "--base-url", server.url, "--no-probe"),
        *("-o", tmp_path / "r"),
    )
    assert said.code == 0
    texts = {line["text"] for line in server.log() if "text" in line}
    assert texts == {f"What is to be heard in clip {n}?" for n in range(10)}


def test_the_oracle_gives_the_reference_answers(make_chat, cli, tmp_path):
    data = make_chat()
    assert cli("run", ID, "--data", data, "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    said = {r.item: r.text for r in jsonl.read(tmp_path / "r/replies.jsonl", ReplyRecord)}
    assert said == {item.id: item.answer for item in load(data)}


def test_without_data_it_says_where_to_get_them():
    with pytest.raises(UsageError, match="the folder that holds Chat/"):
        load(None)


def test_wrong_folders_say_what_was_expected(make_release, tmp_path):
    with pytest.raises(BenchmarkError, match=r"holds neither Chat/ nor Chat_meta\.json"):
        load(make_release(1))
    (tmp_path / "Chat").mkdir()
    with pytest.raises(BenchmarkError, match=r"Chat has no Chat_meta\.json"):
        load(tmp_path)


def test_a_parquet_copy_of_chat_is_the_same_benchmark(make_chat, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    data = make_chat(change=lambda rows: rows[0].update(meta_info=None))
    rows = json.loads((data / "Chat/Chat_meta.json").read_text())
    for row in rows:
        path = data / "Chat" / f"{row['task_name']}_{row['dataset_name']}" / row["path"]
        row["audio"] = {"bytes": path.read_bytes(), "path": row["path"]}
    (tmp_path / "Chat").mkdir()
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "Chat/speech-00000.parquet")
    ours, theirs = load(data), load(tmp_path)
    key = [(i.task, i.question, i.answer, i.meta) for i in ours]
    assert [(i.task, i.question, i.answer, i.meta) for i in theirs] == key
    assert {c.folder: c.kept for c in theirs.counts} == {c.folder: c.kept for c in ours.counts}
    assert [i.tags.get("louder") for i in theirs] == [i.tags.get("louder") for i in ours]
    assert theirs.counts[0].noted == {"without meta_info": 1}
    assert theirs.card.task == ours.card.task


def test_it_is_listed_with_its_tasks_though_its_data_are_elsewhere(cli):
    listed = cli("list", "benchmarks", "--json").json
    (about,) = [row["about"] for row in listed if row["name"] == ID]
    assert about.startswith("published data, needs --data DIR; 8 tasks")
    tasks = cli("list", "tasks", ID, "--json").json
    assert [row["name"] for row in tasks][:2] == ["speech_QA", "speech_dialogue_QA"]
    assert tasks[-1]["about"].startswith("mixed, open. ")


def test_a_check_without_data_says_where_to_get_them(cli):
    said = cli("check", ID)
    assert said.code == 2
    assert "the folder that holds Chat/" in said.err


def test_names_that_look_like_markup_or_steer_a_terminal_are_printed_as_they_are(make_chat, cli):
    def spoil(rows):
        rows[0]["path"] = "[/bold]\x1b[31mred.wav"
        rows[2]["task_name"] = "[link]"

    said = cli("check", ID, "--data", make_chat(change=spoil), "--headers")
    assert said.code == 1  # both rows are left out
    assert "\x1b" not in said.out
    assert "[/bold]" in said.out
    assert "[link]_iemocap" in said.out
