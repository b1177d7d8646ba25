"""BLEU and chrF against sacrebleu's own functions and command."""

import subprocess
import sys

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from audiometry.errors import UsageError
from audiometry.score.measures import MEASURES, bleu
from audiometry.score.measures.references import Pair

METRICS = {name: MEASURES.named(name).counts for name in ("bleu", "chrf")}
WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat,", "dog"]), max_size=9).map(" ".join)
CORPUS = st.lists(st.tuples(WORDS, WORDS.filter(bool), WORDS.filter(bool)), min_size=1, max_size=6)


def pairs(corpus, language="en"):
    return [Pair(item="a", prediction=said, references=tuple(due), language=language) for said, *due in corpus]


@given(CORPUS)
def test_corpus_values_are_sacrebleus(corpus):
    made, said = pairs(corpus), [one[0] for one in corpus]
    references = [[one[k] for one in corpus] for k in (1, 2)]
    own = {"bleu": sacrebleu.corpus_bleu(said, references), "chrf": sacrebleu.corpus_chrf(said, references)}
    for name, metric in METRICS.items():
        assert metric.value(metric.count(made).parts.sum(axis=0)) == pytest.approx(own[name].score)


@given(CORPUS)
def test_values_of_an_item_are_sacrebleus_for_a_sentence(corpus):
    made = pairs(corpus)
    bleus = [BLEU(effective_order=True).sentence_score(said, due).score for said, *due in corpus]
    chrfs = [CHRF().sentence_score(said, due).score for said, *due in corpus]
    for name, own in (("bleu", bleus), ("chrf", chrfs)):
        assert METRICS[name].each(METRICS[name].count(made).parts) == pytest.approx(own)


@pytest.mark.parametrize(("said", "due"), [("a cat sat", "a"), ("a", "a cat sat"), ("ab", "cd"), ("a", "a")])
def test_where_one_side_is_shorter_than_the_longest_pieces_chrf_is_sacrebleus(said, due):
    metric = METRICS["chrf"]
    found = metric.value(metric.count(pairs([(said, due)])).parts.sum(axis=0))
    assert found == pytest.approx(CHRF().corpus_score([said], [[due]]).score)


@pytest.mark.parametrize(
    ("language", "due", "said", "tokenizer"),
    [
        ("zh", "今天天气很好，我们去公园。", "今天天气好，我们去公园玩。", "zh"),
        ("ja", "今日は天気がいいので公園に行きます。", "今日は天気がよいので公園へ行きます。", "ja-mecab"),
        ("de", "Grüße aus Köln am Rhein, wie immer.", "Grüße aus Koeln am Rhein, wie immer.", "13a"),
        ("th", "วันนี้อากาศดีมาก", "วันนี้อากาศดี", "char"),
    ],
)
def test_the_tokenizer_follows_the_language(language, due, said, tokenizer):
    made = pairs([(said, due)], language)
    own = BLEU(tokenize=tokenizer).corpus_score([said], [[due]])
    metric = METRICS["bleu"]
    assert own.score > 0
    assert metric.value(metric.count(made).parts.sum(axis=0)) == pytest.approx(own.score)
    assert f"|tok:{tokenizer}" in metric.made_with(made)[0]


def test_numbers_and_signature_are_those_of_sacrebleus_command(tmp_path):
    corpus = [("the cat sat on a mat", "the cat sat on the mat"), ("a dog ran home fast", "a dog ran home")]
    (tmp_path / "due").write_text("".join(f"{due}\n" for _, due in corpus), encoding="utf-8")
    (tmp_path / "said").write_text("".join(f"{said}\n" for said, _ in corpus), encoding="utf-8")
    for name, metric in METRICS.items():
        command = [sys.executable, "-m", "sacrebleu", tmp_path / "due", "-i", tmp_path / "said", "-m", name, "-w", "6"]
        printed = subprocess.run([*command, "-f", "text"], capture_output=True, text=True, check=True).stdout
        made = pairs(corpus)
        value, signature = metric.value(metric.count(made).parts.sum(axis=0)), metric.made_with(made)[0]
        assert f"= {value:.6f}" in printed
        assert signature.removeprefix("sacrebleu|") in printed


def test_mixed_numbers_of_references_and_tokenizers_are_said():
    mixed = [*pairs([("a", "a")]), *pairs([("今", "今", "天")], "zh")]
    assert [stamp.split("|")[1:5:3] for stamp in METRICS["bleu"].made_with(mixed)] == [
        ["nrefs:var", "tok:13a"],
        ["nrefs:var", "tok:zh"],
    ]


def test_nothing_at_all_has_no_value():
    for metric, k in ((METRICS["bleu"], 10), (METRICS["chrf"], 18)):
        assert np.isnan(metric.value(np.zeros(k)))
        assert metric.each(np.zeros((2, k))).tolist() == [0, 0]


def test_without_mecab_the_message_says_what_to_install(monkeypatch):
    bleu._sacre.cache_clear()
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_ja_mecab.MeCab", None)
    with pytest.raises(UsageError, match=r"pip install 'sacrebleu\[ja\]', or use chrf") as raised:
        METRICS["bleu"].count(pairs([("今日", "今日")], "ja"))
    assert "\n" not in str(raised.value)
    bleu._sacre.cache_clear()
