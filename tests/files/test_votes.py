from __future__ import annotations

import csv
import io
import json
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.files import vote_columns, vote_lines, votes
from audiometry.records.votes import Outcome

LABELS = ("model_a", "model_b", "tie", "both_bad")


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def vote(a="x", b="y", winner="model_a", **more):
    return {"model_a": a, "model_b": b, "winner": winner, **more}


def told(found):
    """Every vote in words."""
    its = found.votes
    return [(its.models[a], its.models[b], Outcome(o).name) for a, b, o in zip(its.a, its.b, its.outcome, strict=True)]


def apart(found):
    return {one.why: (one.n, one.lines) for one in found.apart}


ROWS = [
    vote("x", "y", "model_a", voter="ann", topic="birds", language="en", length_a=3, length_b=4.5, first="model_b"),
    vote("z", "x", "tie", voter="bob", topic="", language="de", length_a=0, length_b=2, propensity=0.25),
    vote("y", "z", "both_bad", voter="ann", topic="bells", language="en", latency_a=1, latency_b=2, first="a"),
]


def as_csv(rows, delimiter=",", **how):
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, delimiter=delimiter, lineterminator=how.get("end", "\n"))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_parquet(rows, path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(rows, pa.schema(_types(rows))), path)
    return path


def _types(rows):
    import pyarrow as pa

    kinds = {str: pa.string(), int: pa.float64(), float: pa.float64(), list: pa.list_(pa.string())}
    return {key: kinds[type(value)] for row in rows for key, value in row.items()}.items()


