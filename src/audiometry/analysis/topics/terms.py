"""The words that tell a topic from the others: class-based TF-IDF (Grootendorst 2022, arXiv 2203.05794)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from audiometry.analysis.topics.words import grams

MOST: Final = 8  # terms that are kept of a topic
HEADING: Final = 3  # that its label is made of
OTHER: Final = "other"


def terms(told: Sequence[Sequence[str]], code: Sequence[int], k: int) -> tuple[tuple[str, ...], ...]:
    """The most telling terms of each topic, a word or two that follow each other, the best first.

    A query counts a term once. The weight of a term is its share of the topic's terms times ``log(1 + A / f)``, with A
    the terms of an average topic and f how often the term occurs in all. A term of which every word stands in a better
    one is left out.

    Args:
        told: words of each query.
        code: topic of each, -1 for none.
        k: how many topics.
    """
    by_topic: list[Counter[str]] = [Counter() for _ in range(k)]
    for some, topic in zip(told, code, strict=True):
        if topic >= 0:
            by_topic[topic].update(set(grams(list(some))))
    everywhere: Counter[str] = Counter()
    for one in by_topic:
        everywhere.update(one)
    average = sum(everywhere.values()) / max(k, 1)
    found = []
    for one in by_topic:
        ranked = sorted(one, key=lambda term, one=one: (-one[term] * math.log1p(average / everywhere[term]), term))  # type: ignore[misc]  # one is bound
        kept: list[str] = []
        for term in ranked[: 10 * MOST]:
            if len(kept) < MOST and not set(term.split()) <= {word for better in kept for word in better.split()}:
                kept.append(term)
        found.append(tuple(kept))
    return tuple(found)


def labels(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What each topic is called by its terms, words before numbers; where two would be called the same, more of them.

    >>> labels([("5", "10", "minutes"), ("7", "12")])
    ('minutes, 5, 10', 'numbers 7, 12')
    """
    made: list[str] = []
    for topic, terms in enumerate(found):
        own = sorted(terms, key=lambda term: not any(map(str.isalpha, term)))
        label = ", ".join(own[:HEADING]) or f"topic {topic + 1}"
        if own and not any(map(str.isalpha, label)):
            label = f"numbers {label}"
        if label in {*made, OTHER}:
            label = f"{', '.join(own) or 'topic'} ({topic + 1})"
        made.append(label)
    return tuple(made)
