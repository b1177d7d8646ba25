"""MuChoMusic and RUL-MuChoMusic: the released files, clips by every habit of naming, and what is wrong with them."""

import csv
import json
import os
import subprocess

import pytest
from msgspec.structs import replace

from audiometry import bench
from audiometry.bench import music_tracks
from audiometry.bench.registry import SHIPPED
from audiometry.errors import BenchmarkError, UsageError
from audiometry.files.benchmark_folder import read_card_file

HABITS = [
    ("musiccaps/audio/[{video}]-[{start}-{end}].wav", "sdd/audio/{two}/{track}.2min.mp3"),
    ("musiccaps/audio/{video}_{start}.wav", "sdd/audio/{two}/{track}.2min.mp3"),
    ("musiccaps/{video}_{start}.flac", "sdd/{track}.2min.mp3"),
    ("data/musiccaps/audio/[{video}]-[{start}-{end}].mp3", "data/sdd/audio/{two}/{track}.2min.mp3"),
    ("{video}_{start}.wav", "{track}.2min.wav"),
]


def loaded(folder, name="muchomusic"):
    return bench.load(name, folder)


@pytest.mark.parametrize(("cut", "sdd"), HABITS)
def test_clips_are_found_by_either_habit_in_any_folder_and_with_any_ending(music, tmp_path, cut, sdd):
    told = music.rows()
    found = loaded(music.write(tmp_path, told, cut=cut, sdd=sdd))
    assert [item.file_name for item in found] == [music.clip_name(row, cut, sdd) for row in told]
    assert found.found == "4 of 4 tracks were found (musiccaps 2 of 2, sdd 2 of 2)"


def test_an_item_is_what_its_row_says(music, tmp_path):
    told = music.rows()
    found = loaded(music.write(tmp_path, told))
    assert [item.id for item in found] == [row["question_id"] for row in told]
    kinds = {
        "distractor_1_answer": "IR",
        "distractor_2_answer": "CU",
        "distractor_3_answer": "IU",
        "correct_answer": "",
    }
    for item, row in zip(found, told, strict=True):
        assert (item.task, item.question, item.answer) == ("music_QA", row["question"], row["correct_answer"])
        assert dict(zip(item.options, item.kinds, strict=True)) == {row[name]: kind for name, kind in kinds.items()}
    assert [item.cluster for item in found][::2] == [item.cluster for item in found][1::2]
    assert len({item.cluster for item in found}) == 4
    fourth = found.items.at(3)
    assert fourth.tags == {
        "genre": "Classical",
        "folder": "sdd",
        "reasoning": ["functional context", "lyrics"],
    }


def test_the_right_option_is_not_kept_under_one_letter(music, tmp_path):
    told = music.rows(200)
    places = [item.options.index(item.answer) for item in loaded(music.write(tmp_path, told))]
    assert all(35 < places.count(place) < 65 for place in range(4))


def test_questions_whose_track_is_not_there_are_left_out_named_and_counted(music, tmp_path):
    told = music.rows(16)
    folder = music.write(tmp_path, told)
    for row in told[8:]:
        (folder / music.clip_name(row)).unlink(missing_ok=True)
    (folder / music.clip_name(told[0])).write_bytes(b"")
    found = loaded(folder)
    assert len(found) == 6
    assert found.n_left_out == 10
    assert found.found == "3 of 8 tracks were found (musiccaps 1 of 4, sdd 2 of 4)"
    assert {count.folder: (count.rows, count.kept) for count in found.counts} == {"musiccaps": (8, 2), "sdd": (8, 4)}
    assert "musiccaps/audio/[v_4-x]-[34-44].wav', which is not there" in str(found.problems[2])
    assert found.said_of_published().startswith("6 of 1,187 published items; 3 of 8 tracks were found")