def in_every_form(rows, tmp_path):
    for name, text in {
        "votes.jsonl": lines(*rows),
        "votes.csv": as_csv(rows),
        "votes.tsv": as_csv(rows, "\t"),
        "semicolons.csv": as_csv(rows, ";", end="\r\n"),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig", newline="")
        yield tmp_path / name
    yield as_parquet(rows, tmp_path / "votes.parquet")


def test_every_form_gives_the_same_columns(tmp_path):
    for path in in_every_form(ROWS, tmp_path):
        found = votes.read(path)
        its = found.votes
        assert told(found) == [("x", "y", "A"), ("z", "x", "TIE"), ("y", "z", "BOTH_BAD")], path
        assert its.models == ("x", "y", "z")
        assert its.voter.tolist() == [0, 1, 0]
        assert its.first.tolist() == [1, -1, 0]
        np.testing.assert_array_equal(its.propensity, [np.nan, 0.25, np.nan])
        np.testing.assert_array_equal(its.contrasts["length"], [[3, 4.5], [0, 2], [np.nan, np.nan]])
        np.testing.assert_array_equal(its.contrasts["latency"], [[np.nan, np.nan]] * 2 + [[1, 2]])
        assert found.groups["topic"].values == ("bells", "birds")
        assert found.groups["topic"].code.tolist() == [1, -1, 0]
        assert found.groups["language"].code.tolist() == [1, 0, 1]
        assert found.apart == () == found.notes
        assert found.n_lines == 3
        assert not found.is_counts
        assert found.line.tolist() == ([1, 2, 3] if path.suffix in {".jsonl", ".parquet"} else [2, 3, 4])


@given(
    st.lists(
        st.tuples(
            st.sampled_from("pqrs"), st.sampled_from("pqrs"), st.sampled_from(LABELS), st.sampled_from(["", "v"])
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(30, 400),
)
def test_no_vote_is_lost_or_changed_however_blocks_are_cut(tmp_path_factory, rows, block):
    path = tmp_path_factory.mktemp("cut") / "votes.csv"
    rows = [("p", "q", "tie", ""), *rows]
    path.write_text(as_csv([vote(a, b, winner, voter=who, query='said "yes",\nthen') for a, b, winner, who in rows]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vote_lines, "BLOCK", block)
        found = votes.read(path, texts=True)
    kept = [(a, b, Outcome(LABELS.index(winner)).name) for a, b, winner, _ in rows if a != b]
    assert told(found) == kept
    assert found.n_apart == len(rows) - len(kept)
    assert found.n_lines == len(rows)
    assert set(found.texts.query) == {'said "yes",\nthen'}
    assert found.line.tolist() == [2 * at + 2 for at, row in enumerate(rows) if row[0] != row[1]]


@pytest.mark.parametrize(
    ("label", "outcome"),
    [
        ("Model_A", "A"),
        ("left", "A"),
        ("b", "B"),
        ("tie (bothbad)", "BOTH_BAD"),
        ("bothbad", "BOTH_BAD"),
        ("Draw", "TIE"),
    ],
)
def test_labels_of_other_tools_are_read_by_a_table_that_is_told(file, label, outcome):
    found = votes.read(file(lines(vote(winner=label), vote(winner=f" {label}"), vote())))
    assert [row[2] for row in told(found)] == [outcome, outcome, "A"]
    ours = {"A": "model_a", "B": "model_b", "TIE": "tie", "BOTH_BAD": "both_bad"}[outcome]
    assert found.read_as == {label: (ours, 2)} or found.read_as[label] == (ours, 1)
    assert votes.said_of(found)[0].startswith(f"'{label}' is read as {ours} (")


@pytest.mark.parametrize("label", ["0.5", "1", "maybe", "modelA", "tie?", "both", "TRUE", "model_c"])
def test_a_label_that_is_not_known_is_no_tie_but_set_apart(file, label):
    found = votes.read(file(lines(vote(), vote(winner=label), vote(winner=label), vote(winner=""))))
    assert len(told(found)) == 1
    why = "is none of model_a, model_b, tie, both_bad, nor the name of one of the two models"
    if label == "1":
        why = "is a number, which says no side: write model_a, model_b, tie, both_bad"
    assert apart(found) == {f"winner '{label}' {why}": (2, (2, 3)), "winner is empty": (1, (4,))}


def test_columns_of_other_tools_are_read_where_ours_are_not_and_that_is_told(tmp_path):
    theirs = [vote(judge="ann", tstamp=1764331200.5), vote("y", "z", judge="bob"), vote("z", "x", judge="ann")]
    for path in in_every_form(theirs, tmp_path):
        found = votes.read(path, times=True)
        assert found.votes.voter.tolist() == [0, 1, 0]
        np.testing.assert_array_equal(found.at, [1764331200.5, np.nan, np.nan])
        assert found.notes == ("the column judge is read as voter", "the column tstamp is read as at")
        assert votes.read(path).notes == ("the column judge is read as voter",)
    for path in in_every_form([one | {"voter": "me"} for one in theirs], tmp_path):
        found = votes.read(path, groups=("judge",))
        assert found.votes.voter.tolist() == [0, 0, 0]
        assert found.groups["judge"].values == ("ann", "bob")
        assert found.notes == ()


def test_a_winner_may_be_the_name_of_one_of_its_two_models(file):
    rows = [vote("x", "y", "x"), vote("x", "y", " y "), vote("y", "x", "x"), vote("x", "y", "z"), vote("z", "y", "tie")]
    found = votes.read(file(lines(*rows)))
    assert told(found) == [("x", "y", "A"), ("x", "y", "B"), ("y", "x", "B"), ("z", "y", "TIE")]
    assert [one.lines for one in found.apart] == [(4,)]
    assert "3 votes say who won by the model's name" in votes.said_of(found)
    assert not any("by the model's name" in one for one in votes.said_of(votes.read(file(lines(vote())))))


def test_a_winners_name_may_have_other_capitals_unless_that_names_both(file):
    rows = [vote("Моя x", "y", "МОЯ X"), vote("y", "Моя x", "моя X"), vote("y", "Y", "Y"), vote("Big", "BIG", "big")]
    found = votes.read(file(lines(*rows)))
    assert told(found) == [("Моя x", "y", "A"), ("y", "Моя x", "B"), ("y", "Y", "B")]
    assert [one.lines for one in found.apart] == [(4,)]


def test_names_that_differ_in_capitals_and_blanks_alone_are_told(file):
    rows = [vote("GPT-4o", "gpt 4o", "a"), vote("gpt-4o", "other", "a"), vote("other", "others", "b")]
    assert votes.said_of(votes.read(file(lines(*rows))))[-1] == (
        "'GPT-4o', 'gpt 4o', 'gpt-4o' are counted as 3 models; if they are one, write one name"
    )


def test_a_word_for_one_side_that_is_the_other_sides_name_is_set_apart(file):
    rows = [
        vote("B", "A", "A"),
        vote("A", "B", "A"),
        vote("B", "A", "B"),
        vote("A", "tie", "tie"),
        vote("B", "A", "model_a"),
    ]
    found = votes.read(file(lines(*rows)))
    assert told(found) == [("A", "B", "A"), ("B", "A", "A")]
    why = "winner is a word for one outcome and the name of the other side's model"
    assert apart(found) == {why: (3, (1, 3, 4))}


def test_a_header_may_have_blanks_or_dashes_in_its_names(file):
    found = votes.read(file("Model A;Model-B;Winner;Use case;Length A;length_b\nx;y;left;q;1;2\n"), groups=["use case"])
    assert told(found) == [("x", "y", "A")]
    assert found.groups["use case"].values == ("q",)
    assert found.votes.contrasts["length"].tolist() == [[1, 2]]


def test_what_cannot_count_is_set_apart_with_its_lines(file):
    rows = [
        vote(),
        vote("x", "x"),
        vote("", "y"),
        vote(None, "y"),
        vote("x", "m" * 201),
        vote("x", ["y"]),
        {"model_a": "x"},
    ]
    found = votes.read(file(lines(*rows) + '{"model_a": "x", "model_b"\n[1]\n\n' + lines(vote())[:-1]))
    assert len(told(found)) == 2
    assert found.n_lines == 10
    assert found.n_apart == 8
    why = apart(found)
    assert why["a model against itself"] == (1, (2,))
    assert why["model_a is empty"] == (2, (3, 4))
    assert why["model_b is longer than 200 characters"] == (1, (5,))
    assert why["model_b is empty"] == (2, (6, 7))
    assert (
        "8 lines of 10 set apart, which count nowhere: 2: model_a is empty (lines 3, 4); " in votes.said_of(found)[-1]
    )


def test_a_broken_row_of_csv_costs_no_other(file):
    text = 'model_a,model_b,winner,comment\nx,y,tie,\nx,y\nx,y,tie,a,b\nx,\xff,tie,\nx,y,tie,"open\nx,y,model_a,\n,,,\n'
    found = votes.read(file(text.encode("latin-1"), "votes.csv"))
    assert [row[2] for row in told(found)] == ["TIE", "A"]
    assert {why: at for why, (_, at) in apart(found).items()} == {
        "fewer cells than the header has": (3,),
        "more cells than the header has": (4,),
        "not UTF-8 text": (5,),
        "a quote that is not closed": (6,),
    }


def test_a_battle_that_stands_twice_counts_once_and_contradictions_not_at_all(file):
    rows = [
        vote(battle="1", voter="ann"),
        vote(battle="1", voter="ann"),
        vote("y", "x", "model_b", battle="1", voter="ann"),  # the same, with the sides turned
        vote(battle="1", voter="bob", winner="tie"),  # somebody else's
        vote(battle="2"),
        vote(battle="2", winner="tie"),
        vote(battle=3),
        vote(battle="4", winner="model_b"),
        vote(),
        vote(),
    ]
    found = votes.read(file(lines(*rows)), texts=True)
    assert found.line.tolist() == [1, 4, 7, 8, 9, 10]
    assert found.texts.battle == ["1", "1", "3", "4", "", ""]
    assert apart(found) == {
        "a battle again, of the same voter and with the same outcome": (2, (2, 3)),
        "a battle of one voter with two outcomes or other models": (2, (5, 6)),
    }
    assert found.n_lines == len(found.line) + found.n_apart


def test_a_model_without_a_vote_that_counts_is_not_among_the_models(file):
    assert votes.read(file(lines(vote(), vote("a", "b", "maybe")))).votes.models == ("x", "y")


COUNTS = "model_a,model_b,a_wins,b_wins,ties,both_bad\nx,y,2,1,1,0\nz,x,0,3,0,1\n"


def test_pair_counts_are_votes_too(file):
    found = votes.read(file(COUNTS, "pairs.csv"))
    assert found.is_counts
    assert told(found) == [
        *[("x", "y", "A")] * 2,
        ("x", "y", "B"),
        ("x", "y", "TIE"),
        *[("z", "x", "B")] * 3,
        ("z", "x", "BOTH_BAD"),
    ]
    assert found.line.tolist() == [2] * 4 + [3] * 4
    assert found.n_lines == 2
    assert found.votes.voter is None


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x,y,1,2,0,4", "n is not the sum of its counts"),
        ("x,y,-1,2,0,", "a_wins is no count"),
        ("x,y,1,2.5,0,", "b_wins is no count"),
        ("x,y,1,2,many,", "ties is no count"),
        ("x,x,1,2,0,3", "a model against itself"),
    ],
)
def test_pair_counts_that_are_none_are_set_apart(file, row, why):
    found = votes.read(file(f"model_a,model_b,a_wins,b_wins,ties,n\nx,z,1,1,1,3\n{row}\n", "pairs.csv"))
    assert len(told(found)) == 3
    assert apart(found) == {why: (1, (3,))}


def test_counts_beyond_all_measure_are_refused(file):
    with pytest.raises(UsageError, match="are they counts"):
        votes.read(file("model_a,model_b,a_wins,b_wins\nx,y,5000000,5000001\n", "pairs.csv"))


def test_cells_that_say_nothing_are_told_and_taken_as_not_known(file):
    header = "model_a,model_b,winner,propensity,first,length_a,length_b\n"
    found = votes.read(file(header + "x,y,tie,1.5,c,-1,2\nx,y,tie,0.5,b,nan,2\nx,y,tie,,a,7,8\n", "votes.csv"))
    np.testing.assert_array_equal(found.votes.propensity, [np.nan, 0.5, np.nan])
    assert found.votes.first.tolist() == [-1, 1, 0]
    np.testing.assert_array_equal(found.votes.contrasts["length"][:, 0], [np.nan, np.nan, 7])
    share = "a share above 0 (from 1e-06) and at most 1"
    assert set(found.notes) == {
        f"1 value of propensity (line 2 first) taken as not known: give {share}",
        "1 value of first (line 2 first) taken as not known: give model_a or model_b",
        "2 values of length_a (line 2 first) taken as not known: give a number from 0",
    }


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "is empty: no votes"),
        ("\n\n", "is empty: no votes"),
        ("[{}]", "is a JSON list; write one object a line"),
        ("a,b,c\n", "is no vote file; give JSON lines, CSV or parquet"),
        ("model_a,model_b\n", "has no column winner"),
        ("model_a,modelb,winner\n", "has no column model_b; did you mean 'modelb'"),
        ("model_a,model_b,a_wins\n", "has no column b_wins"),
        ("model_a,model_b,winner,winner\n", "has more than one column winner"),
        ("model_a,model_b,winner\n", "has no votes below its header"),
        (lines({"a": 1}), "has no column model_a; it has a"),
        (lines({"Left_Model": "x", "model_b": "y", "winner": "a"}), "has no column model_a; did you mean 'left_model'"),
        ("x,y,model_a\n", "has no column model_b; it has x, y"),
        (lines(vote("")), "holds no vote that counts: none of 1 line can be used (model_a is empty, line 1)"),
        (b"PK\x03\x04 and no more", "is a zip archive, as workbooks of Excel are; save the sheet as CSV"),
        (b"PAR1 and no more", "cannot be read ("),
        (b"\xff\xfem\x00", "is text in UTF-16; save it as UTF-8"),
        ("model_a".encode("utf-16-be").join([b"\xfe\xff", b""]), "is text in UTF-16; save it as UTF-8"),
    ],
)
def test_what_is_no_vote_file_is_refused_in_one_line(file, data, said):
    with pytest.raises(UsageError) as problem:
        votes.read(file(data))
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


