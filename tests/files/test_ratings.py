from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.files import foreign_lines, rating_lines, ratings
from audiometry.files.ratings import WHATS, read
from audiometry.files.run_folder import BenchmarkStamp, PromptStamp, RunFolder, RunInfo


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def told(found):
    """Every rating in words."""
    return [
        (
            found.items[item],
            found.raters[rater],
            WHATS[what],
            found.models[model],
            found.models[other],
            found.orders[order],
            value,
        )
        for item, rater, what, model, other, order, value in zip(
            found.item, found.rater, found.what, found.model, found.other, found.order, found.value, strict=True
        )
    ]


def why(found):
    return [(one.line, one.why) for one in found.sources[0].unread]


GOOD = {"item": "i", "rater": "anna", "score": 3}


def test_every_kind_of_rating_is_read_with_its_names(file):
    found = read(
        [
            file(
                lines(
                    {"item": "i", "rater": "anna", "choice": " b ", "comment": "kept out"},
                    {
                        "item": "i",
                        "rater": "j",
                        "kind": "judge",
                        "model": "m",
                        "order": "reference-first",
                        "score": 7.5,
                    },
                    {"item": "k", "rater": "anna", "preferred": "b", "model_a": "m", "model_b": "n"},
                    {"item": "k", "rater": "anna", "preferred": "equal", "model_a": "n", "model_b": "m", "score": 1},
                )
            )
        ]
    )
    assert told(found) == [
        ("i", "anna", "choice", "", "", "", 1.0),
        ("i", "j", "score", "m", "", "reference-first", 7.5),
        ("k", "anna", "preferred", "m", "n", "", -1.0),
        ("k", "anna", "score", "", "", "", 1.0),
        ("k", "anna", "preferred", "n", "m", "", 0.0),
    ]
    assert found.kinds == ["person", "judge"]
    assert found.known_items is None