def test_the_table_of_the_song_describer_dataset_names_clips_that_ids_do_not(music, tmp_path):
    told = music.rows(4)
    folder = music.write(tmp_path, told, sdd="sdd/audio/77/other-{track}.2min.mp3")
    (folder / "sdd/song_describer.csv").write_text("track_id,path\n415601,77/other-415601.mp3\n")
    assert [item.file_name for item in loaded(folder)][2] == "sdd/audio/77/other-415601.2min.mp3"


def test_a_table_without_ids_has_those_of_its_rows(music, tmp_path):
    told = [{name: cell for name, cell in row.items() if name != "question_id"} for row in music.rows(4)]
    assert [item.id for item in loaded(music.write(tmp_path, told))] == ["00001", "00002", "00003", "00004"]


def test_data_may_be_the_table_itself(music, tmp_path):
    assert len(loaded(music.write(tmp_path, music.rows()) / "muchomusic.csv")) == 8


@pytest.mark.parametrize("more", [{}, {"kinds": '["IR", ""]'}])
def test_a_copy_of_ones_own_may_have_columns_of_plain_names(music, tmp_path, more):
    told = {"audio": "x.wav", "question": "Who?", "options": '["a kazoo", "a fiddle"]', "answer": "a fiddle"} | more
    music.write_clip(tmp_path / "x.wav", 1)
    with (tmp_path / "metadata.csv").open("w", newline="") as file:
        csv.writer(file).writerows([told, told.values()])
    (item,) = loaded(tmp_path)
    kinds = {"a kazoo": "IR", "a fiddle": ""}
    assert dict(zip(item.options, item.kinds or ("", ""), strict=True)) == (kinds if more else dict.fromkeys(kinds, ""))


def test_a_name_of_a_kind_that_no_option_is_of_is_named(music, tmp_path):
    music.write_clip(tmp_path / "x.wav", 1)
    one = {
        "file_name": "x.wav",
        "id": "1",
        "question": "Who?",
        "options": ["a", "b"],
        "kinds": ["of", ""],
        "answer": "b",
    }
    (tmp_path / "rows.json").write_text(json.dumps([one]))
    card = '[benchmark]\nname = "own"\n[data]\nsource = "json"\npath = "rows.json"\n'
    card += '[data.columns]\nkinds = "kinds"\naudio = "file_name"\ntask = ""\n'
    (tmp_path / "own.toml").write_text(card + '[distractors]\noff = "off the wall"\n')
    (note,) = bench.load(tmp_path / "own.toml").notes
    assert "no option is of the kind 'off' of [distractors]; did you mean 'of'" in note


def test_a_copy_whose_table_has_the_released_columns_keeps_the_kinds(music, tmp_path):
    told = [{**row, "audio": music.clip_name(row)} for row in music.rows()]
    folder = music.write(tmp_path, told)
    (folder / "muchomusic.csv").rename(folder / "metadata.csv")
    found = loaded(folder)
    assert [sorted(item.kinds) for item in found] == [["", "CU", "IR", "IU"]] * 8
    assert found.items.at(1).tags["reasoning"] == ["lyrics"]


def test_the_folder_may_be_that_of_the_released_code(music, tmp_path):
    music.write(tmp_path / "data", music.rows())
    found = loaded(tmp_path)
    assert len(found) == 8
    assert next(iter(found)).file_name.startswith("data/musiccaps/audio/")


def test_folders_of_clips_may_be_links_even_round_in_a_ring(music, tmp_path):
    folder = music.write(tmp_path / "questions", music.rows(), clips=False)
    music.write(tmp_path / "elsewhere", music.rows())
    (folder / "clips").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "round").symlink_to(tmp_path / "elsewhere")
    assert len(loaded(folder)) == 8
    assert len(list(music_tracks._files(folder))) == 2 + 4  # each once: the table twice, and the clips


def test_a_file_that_holds_no_clip_hides_none(music, tmp_path):
    folder = music.write(tmp_path, music.rows())
    (folder / "AAA").mkdir()
    for name in ("415601.2min.wav", "v_0-x_30.wav"):
        (folder / "AAA" / name).write_bytes(b"")
    (folder / "AAA" / "415603.2min.wav").symlink_to("nowhere")
    os.mkfifo(folder / "AAA" / "v_2-x_32.wav")
    assert loaded(folder).found.startswith("4 of 4 tracks were found")


