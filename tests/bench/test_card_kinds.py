"""Kinds of options, drawn orders, lists of values, dimensions, worked examples: what a card says of them."""

import csv
import json
from collections import Counter

import pytest

from audiometry import bench
from audiometry.bench.dimensions import listed
from audiometry.errors import BenchmarkError

CARD = """[benchmark]
name = "rows"
known = ["One defect."]
[data]
source = "csv"
path = "rows.csv"
[data.columns]
task = ""
options = ["right", "o1", "o2", "o3"]
kinds = ["", "near", "far", "far"]
drawn = true
answer = "right"
lists = ["knows", "others"]
[asked]
orders = 3
shots = 1
[[dimension]]
tag = "knowledge"
column = "knows"
title = "What one knows"
values = ["melody", "metre and rhythm"]
[[dimension]]
tag = "reasoning"
column = "reasons"
values = ["mood", "lyrics"]
[distractors]
near = "nearly right"
[[example]]
question = "What barks?"
options = ["a dog", "a cat"]
answer = "a dog"
[[task]]
name = "bells"
"""


def row(n, **cells):
    return {
        "id": f"i{n}",
        "question": f"Which, {n}?",
        "right": f"dog {n}",
        "o1": "cat",
        "o2": "cow",
        "o3": "hen",
        "audio": f"audio/{n % 3:05}.wav",
        "knows": "['melody']",
        "reasons": "",
        "others": "",
    } | cells


@pytest.fixture
def rows(make_benchmark):
    """Write ``rows.csv`` beside clips, with a card; gives the card."""
    folder = make_benchmark(3)

    def write(*rows, card=CARD):
        with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
        (folder / "card.toml").write_text(card)
        return folder / "card.toml"

    return write


def test_options_have_their_kind_and_an_order_of_their_own(rows):
    items = list(bench.load(rows(*(row(n) for n in range(200)))))
    first = Counter(item.options.index(item.answer) for item in items)
    assert min(first[place] for place in range(4)) > 25  # none is kept for the right one
    kinds = {"cat": "near", "cow": "far", "hen": "far"}
    assert all(item.kinds == tuple(kinds.get(option, "") for option in item.options) for item in items)
    again = list(bench.load(rows(*(row(n) for n in reversed(range(200))))))
    assert {item.id: item.options for item in again} == {item.id: item.options for item in items}


def test_an_empty_option_leaves_its_kind_out(rows):
    item = next(iter(bench.load(rows(row(0, o2="")))))
    assert sorted(zip(item.options, item.kinds, strict=True)) == [("cat", "near"), ("dog 0", ""), ("hen", "far")]


def test_without_drawn_the_order_is_that_of_the_columns(rows):
    item = next(iter(bench.load(rows(row(0), card=CARD.replace("drawn = true", "")))))
    assert (item.options, item.kinds) == (("dog 0", "cat", "cow", "hen"), ("", "near", "far", "far"))


def test_a_column_of_options_may_hold_a_list(make_benchmark):
    folder = make_benchmark(1)
    told = {"id": "x", "question": "Which?", "right": "dog", "wrong": ["cat", "cow"], "audio": "audio/00000.wav"}
    (folder / "rows.json").write_text(json.dumps([told]))
    columns = 'task = ""\noptions = ["right", "wrong"]\nkinds = ["", "far"]\nanswer = "right"\n'
    head = '[benchmark]\nname = "r"\n[data]\nsource = "json"\npath = "rows.json"\n[data.columns]\n'
    (folder / "card.toml").write_text(f'{head}{columns}[[task]]\nname = "a"\n')
    (item,) = bench.load(folder / "card.toml")
    assert (item.options, item.kinds) == (("dog", "cat", "cow"), ("", "far", "far"))


def of_json(folder, told, columns):
    """The benchmark of rows of JSON beside clips."""
    (folder / "rows.json").write_text(json.dumps(told))
    head = '[benchmark]\nname = "r"\n[data]\nsource = "json"\npath = "rows.json"\n[data.columns]\ntask = ""\n'
    (folder / "card.toml").write_text(f'{head}{columns}\n[[dimension]]\ntag = "mood"\nvalues = ["calm", "tense"]\n')
    return bench.load(folder / "card.toml")


