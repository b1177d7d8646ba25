"""Files of static scores, good and bad: one clear line on each fault, and nothing lost."""

import os
from pathlib import Path

import numpy as np
import pytest

from audiometry.analysis.gap import from_file
from audiometry.errors import AudiometryError, UsageError


@pytest.fixture
def file(tmp_path):
    def write(text, name="scores.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_csv_semicolons_and_json_lines_are_one_table(file):
    made = [
        from_file(file("system,benchmark,score\na,x,1.5\nb,x,2\na,y,3\n")),
        from_file(file("system;benchmark;score\na;x;1.5\nb;x;2\na;y;3\n")),
        from_file(file("system\tbenchmark\tscore\na\tx\t1.5\nb\tx\t2\na\ty\t3\n", "scores.tsv")),
        from_file(
            file(
                '{"system":"a","benchmark":"x","score":1.5}\n{"system":"b","benchmark":"x","score":2}\n'
                '{"system":"a","benchmark":"y","score":"3"}\n',
                "scores.jsonl",
            )
        ),
    ]
    for found in made:
        assert (found.systems, found.benchmarks) == (("a", "b"), ("x", "y"))
        assert found.values[0].tolist() == [1.5, 3.0]
        assert np.isnan(found.values[1, 1])
        assert found.n_unread == 0
    assert [found.notes for found in made] == [
        (),
        ("scores.csv: cells are separated by semicolons; they are read so",),
        (),
        (),
    ]


def test_what_else_a_row_may_say(file):
    found = from_file(
        file(
            "system,benchmark,score,n_items,category,direction,error\na,wer,0.2,100,speech,down,0.01\nb,wer,0.3,99,,,\n"
        )
    )
    assert found.n_items == (100,)
    assert found.category == ("speech",)
    assert found.lower == (True,)
    assert found.errors[0, 0] == 0.01
    assert np.isnan(found.errors[1, 0])


def test_rows_that_cannot_be_used_are_counted_and_told_with_their_line(file):
    found = from_file(
        file(
            "system,benchmark,score\na,x,1\nb,x,good\nc,x,bad\n,x,1\nd,,2\ne,x,inf\nf,x,NaN\ng,x,\nh,x,1e400\ni,x,7%\n"
        )
    )
    assert found.n_unread == 6
    assert found.systems == ("a", "f", "g", "i")
    assert np.isnan(found.values[1:3]).all()
    assert "2 rows not used, line 3 first: its score 'good' is not a number" in " ".join(found.notes)
    assert "its system is empty" in " ".join(found.notes)
    assert found.values[3, 0] == 7.0


def test_a_score_given_twice_counts_once_if_it_is_the_same_and_not_at_all_if_it_is_not(file):
    found = from_file(file("system,benchmark,score\na,x,1\na,x,1.0\nb,x,2\nb,x,3\nc,x,4\n"))
    assert found.values[:, 0].tolist()[0] == 1
    assert np.isnan(found.values[1, 0])
    assert "1 score given twice with other numbers, so neither counts: b on x" in found.notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,benchmark,points\na,x,1\n", "there is no column 'score'"),
        ("system,iemocap,meld\na,1,2\n", "no column 'benchmark'; .*; a row is one system's score on one benchmark"),
        (
            "system;benchmark;score\na;x;67,1\nb;x;7,12\n",
            "2 rows not used, line 2 first: its score '67,1' has a decimal comma: write 67.1",
        ),
        (
            "system,benchmark,score,direction\na,x,1,lower\nb,x,1,higher\n",
            "2 rows not used, line 2 first: its direction 'lower' is neither up nor down",
        ),
        ("system,benchmark,score\n", "no row can be used"),
        ("system,benchmark,score\na,x,much\n", "no row can be used; scores.csv: 1 row not used, line 2 first"),
        ("", "no row can be used"),
        ("[1, 2]", "JSON array or JSON lines of objects"),
    ],
)
def test_files_that_hold_no_scores_are_refused_in_one_line(file, text, said):
    with pytest.raises(AudiometryError, match=said) as problem:
        from_file(file(text))
    assert "\n" not in str(problem.value)
    assert problem.value.exit_code == 2


def test_a_file_that_is_not_there_a_folder_and_a_name_that_no_file_can_have(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / ("a" * 300)):
        with pytest.raises(AudiometryError) as problem:
            from_file(path)
        assert str(path) in str(problem.value)


def test_a_column_is_found_in_another_case(file):
    found = from_file(file("System,Benchmark,Score\na,x,1\n"))
    assert found.systems == ("a",)
    with pytest.raises(UsageError, match="did you mean 'sytem'"):
        from_file(file("sytem,benchmark,score\na,x,1\n"))


def test_a_device_and_a_pipe_are_refused_before_they_are_read_without_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(UsageError, match="is a device or a pipe; give a file, CSV or JSON lines with system"):
            from_file(path)


@pytest.mark.parametrize("which", ["systems", "benchmarks"])
def test_a_table_of_names_without_end_is_refused_before_it_takes_memory(file, which):
    row = "s{},x,1\n" if which == "systems" else "s,x{},1\n"
    found = from_file(file("system,benchmark,score\n" + "".join(row.format(at) for at in range(1_000))))
    assert found.values.shape == ((1_000, 1) if which == "systems" else (1, 1_000))
    with pytest.raises(UsageError, match=f"names more than 1,000 {which}: is that the column that is meant"):
        from_file(file("system,benchmark,score\n" + "".join(row.format(at) for at in range(1_001))))
