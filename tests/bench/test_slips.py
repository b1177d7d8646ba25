"""Slips in a benchmark's card, metadata and clips, found before anybody is asked."""

import json
import os
import re
import time
import unicodedata

import pytest

from audiometry import bench
from audiometry.bench.keys import nearest
from audiometry.errors import BenchmarkError
from audiometry.score.opened import open_run

CARD = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\n{more}\n'
ROW = {
    "id": "a", "task": "sounds", "file_name": "audio/00000.wav", "question": "Which?", "options": ["dog", "cat"],
    "answer": "cat",
}  # fmt: skip


def rewritten(folder, *rows):
    """The folder with these lines."""
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def without(row, *keys, **more):
    return {key: value for key, value in row.items() if key not in keys} | more


def test_metadata_in_another_form_is_one_line_that_says_so(make_benchmark):
    folder = make_benchmark(1)
    path = folder / "metadata.jsonl"
    kept = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + kept)
    assert bench.load(folder).items.at(0).id == "item-00000"
    for raw, says in ((b"[\n" + kept + b"]", "is one JSON array"), (kept.decode().encode("utf-16"), "is UTF-16 text")):
        path.write_bytes(raw)
        with pytest.raises(BenchmarkError, match=says):
            bench.load(folder)
    path.write_bytes(kept.replace(b"sound?", "s\u00f6und?".encode("latin-1")))
    with pytest.raises(BenchmarkError, match=r"line 1: not UTF-8 text .*; save it as UTF-8"):
        bench.load(folder)


SLIPS = {
    "filename": "file_name",
    "Filename": "file_name",
    "fileName": "file_name",
    "file": "file_name",
    "audio": "file_name",
    "audio_file": "file_name",
    "audio_path": "file_name",
    "file_nmae": "file_name",
    "opions": "options",
    "choices": "options",
    "anwser": "answer",
    "Answer": "answer",
    "answer ": "answer",
    "correct_answer": "answer",
    "questoin": "question",
    "prompt": "question",
    "ID": "id",
}


@pytest.mark.parametrize("key", SLIPS)
def test_a_key_that_is_nearly_a_known_one_is_refused_with_its_line(make_benchmark, cli, tmp_path, key):
    meant = SLIPS[key]
    row = ROW | {"id": "b"}
    folder = rewritten(make_benchmark(1), ROW, without(row, meant) | {key: row[meant]})
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 2
    assert "metadata.jsonl, line 2: " in said.err
    assert f"has the key '{key.strip()}'; did you mean '{meant}'?" in said.err
    assert not (tmp_path / "r").exists()
    checked = cli("check", folder, "--headers", "--json")
    assert checked.code == 1
    (found,) = [f for f in checked.json["findings"] if f["code"] == "key"]
    assert found["where"] == "metadata.jsonl, line 2"


@pytest.mark.parametrize("key", ["question_id", "speaker", "file_size", "answer_type", "taxon", "uuid", "path"])
def test_another_word_is_no_slip(key):
    assert nearest(key, ROW) == ""


def test_keys_that_are_not_used_are_said_once(make_benchmark, cli, tmp_path):
    folder = rewritten(make_benchmark(1), *(ROW | {"id": str(n), "speaker": "x", "take": n} for n in range(3)))
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 0
    assert said.err.count("keys that are not used: speaker (3 lines), take (3 lines); `tags` and `meta`") == 1
    assert "speaker (3 lines)" in cli("check", folder, "--headers").out


