"""Metrics by name, from this package, from others, and missing ones."""

import subprocess
import sys

import pytest

from audiometry.errors import UnknownNameError, UsageError
from audiometry.files.extras import install
from audiometry.score.measures import MEASURES, languages, named, packages
from audiometry.score.measures.references import Pair

OUTSIDE = '''
"""The share of answers that are as long as their reference."""

from audiometry.score.measures.means import MeanOfPairs
from audiometry.score.measures.references import ByReference


def same_length(pair):
    return float(len(pair.prediction) in {len(reference) for reference in pair.references})


MEASURE = ByReference(
    MeanOfPairs(name="length", about="same length", unit="share of answers", score=same_length)
)
'''


def test_every_measure_says_what_it_is():
    found = MEASURES.all()
    assert {"accuracy", "bleu", "cer", "chrf", "exact-match", "rouge-l", "token-f1", "wer"} <= set(found)
    assert all(one.name == name and one.about and one.unit and one.kinds for name, one in found.items())
    assert [name for name, one in found.items() if one.direction == "down"] == ["cer", "wer"]


@pytest.mark.parametrize(
    ("wrong", "near"), [("were", "wer"), ("rouge", "rouge-l"), ("f1-token", "token-f1"), ("BLEU4", "bleu")]
)
def test_an_unknown_name_suggests_the_nearest(wrong, near):
    with pytest.raises(UnknownNameError, match=f"did you mean '{near}'.*exec/COMMAND") as raised:
        named(wrong)
    assert raised.value.exit_code == 2


def test_the_only_option_is_the_language():
    assert named("wer?language=Mandarin")._language == "zh"
    assert named("wer")._language == ""
    with pytest.raises(UnknownNameError, match="unknown option of measure 'wer' 'lang'; did you mean 'language'"):
        named("wer?lang=de")


def test_another_package_adds_one_by_entry_point(announce):
    announce("audiometry.measures", "length = lengths:MEASURE", lengths=OUTSIDE)
    counts = named("length").counts
    pairs = [Pair(item="a", prediction="abc", references=("xyz",)), Pair(item="b", prediction="", references=("x",))]
    assert counts.value(counts.count(pairs).parts.sum(axis=0)) == 0.5


def test_one_that_cannot_be_loaded_is_one_line(announce):
    announce("audiometry.measures", "length = lengths:GONE", lengths=OUTSIDE)
    with pytest.raises(UsageError, match="measure 'length' is announced as lengths:GONE"):
        named("length")


@pytest.mark.parametrize("name", ["wer", "cer", "bleu", "chrf", "rouge-l"])
def test_a_missing_package_is_one_line_with_what_to_install(name):
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['rapidfuzz.distance.Levenshtein', 'sacrebleu.metrics',"
        " 'rapidfuzz.distance.LCSseq', 'rouge_score.tokenize', 'whisper_normalizer.english']))\n"
        "from audiometry.score.measures import named\nfrom audiometry.score.measures.references import Pair\n"
        "from audiometry.errors import UsageError\n"
        f"try: named('{name}').counts.count([Pair(item='a', prediction='b', references=('c',))])\n"
        "except UsageError as problem: print(problem)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"measure '{name}' needs the package '")
    assert said.endswith(f"; run: {install('text')}\n")
    assert said.count("\n") == 1


def test_the_list_of_metrics_loads_none_of_their_packages():
    heavy = {"rapidfuzz", "sacrebleu", "rouge_score", "whisper_normalizer", "nltk"}
    code = "import sys; from audiometry.score.measures import MEASURES; MEASURES.all(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(loaded)


def test_a_package_without_metadata_is_stamped_as_unknown():
    assert packages.stamp("no-such-package", "x") == "no-such-package-unknown-x"


@pytest.mark.parametrize(
    ("tag", "code"),
    [("en", "en"), ("EN-gb", "en"), ("eng", "en"), (" Japanese ", "ja"), ("cmn_Hans", "zh"), ("yue", "yue"), ("", "")],
)
def test_language_tags(tag, code):
    assert languages.language_code(tag) == code
