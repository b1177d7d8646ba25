"""ROUGE-L, token F1 and exact match, by hand and against their sources."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from audiometry.score.measures import MEASURES
from audiometry.score.measures.references import Pair

ROUGE, F1, EXACT = (MEASURES.named(name).counts for name in ("rouge-l", "token-f1", "exact-match"))
TEXTS = st.lists(st.sampled_from(["A", "cat", "the", "dog's", "ran,", "U.S.", "9", "é"]), max_size=9).map(" ".join)


def score(metric, said, *due, language="en"):
    counts = metric.count([Pair(item="a", prediction=said, references=due, language=language)]).parts
    return float(metric.value(counts.sum(axis=0)))


@given(TEXTS, TEXTS.filter(bool), TEXTS.filter(bool))
def test_rouge_l_is_the_packages(said, first, second):
    own = RougeScorer(["rougeL"], use_stemmer=False)
    assert score(ROUGE, said, first) == pytest.approx(own.score(first, said)["rougeL"].fmeasure)
    best = own.score_multi([first, second], said)["rougeL"].fmeasure
    assert score(ROUGE, said, first, second) == pytest.approx(best)


def test_rouge_l_by_hand():
    # common: police … the gunman? longest in order: "police", "the", "gunman" -> 3 of 4 and 3 of 4 words
    assert score(ROUGE, "police kill the gunman", "police killed the gunman") == pytest.approx(3 / 4)
    assert score(ROUGE, "the gunman kill police", "police killed the gunman") == pytest.approx(2 / 4)
    assert score(ROUGE, "", "a dog barks") == 0
    assert score(ROUGE, "today is good", "今天很好", language="zh") == 0
    assert score(ROUGE, "今天好", "今天很好", language="zh") == pytest.approx(2 * 3 / 7)
    assert score(ROUGE, "für Äpfel", "für Birnen", language="de") == pytest.approx(1 / 2)


def squad_words(text):
    """The normal form of SQuAD's evaluation, written down from the paper's description."""
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def squad(said, due):
    a, b = squad_words(said), squad_words(due)
    if not a or not b:
        return float(a == b)
    shared = sum((Counter(a) & Counter(b)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(a), shared / len(b)
    return 2 * precision * recall / (precision + recall)


@given(TEXTS, TEXTS.filter(bool))
def test_token_f1_is_squads(said, due):
    assert score(F1, said, due) == pytest.approx(squad(said, due))


@given(TEXTS, TEXTS.filter(bool), TEXTS.filter(bool))
def test_exact_match_is_squads_and_the_best_of_several_references(said, due, other):
    alike = [" ".join(squad_words(said)) == " ".join(squad_words(one)) for one in (due, other)]
    assert score(EXACT, said, due) == alike[0]
    assert score(EXACT, said, due, other) == any(alike)


def test_exact_match_by_hand():
    assert score(EXACT, "The Eiffel Tower.", "eiffel tower") == 1
    assert score(EXACT, "It is the Eiffel Tower.", "eiffel tower") == 0
    assert score(EXACT, "U.S.", "us", "usa") == 1
    assert score(EXACT, "der Hund", "Hund", language="de") == 0  # articles are English ones
    assert score(EXACT, "天 气", "天气", language="zh") == 1
    assert score(EXACT, "", "dog") == 0


def test_token_f1_by_hand():
    assert score(F1, "a big red dog", "the red dog") == pytest.approx(2 * 2 / 5)
    assert score(F1, "dog dog", "dog") == pytest.approx(2 / 3)
    assert score(F1, "wrong", "dog", "wrong") == 1
    assert score(F1, "«Der Hund»", "der hund", language="de") == 1
    assert score(F1, "die Katze", "a Katze", language="de") == pytest.approx(1 / 2)  # articles are English ones
    assert score(F1, "很好", "天气很好", language="zh") == pytest.approx(2 * 2 / 6)


@given(TEXTS.filter(lambda text: re.search(r"[a-z0-9]{2}|9", text)))
def test_the_reference_itself_is_perfect(text):
    assert score(ROUGE, text, text) == 1
    assert score(F1, text, text) == 1


@pytest.mark.parametrize("name", ["rouge-l", "token-f1", "exact-match", "wer", "cer"])
def test_the_value_of_an_item_is_that_of_a_run_of_this_item_alone(name):
    counts = MEASURES.named(name).counts
    pairs = [
        Pair(item=text, prediction=text, references=("the red dog ran",), language="en")
        for text in ("the red dog ran", "red cat", "a dog", "", "ran ran ran red dog, the")
    ]
    alone = [float(counts.value(counts.count([one]).parts.sum(axis=0))) for one in pairs]
    assert counts.each(counts.count(pairs).parts).tolist() == pytest.approx(alone)
    assert len(set(alone)) > (1 if name == "exact-match" else 2)


def test_a_signature_names_the_package_whose_words_were_compared():
    english, german = (Pair(item="a", prediction="", references=("a",), language=code) for code in ("", "de"))
    for pairs, says in (([english], (True, False)), ([german], (False, True)), ([english, german], (True, True))):
        said = " ".join(ROUGE.made_with(pairs))
        assert ("rouge-score" in said, "whisper-normalizer" in said) == says