def test_an_item_that_names_no_clip_is_refused_unless_its_task_allows_it(make_benchmark, cli, tmp_path):
    folder = rewritten(make_benchmark(1), ROW, without(ROW, "file_name", id="b"))
    model = ("--model", "scripted/oracle", "-o", tmp_path / "r")
    said = cli("run", folder, *model)
    assert said.code == 2
    assert 'line 2: item b names no clip; name it in file_name, or write audio = "optional"' in said.err
    (folder / "benchmark.toml").write_text(CARD.format(more='audio = "optional"'))
    said = cli("run", folder, *model)
    assert said.code == 0
    assert "2 items, 1 of them without a clip" in said.out
    assert cli("run", folder, *model, "--json").json["n_without_clip"] == 1
    assert cli("run", folder, *model, "--dry-run", "--json").json["n_without_clip"] == 1
    assert cli("score", tmp_path / "r", "--json").json["n_without_clip"] == 1
    assert cli("check", folder, "--headers", "--json").json["n_without_clip"] == 1
    assert cli("report", tmp_path / "r", "-o", tmp_path / "r.html").code == 0
    assert "2 items, 1 of them without a clip" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_score_with_a_judge_counts_rows_as_one_without(make_benchmark, cli, chat_server, tmp_path):
    folder = rewritten(make_benchmark(2), ROW, without(ROW, "file_name", id="b"), ROW | {"id": "c", "answer": "?"})
    (folder / "benchmark.toml").write_text(CARD.format(more='audio = "optional"'))
    assert cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    judge = ("--align", "judge", "--judge", "openai/mock", "--base-url", chat_server().url)
    said = cli("score", tmp_path / "r", *judge)
    assert "2 items, 1 of them without a clip, 1 row left out" in said.out
    found = cli("score", tmp_path / "r", *judge, "--json").json
    assert (found["n_without_clip"], found["n_left_out"]) == (1, 1)


def test_rows_left_out_are_said_before_anybody_is_asked_and_in_every_account(make_benchmark, cli, tmp_path):
    folder = make_benchmark(4)
    (folder / "audio/00001.wav").unlink()
    with (folder / "metadata.jsonl").open("ab") as file:
        file.write(b'{"id": "x"\n')
    model = ("--model", "scripted/oracle", "-o", tmp_path / "r")
    assert "3 items, each with a clip, 2 rows left out" in cli("run", folder, *model, "--dry-run").out
    said = cli("run", folder, *model)
    assert said.code == 0
    first = "2 of 5 rows are left out:\n  metadata.jsonl, line 2: item item-00001 names the clip 'audio/00001.wav'"
    assert first in said.err
    assert "\n  metadata.jsonl, line 5: " in said.err  # a row a line
    assert "lists all" not in said.err
    with (folder / "metadata.jsonl").open("ab") as file:
        file.write(b'{"id": "y"\n' * 40)
    many = cli("run", folder, *model, "--dry-run").err
    assert len(many.splitlines()) == 5
    assert many.splitlines()[-1] == f"  and 39 more; `audiometry check {folder} --json` lists all"
    (folder / "metadata.jsonl").write_bytes((folder / "metadata.jsonl").read_bytes().removesuffix(b'{"id": "y"\n' * 40))
    assert "3 items, each with a clip, 2 rows left out" in said.out
    stamp = json.loads((tmp_path / "r/run.json").read_text())["benchmark"]
    assert (stamp["left_out"], stamp["absent"]) == (2, ["item-00001"])
    score = cli("score", tmp_path / "r", "--json").json
    assert score["n_left_out"] == 2
    assert "+left-out-2+" in score["scores"]["strict"]["signature"]
    checked = cli("check", folder, "--json")
    assert checked.code == 1
    where = [f["where"] for f in checked.json["findings"] if f["severity"] == "error"]
    assert where == ["metadata.jsonl, line 2", "metadata.jsonl, line 5"]
    for command in (("run", folder, *model, "--strict"), ("check", folder, "--strict")):
        assert cli(*command).code == 2


def test_as_many_rows_left_out_as_a_line_names_are_all_there_are(make_benchmark):
    folder = make_benchmark(5)
    for n in range(4):
        assert len(bench.load(folder).lines_left_out()) == (n + 1 if n else 0)
        assert not any("more" in line for line in bench.load(folder).lines_left_out())
        (folder / f"audio/{n:05}.wav").unlink()
    assert "and 1 more; `audiometry check" in bench.load(folder).lines_left_out()[-1]