def test_clips_under_names_that_nobody_looks_for_are_counted_where_tracks_are_missing(music, tmp_path):
    folder = music.write(tmp_path, music.rows(), cut="Musiccaps/{video}.wav")
    (note,) = loaded(folder).notes
    assert note.startswith("2 clips there that no question names; they are looked for as <track>.2min, [<video>]-")
    for clip in folder.glob("Musiccaps/*"):
        clip.unlink()
    assert not loaded(folder).notes


def test_messages_name_the_released_table_and_not_the_card_in_the_package(music, spoilt, tmp_path):
    told = [{name: cell for name, cell in row.items() if name != "distractor_2_answer"} for row in music.rows()]
    folder = music.write(tmp_path, told)
    said = r"muchomusic.csv: there is no column 'distractor_2_answer'; put the file there as it was released at https"
    with pytest.raises(BenchmarkError, match=said) as caught:
        loaded(folder)
    assert "[data.columns]" not in str(caught.value)
    (problem,) = loaded(spoilt(tmp_path / "b", correct_answer="")).problems
    assert "item 5 has no answer; give the text of the right option" in str(problem)


def test_names_that_are_no_text_are_passed_over_and_counted(music, tmp_path):
    folder = music.write(tmp_path, music.rows())
    moved = folder / "sdd" / "audio" / os.fsdecode(b"\xff\xfe")
    moved.mkdir()
    (folder / "sdd/audio/01/415601.2min.mp3").rename(moved / "415601.2min.mp3")
    found = loaded(folder)
    assert "1 clip passed over, whose names are not UTF-8 text; rename them" in found.notes
    assert found.found.startswith("3 of 4 tracks were found")


def test_a_table_of_paths_that_is_none_stops_nothing(music, tmp_path):
    folder = music.write(tmp_path, music.rows())
    (folder / "a").mkdir()
    os.mkfifo(folder / "a" / "song_describer.csv")
    (folder / "song_describer.csv").write_bytes(b"track_id,track_id\n1,\xff\n")
    found = loaded(folder)
    assert (len(found), found.notes) == (8, ())
    (folder / "sdd/audio/01/415601.2min.mp3").unlink()
    (note,) = loaded(folder).notes
    assert "song_describer.csv" in note
    assert note.endswith("no clip is looked for by it")


def test_a_start_of_thousands_of_digits_is_a_name_like_another(music, tmp_path):
    folder = music.write(tmp_path, music.rows())
    table = folder / "muchomusic.csv"
    table.write_text(table.read_text().replace("v_0-x_30", "v_0-x_" + "9" * 5000))
    assert "names the clip 'musiccaps/v_0-x_999" in str(loaded(folder).problems[0])


