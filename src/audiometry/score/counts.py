"""Counts that a kind of score has to show beside its rows: of letters, labels and edits."""

from __future__ import annotations

import msgspec


class LetterDifference(msgspec.Struct, frozen=True, kw_only=True):
    """How much more often a letter is chosen than it is right, as a share of replies; its 95 % interval is joint."""

    difference: float
    interval: tuple[float, float]


class LetterTest(msgspec.Struct, frozen=True, kw_only=True):
    """Whether letters are chosen as often as they are right; see `audiometry.stats.homogeneity`.

    Attributes:
        statistic: Stuart and Maxwell's; ``df``: its degrees of freedom, 0 where every choice is right.
        p: two-sided, by swapping the letters of whole clusters; the larger of that by ``statistic`` and that by the sum
            of squared differences.
        n_replies, n_clusters: replies with a letter and a known answer, and groups of those that are not independent.
        letters: each one's difference.
    """

    statistic: float
    df: int
    p: float
    n_replies: int
    n_clusters: int
    letters: dict[str, LetterDifference]


class Letters(msgspec.Struct, frozen=True, kw_only=True):
    """How often each letter was right and how often it was chosen, over replies with a letter and a known answer.

    Attributes:
        gold, chosen: counts by letter.
        test: of the one against the other; None without a reply.
    """

    gold: dict[str, int]
    chosen: dict[str, int]
    test: LetterTest | None = None


class PlainMatching(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a model's replies a parser matches with a letter (AIR-Bench, table 4).

    Attributes:
        n_read: replies it reads.
        n_replies: replies that came.
        share: the one over the other, 0 to 1; None if no reply came.
    """

    n_read: int
    n_replies: int
    share: float | None


class Confusion(msgspec.Struct, frozen=True, kw_only=True):
    """Which label was read where which was right, over the replies with their own clips that came.

    Attributes:
        labels: of the task; of very many those that are most often mistaken, see `confusion.MOST`.
        counts: of each right label, how often each was read.
        without_label: of each right label, how many replies gave none; ``refused``: how many of these declined.
        n_others: replies whose right label, or the one that was read, is none of these.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    without_label: tuple[int, ...]
    n_others: int = 0
    refused: tuple[int, ...] = ()

    @property
    def n_right(self) -> int:
        """Replies in which the right label was read."""
        return sum(row[at] for at, row in enumerate(self.counts))


class Errors(msgspec.Struct, frozen=True, kw_only=True):
    """Edits between answers and references, over the replies with their own clips that count.

    Attributes:
        substitutions, deletions, insertions: units of the references that are another in the answer or missing there,
            and units of answers that are in no reference.
        reference: units of the references.
    """

    substitutions: int
    deletions: int
    insertions: int
    reference: int