def test_what_is_left_out_is_part_of_the_content_and_scoring_needs_no_clips(make_benchmark, cli, tmp_path):
    folder = make_benchmark(3)
    whole = bench.load(folder).sha256
    (folder / "audio/00001.wav").write_bytes(b"")
    assert bench.load(folder).sha256 != whole
    assert cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    for clip in (folder / "audio").iterdir():
        clip.unlink()
    assert [item.id for item in open_run(tmp_path / "r").benchmark] == ["item-00000", "item-00002"]
    with pytest.raises(BenchmarkError, match="nothing can be asked: 3 of 3 rows are left out"):
        bench.load(folder)


def test_looking_for_the_clips_of_a_large_benchmark_takes_little(make_benchmark):
    folder = make_benchmark(1)
    for n in range(4000):
        os.link(folder / "audio/00000.wav", folder / f"audio/c{n}.wav")
    rewritten(folder, *(ROW | {"id": str(n), "file_name": f"audio/c{n}.wav"} for n in range(4000)))
    began = time.process_time()
    assert len(bench.load(folder, absent=())) == 4000
    blind = time.process_time() - began
    began = time.process_time()
    assert len(bench.load(folder)) == 4000
    assert time.process_time() - began < 5 * blind + 0.2  # beside what reading the lines takes on this machine


