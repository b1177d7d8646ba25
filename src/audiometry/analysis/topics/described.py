"""Topics as they are told: the most frequent first, each with its name, its share, and what it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.topics import judged, shares, terms, uses
from audiometry.analysis.topics.clusters import Clusters
from audiometry.analysis.topics.queries import NONE, Queries
from audiometry.analysis.topics.result import Share, Stability, Topic

if TYPE_CHECKING:
    from audiometry.dispatch.tally import Usage
    from audiometry.score.judge.judge import Judge
    from audiometry.score.judge.settings import Follow

EXAMPLES: Final = 3  # queries of a topic that are shown


def ordered(
    made: Clusters, among: Queries, told: Sequence[Sequence[str]]
) -> tuple[NDArray[np.int64], tuple[tuple[str, ...], ...]]:
    """Topics by number, the most frequent first, and their terms; what is in none is `NONE`."""
    k = len(made.silhouette)
    its_terms = terms.terms(told, made.code.tolist(), k)
    n = np.bincount(made.code[made.code >= 0], among.n_asked[made.code >= 0], minlength=k)
    order = sorted(range(k), key=lambda topic: (-n[topic], its_terms[topic]))
    place = np.full(k + 1, NONE, np.int64)
    place[order] = np.arange(k)
    return place[made.code], tuple(its_terms[topic] for topic in order)


def labels(
    code: NDArray[np.int64],
    its_terms: Sequence[tuple[str, ...]],
    points: NDArray[np.float64],
    among: Queries,
    namer: Judge | None,
    folder: Path | None,
    follow: Follow | None,
) -> tuple[tuple[str, ...], list[str], Usage | None]:
    """What topics are called, by whom (empty: by their terms), and what that took."""
    plain = terms.labels(its_terms)
    if namer is None or not plain:
        return plain, [""] * len(plain), None
    from audiometry.analysis.topics.asking import names_said

    assert folder is not None  # noqa: S101  as the docstring of topics says
    asked = [
        judged.name_asked(own, _nearest(points, np.flatnonzero(code == topic), among.texts, judged.EXAMPLES))
        for topic, own in enumerate(its_terms)
    ]
    said, usage = names_said(asked, namer, folder, follow)
    low = [one.casefold() for one in said]
    taken = [bool(name) and low.count(name) == 1 and name not in {terms.OTHER, *plain} for name in low]
    return (
        tuple(name if use else label for name, label, use in zip(said, plain, taken, strict=True)),
        [namer.settings.name if use else "" for use in taken],
        usage,
    )


def _nearest(points: NDArray[np.float64], rows: NDArray[np.int64], texts: Sequence[str], n: int) -> tuple[str, ...]:
    """The queries nearest to the middle of theirs."""
    near = points[rows] @ points[rows].mean(axis=0)
    order = sorted(range(len(rows)), key=lambda at: (-round(float(near[at]), 9), at))
    return tuple(texts[int(rows[at])] for at in order[:n])


def each(
    made: Clusters,
    code: NDArray[np.int64],
    its_terms: Sequence[tuple[str, ...]],
    labels: Sequence[str],
    named_by: Sequence[str],
    points: NDArray[np.float64],
    among: Queries,
    use: Sequence[str],
) -> Iterator[Topic]:
    """All topics, other last.

    Args:
        made: the clusters.
        code: ``int64[queries]``, see `ordered`.
        its_terms: of each topic.
        labels: what each is called.
        named_by: by which model; empty: by its terms.
        points: of each query.
        among: the queries.
        use: of each query; empty: not known.
    """
    of_asked, of_each = code[among.of_asked], np.array([*use, ""])[among.of_asked]
    for topic in [*range(len(labels)), NONE]:
        rows, has = np.flatnonzero(code == topic), of_asked == topic
        if not len(rows):
            continue
        at = NONE if topic == NONE else int(made.code[rows[0]])
        yield Topic(
            label=terms.OTHER if topic == NONE else labels[topic],
            terms=() if topic == NONE else its_terms[topic],
            named_by="" if topic == NONE else named_by[topic],
            share=shares.share(has, among),
            n_different=len(rows),
            uses={name: int((has & (of_each == name)).sum()) for name in uses.book().names},
            silhouette=None if topic == NONE else made.silhouette[at],
            firmness=None if topic == NONE else made.jaccard[at],
            examples=tuple(among.texts[row] for row in rows[:EXAMPLES])
            if topic == NONE
            else _nearest(points, rows, among.texts, EXAMPLES),
        )


def languages(among: Queries) -> dict[str, Share]:
    """The share of each language, the most frequent first; empty: not known."""
    each = np.array(among.languages)[among.of_asked]
    names, n = np.unique(each, return_counts=True)
    order = sorted(range(len(names)), key=lambda at: (-n[at], names[at]))
    return {str(names[at]): shares.share(each == names[at], among) for at in order}


def stability(made: Clusters, *, asked: bool) -> Stability:
    """How firm clusters are; ``asked``: whether a person said how many."""
    return Stability(
        chosen=made.k,
        by="none" if not made.k else "asked" if asked else "choice",
        tried=made.tried,
        rand=None if made.rand is None else made.rand[1],
        rand_range=None if made.rand is None else (made.rand[0], made.rand[2]),
        by_chance=made.by_chance,
        n_small=made.n_small,
        n_incoherent=made.n_incoherent,
        n_blank=made.n_blank,
    )
