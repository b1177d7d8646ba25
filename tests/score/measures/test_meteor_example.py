"""The example of a metric program: METEOR by nltk."""

import subprocess
import sys
from pathlib import Path

import pytest
from nltk.translate.meteor_score import meteor_score

from audiometry.score.measures import named
from audiometry.score.measures.references import Pair

EXAMPLE = Path(__file__).parents[3] / "examples" / "metric_program" / "meteor.py"


class NoSynonyms:
    def synsets(self, word):
        return []


def pair(item, said, *due, language=""):
    return Pair(item=item, prediction=said, references=due, language=language)


def test_scores_are_nltks_and_other_languages_are_refused():
    metric = named(f"exec/{sys.executable} {EXAMPLE} --without-synonyms").counts
    pairs = [
        pair("a", "a dog barks loudly", "a hound barked loudly", "the dogs bark"),
        pair("b", "a cat", "a cat", language="en"),
        pair("c", "", "a cat"),
        pair("d", "ein Hund", "ein Hund", language="de"),
        pair("e", "word " * 200_000, "a cat"),
    ]
    found = metric.count(pairs)
    own = meteor_score([due.split() for due in pairs[0].references], pairs[0].prediction.split(), wordnet=NoSynonyms())
    assert 0 < own < 1
    assert found.parts[:3, 0] == pytest.approx([own, 1 - 0.5 * (1 / 2) ** 3, 0])
    assert list(found.failures) == [3]
    assert "this item is in 'de'" in found.failures[3].message
    assert (metric.highest, metric.higher_is_better) == (1, True)
    assert metric.made_with(pairs)[0].startswith("meteor-without-synonyms-nltk-")


def test_without_nltk_it_leaves_with_one_line():
    left = subprocess.run([sys.executable, "-S", EXAMPLE], capture_output=True, text=True, check=False)
    assert (left.returncode, left.stdout, left.stderr) == (1, "", "nltk is not here; run: pip install nltk\n")


def test_without_wordnet_it_says_how_to_fetch_it(tmp_path):
    code = (
        "import runpy, sys, nltk.data; nltk.data.path.clear(); sys.argv = ['meteor']\n"
        f"runpy.run_path({str(EXAMPLE)!r}, run_name='__main__')"
    )
    left = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert left.returncode == 1
    assert left.stderr.startswith("WordNet is not here; fetch it with `python -m nltk.downloader wordnet`")
    assert left.stderr.count("\n") == 1
