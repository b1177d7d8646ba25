"""What scripted models may know of a benchmark's tasks of labels."""

from audiometry import bench
from audiometry.run.answers import BenchmarkAnswers

CARD = """[benchmark]
name = "made"
[[task]]
name = "listed"
kind = "label"
labels = ["sad", "happy", "calm"]
[[task]]
name = "free"
kind = "label"
[[task]]
name = "say"
kind = "transcript"
"""


def test_labels_are_those_of_the_card_or_of_the_items(make_benchmark, cli, tmp_path):
    said = [("listed", "sad"), ("free", "cat"), ("free", "dog"), ("free", "cat"), ("say", "a cat")]
    folder = make_benchmark([{"task": task, "answer": answer, "options": []} for task, answer in said], card=CARD)
    answers = BenchmarkAnswers(bench.load(str(folder)))
    names = [f"item-{number:05}" for number in (0, 1, 4)]
    assert [answers.labels(name) for name in names] == [("sad", "happy", "calm"), ("cat", "dog"), ()]
    assert [answers.kind(name) for name in (*names, "?")] == ["label", "label", "transcript", ""]
    assert answers.labels("?") == ()
    found = cli("run", folder, "--model", "scripted/noisy-oracle?p=0", "-o", tmp_path / "run", "--no-probe", "--json")
    assert found.code == 0, found.err
    assert found.json["scores"]["macro-f1"]["n_failed"] == 0
    assert found.json["scores"]["macro-f1"]["value"] == 0
