"""What scoring says, as it is printed, stored and exchanged."""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One number and what it rests on.

    Attributes:
        headline: share correct, 0 to 1. Under the house's rules over all items, unanswered, refused and failed ones
            included; under others' over what their rules count. None if their rules count nothing.
        interval: 95 %, items that share a clip or group counted as one cluster; None if there is no headline.
        n_items: items; each may have several replies (variants), averaged before anything else.
        n_clusters: groups of items that are not independent, of those that count.
        n_replies, n_answered, n_unanswered, n_refused, n_failed: replies, and what became of them.
        over_answered: share correct among the answered; None if none was.
        chance: what guessing gives.
        bounds: the headline if every failed reply had been there and wrong, and right; None if none failed.
        n_counted: replies in the headline's denominator.
        n_guessed, n_guessed_right: replies for which a letter was drawn, and drawn right; never answered ones.
    """

    headline: float | None
    interval: tuple[float, float] | None
    n_items: int
    n_clusters: int
    n_replies: int
    n_answered: int
    n_unanswered: int
    n_refused: int
    n_failed: int
    over_answered: float | None
    chance: float
    bounds: tuple[float, float] | None = None
    n_counted: int
    n_guessed: int = 0
    n_guessed_right: int = 0


class Letters(msgspec.Struct, frozen=True, kw_only=True):
    """How often each letter was right and how often it was chosen, over replies with a letter and a known answer."""

    gold: dict[str, int]
    chosen: dict[str, int]


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """What a score loses when items come without their own clip; both sides over the same items.

    Attributes:
        n_items, n_clusters: items that count on both sides, and groups of those that are not independent.
        real: the score with the clip, in the same order of options (that of the variant ``plain``).
        difference: ``real`` minus the score without the clip.
        interval: of the difference, 95 %.
        p: two-sided, by sign flips over clusters; interval and p agree.
        p_corrected: over the variants of the run (Holm).
        detectable: the smallest difference that so many items could show.
    """

    n_items: int
    n_clusters: int
    real: float
    difference: float
    interval: tuple[float, float]
    p: float
    p_corrected: float
    detectable: float


class Condition(Row, frozen=True, kw_only=True):
    """A run asked without the items' own clips: its row, and what it loses; None if no item counts on both sides."""

    difference: Drop | None


class Scored(Row, frozen=True, kw_only=True):
    """A run under one profile: the row over everything, and what it is made of.

    Attributes:
        signature: how the number was made, short enough to print beside it.
        average: what the headline is a mean of: ``categories``, ``tasks`` or ``items``.
        complete: no reply failed or is missing.
        rankable: at most 1 % failed; otherwise the number is not to be ranked.
        failures: failed replies by kind.
        n_blocked: of the refused, those that the provider blocked, so that no reply came.
        letters: bias towards letters.
        categories, tasks: rows by name.
        folders: rows by data folder, for benchmarks whose items carry the tag ``folder``.
        pooled: tasks whose items come from several folders, and which; they are pooled, each item counts alike.
        left_out: tasks without a number, which are in no average.
        variants: rows of the variants that replace the items' clips (``noise``, …), by name; in no headline.
    """

    signature: str
    average: str
    complete: bool
    rankable: bool
    failures: dict[str, int]
    n_blocked: int = 0
    letters: Letters
    categories: dict[str, Row]
    tasks: dict[str, Row]
    folders: dict[str, Row] = {}
    pooled: dict[str, tuple[str, ...]] = {}
    left_out: tuple[str, ...] = ()
    variants: dict[str, Condition] = {}


class PlainMatching(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a model's replies the reader of AIR-Bench matches with a letter (the paper's table 4).

    Attributes:
        n_read: replies it reads.
        n_replies: replies that came.
        share: the one over the other, 0 to 1; None if no reply came.
    """

    n_read: int
    n_replies: int
    share: float | None


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """A run's place among others under one profile.

    Attributes:
        rank: 1 is best; equal headlines share the better place; None: not ranked.
        of: how many runs are ranked.
        tied: how many others have the same place.
        change: places gained (above 0) or lost against ``strict``; None if either has no rank.
        why: why it is not ranked.
    """

    rank: int | None
    of: int
    tied: int = 0
    change: int | None = None
    why: str = ""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """``score --json``: a run under one or several profiles.

    Attributes:
        run: path of the folder.
        benchmark, model: names.
        asked: the model, and by whose recipe.
        profiles: by name.
        plain_matching: share of the replies in a form that plain matching reads.
        ranks: by profile, where several runs on the same items are scored together.
        n_open: items that are open questions; no rule can score them, and they are in none of these numbers.
        n_without_clip: items of these numbers that name no clip, as their task allows.
        n_left_out: rows of the benchmark that cannot be asked; no items.
        n_clips_cut: replies to the beginning of a longer clip, as a recipe or the model's card says.
        left_out: how many rows by task; a task of which no item is left is in no other number.
    """

    run: str
    benchmark: str
    model: str
    asked: str
    profiles: dict[str, Scored]
    plain_matching: PlainMatching
    ranks: dict[str, Rank]
    n_open: int
    n_without_clip: int
    n_left_out: int
    n_clips_cut: int
    left_out: dict[str, int]
