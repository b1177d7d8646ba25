"""The ways in which a task puts its questions."""

import json

import pytest

from audiometry import bench
from audiometry.bench.wordings import refuse_more, settled, worded
from audiometry.errors import BenchmarkError, UsageError
from audiometry.records import Card, Item, Task

ITEM = Item(id="a", task="t", question="Which {question} is it?")
WAYS = ("{question}", "Listen. {question}", "Say what it is.")


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("plain", ITEM.question),
        ("order-2", ITEM.question),
        ("noise", ITEM.question),
        ("wording-1", f"Listen. {ITEM.question}"),
        ("wording-1+order-1+repeat-3", f"Listen. {ITEM.question}"),
        ("wording-2", "Say what it is."),
    ],
)
def test_a_variant_says_in_which_words_it_is_asked(variant, said):
    assert worded(ITEM, WAYS, variant).question == said


def test_more_wordings_than_there_are_are_refused():
    with pytest.raises(UsageError, match="task t has 3 wordings, and wording-3 is asked for"):
        worded(ITEM, WAYS, "wording-3")
    card = Card(task=(Task(name="t", wordings=WAYS), Task(name="u")))
    refuse_more(card, ["t"], 3)
    refuse_more(card, ["u"], 1)
    with pytest.raises(UsageError, match="--wordings 4: task t has 3 of them; ask for 3"):
        refuse_more(card, ["t"], 4)
    with pytest.raises(UsageError, match="task u has none, its items are asked in their own words; leave it out"):
        refuse_more(card, ["t", "u"], 2)


def folder(tmp_path, task, lines):
    (tmp_path / "benchmark.toml").write_text(f'[benchmark]\nname = "b"\n[[task]]\nname = "t"\nkind = "label"\n{task}')
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    rows = [{"id": f"i{n}", "file_name": "a.wav", **line} for n, line in enumerate(lines)]
    (tmp_path / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_items_without_a_question_or_task_have_those_of_the_only_task(tmp_path):
    task = 'labels = ["dog", "cat"]\nwordings = ["Which of {labels}?", "Name it: {labels}."]\n'
    loaded = bench.load(folder(tmp_path, task, [{"answer": "dog"}, {"answer": "cat", "question": "Own?", "task": "t"}]))
    first, second = loaded
    assert (first.task, first.question, second.question) == ("t", "Which of dog, cat?", "Own?")
    assert loaded.asked(first, "wording-1").question == "Name it: dog, cat."
    assert loaded.asked(second, "plain").question == "Which of dog, cat?"
    assert loaded.tasks() == {"t": 2}


def test_a_question_is_needed_where_the_wording_has_a_place_for_it(tmp_path):
    with pytest.raises(BenchmarkError, match=r"has no question; write one, or for its task.*without \{question\}"):
        bench.load(folder(tmp_path, 'labels = ["a", "b"]\nwordings = ["Listen. {question}"]\n', [{"answer": "a"}]))


@pytest.mark.parametrize(
    ("wordings", "said"),
    [
        (["Is it {lables}?"], r"has \{lables\} in wording 1, which is not filled in; \{question\} and \{labels\} are"),
        (["Which?", "{options} Which?"], r"has \{options\} in wording 2"),
        (["Which?", "What?", "Which? "], "has wording 1 again as wording 3"),
        (["Which?", " "], "has an empty wording, number 2"),
    ],
)
def test_a_slip_in_a_wording_is_refused_before_anybody_is_asked(tmp_path, wordings, said):
    task = f'labels = ["a", "b"]\nwordings = {json.dumps(wordings)}\n'
    with pytest.raises(BenchmarkError, match=rf"\[\[task\]\] t {said}"):
        bench.load(folder(tmp_path, task, [{"answer": "a"}]))


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("chance = 25", "has chance = 25; 0 to 1 is meant, 0.25 for 25 %"),
        ("chance = -0.5", "has chance = -0.5; 0 to 1"),
        ("size = -5", "has size = -5; how many items"),
    ],
)
def test_numbers_of_a_card_that_cannot_be_are_refused(tmp_path, slip, said):
    with pytest.raises(BenchmarkError, match=rf"\[\[task\]\] t {said}"):
        bench.load(folder(tmp_path, slip + "\n", [{"answer": "a", "question": "Which?"}]))
    (tmp_path / "benchmark.toml").write_text('[benchmark]\nname = "b"\nsize = -5\n')
    with pytest.raises(BenchmarkError, match=r"\[benchmark\] size = -5; how many items"):
        bench.load(tmp_path)


def test_other_braces_in_a_wording_are_words(tmp_path):
    task = 'labels = ["a", "b"]\nwordings = ["Say {it: 1}: {labels}.", "{question}", "{}?"]\n'
    loaded = bench.load(folder(tmp_path, task, [{"answer": "a", "question": "Q {x}?"}]))
    assert loaded.asked(loaded.items.at(0), "wording-1").question == "Q {x}?"
    assert loaded.asked(loaded.items.at(0), "plain").question == "Say {it: 1}: a, b."


def test_wordings_that_name_labels_need_some(tmp_path):
    with pytest.raises(BenchmarkError, match=r"has no labels for the \{labels\} in its wordings"):
        bench.load(folder(tmp_path, 'wordings = ["Which of {labels}?"]\n', [{"answer": "a"}]))


def test_numbers_are_no_names_of_labels_unless_the_card_lists_them():
    def found(numbers, **more):
        return settled(Card(task=(Task(name="t", kind="label", **more),)), {"t": numbers}).task[0].wordings

    shown = ("Which of {labels}?",)
    with pytest.raises(
        BenchmarkError, match=r"task t are numbers \(3, 98\).*what each number.*\[data\.values\.answer\]"
    ):
        found(["98", "3"], wordings=shown)
    assert found(["98", "3"], wordings=shown, labels=("98", "3")) == ("Which of 98, 3?",)
    assert found(["98", "alarm_set"], wordings=shown) == ("Which of 98, alarm_set?",)
    assert found(["98", "3"], wordings=("How many?",)) == ("How many?",)
