"""From votes to what people ask for: topics of queries, and what queries are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

import audiometry
from audiometry import seeds
from audiometry.analysis import one_voter
from audiometry.analysis.topics import described, shares, terms, uses, vectors
from audiometry.analysis.topics.clusters import Clusters, clusters
from audiometry.analysis.topics.queries import NONE, Queries, queries
from audiometry.analysis.topics.result import Asked, Heard, Topics, Uses
from audiometry.errors import UsageError, counted
from audiometry.files.extras import install
from audiometry.files.votes import Group, VoteFile
from audiometry.languages import detector
from audiometry.score.table import cleaned

if TYPE_CHECKING:
    from audiometry.dispatch.tally import Usage
    from audiometry.score.judge.judge import Judge
    from audiometry.score.judge.settings import Follow

FIRM: Final = 0.5  # adjusted Rand index below which topics are not to be built on
NO_FIRMER: Final = 0.25  # of what points without clusters lack to 1, where all lie in few dimensions: the most to lack
FEW: Final = 30  # voters, below which intervals are rough
STEPS: Final = 4  # that are told: languages, points, clusters, uses
MIXED: Final = 0.1  # share of queries in other languages than the first from which words are no common measure
WORDS: Final = "words and letters (TF-IDF, truncated SVD)"
Embed = Callable[[Sequence[str]], NDArray[np.float64]]


def topics(
    file: VoteFile,
    *,
    heard: Heard | None = None,
    n_topics: int | None = None,
    seed: int = 0,
    embed: tuple[str, Embed] | None = None,
    judge: Judge | None = None,
    namer: Judge | None = None,
    folder: Path | None = None,
    follow: Follow | None = None,
    reached: Callable[[int, int], None] | None = None,
) -> Asked:
    """Say what people ask for in votes: topics of their queries, and what these are for.

    The order of the votes has no say in it.

    Args:
        file: the votes, read with their texts, and with the column ``language`` if there is one.
        heard: the queries of recordings; None: as the file has them in words.
        n_topics: clusters to make, 2 to 100; None: as many as silhouettes favour.
        seed: of draws.
        embed: the name of what makes points of queries, and what does, ``float64[n, d]`` for n texts; None: words and
            letters.
        judge: a model that says what each query is for; None: rules do.
        namer: a model that names topics; None: they are called by their words.
        folder: where the answers of these two are kept.
        follow: who is told how the asking goes.
        reached: told after each step how many of how many are done.

    Raises:
        UsageError: no vote has a query, or the extra is not installed.
        StoppedError: nobody answers, or the person stopped it; what was answered is kept.

    Source: the uses are those of Mind the Gap (arXiv 2502.15919, figure 2); rules and topics are ours.
    """
    _needed()
    reached = reached or (lambda _done, _of: None)
    said = None if heard is None else heard.said
    among = _queries(file, said)
    reached(1, STEPS)
    words = vectors.telling(among.texts, among.languages)
    own_seed = seeds.number(seed, "topics", "svd") % 2**32
    points = vectors.points(words, own_seed) if embed is None else vectors.normalized(embed[1](among.texts))
    reached(2, STEPS)
    made = clusters(points, k=n_topics, seed=seed)
    reached(3, STEPS)
    use, of_uses = _uses(among, judge, folder, follow)
    code, its_terms = described.ordered(made, among, words)
    labels, named_by, usage = described.labels(code, its_terms, points, among, namer, folder, follow)
    reached(STEPS, STEPS)
    ways = (
        "" if n_topics else "by half-samples and silhouette",
        f"embedded={'tfidf-svd' if embed is None else embed[0]}",
        f"seed={seed}",
        f"named by {namer.settings.name}" if namer is not None else "",
        f"heard by {heard.by}" if heard is not None else "",
    )
    found = Topics(
        n_votes=file.votes.n,
        n_asked=len(among.asked),
        n_different=len(among.texts),
        n_without=among.n_without,
        n_people=among.n_people,
        n_unknown_people=among.n_unknown,
        languages=described.languages(among),
        languages_by=among.told_by,
        topics=tuple(described.each(made, code, its_terms, labels, named_by, points, among, use)),
        stability=described.stability(made, asked=n_topics is not None),
        uses=of_uses,
        embedded=WORDS if embed is None else embed[0],
        signature=_signature(among, made, of_uses, *ways),
        warnings=(),
        usage=usage,
    )
    warnings = (*(heard.told() if heard is not None else ()), *_warnings(found, among, namer, mixed=embed is None))
    found = msgspec.structs.replace(found, warnings=warnings)
    names = uses.book().names
    by_topic = _group([*labels, terms.OTHER], np.where(code < 0, len(labels), code)[among.of_vote], among)
    by_use = _group(names, np.array([names.index(one) if one else NONE for one in use])[among.of_vote], among)
    grouped = msgspec.structs.replace(file, groups={**file.groups, "topic": by_topic, "use": by_use})
    return Asked(found=cast("Topics", cleaned(found)), file=grouped, said=said)


def _queries(file: VoteFile, said: Sequence[str] | None) -> Queries:
    """The queries of the votes, refused where there is none."""
    among = queries(file, said)
    if not among.texts:
        raise UsageError(
            f"{file.path} has no query in any of {counted(file.votes.n, 'vote')}; topics need a column query, or a "
            "column audio with --transcribe MODEL"
        )
    return among


def _needed() -> None:
    try:
        import sklearn  # noqa: F401  whether it is there
    except ImportError:
        raise UsageError(f"topics of queries need scikit-learn and py3langid: {install('topics')}") from None


def _uses(among: Queries, judge: Judge | None, folder: Path | None, follow: Follow | None) -> tuple[list[str], Uses]:
    """The use of each different query, and what is to be said of all."""
    usage: Usage | None = None
    if judge is None:
        said = [uses.use_of(text, language)[0] for text, language in zip(among.texts, among.languages, strict=True)]
        detect = detector()
        trust = shares.trust({one.text: uses.use_of(one.text, detect(one.text))[0] for one in uses.labelled()})
        coder = uses.NAME
    else:
        from audiometry.analysis.topics.asking import uses_said  # what asks is not loaded where nobody is asked

        assert folder is not None  # noqa: S101  as the docstring of topics says
        found, coder, usage = uses_said(among.texts, judge, folder, follow)
        said, trust = [found[text] for text in among.texts], shares.trust(found)
    each = [said[query] for query in among.of_asked.tolist()]
    known = np.array([one != "" for one in each], np.bool_)
    return said, Uses(
        coder=coder,
        kind="rules" if judge is None else "judge",
        shares={
            name: shares.share(np.array([one == name for one in each], np.bool_), among, known)
            for name in uses.book().names
        },
        n_unknown=sum(not one for one in said),
        efficiency=shares.efficiency(each, among, trust),
        trust=trust,
        usage=usage,
    )


def _group(values: Sequence[str], code: NDArray[np.int64], among: Queries) -> Group:
    """A column of votes, its values in alphabetical order; votes without a query have none."""
    order = sorted(set(values))
    place = np.array([*(order.index(one) for one in values), NONE], np.int32)
    return Group(tuple(order), place[np.where(among.of_vote == NONE, NONE, code)])


def _warnings(found: Topics, among: Queries, namer: Judge | None, *, mixed: bool) -> Iterator[str]:
    its = found.stability
    called = [one.named_by for one in found.topics if one.label != terms.OTHER]
    if namer is not None and not all(called):
        yield (
            f"{namer.settings.name} gave {called.count(''):,} of {counted(len(called), 'topic')} no name that can be "
            "used, short, plain and of one topic alone: these are called by their words"
        )
    if why := its.none_because(found.n_different):
        yield why
    elif its.rand is not None and its.rand < FIRM:
        yield (
            f"topics are not firm: half of the queries make other ones (adjusted Rand index {its.rand:.2f}; 1 is the "
            "same); more queries, fewer topics (--topics) or an embedding model (--embed) may help"
        )
    elif its.rand is not None and its.by_chance is not None and 1 - its.rand > NO_FIRMER * (1 - its.by_chance):
        yield (
            f"topics are hardly firmer than those of queries without any (adjusted Rand index {its.rand:.2f}, "
            f"{its.by_chance:.2f} of one cloud of as few dimensions): they may be arbitrary cuts"
        )
    if (unsure := found.languages.get("")) is not None:
        yield f"the language of {counted(unsure.n, 'query')} is not known: rules of all languages are tried on those"
    first = next(iter(found.languages.values())).n
    if mixed and its.chosen and found.n_asked - first > MIXED * found.n_asked:
        yield (
            f"{counted(found.n_asked - first, 'query')} in other languages than the most frequent one: words of two "
            "languages have nothing in common, so that topics seldom hold both; an embedding model (--embed) sees "
            "across them"
        )
    yield from one_voter.told(among.person, "queries")
    yield from _of_people(among)
    if found.uses.trust is None:
        yield f"{found.uses.coder} answered none of the labelled queries: how often it errs is not known"


def _of_people(among: Queries) -> Iterator[str]:
    """Whether it is known who asked, and how few these are."""
    if not among.n_people:
        yield "no voter is known: intervals take each query for one person's, and nothing is said of participants"
    elif among.n_people < FEW:
        yield (
            f"{counted(among.n_people, 'voter')} only: intervals are rough, as they rest on how voters differ, and "
            "shares are of what these few ask"
        )
    if among.n_people and among.n_unknown:
        yield f"{counted(among.n_unknown, 'query')} of nobody who is known: each stands alone"


def _signature(among: Queries, made: Clusters, of_uses: Uses, *how: str) -> str:
    coder = f"rules-v{uses.VERSION}" if of_uses.kind == "rules" else of_uses.coder
    pieces = (f"k-means-{made.k}", *how, f"languages by {among.told_by}", f"uses={coder}")
    return " | ".join(("topics", *filter(None, pieces), f"audiometry={audiometry.__version__}"))