def test_folders_may_be_deeper_than_a_path_and_linked_to_one_another(music, tmp_path):
    folder = music.write(tmp_path / "data", music.rows())
    links = folder / "links"
    for one in range(30):
        (links / str(one)).mkdir(parents=True)
        for other in range(30):
            (links / str(one) / f"to{other}").symlink_to(links / str(other))
    deep = os.open(folder, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("aa", dir_fd=deep)
        deeper = os.open("aa", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    os.close(deep)
    try:
        assert loaded(folder).found.startswith("4 of 4 tracks were found")
    finally:
        subprocess.run(["rm", "-rf", folder / "aa"], check=True)


def test_rul_whose_captions_were_taken_out_is_asked(music, tmp_path):
    told = music.rows()
    folder = music.write_rul(music.write(tmp_path, told), told)
    entries = json.loads((folder / "RUL-MuchoMusic.json").read_text())
    bare = {key: {name: cell for name, cell in one.items() if name != "caption"} for key, one in entries.items()}
    (folder / "RUL-MuchoMusic.json").write_text(json.dumps(bare))
    assert len(loaded(folder, "rul-muchomusic")) == 8


def test_of_clips_in_several_forms_the_first_ending_is_taken(music, tmp_path):
    folder = music.write(tmp_path, music.rows(2), cut="b/{video}_{start}.mp3")
    for name in ("a/v_0-x_30.flac", "c/v_0-x_30.wav", "d/v_0-x_30.wav"):
        music.write_clip(folder / name, 1)
    assert next(iter(loaded(folder))).file_name == "c/v_0-x_30.wav"


def test_more_items_than_were_published_are_called_so(music, tmp_path):
    found = loaded(music.write(tmp_path, music.rows()))
    found.card = replace(found.card, benchmark=replace(found.card.benchmark, size=5))
    assert found.said_of_published().startswith("8 items, more than the 5 published; 4 of 4 tracks")


def test_without_the_questions_one_line_says_where_they_are(tmp_path):
    with pytest.raises(BenchmarkError, match=r"has no muchomusic.csv; put it there, it is at https://doi.org/10.5281"):
        loaded(tmp_path)
    with pytest.raises(UsageError, match=r"muchomusic does not come with audiometry; give its data with --data FOLDER"):
        loaded(None)


@pytest.fixture
def spoilt(music):
    """Write the table with cells of its second row changed."""

    def write(folder, **cells):
        told = music.rows()
        told[1] |= cells
        return music.write(folder, told)

    return write


def test_a_table_in_another_encoding_is_refused_in_one_line(spoilt, tmp_path):
    folder = spoilt(tmp_path, question="Wer spielt die Flöte?")
    text = (folder / "muchomusic.csv").read_text(encoding="utf-8")
    for encoding, said in (("latin-1", "UTF-8"), ("utf-16", "UTF-16")):
        (folder / "muchomusic.csv").write_bytes(text.encode(encoding))
        with pytest.raises(BenchmarkError, match=said) as caught:
            loaded(folder)
        assert "muchomusic.csv" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_knowledge_and_reasoning_in_each_others_place_are_refused_in_one_line(music, tmp_path):
    told = [
        row | {"music_knowledge": row["music_reasoning"], "music_reasoning": row["music_knowledge"]}
        for row in music.rows()
    ]
    with pytest.raises(BenchmarkError, match="the columns music_knowledge and music_reasoning are swapped"):
        loaded(music.write(tmp_path, told))


def test_columns_that_hold_no_lists_are_named_and_their_questions_asked(spoilt, tmp_path):
    found = loaded(spoilt(tmp_path, music_knowledge="melody, harmony"))
    assert len(found) == 8
    (note,) = found.notes
    assert "music_knowledge holds no list in 1 row (first: muchomusic.csv, line 3, 'melody, harmony')" in note


def test_unknown_dimensions_are_counted_named_once_and_not_used(spoilt, tmp_path):
    found = loaded(spoilt(tmp_path, music_knowledge="['tempo', 'melody']"))
    assert found.items.at(1).tags["knowledge"] == ["melody"]
    (note,) = found.notes
    assert "1 unknown dimension in music_knowledge ('tempo' of 1 item); not used" in note


@pytest.mark.parametrize("other", ["correct_answer", "distractor_2_answer"])
def test_a_distractor_that_is_another_option_leaves_the_question_out(music, spoilt, tmp_path, other):
    found = loaded(spoilt(tmp_path, distractor_1_answer=music.rows()[1][other]))
    assert (len(found), found.n_left_out) == (7, 1)
    assert f"item 5 has the option '{music.rows()[1][other]}' twice; change one" in str(found.problems[0])


def test_a_question_with_an_option_less_is_asked_and_named(spoilt, tmp_path):
    found = loaded(spoilt(tmp_path, distractor_2_answer=" "))
    assert (len(found), found.items.at(1).kinds.count("CU")) == (8, 0)
    (note,) = found.notes
    assert "1 item with fewer options than the 4 kinds there are (item 5 is asked with 3)" in note


def test_a_data_set_nobody_knows_is_looked_for_by_its_name(music, spoilt, tmp_path):
    folder = spoilt(tmp_path, dataset="jamendo", dataset_identifier="77")
    assert "names the clip 'jamendo/77', which is not there" in str(loaded(folder).problems[0])
    music.write_clip(folder / "x/77.flac", 1)
    found = loaded(folder)
    assert found.items.at(1).file_name == "x/77.flac"
    assert "jamendo 1 of 1" in found.found


def test_parquet_copies_are_read_by_their_own_card(music, tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
    from pyarrow import parquet

    monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "cache"))
    music.write_clip(tmp_path / "clip.wav", 1)
    raw = (tmp_path / "clip.wav").read_bytes()
    told = [
        {
            "context": {"bytes": raw, "path": f"{n}.wav"},
            "instruction": f"Which instrument leads, {n}?",
            "choices": "(A) A fiddle\n(B) A kazoo, (plan B)\n(C) It is slow\n(D) A speech",
            "answer": "(B) A kazoo, (plan B)",
        }
        for n in range(3)
    ]
    (tmp_path / "copy" / "data").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(told), tmp_path / "copy" / "data" / "test-00000-of-00001.parquet")
    found = loaded(tmp_path / "copy")
    first = next(iter(found))
    assert (len(found), found.name, found.card.benchmark.version) == (3, "muchomusic", "2024-07-parquet")
    assert (first.options, first.answer) == (
        ("A fiddle", "A kazoo, (plan B)", "It is slow", "A speech"),
        "A kazoo, (plan B)",
    )
    assert found.clip_path(first.file_name).read_bytes() == raw
    released = read_card_file(SHIPPED / "cards" / "muchomusic.toml")
    assert (found.card.asked, found.card.example) == (released.asked, released.example)


