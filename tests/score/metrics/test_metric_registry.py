"""Metrics by name, from this package, from others, and missing ones."""

import subprocess
import sys

import pytest

from audiometry.errors import UnknownNameError, UsageError
from audiometry.score.metrics import Pair, languages, metrics, named, packages

OUTSIDE = '''
"""The share of answers that are as long as their reference."""

from audiometry.score.metrics.means import MeanMetric


def same_length(pair):
    return float(len(pair.prediction) in {len(reference) for reference in pair.references})


METRIC = MeanMetric(name="length", about="same length", unit="share of answers", score=same_length)
'''


def test_every_metric_says_what_it_is():
    found = metrics()
    assert sorted(found) == ["bleu", "cer", "chrf", "rouge-l", "token-f1", "wer"]
    assert all(metric.name == name and metric.about and metric.unit for name, metric in found.items())
    assert [name for name, metric in found.items() if not metric.higher_is_better] == ["cer", "wer"]


@pytest.mark.parametrize(
    ("wrong", "near"), [("were", "wer"), ("rouge", "rouge-l"), ("f1-token", "token-f1"), ("BLEU4", "bleu")]
)
def test_an_unknown_name_suggests_the_nearest(wrong, near):
    with pytest.raises(UnknownNameError, match=f"did you mean '{near}'.*exec/COMMAND") as raised:
        named(wrong)
    assert raised.value.exit_code == 2


def test_the_only_option_is_the_language():
    assert named("wer?language=Mandarin").language == "zh"
    assert named("wer").language == ""
    with pytest.raises(UnknownNameError, match="unknown option of metric 'wer' 'lang'; did you mean 'language'"):
        named("wer?lang=de")


def test_another_package_adds_one_by_entry_point(tmp_path, monkeypatch):
    (tmp_path / "lengths.py").write_text(OUTSIDE, encoding="utf-8")
    info = tmp_path / "lengths-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lengths\nVersion: 1.0\n", encoding="utf-8")
    entries = "[audiometry.metrics]\nlength = lengths:METRIC\n"
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    metric = named("length").metric
    pairs = [Pair(item="a", prediction="abc", references=("xyz",)), Pair(item="b", prediction="", references=("x",))]
    assert metric.value(metric.count(pairs).counts.sum(axis=0)) == 0.5
    (info / "entry_points.txt").write_text(entries.replace(":METRIC", ":GONE"), encoding="utf-8")
    with pytest.raises(UsageError, match="metric 'length' is announced as lengths:GONE, which cannot be loaded"):
        named("length")


@pytest.mark.parametrize("name", ["wer", "cer", "bleu", "chrf", "rouge-l"])
def test_a_missing_package_is_one_line_with_what_to_install(name):
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['rapidfuzz.distance.Levenshtein', 'sacrebleu.metrics',"
        " 'rapidfuzz.distance.LCSseq', 'rouge_score.tokenize', 'whisper_normalizer.english']))\n"
        "from audiometry.score.metrics import Pair, named\n"
        "from audiometry.errors import UsageError\n"
        f"try: named('{name}').metric.count([Pair(item='a', prediction='b', references=('c',))])\n"
        "except UsageError as problem: print(problem)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"metric '{name}' needs the package '")
    assert said.endswith("; run: pip install 'audiometry[text]'\n")
    assert said.count("\n") == 1


def test_the_list_of_metrics_loads_none_of_their_packages():
    heavy = {"rapidfuzz", "sacrebleu", "rouge_score", "whisper_normalizer", "nltk"}
    code = "import sys; from audiometry.score.metrics import metrics; metrics(); print(*sys.modules)"
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
