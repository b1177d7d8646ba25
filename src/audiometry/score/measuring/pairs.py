"""What a metric is handed: every answer with its references, and the two answers a failed one might have been."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.records import Failure
from audiometry.score.measuring.answers import Answers, language_of, references_of
from audiometry.score.metrics import Asked
from audiometry.score.metrics.languages import in_latin_letters
from audiometry.score.metrics.pair import Floats, Pair

LEAST_READ = 4_000  # characters
TIMES_READ = 20  # the longest reference
MOST_READ = 1_000_000  # characters, of reply and of reference


class Counts(msgspec.Struct, frozen=True):
    """What a metric counted of a run; row i is the i-th open item, column v the v-th variant.

    Attributes:
        found: ``float64[items, variants, k]``; a failed reply's are those of an empty one, an unscored one's are 0.
        best: the same with a failed reply's being those of the reference itself.
        there: ``bool[items, variants]``, whether ``found`` holds something.
        both: whether ``found`` and ``best`` hold something wherever a reply failed.
        unscored: by place, why the metric has no score for a reply that came.
        n_cut: replies longer than is read of one.
        stamps: what the signature says.
        foreign: items without a language whose references are in another script than English.
    """

    found: Floats
    best: Floats
    there: NDArray[np.bool_]
    both: bool
    unscored: dict[tuple[int, int], Failure]
    n_cut: int
    stamps: tuple[str, ...]
    foreign: int


def counted(answers: Answers, asked: Asked) -> Counts:
    """Hand all answers to a metric, once.

    Raises:
        UsageError: a package is missing, a program cannot be started, a metric gives what are no counts.
    """
    n, variants = answers.state.shape
    pairs, foreign = _pairs(answers, asked.language)
    failed = [divmod(place, variants) for place in np.flatnonzero(answers.lost).tolist()]
    perfect = [perfect_of(pairs[row * variants + column]) for row, column in failed]
    made = asked.metric.count([*pairs, *perfect])
    counts = _checked(made.counts, len(pairs) + len(perfect), asked.metric.name)
    found = counts[: len(pairs)].reshape(n, variants, -1)
    best, there = found.copy(), np.ones((n, variants), np.bool_)
    for place, row in zip(failed, counts[len(pairs) :], strict=True):
        best[place] = row
    unscored = {divmod(row, variants): failure for row, failure in made.failures.items() if row < len(pairs)}
    for place in unscored:
        there[place] = False
    return Counts(
        found=found,
        best=best,
        there=there,
        both=all(row < len(pairs) for row in made.failures) and unscored.keys().isdisjoint(failed),
        unscored={place: why for place, why in unscored.items() if not answers.lost[place]},
        n_cut=sum(pair.cut_characters > 0 for pair in pairs),
        stamps=asked.metric.made_with(pairs),
        foreign=foreign,
    )


def _pairs(answers: Answers, otherwise: str) -> tuple[list[Pair], int]:
    """A pair a reply, in order; and how many items without a language have references in another script."""
    pairs, foreign = [], 0
    for item, texts in zip(answers.items, answers.texts, strict=True):
        references = tuple(reference[:MOST_READ] for reference in references_of(item))
        language = language_of(item, otherwise)
        foreign += not language and not in_latin_letters(references)
        pairs += [pair(item.id, text, references, language) for text in texts]
    return pairs, foreign


def _checked(counts: Floats, n: int, name: str) -> Floats:
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2 or len(counts) != n or not np.isfinite(counts).all():  # noqa: PLR2004  pairs, counts
        raise UsageError(
            f"metric '{name}' gives counts of shape {counts.shape} for {n} pairs, or numbers that are not finite; "
            "mend it"
        )
    return counts


def pair(item: str, text: str, references: tuple[str, ...], language: str) -> Pair:
    """An answer and its references, the answer as far as it is read.

    >>> found = pair("a", "la " * 2000, ("la",), "en")
    >>> len(found.prediction), found.cut_characters, found.cut_words
    (4000, 2000, 667)
    """
    most = min(MOST_READ, max(LEAST_READ, TIMES_READ * max(map(len, references))))
    rest = text[most:]
    return Pair(
        item=item,
        prediction=text[:most],
        references=references,
        language=language,
        cut_characters=len(rest),
        cut_words=len(rest.split()),
    )


def perfect_of(failed: Pair) -> Pair:
    """The answer that the reference itself would have been."""
    return msgspec.structs.replace(failed, prediction=failed.references[0])