def test_rul_has_five_options_an_index_and_the_tracks_of_the_table(music, tmp_path):
    told = music.rows()
    found = loaded(music.write_rul(music.write(tmp_path, told), told), "rul-muchomusic")
    assert [item.id for item in found] == [row["question_id"] for row in told]
    assert [item.file_name for item in found] == [music.clip_name(row) for row in told]
    assert all(len(item.options) == 5 and item.kinds == () for item in found)
    assert {item.options.index(item.answer) for item in found} != {0}
    about = {"genre": "Folk", "knowledge": ["instrumentation", "sound texture"], "reasoning": ["genre and style"]}
    assert found.items.at(2).tags == {"perceptual-index": 0.02, "folder": "sdd"} | about
    assert found.found.startswith("4 of 4 tracks were found")


def test_rul_needs_no_dimensions_in_the_table_of_tracks(music, tmp_path):
    lacking = ("genre", "music_knowledge", "music_reasoning")
    told = [{name: cell for name, cell in row.items() if name not in lacking} for row in music.rows()]
    found = loaded(music.write_rul(music.write(tmp_path, told), told), "rul-muchomusic")
    assert [set(item.tags) - {"genre"} for item in found] == [{"perceptual-index", "folder"}] * 8


def test_no_caption_is_in_any_item_of_rul(music, tmp_path):
    told = music.rows()
    for item in loaded(music.write_rul(music.write(tmp_path, told), told), "rul-muchomusic"):
        assert "sentinel" not in repr(item).lower()


@pytest.mark.parametrize("where", ["question", "distractors"])
def test_a_caption_that_leaked_into_what_is_asked_is_caught(music, tmp_path, where):
    told = music.rows()
    folder = music.write_rul(music.write(tmp_path, told), told)
    entries = json.loads((folder / "RUL-MuchoMusic.json").read_text())
    one = entries["5"]
    leak = one["caption"].upper().replace(" ", "  ")
    one[where] = f"{one['question']} ({leak})" if where == "question" else [leak, *one["distractors"][1:]]
    (folder / "RUL-MuchoMusic.json").write_text(json.dumps(entries))
    found = loaded(folder, "rul-muchomusic")
    assert [problem.item for problem in found.problems] == ["5"]
    assert "has a question or an option that holds its 'caption', which is private; take it out" in str(
        found.problems[0]
    )
    assert "sentinel" not in str(found.problems[0]).lower()


