"""The example of a metric program that needs the question: PEDANTS, by a stand-in of the package's interface."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "metric_program" / "pedants.py"
STAND_IN = """
import json, pathlib
print("what a package prints when it is imported")

class PEDANT:
    def __init__(self, fast_eval=True, fast_model=False):
        print("Loading Classifier...")

    def _told(self, *what):
        with pathlib.Path(__file__).with_name("calls.jsonl").open("a", encoding="utf-8") as calls:
            calls.write(json.dumps(what) + "\\n")

    def evaluate(self, reference, candidate, question):
        self._told("evaluate", reference, candidate, question)
        print("a word")
        return candidate in reference

    def get_score(self, reference, candidate, question):
        self._told("get_score", reference, candidate, question)
        return 0.9 if candidate == reference else 0.25
"""
CARD = """
[benchmark]
name = "made/answers"
version = "1"

[[task]]
name = "facts"
kind = "open"
measure = "token-f1"
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of a package of the same name and version, found by whatever Python is started."""
    folder = tmp_path / "site" / "qa_metrics"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "pedant.py").write_text(STAND_IN)
    about = folder.parent / "qa_metrics-0.2.42.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: qa-metrics\nVersion: 0.2.42\n")
    monkeypatch.setenv("PYTHONPATH", str(folder.parent))
    return folder


@pytest.fixture
def run(make_benchmark, make_run):
    rows = [{"question": f"What is fact {n}?", "options": [], "answer": f"fact {n}", "task": "facts"} for n in range(3)]
    rows[1]["tags"] = {"references": ["number one"]}
    replies = {"item-00000": "fact 0", "item-00001": "<think>one</think>number one", "item-00002": "fact 7"}
    return make_run(make_benchmark(rows, card=CARD, clips=False), replies)


def program(package, *more):
    start = f"import sys; sys.path.insert(0, {str(package.parent)!r}); sys.argv = ['pedants', *{list(more)!r}]"
    starter = package.parent.parent / "start.py"
    starter.write_text(f"{start}\nimport runpy\nrunpy.run_path({str(EXAMPLE)!r}, run_name='__main__')\n")
    return f"exec/{sys.executable} {starter}"


def test_each_answer_is_asked_about_with_all_its_references_and_the_question(package, run, cli):
    found = cli("score", run, "--measure", program(package), "--json")
    assert found.code == 0, found.err
    (row,) = [one for name, one in found.json["scores"].items() if name.startswith("exec/")]
    assert (row["unit"], row["range"]) == ("share of answers equivalent by PEDANTS", [0, 1])
    assert row["value"] == pytest.approx(2 / 3)
    assert "pedants-qa-metrics-0.2.42" in row["signature"]
    calls = [json.loads(line) for line in (package / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(calls, key=str) == [
        ["evaluate", ["fact 0"], "fact 0", "What is fact 0?"],
        ["evaluate", ["fact 1", "number one"], "number one", "What is fact 1?"],
        ["evaluate", ["fact 2"], "fact 7", "What is fact 2?"],
    ]


def test_confidence_is_another_metric_of_the_nearest_reference(package, run, cli):
    found = cli("score", run, "--measure", program(package, "--confidence"), "--json")
    (row,) = [one for name, one in found.json["scores"].items() if name.startswith("exec/")]
    assert row["value"] == pytest.approx((0.9 + 0.9 + 0.25) / 3)
    assert "pedants-confidence-qa-metrics-0.2.42" in row["signature"]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("raise ImportError('no nltk')", "qa-metrics is not here (no nltk); run: pip install qa-metrics nltk\n"),
        (
            "class PEDANT:\n    def __init__(self):\n        raise OSError('no route\\nto here')",
            "PEDANTS cannot be loaded; it fetches its classifiers from github.com at the first use: no route to here\n",
        ),
    ],
)
def test_what_is_missing_is_one_line(package, body, line):
    (package / "pedant.py").write_text(body)
    left = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=False, input="{}\n")
    assert (left.returncode, left.stdout, left.stderr) == (1, "", line)


def test_items_in_other_languages_and_blank_answers_are_not_put_to_it(package):
    asked = [
        {"item": "a", "prediction": "x", "references": ["x"], "language": "de"},
        {"item": "b", "prediction": " ", "references": ["x"]},
    ]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    left = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True, input=lines)
    _, one, two = map(json.loads, left.stdout.splitlines())
    assert (one, two) == ({"item": "a", "error": "PEDANTS is English, this item is in 'de'"}, {"item": "b", "score": 0})
    assert not (package / "calls.jsonl").exists()


def test_it_names_the_environment_that_it_runs_in():
    head = EXAMPLE.read_text(encoding="utf-8").partition('# ///\n"""')[0].partition("# /// script\n")[2]
    needs = tomllib.loads("".join(line[2:] for line in head.splitlines(keepends=True)))
    assert needs == {"requires-python": ">=3.9,<3.12", "dependencies": ["qa-metrics==0.2.42", "nltk"]}