def test_no_file_a_folder_and_a_device_are_refused(tmp_path):
    for path, said in (
        (tmp_path / "none.csv", "cannot read"),
        (tmp_path, "cannot read"),
        (__import__("pathlib").Path("/dev/zero"), "is a device, not a vote file"),
    ):
        with pytest.raises(UsageError, match=said):
            votes.read(path)


def test_a_pipe_is_read(tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=pipe.write_text, args=(lines(*ROWS),))
    writer.start()
    found = votes.read(pipe)
    writer.join()
    assert len(told(found)) == 3


def test_more_models_than_can_be_ranked_is_a_column_of_something_else(file, monkeypatch):
    monkeypatch.setattr(vote_columns, "MOST_MODELS", 5)
    monkeypatch.setattr("audiometry.files.vote_gathered.MOST_MODELS", 5)
    with pytest.raises(UsageError, match="more than 5 models: is that the column that is meant"):
        votes.read(file(lines(*(vote(str(n), "y") for n in range(9)))))


def test_texts_are_kept_on_request_only(file):
    path = file(lines(vote(query="how\x1b[2J", reasons=["short", " kind "], comment=7), vote(reasons="a; b|c")))
    assert votes.read(path).texts is None
    found = votes.read(path, texts=True).texts
    assert found.query == ["how\x1b[2J", ""]
    assert found.comment == ["7", ""]
    assert found.reasons == [("short", "kind"), ("a", "b", "c")]