def sentinels(server):
    """How many prompts there were, and how many of them hold a part of a caption."""
    texts = [line["text"] for line in server.log() if "text" in line]
    return len(texts), sum("sentinel" in text.lower() or "plays in the dusk" in text for text in texts)


def test_no_caption_is_in_any_prompt_of_rul_and_one_that_is_would_be_counted(music, tmp_path, cli, chat_server):
    told = music.rows()
    data = music.write_rul(music.write(tmp_path / "data", told), told)
    server = chat_server(answer="A")
    how = ("--no-probe", "--model", "openai/mock", "--base-url", server.url, "--data", data)
    ways = ("--orders", 3, *(word for name in ("noise", "other-clip", "text-only") for word in ("--variant", name)))
    assert cli("run", "rul-muchomusic", *how, *ways, "-o", tmp_path / "run")[0] == 0
    assert sentinels(server) == (8 * 6, 0)
    leaking = (SHIPPED / "cards" / "rul-muchomusic.toml").read_text().replace('private = ["caption"]', "")
    (tmp_path / "leaking.toml").write_text(leaking.replace("[data.columns]", '[data.columns]\nquestion = "caption"'))
    assert cli("run", tmp_path / "leaking.toml", *how, "-o", tmp_path / "leaked")[0] == 0
    assert sentinels(server) == (8 * 7, 8)


def test_a_private_column_is_named_as_nothing_else(music, tmp_path):
    card = (SHIPPED / "cards" / "rul-muchomusic.toml").read_text()
    slips = {"[data.columns]": ('meta = "caption"', 'question = "caption"'), "lists = [": ('"caption",',)}
    for where, more in ((where, more) for where, each in slips.items() for more in each):
        (tmp_path / "own.toml").write_text(card.replace(where, f"{where}\n{more}"))
        with pytest.raises(BenchmarkError, match="names 'caption' as private and as something else; leave one out"):
            loaded(music.write(tmp_path / "data", music.rows()), tmp_path / "own.toml")


