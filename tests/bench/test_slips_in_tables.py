"""Tables as people write them: separators, marks, encodings, headers, quotes; and ``metadata.csv`` in a folder."""

import json

import pytest

from audiometry import bench
from audiometry.errors import BenchmarkError

CARD = """[benchmark]
name = "rows"
[data]
source = "csv"
path = "rows.csv"
[data.columns]
options = ["o1", "o2"]
{more}
"""
HEADER = ["id", "task", "question", "o1", "o2", "answer", "audio"]
ROWS = [[f"i{n}", "bells", "Which?", "dog", "cat", "cat", f"audio/{n:05}.wav"] for n in range(3)]


def text(rows, separator=","):
    return "".join(separator.join(row) + "\n" for row in rows)


@pytest.fixture
def table(make_benchmark):
    """Write ``rows.csv`` (a text, or bytes) beside clips, with its card; gives the card."""
    folder = make_benchmark(3)

    def write(content, more=""):
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / "rows.csv").write_bytes(raw)
        (folder / "card.toml").write_text(CARD.format(more=more))
        return folder / "card.toml"

    return write


READ = {
    "a byte-order mark": (b"\xef\xbb\xbf" + text([HEADER, *ROWS]).encode(), ""),
    "semicolons": (text([HEADER, *ROWS], ";"), "cells are separated by semicolons"),
    "tabs": (text([HEADER, *ROWS], "\t"), "cells are separated by tabs"),
    "headers in another case": (text([["ID", "Task", "QUESTION", *HEADER[3:]], *ROWS]), "'QUESTION' as 'question'"),
    "headers with blanks": (
        text([[f" {name} " for name in HEADER], *ROWS]),
        "another form, without their blanks",
    ),
    "empty rows": (text([HEADER, [""] * 7, ROWS[0], ["", "  "], *ROWS[1:]]), ""),
    "empty rows before the header": ("\n,,\n" + text([HEADER, *ROWS]), ""),
    "line ends of Windows": (text([HEADER, *ROWS]).replace("\n", "\r\n"), ""),
    "an unnamed column": (text([["", *HEADER], *(["0", *row] for row in ROWS)]), ""),
}