def test_how_likely_a_reply_was_to_be_rated_comes_with_every_word_of_its_line(file):
    both = {"item": "k", "rater": "anna", "choice": "A", "score": 2, "propensity": 0.25}
    found = read([file(lines(GOOD, both, GOOD | {"propensity": 1}, GOOD | {"propensity": None}))])
    assert found.propensity == pytest.approx([math.nan, 0.25, 0.25, 1, math.nan], nan_ok=True)
    table = file("item,rater,score,propensity\n1,anna,3,0.5\n2,anna,4,\n3,anna,4,nan\n", "people.csv")
    found = read([table])
    assert found.propensity == pytest.approx([0.5, math.nan], nan_ok=True)
    assert why(found) == [(4, "propensity nan is not a share above 0 (from 1e-06) and at most 1")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_with_any_delimiter_is_the_same(file, delimiter):
    rows = ["item,rater,score,choice,kind,model", 'q/1,"Anna B.",7.5,,,m', "q/2,ben,,c,judge,", "", ",,,,,"]
    path = file("\ufeff" + "\r\n".join(row.replace(",", delimiter) for row in rows) + "\r\n", "people.csv")
    found = read([path])
    assert told(found) == [("q/1", "Anna B.", "score", "m", "", "", 7.5), ("q/2", "ben", "choice", "", "", "", 2.0)]
    assert found.sources[0].n_unread == 0


def test_a_cell_of_csv_may_hold_line_breaks_and_an_open_quote_costs_only_its_line(file):
    text = 'item,rater,score,comment\n1,anna,3,"two\nlines, one cell"\n2,anna,"4,open\n3,anna,5,\n'
    found = read([file(text, "people.csv")])
    assert [row[0] for row in told(found)] == ["1", "3"]
    assert why(found) == [(4, "a quote that is not closed")]


def test_of_several_that_were_ticked_the_same_are_one_word_in_json_and_in_csv(file):
    given = [("anna", "AC"), ("ben", "ca"), ("cy", "AD"), ("di", "")]
    rows = [{"item": "i", "rater": name, "choice": "several", "ticked": ticked} for name, ticked in given]
    table = ["item,rater,choice,ticked", *(f"i,{name},several,{ticked}" for name, ticked in given)]
    for found in (read([file(lines(*rows))]), read([file("\n".join(table) + "\n", "people.csv")])):
        anna, ben, cy, di = found.value
        assert anna == ben
        assert len({anna, cy, di, 0.0, 2.0}) == 5
        assert why(found) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (GOOD | {"score": "high"}, "'score' is a text ('high'); a number or null is needed"),
        ({"item": "i", "rater": "anna", "choice": "AB"}, "choice 'AB' is no letter"),
        ({"item": "i", "rater": "anna", "choice": "ß"}, "is no letter"),
        ({"item": "i", "rater": "anna", "choice": "several", "ticked": "A,B"}, "ticked 'A,B' holds more than letters"),
        ({"item": "i", "rater": "anna", "choice": ""}, "none of score, choice, preferred, code"),
        ({"item": "i", "rater": "anna", "choice": "\x1b[31m"}, "is no letter"),
        ({"item": "i", "rater": "anna", "preferred": "a"}, "preferred without model_a and model_b"),
        ({"item": "i", "rater": "anna", "preferred": "a", "model_a": "m", "model_b": "m"}, "a model and itself"),
        (
            {"item": "i", "rater": "anna", "preferred": "c", "model_a": "m", "model_b": "n"},
            "none of its choices ('c')",
        ),
        ({"item": "i", "rater": "anna"}, "none of score, choice, preferred, code"),
        ({"item": " ", "rater": "anna", "score": 1}, "no item"),
        ({"item": "i", "rater": "", "score": 1}, "no rater"),
        ({"item": "i", "rater": "\t", "score": 1}, "no rater"),
        ({"rater": "anna", "score": 1}, "'item' is missing"),
        (GOOD | {"score": 1e300}, "beyond any scale"),
        (GOOD | {"propensity": 0}, "propensity 0 is not a share above 0 (from 1e-06) and at most 1"),
        (GOOD | {"propensity": 1.2}, "propensity 1.2 is not a share"),
        (GOOD | {"propensity": 5e-324}, "is not a share"),
        (GOOD | {"propensity": "often"}, "'propensity' is a text ('often')"),
        (GOOD | {"kind": "dog"}, "'kind' is none of its choices ('dog'); 'judge', 'metric' or 'person' is needed"),
        (GOOD | {"item": True}, "'item' is a truth value (true); a text is needed"),
        ([1, 2], "it is a list; an object is needed"),
        (7, "it is a number (7); an object is needed"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_others_count(file, line, reason):
    found = read([file(lines(GOOD, line, GOOD | {"item": "k"}))])
    assert [row[0] for row in told(found)] == ["i", "k"]
    ((number, said),) = why(found)
    assert number == 2
    assert reason in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b'{"item": "i", "rater": "anna", "score": NaN}\n', "not JSON"),
        (b'{"item": "i", "rater": "anna", "score": 1e999}\n', "a number without measure"),
        (b'{"item": "\xff", "rater": "anna", "score": 1}\n', "not UTF-8 text"),
        (b"[" * 100_000 + b"\n", "it is a list; an object is needed"),
        (b'{"item":' + b"[" * 100_000 + b"\n", "'item' is a list"),
        (b'{"x":' + b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"item": "' + b"x" * 1_500_000 + b'"}\n', "longer than 1,000,000 bytes"),
        (b'{"item": "i", "rater": "anna", "sco', "torn"),
    ],
)
def test_bytes_that_are_no_line_are_named_too(file, raw, reason):
    found = read([file(lines(GOOD).encode() + raw)])
    assert len(told(found)) == 1
    assert found.sources[0].n_unread == 1
    assert reason in why(found)[0][1]