def test_with_half_of_the_tracks_gone_the_other_half_is_asked_and_scored(music, tmp_path, cli):
    told = music.rows(16)
    data = music.write(tmp_path / "data", told)
    for row in told[:8:2]:
        (data / music.clip_name(row)).unlink()
    how = ("--data", data, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run")
    code, _, err = cli("run", "muchomusic", *how)
    assert code == 0
    said = " ".join(err.split())
    assert "8 of 1,187 published items; 4 of 8 tracks were found" in said
    assert said.count("8 of 16 rows are left out") == 1
    page = tmp_path / "page.html"
    assert cli("report", tmp_path / "run", "-o", page)[0] == 0
    text = page.read_text()
    assert "8 rows left out; 8 of 1,187 published items; 4 of 8 tracks were found" in text.split('id="tasks"')[0]
    assert "Rows left out: 8 whose clip is not there" in text
    scores = json.loads(cli("score", tmp_path / "run", "--json")[1])
    row = scores["scores"]["strict"]
    assert (row["n_items"], row["value"], row["n_clusters"]) == (8, 1, 4)
    assert cli("run", "muchomusic", *how[:-1], tmp_path / "strict", "--strict")[0] == 2


def test_clips_of_a_tenth_of_a_second_are_asked_and_check_says_so_in_a_line(music, tmp_path, cli):
    data = music.write(tmp_path / "data", music.rows(2), cut="{video}_{start}.wav")
    code, out, _ = cli("check", "muchomusic", "--data", data, "--json")
    (short,) = [one for one in json.loads(out)["findings"] if one["code"] == "short"]
    assert (code, short["severity"]) == (0, "warning")
    assert "very short: 100.0 ms" in short["what"]
    how = ("--data", data, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run")
    assert cli("run", "muchomusic", *how)[0] == 0


def test_rul_without_the_table_of_tracks_says_what_is_missing(music, tmp_path):
    music.write_rul(tmp_path, music.rows())
    with pytest.raises(BenchmarkError, match=r"does not say which clips it asks about; put muchomusic.csv beside it"):
        loaded(tmp_path, "rul-muchomusic")


def test_rul_finds_tracks_by_the_words_of_a_question_and_clips_by_its_id(music, tmp_path):
    told = music.rows(4)
    bare = [{name: cell for name, cell in row.items() if name != "question_id"} for row in told]
    folder = music.write_rul(music.write(tmp_path, bare, clips=False), told)
    for row in told[:2]:
        music.write_clip(folder / f"{row['question_id']}.wav", 1)
    music.write_clip(folder / music.clip_name(told[2]), 2)
    names = [item.file_name for item in loaded(folder, "rul-muchomusic")]
    assert names == ["2.wav", "5.wav", *[music.clip_name(told[2])] * 2]


def test_rul_finds_tracks_by_the_id_where_the_words_differ(music, tmp_path):
    told = music.rows(4)
    folder = music.write_rul(music.write(tmp_path, told), [row | {"question": "Put another way?"} for row in told])
    assert [item.file_name for item in loaded(folder, "rul-muchomusic")] == [music.clip_name(row) for row in told]


def test_rul_finds_tracks_by_the_id_where_a_question_is_asked_of_several(music, tmp_path):
    told = [row | {"question": "Which genre is it?", "correct_answer": "Rock"} for row in music.rows(6)]
    folder = music.write_rul(music.write(tmp_path, told), told)
    assert [item.file_name for item in loaded(folder, "rul-muchomusic")] == [music.clip_name(row) for row in told]
    music.write(tmp_path, [{name: cell for name, cell in row.items() if name != "question_id"} for row in told])
    with pytest.raises(BenchmarkError, match="6 of 6 rows are left out"):  # words that several tracks share tell none
        len(loaded(folder, "rul-muchomusic").items)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("question", {"caption": "Sentinel"}),
        ("question", ["Sentinel"]),
        ("distractors", [{"text": "x", "caption": "Sentinel"}, "b", "c", "d"]),
        ("distractors", {"caption": "Sentinel"}),
    ],
)
def test_an_object_where_a_text_has_to_be_is_left_out_and_not_asked(music, tmp_path, name, value):
    told = music.rows()
    folder = music.write_rul(music.write(tmp_path, told), told)
    entries = json.loads((folder / "RUL-MuchoMusic.json").read_text())
    entries["5"][name] = value
    (folder / "RUL-MuchoMusic.json").write_text(json.dumps(entries))
    found = loaded(folder, "rul-muchomusic")
    (problem,) = found.problems
    assert (problem.item, len(found)) == ("5", 7)
    assert f"has an object or a list where its '{name}' has to be text" in str(problem)


def test_a_caption_that_is_a_list_of_texts_is_private_too(music, tmp_path):
    told = music.rows()
    folder = music.write_rul(music.write(tmp_path, told), told)
    entries = json.loads((folder / "RUL-MuchoMusic.json").read_text())
    entries["5"] |= {"caption": ["short", entries["5"]["caption"]], "question": entries["5"]["caption"]}
    (folder / "RUL-MuchoMusic.json").write_text(json.dumps(entries))
    assert [problem.item for problem in loaded(folder, "rul-muchomusic").problems] == ["5"]


