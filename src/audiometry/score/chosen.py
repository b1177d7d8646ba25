"""What choices tell besides whether they are right: which options are taken, how often anything can be read."""

from __future__ import annotations

import msgspec

from audiometry.score.row import Interval, Row


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A share of replies, or of items.

    Attributes:
        value: 0 to 1.
        interval: 95 %, items that share a clip or group counted as one cluster.
        n: what it is a share of.
        n_clusters: groups of these that are not independent.
    """

    value: float
    interval: Interval
    n: int
    n_clusters: int


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """From how many replies the rules read an option: MuChoMusic's instruction-following rate (IFR).

    Attributes:
        n_read: replies from which one was read; a letter that no option has is one, what was drawn is none.
        n_received: replies that came; not those that failed or that the provider blocked.
        n_all: replies that there were to be.
        of_received, of_all: the one over the others; None where there are none, or not all were asked for.
    """

    n_read: int
    n_received: int
    n_all: int
    of_received: Share | None
    of_all: Share | None


class Preferred(msgspec.Struct, frozen=True, kw_only=True):
    """How often wrong replies take one wrong option rather than another.

    Attributes:
        share: of the wrong replies that take it, 0 to 1.
        expected: what that would be if each wrong option were as likely as any other.
        interval: of the share, clustered; 95 % for all that are looked at together (Bonferroni).
        n_taken: replies that take it; ``n``: wrong replies to items that have it and others to be taken.
        n_clusters: groups of items that are not independent.
    """

    share: float
    expected: float
    interval: Interval
    n_taken: int
    n: int
    n_clusters: int

    @property
    def apart(self) -> bool:
        """Whether it is preferred, or avoided, by more than chance."""
        return not self.interval[0] <= self.expected <= self.interval[1]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """Which options some replies take: counts.

    Attributes:
        right: of replies that take the right one.
        kinds: by kind, of those that take such a wrong one.
        none: of those that came and take no option that there is.
    """

    right: int
    kinds: dict[str, int]
    none: int


class Distractors(msgspec.Struct, frozen=True, kw_only=True):
    """Which kinds of wrong options are taken, over items of which the kinds are known.

    Attributes:
        titles: of each kind, for people.
        wrong: of wrong replies, how many take each kind.
        all: which options all replies take; ``by``: by tag and value of the dimensions.
    """

    titles: dict[str, str]
    wrong: dict[str, Preferred]
    all: Taken
    by: dict[str, dict[str, Taken]]


class Consistent(msgspec.Struct, frozen=True, kw_only=True):
    """What holds in every order of a whole round, in which each option stands once under each letter, or every wording.

    Attributes:
        right: items that are right in each of them; where they were asked in several rounds (or in their wordings in
            several orders), the mean over these.
        same: items in which each takes the same option, right or wrong.
        each: share of the single replies that are right.
        chance: what guessing each reply anew gives of items that are right in each of them.
        n_rounds: of all items.
    """

    right: Share
    same: Share
    each: float
    chance: float
    n_rounds: int


class LeaveOneOut(msgspec.Struct, frozen=True, kw_only=True):
    """What holds over the passes that leave one distractor out each.

    Attributes:
        vote: items of which more passes take the right option than take any other, whatever those would have taken
            that did not come.
        most: what the vote would be had all of these been right.
        each: share of the single replies that are right, of those that count.
        chance: what guessing gives by vote where every pass came; None where items have more than seven options.
        n_tied: items of which as many passes take another option; they are not right.
        n_items: items that were asked in each of their passes.
        n_lost: passes of these that did not come.
    """

    vote: Share
    most: float = 1.0
    each: Share
    chance: float | None
    n_tied: int
    n_items: int
    n_lost: int = 0


class Dimension(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by what items are about; an item with several values is in the row of each.

    Attributes:
        title: for people.
        any: items that have any of the values; None: no item has.
        values: by value, in the order of the card; values that no item has have no row.
    """

    title: str
    any: Row | None
    values: dict[str, Row]
