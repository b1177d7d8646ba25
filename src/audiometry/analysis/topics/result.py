"""What is found about what people ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from audiometry.analysis.topics.clusters import FEWEST
from audiometry.dispatch.tally import Usage
from audiometry.errors import counted, shown
from audiometry.files.votes import VoteFile
from audiometry.stats.bootstrap import Coefficient

Interval = tuple[float, float]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the queries that were asked.

    Attributes:
        n: times that one was asked.
        value: share of all of which it is known, 0 to 1; None where nothing is.
        interval: 95 %, clustered by who asked.
        people: voters who asked at least one.
    """

    n: int
    value: float | None
    interval: Interval | None
    people: int


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """Queries of recordings, written down by a model.

    Attributes:
        said: the query of each vote: what the file says, else what was heard; empty where neither is.
        by: the model.
        n_recordings: different recordings of votes without a query in words.
        n_without: of them those in which no word was heard.
        failures: of votes, by what is wrong with their recordings.
        usage: what the transcripts took, in all sessions.
    """

    said: tuple[str, ...]
    by: str
    n_recordings: int
    n_without: int
    failures: dict[str, int]
    usage: Usage

    def told(self) -> Iterator[str]:
        """What is to be known of it, a sentence each without its full stop."""
        yield (
            f"the queries of {counted(self.n_recordings, 'recording')} were written down by {shown(self.by, 80)}, "
            "whose mistakes are in all that follows"
        )
        if self.n_without:
            yield f"no word was heard in {counted(self.n_without, 'recording')}"
        for why, n in self.failures.items():
            yield f"{counted(n, 'vote')} with {why}"


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic.

    Attributes:
        label: what it is called: by a model, or its most telling terms; ``other`` for what is in none.
        terms: its most telling words, the best first.
        named_by: the model that gave its name; empty: its terms.
        share: of the queries asked.
        n_different: different queries.
        uses: by use, how often.
        silhouette: mean of its queries, -1 to 1; None for other.
        firmness: mean likeness (Jaccard) to its counterpart in half-samples, 0 to 1; None for other.
        examples: a few of its queries, the nearest to its middle first.
    """

    label: str
    terms: tuple[str, ...]
    named_by: str
    share: Share
    n_different: int
    uses: dict[str, int]
    silhouette: float | None
    firmness: float | None
    examples: tuple[str, ...]


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far the coder of uses agrees with the labelled queries that it was not made from.

    Attributes:
        n: of them; of a model those that it answered.
        n_languages: that they are in.
        kappa: Cohen's, over the four uses, with its 95 % interval.
        right: share of each use's queries that it gives that use, 0 to 1.
        told: of each use's queries, how often it gives each use, in the order of the book.
        sensitivity: of queries for efficiency, the share that it calls so; with their number.
        specificity: of the others, the share that it does not call so; with their number.
    """

    n: int
    n_languages: int
    kappa: Coefficient
    right: dict[str, tuple[int, int]]
    told: dict[str, tuple[int, ...]]
    sensitivity: tuple[int, int]
    specificity: tuple[int, int]


class Efficiency(msgspec.Struct, frozen=True, kw_only=True):
    """The share that is for efficiency: task execution and knowledge expansion together. This definition is ours.

    Attributes:
        queries: share of queries asked, as they are coded.
        corrected: the same with the coder's errors on each use of the labelled sample taken out; None where it does no
            better than chance.
        corrected_interval: 95 %, of both samples.
        people: voters of whose queries more than half are for efficiency, of all of whose queries a use is known; as
            they are coded.
        n_people: those voters; 0: no voter is known.
        people_interval: 95 %, Wilson's.
    """

    queries: Share
    corrected: float | None
    corrected_interval: Interval | None
    people: float | None
    n_people: int
    people_interval: Interval | None


class Uses(msgspec.Struct, frozen=True, kw_only=True):
    """What queries are for.

    Attributes:
        coder: ``rules``, or a model as ``provider/name``.
        kind: of it.
        shares: by use.
        n_unknown: different queries of which the coder says nothing.
        efficiency: see there.
        trust: on the labelled sample; None: the model answered none of it.
        usage: of a model.
    """

    coder: str
    kind: Literal["rules", "judge"]
    shares: dict[str, Share]
    n_unknown: int
    efficiency: Efficiency
    trust: Trust | None
    usage: Usage | None = None


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """How firm topics are.

    Attributes:
        chosen: how many clusters were made.
        by: whether a person said so (``asked``), or silhouettes and half-samples did (``choice``).
        tried: by number of clusters, the mean silhouette, and the adjusted Rand index with half-samples.
        rand: adjusted Rand index between the clusters of all queries and those of half-samples: median; 1: always the
            same, 0: no more alike than by chance; None: no clusters.
        rand_range: 5th to 95th percentile over half-samples.
        by_chance: that index of points without any clusters, where points lie in so few dimensions that it is above 0.
        n_small, n_incoherent, n_blank: different queries in other, because their cluster was too small, not coherent,
            or because they say nothing that others say too.
    """

    chosen: int
    by: Literal["asked", "choice", "none"]
    tried: dict[int, tuple[float, float]]
    rand: float | None
    rand_range: Interval | None
    n_small: int
    n_incoherent: int
    n_blank: int
    by_chance: float | None = None

    def none_because(self, n: int) -> str:
        """Why there are no clusters of so many different queries; empty if there are."""
        if self.chosen:
            return ""
        with_words = f"{counted(n, 'different query')}, {n - self.n_blank:,} with words that others share"
        if n - self.n_blank < FEWEST:
            return f"{with_words}: too few for topics, which need {FEWEST}"
        return f"{counted(n, 'different query')}, all of them one point: what made the points tells none from another"


class Topics(msgspec.Struct, frozen=True, kw_only=True):
    """What people ask for.

    Attributes:
        n_votes: votes that count.
        n_asked: queries that were asked: of votes on one battle with one query, once.
        n_different: different queries.
        n_without: votes without a query.
        n_people, n_unknown_people: voters who are known, and queries of nobody who is known.
        languages: by ISO 639-1 code, the share of queries asked; empty code: not known.
        languages_by: ``votes``, or ``words`` where they were told by letters and words, or both.
        topics: most frequent first, ``other`` last.
        stability: of the topics.
        uses: the second level.
        embedded: how queries became points.
        signature: how all of it was made.
        warnings: what stands in the way of a claim, a sentence each.
        usage: what models took for names.
    """

    n_votes: int
    n_asked: int
    n_different: int
    n_without: int
    n_people: int
    n_unknown_people: int
    languages: dict[str, Share]
    languages_by: str
    topics: tuple[Topic, ...]
    stability: Stability
    uses: Uses
    embedded: str
    signature: str
    warnings: tuple[str, ...]
    usage: Usage | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What people ask for, and the votes with the topic and the use of each query.

    Attributes:
        found: to be shown.
        file: the votes, grouped by ``topic`` and ``use``.
        said: the query of each vote, where it was heard in its recording; None: as the file has it.
    """

    found: Topics
    file: VoteFile
    said: tuple[str, ...] | None = None