def test_questions_that_the_table_does_not_know_are_counted_and_are_no_one_track(music, tmp_path):
    told = music.rows(4)
    strange = [row | {"question_id": f"9{row['question_id']}", "question": "Put another way?"} for row in told]
    folder = music.write_rul(music.write(tmp_path, told, clips=False), strange)
    for number, row in enumerate(strange):
        music.write_clip(folder / f"{row['question_id']}.wav", number)
    found = loaded(folder, "rul-muchomusic")
    assert len({item.cluster for item in found}) == 4
    assert found.found == "4 of 4 tracks were found (unnamed 4 of 4)"
    (note,) = found.notes
    assert note.startswith(
        "RUL-MuchoMusic.json: 4 questions without a track in muchomusic.csv; clips are looked for by"
    )


@pytest.mark.parametrize("path", ["../elsewhere.csv", "/etc/passwd", ""])
def test_a_card_of_this_layout_reads_nothing_outside_its_folder(music, tmp_path, path):
    card = (SHIPPED / "cards" / "muchomusic.toml").read_text().replace('path = "muchomusic.csv"', f'path = "{path}"')
    (tmp_path / "own.toml").write_text(card)
    music.write(tmp_path / "data", music.rows())
    with pytest.raises(BenchmarkError, match="is not a path below the card; correct it"):
        loaded(tmp_path / "data", tmp_path / "own.toml")


def test_rul_that_is_no_object_of_objects_is_refused_in_one_line(music, tmp_path):
    folder = music.write(tmp_path, music.rows())
    (folder / "RUL-MuchoMusic.json").write_text("[1, 2]")
    with pytest.raises(BenchmarkError, match=r"RUL-MuchoMusic.json.*one JSON object of objects is needed"):
        loaded(folder, "rul-muchomusic")


@pytest.mark.parametrize("name", ["muchomusic", "rul-muchomusic", "mmau", "mmar", "dcase-adqa"])
def test_each_card_says_what_it_is_and_what_is_known_to_be_wrong(name):
    info = read_card_file(SHIPPED / "cards" / f"{name}.toml").benchmark
    assert (info.name, bool(info.known), bool(info.citation), bool(info.homepage)) == (name, True, True, True)
    assert info.size > 900


def test_known_defects_are_said_by_list_and_check(music, tmp_path, cli):
    told = music.rows()
    data = ("--data", music.write(tmp_path, told))
    for command in (("list", "tasks", "muchomusic"), ("check", "muchomusic", *data)):
        code, out, _ = cli(*command)
        assert code == 0
        assert "Known defect: No audio is distributed" in " ".join(out.split())
    assert "8 of 1,187 published items; 4 of 4 tracks were found" in cli("list", "tasks", "muchomusic", *data)[1]
    [row] = json.loads(cli("list", "tasks", "muchomusic", *data, "--json")[1])
    assert (row["items"], row["published"], len(row["known"])) == (8, 1187, 5)
    assert len(json.loads(cli("list", "tasks", "mmau", "--json")[1])) == 3
    assert cli("list", "tasks", "mmau")[1].count("Modified question") == 1


def test_a_run_says_how_many_tracks_were_found_and_its_report_what_is_known(music, tmp_path, cli):
    told = music.rows()
    data = music.write(tmp_path / "data", told)
    (data / music.clip_name(told[0])).unlink()
    args = ("--data", data, "--model", "scripted/oracle", "--no-probe", "--orders", "2", "-o", tmp_path / "run")
    code, _, err = cli("run", "muchomusic", *args)
    assert code == 0
    assert "3 of 4 tracks were found (musiccaps 1 of 2, sdd 2 of 2)" in " ".join(err.split())
    assert "2 of 8 rows are left out" in err
    assert cli("report", tmp_path / "run", "-o", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "Known defects of muchomusic" in page
    assert "clips of MusicCaps are on YouTube and vanish" in page
    assert "3 of 4 tracks were found" in page


def test_examples_of_the_card_are_our_own_and_favour_no_letter():
    card = read_card_file(SHIPPED / "cards" / "muchomusic.toml")
    assert len(card.example) == 5
    assert len({one.options.index(one.answer) for one in card.example}) > 2
    assert (card.asked.orders, card.asked.shots) == (3, 1)
    assert [len(one.values) for one in card.dimension] == [7, 6]
