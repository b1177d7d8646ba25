"""At which time something is heard: right times are right, wrong ones are times at which it is not."""

from itertools import pairwise

import pytest

EVENTS = """
name = "when"
make = "events"
about = "word"
question = ["When is '{label}' said?"]
"""
COLUMNS = 'audio = "file", start = "from", end = "to", group = ["station"]'
WORDS = [(0.2, 0.8, "one"), (1, 1.5, "two"), (2, 2.6, "three"), (3, 3.4, "four"), (4, 4.5, "one")]


def rows_of(n, words=WORDS):
    return [
        {"file": f"birds/{k}.wav", "from": a, "to": b, "word": word, "station": k}
        for k in range(n)
        for a, b, word in words
    ]


def times(text):
    return tuple(float(part) for part in text.strip("[] s").split(", "))


@pytest.fixture
def made(recordings, spec, cli, tmp_path, metadata, rejected):
    def make(rows, task=EVENTS, columns=COLUMNS, seconds=5):
        recordings(len({row["file"] for row in rows}), seconds)
        said = cli("build", spec(rows, task, columns=columns, facts='word = "word"'), "-o", tmp_path / "out")
        return said, metadata(tmp_path / "out"), rejected(tmp_path / "out")

    return make


def test_the_right_time_is_that_of_the_event_and_no_wrong_one_meets_it(made, cli, tmp_path):
    said, items, rejected = made(rows_of(4), EVENTS + "per_clip = 3")
    assert said.code == 0
    assert len(items) == 12
    spans = {word: (a, b) for a, b, word in WORDS[1:4]}
    known = {(a, b) for a, b, _ in WORDS}
    for item in items:
        word = item["tags"]["word"]
        assert item["question"] == f"When is '{word}' said?"
        assert times(item["answer"]) == spans[word]
        wrong = [times(one) for one in item["options"] if one != item["answer"]]
        assert {*wrong} <= known
        assert len(wrong) == 3
        assert all(b <= spans[word][0] or a >= spans[word][1] for a, b in wrong)
        assert (tmp_path / "out" / item["file_name"]).stat().st_size == (tmp_path / "birds/0.wav").stat().st_size
    assert {(one["rule"], one["reason"]) for one in rejected} == {
        ("ambiguous", "'one' is heard 2 times, so that no one time is right")
    }
    run = cli("run", tmp_path / "out", "--model", "scripted/oracle", "-o", tmp_path / "run", "--json")
    assert run.json["scores"]["strict"]["value"] == 1.0


def test_a_time_that_meets_that_of_the_event_is_no_wrong_option(made):
    words = [(1.0, 2.0, "one"), (1.9, 2.5, "two"), (3.0, 3.5, "three"), (4.0, 4.4, "four"), (4.5, 4.9, "five")]
    _, items, _ = made(rows_of(2, words), EVENTS + "per_clip = 5")
    met = {"one": "[1.90, 2.50]", "two": "[1.00, 2.00]"}
    asked = {item["tags"]["word"]: item["options"] for item in items}
    assert len(asked) == 5
    assert all(met[word] not in asked[word] for word in met)


def test_where_other_events_are_too_few_other_times_are_drawn(made):
    _, items, _ = made(rows_of(3, [(1.0, 1.5, "one"), (2.5, 3.0, "two")]))
    for item in items:
        spans = sorted(map(times, item["options"]))
        assert len(spans) == 4
        assert all(0 <= a < b <= 5 for a, b in spans)
        assert all(a[1] <= b[0] + 0.01 for a, b in pairwise(spans))


@pytest.mark.parametrize("step", [1, 0.5, 0.1])
def test_no_time_is_told_from_the_right_one_by_its_digits_or_its_length(made, step):
    rows = rows_of(6, [(1 + step, 1 + 2 * step, "one")])
    for k, row in enumerate(rows):
        row |= {"from": row["from"] + k % 3 * step, "to": row["to"] + (k % 3 + k // 3) * step}
    said, items, _ = made(rows, seconds=9)
    assert said.code == 0
    lengths = {round(row["to"] - row["from"], 2) for row in rows}
    for item in items:
        assert len(item["options"]) == 4
        for begin, end in map(times, item["options"]):
            assert abs(begin / step - round(begin / step)) < 1e-6
            assert round(end - begin, 2) in lengths
            assert 0 <= begin < end <= 9
    assert {round(b - a, 2) for item in items for a, b in map(times, item["options"])} == lengths


def test_what_other_rows_say_is_heard_again_has_no_one_time(recordings, spec, cli, tmp_path, metadata, rejected):
    recordings(4, 9, channels=2)
    row = {"from": 0, "to": 2, "word": "dog", "channel": "", "part": "dev"}
    again = [{"channel": "left"}, {"part": "train"}, {"to": 20}, {"word": "cat"}]
    rows = [
        row | {"file": f"birds/{k}.wav", "station": k} | more
        for k, other in enumerate(again)
        for more in ({}, {"from": 5, "to": 7} | other, {"from": 3, "to": 4, "word": "owl"})
    ]
    columns = COLUMNS + ', channel = "channel", split = "part"'
    cli("build", spec(rows, EVENTS + "per_clip = 9", columns=columns, facts='word = "word"'), "-o", tmp_path / "out")
    items = metadata(tmp_path / "out")
    asked = {(item["provenance"]["file"][6], item["tags"]["word"]): item["provenance"]["row"] for item in items}
    alone = {("0", "owl"): "4", ("1", "owl"): "7", ("2", "owl"): "10", ("3", "owl"): "13"}
    assert asked == alone | {("3", "dog"): "11", ("3", "cat"): "12"}
    assert [one["rule"] for one in rejected(tmp_path / "out")].count("ambiguous") == 4


def test_a_start_alone_is_asked_as_a_second(made):
    rows = [{k: v for k, v in row.items() if k != "to"} for row in rows_of(2)]
    _, items, _ = made(rows, columns='audio = "file", start = "from", group = ["station"]')
    for item in items:
        assert item["answer"] in {"1.00 s", "2.00 s", "3.00 s"}
        assert all(
            abs(times(one)[0] - times(item["answer"])[0]) >= 0.5 for one in item["options"] if one != item["answer"]
        )


def test_an_event_that_fills_the_recording_has_no_wrong_time(made):
    said, items, rejected = made(rows_of(1, [(0, 4.9, "one")]) + rows_of(2)[5:])
    assert said.code == 0
    assert len(items) == 1
    assert ("no-wrong-option", "'one' is heard at all times that events have, so that no other time is wrong") in {
        (one["rule"], one["reason"]) for one in rejected
    }


@pytest.mark.parametrize(
    ("task", "columns", "said"),
    [
        (
            EVENTS.replace("{label}", "it"),
            COLUMNS,
            "in which {label} stands nowhere; write where what is heard is named",
        ),
        (EVENTS, 'audio = "file"', "has no times; name their columns in columns.start and columns.end of its source"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_read(recordings, spec, cli, tmp_path, task, columns, said):
    found = cli("build", spec(rows_of(1), task, columns=columns, facts='word = "word"'), "-o", tmp_path / "out")
    assert found.code == 2
    assert said in found.err
    assert not (tmp_path / "out").exists()