def test_lists_of_json_are_options_kinds_and_values_as_they_are(make_benchmark):
    told = [{"options": ["dog", "", "cat"], "of": ["", "far", "near"], "answer": "dog", "mood": ["calm"], "x": 1.5}]
    told += [told[0] | {"of": [""], "mood": [1], "x": float("nan")}, told[0] | {"mood": "tense"}]
    rows = [{"id": f"i{n}", "question": "?", "audio": "audio/00000.wav"} | row for n, row in enumerate(told)]
    rows[1]["x"] = None
    found = of_json(make_benchmark(1), rows, 'kinds = "of"\nlists = ["mood"]\ntags = ["x"]')
    assert [(item.options, item.kinds) for item in found] == [(("dog", "cat"), ("", "near"))] * 2
    assert next(iter(found)).tags == {"x": 1.5, "mood": ["calm"]}
    assert "has 1 kind for 2 options; give one for each" in str(found.problems[0])
    assert "mood holds no list in 2 rows" in found.notes[0]


FOUR = ["dog", "cat", "cow", "hen"]


def kinds_by_option(item):
    return dict(zip(item.options, item.kinds, strict=True))


def test_a_folder_has_kinds_and_a_drawn_order_too(make_benchmark):
    told = [{"options": FOUR, "answer": "dog", "kinds": ["", "near", "far", "far"]} for _ in range(60)]
    folder = make_benchmark(told, clips=True)
    assert [item.options for item in bench.load(folder)] == [tuple(FOUR)] * 60
    (folder / "benchmark.toml").write_text("[data.columns]\ndrawn = true\n")
    items = list(bench.load(folder))
    assert {item.options.index("dog") for item in items} == {0, 1, 2, 3}
    assert all(kinds_by_option(item) == dict(zip(FOUR, told[0]["kinds"], strict=True)) for item in items)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["", "near"], "has 2 kinds for 4 options"),
        (["near", "", "far", "far"], "do not tell the right option"),
        (["", "", "far", "far"], "do not tell the right option"),
        (["", "ne ar", "far", "far"], "has the kind 'ne ar'; a short name is needed"),
    ],
)
def test_kinds_that_do_not_fit_leave_the_item_out(make_benchmark, kinds, said):
    folder = make_benchmark([{"options": FOUR, "answer": "dog", "kinds": kinds}, {}])
    found = bench.load(folder)
    assert len(found) == 1
    assert said in str(found.problems[0])


def test_another_fact_called_kind_is_no_slip(make_benchmark):
    assert len(bench.load(make_benchmark([{"kind": "loud"}]))) == 1


def test_values_of_dimensions_are_read_in_json_and_in_python(rows):
    cells = ["['melody', 'Metre and  rhythm']", '["melody"]', "[]", "", "nan", '[ "metre and rhythm" , ]']
    found = bench.load(rows(*(row(n, knows=cell) for n, cell in enumerate(cells))))
    both = ["melody", "metre and rhythm"]
    assert [item.tags.get("knowledge") for item in found] == [both, both[:1], None, None, None, both[1:]]
    assert not found.notes


def test_cells_that_hold_no_list_are_counted_and_named_and_their_rows_are_asked(rows):
    spoilt = [row(1, knows="melody"), row(2, knows="['melody'"), row(3, knows="[melody]"), row(4, knows="[1, 2]")]
    found = bench.load(rows(row(0), *spoilt))
    assert len(found) == 5
    assert [item.tags.get("knowledge") for item in found] == [["melody"], None, None, None, None]
    (note,) = found.notes
    assert "knows holds no list in 4 rows (first: rows.csv, line 3, 'melody')" in note


def test_unknown_values_of_a_dimension_are_counted_named_once_and_not_used(rows):
    told = [row(n, knows=f"['tempo', '{'key' if n else 'melody'}']", reasons="mood") for n in range(3)]
    found = bench.load(rows(*told))
    assert [item.tags for item in found] == [
        {"knowledge": ["melody"], "reasoning": ["mood"]},
        *[{"reasoning": ["mood"]}] * 2,
    ]
    (note,) = found.notes
    assert "2 unknown dimensions in knows ('tempo' of 3 items, 'key' of 2 items); not used" in note


def test_values_of_a_folders_tags_are_held_against_the_dimensions_too(make_benchmark):
    card = '[[dimension]]\ntag = "knowledge"\nvalues = ["melody"]\n'
    told = [{"tags": {"knowledge": ["Melody", "tempo"], "take": 2}}, {"tags": {"knowledge": "melody"}}, {}]
    found = bench.load(make_benchmark(told, card=card))
    assert [item.tags for item in found] == [{"take": 2, "knowledge": ["melody"]}, {"knowledge": ["melody"]}, {}]
    assert "1 unknown dimension in knowledge ('tempo' of 1 item); not used" in found.notes[0]