@pytest.mark.parametrize("kind", READ)
def test_what_is_read_and_said(table, kind, cli, tmp_path):
    content, says = READ[kind]
    card = table(content)
    loaded = bench.load(card)
    assert [(item.id, item.question, item.answer) for item in loaded] == [(f"i{n}", "Which?", "cat") for n in range(3)]
    assert loaded.problems == ()
    said = cli("run", card, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 0
    assert says in said.err
    assert bool(loaded.notes) == bool(says)


REFUSED = {
    "a column twice": (text([[*HEADER[:5], "o1", "answer"], *ROWS]), "has the column 'o1' twice; rename one"),
    "a column that is missing": (text([[*HEADER[:6], "sound"], *ROWS]), "there is no column 'audio'; .*add it"),
    "Latin-1": (text([HEADER, ["i0", "bells", "Où?", *ROWS[0][3:]]]).encode("latin-1"), "not UTF-8 .*save it as UTF-8"),
    "UTF-16": (text([HEADER, *ROWS]).encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    "an open quote": (text([HEADER, *ROWS]) + '"i9,bells', "a quote that is not closed"),
    "no rows": (text([HEADER]), "holds no items"),
    "nothing": ("", "holds no items"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_in_one_line(table, kind):
    content, says = REFUSED[kind]
    with pytest.raises(BenchmarkError, match=says) as caught:
        bench.load(table(content))
    assert "\n" not in str(caught.value)


LEFT_OUT = {
    "too many cells": ("i9,bells,Which, now?,dog,cat,cat,audio/00000.wav", "has 8 cells where the header has 7"),
    "no clip there": ("i9,bells,Which?,dog,cat,cat,audio/9.wav", "names the clip 'audio/9.wav', which is not there"),
    "an id twice": ("i0,bells,Which?,dog,cat,cat,audio/00000.wav", "id twice; rows.csv, line 2 has it already"),
    "an answer that is no option": ("i9,bells,Which?,dog,cat,cow,audio/00000.wav", "answer 'cow'"),
    "an answer that is a letter": ("i9,bells,Which?,dog,cat,B,audio/00000.wav", 'answer_is = "letter"'),
}


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_a_row_that_cannot_be_asked_is_left_out_by_its_line(table, kind, cli):
    row, says = LEFT_OUT[kind]
    quoted = text([HEADER, ROWS[0]]) + '"i1",bells,"Which\none?",dog,cat,cat,audio/00001.wav\n' + row + "\n"
    card = table(quoted)
    loaded = bench.load(card)
    assert [item.id for item in loaded] == ["i0", "i1"]
    assert loaded.item("i1").question == "Which\none?"
    assert "rows.csv, line 5: " in loaded.said_left_out()
    assert says in loaded.said_left_out()
    assert cli("run", card, "--model", "scripted/oracle", "--strict").code == 2
    checked = cli("check", card, "--headers", "--json")
    assert checked.code == 1
    assert checked.json["findings"][0]["where"] == "rows.csv, line 5"


def test_a_choice_without_an_answer_is_left_out_and_the_column_like_it_is_named(table, make_benchmark):
    rows = [[*row[:5], "", *row[6:], "cat"] for row in ROWS]
    with pytest.raises(
        BenchmarkError, match=r'has no answer, but .label.; if that is it, write answer = "label" under'
    ):
        bench.load(table(text([[*HEADER, "label"], *rows])))
    loaded = bench.load(table(text([[*HEADER, "label"], *rows]), 'answer = "label"'))
    assert [item.answer for item in loaded] == ["cat"] * 3
    loaded = bench.load(table(text([HEADER, ROWS[0], *(row[:7] for row in rows[1:])])))
    assert (len(loaded), loaded.n_left_out) == (1, 2)
    assert "item i1 has no answer; give the text of the right option" in loaded.said_left_out()
    folder = make_benchmark(1)
    (folder / "metadata.jsonl").unlink()
    (folder / "metadata.csv").write_text(
        'id,task,question,options,file_name,label\na,x,W?,"[""dog"", ""cat""]",audio/00000.wav,cat\n'
    )
    with pytest.raises(BenchmarkError, match=r'write answer = "label" under .data.columns. in benchmark.toml'):
        bench.load(folder)


def test_a_nul_is_not_passed_over(table):  # Python's versions differ in whether the row or the table is refused
    row = "i9,bells,Which?,dog,cat,cat,audio/\0.wav\n"
    with pytest.raises(BenchmarkError):
        bench.load(table(text([HEADER, ROWS[0]]) + row), strict=True)


def test_an_empty_cell_names_no_clip(table):
    row = "i9,bells,Which?,dog,cat,cat,\n"
    with pytest.raises(BenchmarkError, match="line 3: item i9 names no clip"):
        bench.load(table(text([HEADER, ROWS[0]]) + row))
    loaded = bench.load(table(text([HEADER, ROWS[0]]) + row, '[[task]]\nname = "bells"\naudio = "optional"'))
    assert [loaded.items.has_clip(position) for position in range(2)] == [True, False]


@pytest.mark.parametrize(("answer_is", "answer"), [("letter", "b"), ("index", "1"), ("text", "cat")])
def test_answers_of_a_table(table, answer_is, answer):
    rows = [[*row[:5], answer, row[6]] for row in ROWS]
    loaded = bench.load(table(text([HEADER, *rows]), f'answer_is = "{answer_is}"'))
    assert [item.answer for item in loaded] == ["cat"] * 3


def test_options_in_one_column(make_benchmark):
    folder = make_benchmark(3)
    lines = [
        "id,task,question,options,answer,file_name",
        'i0,bells,Which?,"[""dog"", ""cat""]",cat,audio/00000.wav',
        "i1,bells,Which?,dog|cat,cat,audio/00001.wav",
        'i2,bells,Which?,"[1, 2]",2,audio/00002.wav',
    ]
    (folder / "metadata.jsonl").unlink()
    (folder / "metadata.csv").write_text("\n".join(lines))
    loaded = bench.load(folder)
    assert [item.options for item in loaded] == [("dog", "cat"), ("1", "2")]
    assert "has the options 'dog|cat', which are no list" in loaded.said_left_out()


def test_columns_that_a_folder_may_have_are_read_in_any_case(make_benchmark):
    folder = make_benchmark(1)
    (folder / "metadata.jsonl").unlink()
    row = 'a,bells,Which?,"[""dog"", ""cat""]",cat,audio/00000.wav,anna,a dog'
    (folder / "metadata.csv").write_text(f"ID,task,question,options,answer,file_name,Group,META\n{row}\n")
    (item,) = loaded = bench.load(folder)
    assert (item.id, item.group, item.meta) == ("a", "anna", "a dog")
    assert "'ID' as 'id', 'Group' as 'group', 'META' as 'meta'" in loaded.notes[0]


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.tsv"])
def test_the_metadata_of_a_folder_as_a_table(make_benchmark, cli, tmp_path, name):
    folder = make_benchmark(3)
    rows = [json.loads(line) for line in (folder / "metadata.jsonl").read_text().splitlines()]
    (folder / "metadata.jsonl").unlink()
    card = folder / "benchmark.toml"
    card.write_text(card.read_text() + '[data.columns]\noptions = ["a", "b", "c", "d"]\n')
    separator = "," if name.endswith("csv") else "\t"
    lines = [["id", "task", "file_name", "question", "answer", "a", "b", "c", "d", "speaker"]]
    lines += [[r["id"], r["task"], r["file_name"], r["question"], r["answer"], *r["options"], "x"] for r in rows]
    (folder / name).write_text(text(lines, separator))
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0
    assert "columns that are not used: speaker" in said.err
    assert cli("check", folder, "--headers", "--json").json["n_items"] == 3
    for clip in (folder / "audio").iterdir():
        clip.unlink()
    assert cli("score", tmp_path / "r", "--json").json["scores"]["strict"]["n_items"] == 3
    (folder / name).write_text(text([[*lines[0][:4], "anwser", *lines[0][5:]], *lines[1:]], separator))
    with pytest.raises(BenchmarkError, match="has the column 'anwser'; did you mean 'answer'"):
        bench.load(folder)


@pytest.mark.parametrize("name", ["id", "question", "task", "o1", "o2"])
def test_a_row_of_json_that_lacks_a_column_is_left_out_by_its_line(table, name):
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    del rows[1][name]
    card = table("")
    card.write_text(CARD.format(more="").replace('"csv"', '"json"'))
    for content, where in ((json.dumps(rows), "row 2"), ("\n".join(map(json.dumps, rows)), "line 2")):
        (card.parent / "rows.csv").write_text(content)
        benchmark = bench.load(card)
        assert len(benchmark) == 2
        assert [problem.where.rpartition("/")[2] for problem in benchmark.problems] == [f"rows.csv, {where}"]
    (card.parent / "rows.csv").write_text(f"{json.dumps(rows[0])}\n\n[]\n")
    with pytest.raises(BenchmarkError, match=r"rows\.csv, line 3: it is a list; an object is needed"):
        bench.load(card)