@pytest.mark.parametrize("name", ["use case", "2nd", "class", "__init__", "größe"])
def test_a_column_to_group_by_may_be_called_anything(file, name):
    rows = [vote(**{name: "q"}), vote(**{name: "p", "voter": {}})]
    for text in (lines(*rows), as_csv(rows)):
        assert votes.read(file(text), groups=[name]).groups[name].values == ("p", "q")


def test_any_column_can_group(file):
    found = votes.read(file("Model_A,MODEL_B,Winner,Device\nx,y,tie,phone\nx,y,tie,\n", "votes.csv"), groups=["device"])
    assert found.groups["device"].values == ("phone",)
    assert found.groups["device"].code.tolist() == [0, -1]


def test_a_value_to_group_by_that_is_too_long_is_told_and_no_other_value(file):
    rows = [vote(topic="birds"), vote("y", "x", topic="bells"), vote("z", "x", topic="b" * 201)]
    found = votes.read(file(lines(*rows)))
    assert found.groups["topic"].values == ("bells", "birds")
    assert found.groups["topic"].code.tolist() == [1, 0, -1]
    assert found.notes == (
        "1 value of topic (line 3 first) taken as not known: give a name of at most 200 characters in UTF-8",
    )


def test_progress_reaches_the_end(file):
    seen = []
    votes.read(file(lines(*ROWS)), reached=lambda done, whole: seen.append((done, whole)))
    assert seen[-1] == (0, 0)