def test_columns_in_each_others_place_are_refused_in_one_line(rows):
    told = [row(n, knows="['lyrics']", reasons="melody") for n in range(3)]
    with pytest.raises(BenchmarkError, match="knows and reasons are swapped: knows holds values of reasoning"):
        bench.load(rows(*told))
    told[0]["knows"] = "['melody', 'lyrics']"
    assert len(bench.load(rows(*told, card=CARD.replace('"reasons"', '"others"')))) == 3


def test_a_value_that_two_dimensions_share_does_not_tell_them_apart(rows):
    shared = CARD.replace('values = ["mood", "lyrics"]', 'values = ["mood", "lyrics", "melody"]')
    assert len(bench.load(rows(*(row(n) for n in range(3)), card=shared))) == 3


def test_what_a_card_says_of_asking_is_kept(rows):
    card = bench.load(rows(row(0))).card
    assert (card.asked.orders, card.asked.shots, card.benchmark.known) == (3, 1, ("One defect.",))
    assert (card.example[0].answer, card.dimension[0].title) == ("a dog", "What one knows")
    assert card.distractors == {"near": "nearly right"}


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('kinds = ["", "near", "far", "far"]', 'kinds = ["", "near"]', "has 2 kinds for 4 columns of options"),
        ('kinds = ["", "near"', 'kinds = ["far", "near"', 'has to hold "" once'),
        ('"near", "far", "far"]', '"a+b", "far", "far"]', r"has the kind 'a\+b'"),
        ("orders = 3", "orders = 0", r"\[asked\] orders = 0; 1 to 1,000"),
        ("shots = 1", "shots = 6", r"\[asked\] shots = 6; 0 to 5"),
        ("orders = 3", "order = 3", "did you mean 'orders'"),
        ('answer = "a dog"', 'answer = "dog"', r"\[\[example\]\] 1 has the answer 'dog', which is not once among"),
        ('answer = "a dog"', 'answer = "a dog"\ntask = "x"', r"\[\[example\]\] 1 is of the task 'x'"),
        ('["a dog", "a cat"]', '["a dog", "a cat", "a  cat"]', "has an option twice"),
        ('tag = "reasoning"', 'tag = "knowledge"', r"has the \[\[dimension\]\] 'knowledge' twice"),
        ('"mood", "lyrics"', '"mood", "Mood"', r"\[\[dimension\]\] reasoning has the value 'Mood' twice"),
        ('["mood", "lyrics"]', "[]", r"\[\[dimension\]\] reasoning has no values"),
        ('near = "nearly', '"ne ar" = "nearly', r"\[distractors\] has the kind 'ne ar'"),
        (
            'near = "nearly',
            'nearr = "nearly',
            r"has the kind 'nearr', which is none of \[data.columns\] kinds; did you",
        ),
        ("shots = 1", "shots = 2", r"\[asked\] shots = 2, but there is 1 \[\[example\]\] of task"),
        ("[distractors]", "[distractor]", "did you mean 'distractors'"),
        (
            'options = ["right", "o1", "o2", "o3"]',
            'options = "right"',
            "kinds lists one for each column of options, but",
        ),
        ('tag = "reasoning"', 'tag = " "', r"\[\[dimension\]\] has an empty tag"),
        ('"mood", "lyrics"', '"mood", " "', r"\[\[dimension\]\] reasoning has an empty value"),
        ('question = "What barks?"', 'question = " "', r"\[\[example\]\] 1 has no question"),
        ('answer = "a dog"', 'answer = ""', r"\[\[example\]\] 1 has no answer"),
    ],
)
def test_a_slip_of_the_card_is_named(rows, was, now, said):
    assert was in CARD
    with pytest.raises(BenchmarkError, match=said):
        bench.load(rows(row(0), card=CARD.replace(was, now, 1)))


@pytest.mark.parametrize(
    "text", ["[", "]", "[,]", "['a' 'b']", "['a", "__import__('os')", "['a'] + ['b']", "[" * 20_000]
)
def test_a_text_that_is_no_list_is_none(text):
    assert listed(text) is None