def test_an_endless_line_is_one_line(file, monkeypatch):
    monkeypatch.setattr(foreign_lines, "LONGEST", 1_000)
    path = file(lines(GOOD) + "x" * 50_000)
    assert read([path]).sources[0].n_unread == 1
    found = read([file(lines(GOOD) + "x" * 50_000 + "\n" + lines(GOOD | {"item": "k"}), "more.jsonl")])
    assert [row[0] for row in told(found)] == ["i", "k"]
    longest = lines(GOOD | {"item": "k"}).rstrip().ljust(999) + "\n"
    assert read([file(lines(GOOD) + longest)]).sources[0].n_unread == 0
    assert read([file(lines(GOOD) + " " + longest)]).sources[0].n_unread == 1


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ("4,anna,nan", "score nan is not finite"),
        ("4,anna,inf", "score inf is not finite"),
        ('4,anna,"7,5"', "score 7,5 has a decimal comma: write 7.5"),
        ("4,anna", "2 cells where the header has 3"),
        ('4,"a"nna,3', "a quote inside a cell that is not doubled"),
    ],
)
def test_cells_that_cannot_be_used_are_named(file, cells, reason):
    found = read([file(f"item,rater,score\n1,anna,3\n{cells}\n5,anna,2\n", "people.csv")])
    assert [row[0] for row in told(found)] == ["1", "5"]
    assert why(found)[0][0] == 3
    assert reason in why(found)[0][1]


def test_text_of_another_encoding_is_named(file):
    found = read([file("item,rater,score\n1,Änne,3\n".encode("latin-1") + b"2,anna,3\n", "people.csv")])
    assert [row[0] for row in told(found)] == ["2"]
    assert "not UTF-8 text" in why(found)[0][1]


def test_whole_numbers_as_names_and_empty_values_are_taken_as_meant(file):
    found = read([file(lines({"item": 5973, "rater": 2, "score": "7.5", "model": None, "choice": ""}))])
    assert told(found) == [("5973", "2", "score", "", "", "", 7.5)]


def test_only_the_first_few_flaws_are_kept_and_all_counted(file):
    found = read([file(lines(GOOD) + "{}\n" * 50)])
    assert found.sources[0].n_unread == 50
    assert len(found.sources[0].unread) == ratings.EXAMPLES


def test_a_kind_said_once_holds_and_a_metric_is_known_by_its_name(file):
    found = read(
        [
            file(
                lines(
                    GOOD | {"rater": "metric:wer"},
                    GOOD | {"rater": "j"},
                    GOOD | {"rater": "j", "kind": "judge"},
                    GOOD | {"rater": "j"},
                    GOOD | {"rater": "k", "kind": "judge"},
                    GOOD | {"rater": "k", "kind": "metric"},
                )
            )
        ]
    )
    assert dict(zip(found.raters, found.kinds, strict=True)) == {"metric:wer": "metric", "j": "judge", "k": "judge"}
    assert found.two_kinds == ["j", "k"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"hello\nworld\n", "neither a rating file nor a run folder"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "neither a rating file nor a run folder"),
        (b"system,score\na,1\n", "neither a rating file nor a run folder"),
        (b'[{"item": "i"}]', "is a JSON list; write one object a line"),
        (
            b'{"item": "i", "text": "a reply"}\n',
            "holds no ratings: none of its 1 lines can be used (line 1: 'rater' is missing",
        ),
        (b"item,rater,score\n", "is empty"),
    ],
)
def test_a_file_without_ratings_is_refused_in_one_line(file, data, reason):
    with pytest.raises(UsageError) as refused:
        read([file(data)])
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_file_is_refused(file, tmp_path):
    path = file(lines(GOOD))
    for paths, reason in (
        ([tmp_path / "gone.jsonl"], "cannot read"),
        ([path, tmp_path / "lines.jsonl"], "given twice"),
        ([tmp_path], "neither a rating file nor a run folder"),
        ([tmp_path / ("x" * 300)], "File name too long"),
    ):
        with pytest.raises(UsageError, match=reason):
            read(paths)
    with pytest.raises(UsageError, match="is a device"):
        read([ratings.Path("/dev/zero")])


def test_a_pipe_is_read_like_a_file(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(lines(GOOD),))
    writer.start()
    assert len(told(read([path]))) == 1
    writer.join()


