"""Measures without any run: macro F1 of labels and its swaps, WER of sentences, each beside the library of the field.

    python bare_measures.py REPEATS

Prints a JSON object: of each function the CPU seconds of every repeat, taken in turns with those beside it.
"""

import json
import random
import sys
import time
from collections.abc import Callable

import jiwer
import numpy as np
from rapidfuzz.distance import Levenshtein
from sklearn.metrics import f1_score

from audiometry.score.measures.edits import ErrorRate
from audiometry.score.measures.references import Pair
from audiometry.stats.compare import compare
from audiometry.stats.estimate import estimate
from audiometry.stats.f1 import counted, macro_f1
from audiometry.stats.parts import Parts, Scale

LABELS, SWAPPED, PAIRS = 1_000_000, 100_000, 100_000
CLASSES = ("afraid", "angry", "disgusted", "happy", "neutral", "sad", "surprised")
WORDS = (10, 20)  # of a reference, the fewest and the most
WRONG = 0.08  # of words: replaced, left out or put in


def main(repeats: int) -> None:
    """Measure all."""
    draw = random.Random(0)
    gold = draw.choices(CLASSES, k=LABELS)
    read = [due if draw.random() < 0.6 else draw.choice(CLASSES) for due in gold]
    numbers = np.random.default_rng(1)
    right = numbers.integers(0, len(CLASSES), SWAPPED)
    one, other = labelled(numbers, right), labelled(numbers, right)
    due, said = sentences(draw)
    pairs = [Pair(item=str(k), prediction=b, references=(a,)) for k, (a, b) in enumerate(zip(due, said, strict=True))]
    rate = ErrorRate(
        name="wer",
        about="words between spaces",
        unit="errors per reference word",
        units=lambda text, _: text.split(),
        beyond=lambda pair: pair.cut_words,
    )
    scale = Scale("f1")
    works: dict[str, Callable[[], object]] = {
        "macro F1": lambda: macro_f1(counted(gold, read)),
        "scikit-learn": lambda: f1_score(gold, read, labels=CLASSES, average="macro", zero_division=0),
        "interval": lambda: estimate(one, macro_f1, [1], scale),
        "swaps": lambda: compare(one, other, macro_f1, [1], scale, np.random.default_rng(2)),
        "WER": lambda: rate.value(rate.count(pairs).parts.sum(axis=0)),
        "rapidfuzz": lambda: sum(Levenshtein.distance(a.split(), b.split()) for a, b in zip(due, said, strict=True)),
        "jiwer": lambda: jiwer.wer(due, said),
    }
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            began = time.process_time()
            work()
            found[name].append(time.process_time() - began)
    print(json.dumps(found))


def labelled(numbers: np.random.Generator, gold: np.ndarray) -> Parts:
    """Labels of one model, a clip an item."""
    n = len(gold)
    said = np.where(numbers.random(n) < 0.6, gold, numbers.integers(0, len(CLASSES), n))
    sums, rows = np.zeros((n, 1, 3 * len(CLASSES))), np.arange(n)
    sums[rows, 0, 3 * gold] = said == gold
    sums[rows, 0, 3 * gold + 1] = 1
    sums[rows, 0, 3 * said + 2] = 1
    return Parts(sums, rows, np.zeros(n, np.int64), np.ones(n))


def sentences(draw: random.Random) -> tuple[list[str], list[str]]:
    """References of 5,000 words of 2 to 9 letters, and what was heard."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(5_000)]
    due = [draw.choices(words, k=draw.randint(*WORDS)) for _ in range(PAIRS)]
    said = []
    for sentence in due:
        heard: list[str] = []
        for word in sentence:
            kind = draw.random() / WRONG
            heard += [draw.choice(words)] if kind < 0.5 else [] if kind < 0.75 else [word, "uh"] if kind < 1 else [word]
        said.append(heard)
    return [" ".join(one) for one in due], [" ".join(one) for one in said]


if __name__ == "__main__":
    main(int(sys.argv[1]))
