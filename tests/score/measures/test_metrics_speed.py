"""2,000 answers under all metrics, and a hostile one, in seconds."""

import random
import time

import pytest

from audiometry.score.door import measured as measured_by
from audiometry.score.measures import MEASURES
from audiometry.score.measures.references import paired as pair
from audiometry.score.opened import open_run
from audiometry.score.readers.words import answer_in

NAMES = ["bleu", "cer", "chrf", "rouge-l", "token-f1", "wer"]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "twenty", "five", "angry", "birds", "colour"]
CARD = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'
MILLION = 1_000_000
HOSTILE = {
    "brackets": "(" * MILLION,
    "angles": "<" * MILLION,
    "mixed": "<[(" * (MILLION // 3),
    "spaces": "a" + " " * MILLION + "'",
    "fillers": "um " * (MILLION // 3),
    "digits": "9" * MILLION,
    "numbers": "five point " * (MILLION // 11),
    "dollars": "$" * MILLION,
    "words": "a " * (MILLION // 2),
    "halves": "and a half " * (MILLION // 11),
    "marks": "\u0300" * MILLION,
    "chinese": "你" * MILLION,
    "tags": "<answer>" * (MILLION // 8),
    "thoughts": "<think>" * (MILLION // 7),
}


@pytest.mark.slow
def test_two_thousand_answers_under_all_metrics_take_seconds(make_benchmark, make_run):
    made = random.Random(1)
    rows, replies = [], {}
    for n in range(2000):
        due = [made.choice(WORDS) for _ in range(made.randint(5, 25))]
        rows.append({"options": [], "answer": " ".join(due)})
        replies[f"item-{n:05}"] = " ".join(word if made.random() < 0.8 else "so" for word in due)
    run = open_run(make_run(make_benchmark(rows, card=CARD, clips=False), replies))
    begun = time.perf_counter()
    found = measured_by(run, NAMES).scores
    taken = time.perf_counter() - begun
    assert len(found) == 6
    assert all(one.n_answered == 2000 for one in found.values())
    assert taken < 20, f"{taken:.1f} s"  # about 4 s on a machine with nothing else to do


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_reply_of_a_million_characters_takes_no_longer_than_seconds(text):
    begun = time.perf_counter()
    said = answer_in(text)
    for reference in ("the cat sat", "the cat sat on the mat " * 40):
        cut = pair("a", said, (reference,), "en")
        for metric in (MEASURES.named(name).counts for name in NAMES):
            counts = metric.count([cut]).parts
            assert metric.each(counts)[0] >= 0
    taken = time.perf_counter() - begun
    assert taken < 12, f"{taken:.1f} s"  # about 1 s on a machine with nothing else to do