READ = """
import re, sys
from pathlib import Path
from audiometry.files.ratings import read
found = read([Path(sys.argv[1])])
# of this process alone: getrusage counts what its parent held before it began
print(len(found.value), int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def test_a_large_file_is_read_in_less_memory_than_it_is_long(tmp_path):
    path, note = tmp_path / "large.jsonl", "x" * 900
    with path.open("w") as out:
        out.writelines(
            f'{{"item":"q/{i % 5000}","rater":"p{i // 5000}","score":{i % 10},"comment":"{note}"}}\n'
            for i in range(105_000)
        )
    size = path.stat().st_size >> 20
    assert size > 90
    done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True)
    n, peak = map(int, done.stdout.split())
    assert n == 105_000
    assert peak < size


@pytest.fixture
def run_folder(tmp_path):
    """A run of model m over q/0 to q/4, rated by a judge unless told otherwise."""

    def make(name="run", *, rated=True):
        folder = RunFolder(tmp_path / name)
        stamp = BenchmarkStamp(name="b", version="1", source="b", sha256="0")
        prompt = PromptStamp(layout="ours", sha256="0", part_order="audio-first")
        info = {"parameters": {}, "seed": 0, "variants": ("plain",), "n_items": 5, "versions": {}, "started": ""}
        folder.write_info(RunInfo(benchmark=stamp, prompt=prompt, model="m", **info))
        folder.replies_path.write_text(lines(*({"item": f"q/{i}", "text": "A"} for i in range(5))))
        if rated:
            path = folder.path / "ratings" / "judge-j.jsonl"
            path.parent.mkdir()
            path.write_text(
                lines(*({"item": f"q/{i}", "rater": "j", "kind": "judge", "model": "m", "score": i} for i in range(5)))
            )
        return folder.path

    return make


def test_a_run_folder_brings_its_ratings_and_what_it_holds(run_folder, file):
    found = read([run_folder(), file(lines(GOOD))])
    assert [source.path.rpartition("/")[2] for source in found.sources] == ["judge-j.jsonl", "lines.jsonl"]
    assert found.known_items == {f"q/{i}" for i in range(5)}
    assert found.known_models == {"m"}
    assert len(found.value) == 6


def test_a_metric_that_measured_no_reply_of_a_run_is_passed_over(run_folder):
    path = run_folder()
    (path / "ratings" / "metric-wer.jsonl").touch()
    found = read([path])
    assert [source.n_ratings for source in found.sources] == [5, 0]
    (path / "ratings" / "judge-j.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match="none of its replies was scored"):
        read([path])


def test_a_run_folder_without_ratings_says_what_writes_them(run_folder):
    with pytest.raises(UsageError, match=r"holds no ratings yet; `audiometry score .*` with --judge or --measure"):
        read([run_folder(rated=False)])


def test_progress_is_told_in_megabytes(file, monkeypatch):
    monkeypatch.setattr(rating_lines, "EVERY", 2)
    monkeypatch.setattr(ratings, "MB", 10)
    told_of = []
    paths = [file(lines(*[GOOD] * 6), name) for name in ("one.jsonl", "two.jsonl")]
    read(paths, lambda done, whole: told_of.append((done, whole)))
    assert len(told_of) == 6
    assert told_of == sorted(told_of)
    assert {whole for _, whole in told_of} == {2 * paths[0].stat().st_size // 10}
    assert 0 < told_of[-1][0] <= told_of[-1][1]


@given(data=st.binary(max_size=300) | st.text('{}[]",;:\nitemraterscore1\x00', max_size=200).map(str.encode))
@example(data=b"item,rater,score\n" + b'"' * 30)
@example(data=b"\xef\xbb\xbf{")
def test_any_bytes_are_ratings_or_one_line(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("bytes") / "any"
    path.write_bytes(data)
    said = ""
    try:
        n = len(read([path]).value)
    except UsageError as refused:
        n, said = 0, str(refused)
    assert n > 0 or said
    assert "\n" not in said


def test_codes_are_the_same_in_whatever_letters_and_with_whatever_between(file):
    path = file("item,rater,code\n1,ann,Format-Failure\n1,bo,format failure\n1,cy, format_failure \n")
    assert ratings.read([path]).codes == ["format-failure"]


def test_a_raters_name_as_long_as_a_page_is_no_name(file):
    path = file("item,rater,code\n" + "".join(f"1,{'a' * n},x\n" for n in (201, 200)))
    (source,) = ratings.read([path]).sources
    assert (source.n_ratings, source.n_unread) == (1, 1)
    assert "201 characters" in source.unread[0].why