NAMES = {
    "Unicode": (unicodedata.normalize("NFD", "é.wav"), unicodedata.normalize("NFC", "é.wav"), "only in Unicode form"),
    "case": ("Door.wav", "door.wav", "'audio/Door.wav' is there, which differs only in case or blanks"),
    "blanks": ("door.wav ", "door.wav", "'audio/door.wav ' is there, which differs only in case or blanks"),
    "blanks within": ("big  door.wav", "bigdoor.wav", "'audio/big  door.wav' is there, which differs only in case or"),
    "a blank before": ("door.wav", " door.wav", "names the clip 'audio/ door.wav', which is not there"),
    "slashes": ("door.wav", "audio\\door.wav", "write / in place of"),
    "the folder's case": ("door.wav", "AUDIO/door.wav", "'audio/door.wav' is there, which differs only in case"),
    "the folder's blanks": ("door.wav", " au dio/Door.wav", "'audio/door.wav' is there, which differs only in case"),
    "nothing": ("other.wav", "door.wav", "fetch it, correct the name or remove the row"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_clip_that_is_nearly_there_is_hinted_at(make_benchmark, kind):
    there, named, says = NAMES[kind]
    folder = make_benchmark(1)
    (folder / "audio/00000.wav").rename(folder / "audio" / there)
    if (folder / "audio" / named).exists():
        pytest.skip("this file system takes the two names for one")
    name = named if "\\" in named or "/" in named else f"audio/{named}"
    rewritten(folder, ROW | {"file_name": name}, ROW | {"id": "b", "file_name": f"audio/{there}"})
    (problem,) = bench.load(folder).problems
    assert says in str(problem)


def test_clips_under_another_ending_are_said_once(make_benchmark, cli, tmp_path):
    folder = make_benchmark(1)
    rows = [ROW | {"id": f"i{n}", "file_name": f"audio/00000.{e}"} for n, e in enumerate(["mp3", "wav", "mp3", "ogg"])]
    rewritten(folder, *rows)
    note = "2 clips stand under another ending ('audio/00000.wav' is used for 'audio/00000.mp3'); correct file_name"
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 0
    assert said.err.count(note) == 1
    table = folder / "metadata.csv"
    lines = [f"{r['id']},sounds,Which?,{r['file_name']},cat,dog,cat\n" for r in rows]
    table.write_text("id,task,question,file_name,answer,a,b\n" + "".join(lines))
    (folder / "metadata.jsonl").unlink()
    (folder / "benchmark.toml").write_text('[data.columns]\noptions = ["a", "b"]\n')
    assert bench.load(folder).notes == (f"metadata.csv: {note}",)


def test_metadata_beside_other_metadata_or_in_another_file_are_named(make_benchmark):
    folder = make_benchmark(1)
    (folder / "metadata.csv").write_text("id\n")
    note = "metadata.csv: is not read, as metadata.jsonl is beside it; remove one of them"
    assert bench.load(folder).notes == (note,)
    (folder / "metadata.csv").unlink()
    (folder / "metadata.jsonl").rename(folder / "metadata.json")
    with pytest.raises(BenchmarkError, match=r"has metadata\.json, which is not read; write its objects one a line"):
        bench.load(folder)


def test_a_run_folder_is_no_benchmark(make_benchmark, cli, tmp_path):
    assert cli("run", make_benchmark(1), "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    for command in (("check", tmp_path / "r"), ("run", tmp_path / "r", "--model", "scripted/oracle")):
        said = cli(*command)
        assert said.code == 2
        assert f"is a run, not a benchmark; `audiometry check --run {tmp_path / 'r'}` looks into it" in said.err


def test_check_says_what_run_does_where_a_benchmark_is_refused(make_benchmark, cli):
    folder = rewritten(make_benchmark(1), ROW, without(ROW, "file_name", id="b", filename="audio/00000.wav"))
    said = " ".join(cli("check", folder, "--headers").out.split())
    assert "rows left out" not in said
    assert "`audiometry run` refuses it: correct key (1)" in said
    assert cli("check", folder, "--headers", "--strict").code == 2
    rewritten(folder, without(ROW, "answer"))
    said = " ".join(cli("check", folder, "--headers").out.split())
    assert "1 row left out" in said
    assert "`audiometry run` refuses it: nothing can be asked" in said
    assert "(0 read to their end) " in said
    assert "refuses" not in cli("check", rewritten(folder, ROW), "--headers").out
    (folder / "benchmark.toml").write_text("[data]\nsorce = 'csv'\n")
    said = " ".join(cli("check", folder, "--headers").out.split())
    assert said.endswith("`audiometry run` refuses it: correct card (1)")
    assert "items" not in said


def test_options_in_keys_of_their_own_are_named(make_benchmark):
    bare = without(ROW, "options") | {"option_a": "dog", "option_b": "cat"}
    folder = rewritten(make_benchmark(1), bare)
    with pytest.raises(BenchmarkError, match='has no options; list "option_a", "option_b" under options'):
        bench.load(folder)
    (folder / "metadata.csv").write_text(",".join(bare) + "\n" + ",".join(bare.values()) + "\n")
    (folder / "metadata.jsonl").unlink()
    (folder / "benchmark.toml").unlink()
    with pytest.raises(BenchmarkError) as caught:
        bench.load(folder)
    assert 'write options = ["option_a", "option_b"] under [data.columns] in benchmark.toml (a new' in str(caught.value)
    (folder / "benchmark.toml").write_text('[data.columns]\noptions = ["option_a", "option_b"]\n')
    assert bench.load(folder).items.at(0).options == ("dog", "cat")


@pytest.mark.parametrize("name", ["a" * 300 + ".wav", "a\0.wav", "audio/00000.wav/x.wav", "audio"])
def test_a_name_that_no_clip_can_have_leaves_its_row_out(make_benchmark, name):
    folder = rewritten(make_benchmark(1), ROW, ROW | {"id": "b", "file_name": name})
    loaded = bench.load(folder)
    assert (len(loaded), loaded.n_left_out) == (1, 1)


def test_numbers_and_truth_values_are_taken_as_they_are_written(make_benchmark, cli, tmp_path):
    rows = [
        {"id": 7, "options": [1, 2, 3], "answer": 3},
        {"id": "b", "options": ["1", "2.50"], "answer": 1, "meta": {"pitch": 60}},
        {"id": "c", "options": [True, False], "answer": True},
        {"id": "d", "options": [1.5, "none"], "answer": 1.5},
    ]
    loaded = bench.load(rewritten(make_benchmark(1), *(ROW | row for row in rows)))
    assert [(item.id, item.options, item.answer) for item in loaded] == [
        ("7", ("1", "2", "3"), "3"),
        ("b", ("1", "2.50"), "1"),
        ("c", ("true", "false"), "true"),
        ("d", ("1.5", "none"), "1.5"),
    ]
    assert loaded.item("b").meta == '{"pitch": 60}'
    assert cli("run", loaded.source, "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0


def test_answers_given_as_letters(make_benchmark):
    folder = rewritten(make_benchmark(1), *(ROW | {"id": a, "answer": a} for a in ("B", "a", "(B)", "A.", "C")))
    with pytest.raises(BenchmarkError) as caught:
        bench.load(folder)
    assert str(caught.value).count('if it is a letter, write answer_is = "letter"') == 3  # of A, too
    (folder / "benchmark.toml").write_text('[benchmark]\nname = "x"\n[data.columns]\nanswer_is = "letter"\n')
    loaded = bench.load(folder)
    assert [item.answer for item in loaded] == ["cat", "dog", "cat", "dog"]
    assert loaded.item("B").answer == "cat"
    assert "has the answer 'C', which is not among its options; correct one of them" in loaded.said_left_out()


COUNTED = {
    "index": (("0", "1", "0"), 'if 0 is the first option, write answer_is = "index" under'),
    "number": (("2", "1", "2.0"), 'if 1 is the first option, write answer_is = "number" under'),
    "either": (("1", "1"), 'if 0 is the first option, write answer_is = "index", if 1 is, "number", under'),
    "both": (("0", "1", "2"), 'if 0 is the first option, write answer_is = "index", if 1 is, "number", under'),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_answers_that_count_are_hinted_at_by_what_all_rows_show(make_benchmark, cli, tmp_path, kind):
    answers, hint = COUNTED[kind]
    folder = rewritten(make_benchmark(1), *(ROW | {"id": f"i{n}", "answer": a} for n, a in enumerate(answers)))
    (folder / "benchmark.toml").unlink()
    with pytest.raises(BenchmarkError, match="nothing can be asked") as caught:
        bench.load(folder)
    assert str(caught.value).count(hint) == len(answers)
    assert "[data.columns] in benchmark.toml (a new file of these two lines will do)" in str(caught.value)
    if kind in {"index", "number"}:  # what the hint says, to the letter
        (folder / "benchmark.toml").write_text(f'[data.columns]\nanswer_is = "{kind}"\n')
        assert cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json").code == 0
        loaded = bench.load(folder)
        assert (loaded.name, loaded.n_left_out) == (folder.name, 0)
        assert [i.answer for i in loaded] == {"index": ["dog", "cat", "dog"], "number": ["cat", "dog", "cat"]}[kind]


@pytest.mark.parametrize("options", [["dog", "cat"], [1, 2]])
@pytest.mark.parametrize(("said", "meant", "answers"), [("index", "number", (1, 2, 1)), ("number", "index", (0, 1, 0))])
def test_answers_that_are_counted_otherwise_than_the_card_says_are_refused(
    make_benchmark, cli, said, meant, answers, options
):
    rows = [ROW | {"id": f"i{n}", "answer": a, "options": options} for n, a in enumerate(answers)]
    folder = rewritten(make_benchmark(1), *rows)
    table = folder / "rows.csv"
    lines = [f"i{n},sounds,Which?,audio/00000.wav,{a},dog,cat\n" for n, a in enumerate(answers)]
    table.write_text("id,task,question,audio,answer,o1,o2\n" + "".join(lines))
    answer_is = f'answer_is = "{said}"\n'
    (folder / "benchmark.toml").write_text(f"[data.columns]\n{answer_is}")
    (folder / "rows.toml").write_text(
        f'[benchmark]\nname="x"\n[data]\nsource="csv"\npath="rows.csv"\n[data.columns]\noptions=["o1","o2"]\n{answer_is}'
    )
    for source in (folder, folder / "rows.toml"):
        refused = cli("run", source, "--model", "scripted/oracle")
        assert refused.code == 2
        assert f'is the first option, write answer_is = "{meant}"' in refused.err


def test_answers_given_as_indices_count_from_0(make_benchmark):
    folder = rewritten(make_benchmark(1), *(ROW | {"id": str(a), "answer": a} for a in (1, "0", 2)))
    (folder / "benchmark.toml").write_text('[benchmark]\nname = "x"\n[data.columns]\nanswer_is = "index"\n')
    loaded = bench.load(folder)
    assert [item.answer for item in loaded] == ["cat", "dog"]
    assert "has the answer '2', which is not among its options" in loaded.said_left_out()


UNANSWERED = ["label", "correct", "target", "gt", "expected", "key", "reference", "solution"]


@pytest.mark.parametrize("key", [*UNANSWERED, None])
def test_a_choice_without_an_answer_is_left_out_and_what_looks_like_it_is_named(make_benchmark, cli, tmp_path, key):
    bare = without(ROW, "answer", id="b") | ({key: "cat"} if key else {"answer": None})
    loaded = bench.load(rewritten(make_benchmark(1), ROW, bare)) if key != "gt" else None
    for answers in ({}, {"answer": ""}, {"answer": "  "}) if key is None else ({},):
        folder = rewritten(make_benchmark(1), bare | answers, bare | {"id": "c"})
        said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
        assert said.code == 2
        near = f"has no answer, but '{key}'; if that is it, call it answer" if key else "has no answer; give the text"
        assert (near if key != "gt" else "has the key 'gt'; did you mean 'answer'?") in said.err
        assert not (tmp_path / "r").exists()
        assert cli("check", folder, "--headers", "--json").json["n_errors"] == 2
    if loaded is not None:
        assert [item.id for item in loaded] == ["a"]
        assert "line 2: item b has no answer" in loaded.said_left_out()


def test_an_answer_that_differs_from_an_option_only_in_form_is_said_to(make_benchmark):
    rows = [ROW | {"id": a, "answer": a} for a in ("cat ", "Cat", "cat.", " c at")]
    said = [str(problem) for problem in bench.load(rewritten(make_benchmark(1), ROW, *rows)).problems]
    assert "has the answer 'cat ', which is not among its options; 'cat' differs from it only in case" in said[0]
    assert all("'cat' differs from it only in case, blanks or a full stop: write them alike" in one for one in said[:3])
    assert "has the answer ' c at', which is not among its options; correct one of them" in said[3]


def test_an_open_item_needs_no_answer(make_benchmark):
    folder = make_benchmark(1, card=CARD.format(more='kind = "open"'))
    loaded = bench.load(rewritten(folder, without(ROW, "answer", "options") | {"reference": "A cat."}))
    assert (len(loaded), loaded.n_left_out) == (1, 0)
    assert "if 'reference' is the answer, call it answer" in loaded.notes[0]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("pol = 'x'", "unknown key 'pol' in entry 1 of 'task'; did you mean 'pool'?"),
        ("[benchmarks]", "unknown key 'benchmarks'; did you mean 'benchmark'?"),
        ("[data]\nsorce = 'csv'", "unknown key 'sorce' in 'data'; did you mean 'source'?"),
        ("[data.columns]\nanswr = 'x'", "did you mean 'answer'?"),
        ("audio = 'maybe'", "'optional' or 'required' is needed"),
    ],
)
def test_a_key_of_a_card_that_is_not_known_is_refused(make_benchmark, cli, more, says):
    folder = make_benchmark(1, card=CARD.format(more=more))
    said = cli("run", folder, "--model", "scripted/oracle")
    assert said.code == 2
    assert says in said.err
    (found,) = [f for f in cli("check", folder, "--headers", "--json").json["findings"] if f["code"] == "card"]
    assert says in f"{found['what']}; {found['do']}"


def test_a_task_that_the_card_does_not_name_is_a_slip_in_a_folder_as_in_a_table(make_benchmark):
    folder = make_benchmark(1, card=CARD.format(more=""))
    loaded = bench.load(rewritten(folder, ROW, ROW | {"id": "b", "task": "sonds"}))
    assert "has the task 'sonds', which the card has not (did you mean 'sounds'?)" in loaded.said_left_out()


def test_links_out_of_the_folder_are_named_and_nothing_behind_them_is_quoted(make_benchmark, cli, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"root:x:0:0:root\n" * 40)
    folder = make_benchmark(3)
    for n in (0, 1):
        (folder / f"audio/0000{n}.wav").unlink()
    (folder / "audio/00000.wav").symlink_to(secret)
    (folder / "audio/00001.wav").symlink_to("00002.wav")  # within the folder
    said = cli("check", folder, "--json")
    (link,) = [f for f in said.json["findings"] if f["code"] == "link"]
    assert (link["where"], link["items"]) == ("audio/00000.wav", ["item-00000"])
    (folder / "readme").symlink_to(secret)
    assert "readme: is a link that leads out of the benchmark folder" in " ".join(cli("check", folder).out.split())
    run = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert run.code == 1
    everything = said.out + run.out + run.err + (tmp_path / "r/replies.jsonl").read_text()
    for name in ("metadata.jsonl", "benchmark.toml"):
        path = folder / name
        kept = path.read_bytes()
        path.unlink()
        path.symlink_to(secret)
        for command in (("check", folder), ("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r2")):
            said = cli(*command)
            assert said.code in {1, 2}
            everything += said.out + said.err
        path.unlink()
        path.write_bytes(kept)
    assert "root:x" not in everything


def test_the_page_lists_which_rows_are_left_out_and_why(make_benchmark, cli, tmp_path):
    folder = make_benchmark(60)
    for number in range(1, 55):
        (folder / f"audio/{number:05}.wav").unlink()
    with (folder / "metadata.jsonl").open("a") as file:
        file.write('{"id": "x"\n')
    assert cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    assert cli("report", tmp_path / "r", "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    listed = re.findall(r">(Left out: .*?)</p>", page)
    why = "metadata.jsonl, line 2: item item-00001 was left out of the run, its clip was not there or empty"
    assert listed[0].startswith(f"Left out: {why}")
    assert len(listed) == 50
    assert ">and 5 more</p>" in page
    assert "Rows left out: 54 whose clip is not there, 1 for what is written there" in page
    assert str(folder) not in listed


def test_a_task_of_which_no_row_is_left_is_named(make_benchmark, cli, tmp_path):
    tasks = "".join(f'[[task]]\nname = "{name}"\n' for name in ("t1", "t2", "t3"))
    folder = make_benchmark([{"task": f"t{n % 3 + 1}"} for n in range(6)], card=f'[benchmark]\nname = "made"\n{tasks}')
    for n in (1, 2, 5):
        (folder / f"audio/0000{n}.wav").unlink()
    said, line = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r"), "task t3: no item is left"
    assert said.code == 0
    assert f"{line} (2 rows left out)" in said.err
    assert f"{line} (2 rows left out)" in cli("score", tmp_path / "r").err
    assert "task t2" not in said.err
    score = cli("score", tmp_path / "r", "--json").json
    assert score["left_out"] == {"t2": 1, "t3": 2}
    assert list(score["scores"]["strict"]["tasks"]) == ["t1", "t2"]
    cli("report", tmp_path / "r", "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"3 items, each with a clip, 3 rows left out; {line} (2 rows left out)." in page
    assert cli("run", folder, "--model", "scripted/oracle", "--task", "t1", "-o", tmp_path / "one").code == 0
    assert line not in cli("score", tmp_path / "one").err
