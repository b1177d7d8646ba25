"""WER and CER against jiwer, by hand, by language, and by their properties."""

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whisper_normalizer.basic import BasicTextNormalizer
from whisper_normalizer.english import EnglishTextNormalizer

from audiometry.score.measures import MEASURES
from audiometry.score.measures.normal import normaliser
from audiometry.score.measures.references import Pair

WER, CER = MEASURES.named("wer").counts, MEASURES.named("cer").counts
WORDS = st.lists(st.sampled_from(["cat", "sat", "mat", "on", "dog", "red"]), min_size=1, max_size=8).map(" ".join)
ODD = ["(um) ", "[x]", "()", "<", "(", ")", "um ", " '", "it's ", "$5 ", "twenty ", "one ", "hundred ", "and a half "]
ODD += ["percent ", "1,000 ", "½", "İ", "ß", "\u0300", "你好", "का", "\n", ".5 ", "Mr ", "colour ", "-", "%"]


def pair(said, due, language="en"):
    return Pair(item="a", prediction=said, references=(due,) if isinstance(due, str) else due, language=language)


def rate(metric, said, due, language="en"):
    counts = metric.count([pair(said, due, language)]).parts
    return float(metric.each(counts)[0])


@given(st.lists(st.tuples(WORDS, WORDS | st.just("")), min_size=1, max_size=6))
def test_corpus_rates_are_those_of_jiwer(corpus):
    due, said = [one[0] for one in corpus], [one[1] for one in corpus]
    pairs = [pair(s, d) for d, s in corpus]
    assert WER.value(WER.count(pairs).parts.sum(axis=0)) == pytest.approx(jiwer.wer(due, said))
    assert CER.value(CER.count(pairs).parts.sum(axis=0)) == pytest.approx(jiwer.cer(due, said))
    assert WER.each(WER.count(pairs).parts) == pytest.approx([jiwer.wer(d, s) for d, s in corpus])


@pytest.mark.parametrize(
    ("said", "due", "language", "wer"),
    [
        ("The cat sat.", "the CAT sat", "en", 0),
        ("I paid twenty five dollars", "I paid $25", "en", 0),
        ("the colour, um, red", "the color red", "en", 0),
        ("it's", "it is", "en", 0),
        ("grusse aus koln", "Grüße aus Köln!", "de", 2 / 3),
        ("Grüße aus Köln", "grüße, aus köln", "de", 0),
        ("25 Äpfel", "fünfundzwanzig Äpfel", "de", 1 / 2),
        ("今天天气好", "今天天气很好", "zh", 1 / 6),
        ("今日は", "今日は。", "ja", 0),
        ("नमस्ते दुनिया", "नमस्ते दुनिया", "hi", 0),
        ("नमस्ते", "नमस्ते दुनिया", "hi", 1 / 2),
        ("a b c d e f", "a", "de", 5),
        ("", "three words here", "en", 1),
    ],
)
def test_words_by_language(said, due, language, wer):
    assert rate(WER, said, due, language) == pytest.approx(wer)


def test_characters_count_the_spaces_of_languages_that_have_them():
    assert rate(CER, "ab", "a b", "de") == pytest.approx(1 / 3)
    assert rate(CER, "今 天", "今天", "zh") == 0
    assert rate(CER, "今", "今天", "zh") == pytest.approx(1 / 2)


def test_an_item_without_a_language_is_read_as_english():
    assert rate(WER, "twenty five", "25", "") == 0
    assert WER.made_with([pair("a", "a", "")])[0].endswith("english-en-unless-tagged")
    assert WER.made_with([pair("a", "a", "de"), pair("a", "a", "zh")])[0].endswith("basic-marks-kept-de-zh")


def test_of_several_references_the_nearest_counts():
    assert WER.count([pair("a cat", ("the dog barks", "a cat sits"))]).parts.tolist() == [[1, 3, 0, 1, 0]]


def test_a_reference_without_words_has_no_corpus_rate_but_its_insertions_count():
    counts = WER.count([pair("made up words", "[silence]")]).parts
    assert counts.tolist() == [[3, 0, 0, 0, 3]]
    assert WER.each(counts).tolist() == [3]
    assert np.isnan(WER.value(counts[0]))


def test_what_is_not_read_of_a_reply_counts_as_insertions():
    cut = Pair(item="a", prediction="a", references=("a",), language="en", cut_words=7, cut_characters=30)
    assert WER.count([cut]).parts.tolist() == [[7, 1, 0, 0, 7]]
    assert CER.count([cut]).parts.tolist() == [[30, 1, 0, 0, 30]]


@given(WORDS, WORDS, WORDS)
def test_edits_are_a_distance(a, b, c):
    def edits(said, due):
        return WER.count([pair(said, due)]).parts[0, 0]

    assert edits(a, a) == 0
    assert edits(a, b) == edits(b, a)
    assert edits(a, c) <= edits(a, b) + edits(b, c)


@given(st.lists(st.sampled_from(ODD) | st.text(max_size=3), max_size=10).map("".join))
def test_taming_a_text_changes_nothing_that_the_normalisers_say(text):
    english, basic = EnglishTextNormalizer(), BasicTextNormalizer(preserve_marks=True)
    assert normaliser("en")(text).split() == english(text).split()
    assert normaliser("de")(text).split() == basic(text).split()


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_the_kinds_of_edits_are_those_of_an_alignment(said, due):
    from rapidfuzz.distance import Levenshtein

    parts = WER.count([pair(" ".join(said), (" ".join(due),))]).parts[0].tolist()
    kinds = [one.tag for one in Levenshtein.editops(due, said)]
    assert parts == [len(kinds), len(due), *(kinds.count(kind) for kind in ("replace", "delete", "insert"))]


@given(WORDS, WORDS | st.just(""), WORDS)
def test_errors_in_place_are_those_that_are_counted(due, said, other):
    for metric in (WER, CER):
        both = pair(said, (due, other))
        _, n, *kinds = metric.count([both]).parts[0].tolist()
        marks = metric.aligned(both, 1_000)
        edits = [one for one in marks if len(one) == 2]
        found = [sum((bool(a), bool(b)) == kind for a, b in edits) for kind in ((1, 1), (1, 0), (0, 1))]
        assert found == kinds
        between = " " if metric is WER else ""
        parts = [one[0] for one in marks if one[0]]
        assert between.join(parts) in {due, other}
        assert between.join(one[-1] for one in marks if one[-1]) == said
        assert n == len(metric.units(between.join(parts), "en"))


def test_a_text_too_long_to_be_read_word_by_word_is_not_aligned():
    assert WER.aligned(pair("la " * 20, "la la"), 21) is None
    assert WER.aligned(pair("今天气", "今天天气", "zh"), 9) == (("今天",), ("天", ""), ("气",))
