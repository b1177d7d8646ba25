"""What scoring open answers says, as it is printed, stored and exchanged."""

from __future__ import annotations

from typing import Any

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.score.result import Rank


class ChatRow(msgspec.Struct, frozen=True, kw_only=True):
    """One number and what it rests on; see `audiometry.score.result.Row` for what both have in common.

    Attributes:
        headline: mean score of the model's answers, 1 to 10 (0 to 10 under others' rules); an item is averaged over
            both orders first. None if nothing counts.
        interval: 95 %, items that share a clip or group resampled together; None if there is no headline.
        n_items, n_clusters, n_replies: items, groups, and replies, each of which is one of the following five.
        n_answered, n_refused: replies that answer, or decline, and have a verdict.
        n_failed: replies that did not come.
        n_empty: replies without a word in them.
        n_judge_failed: replies for which the judge gave no verdict that can be read, in one order at least.
        n_counted: items in the headline.
        over_answered: mean over the replies that answered or refused and have a verdict.
        bounds: the headline if all that failed, of the model or the judge, had the lowest and the highest score; None
            if nothing failed.
        complete: nothing failed.
        reference: mean score of the reference answers beside them; None if none was judged.
        orders: mean score of the model's answers by order.
        win, tie, loss: shares of the items in which the model's answer scores above, as, below the reference, averaged
            as the headline is; a failed or empty answer loses under ``strict``. None if nothing counts.
        chance: None; there is no guessing.
    """

    headline: float | None
    interval: tuple[float, float] | None
    n_items: int
    n_clusters: int
    n_replies: int
    n_answered: int
    n_refused: int
    n_failed: int
    n_empty: int
    n_judge_failed: int
    n_counted: int
    over_answered: float | None
    bounds: tuple[float, float] | None
    complete: bool
    reference: float | None
    orders: dict[str, float | None]
    win: float | None
    tie: float | None
    loss: float | None
    chance: None = None


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """What the place of an answer does to its score (AIR-Bench, figure 4c); items with a verdict in both orders.

    Attributes:
        n_items, n_clusters: how many.
        first, second: mean score of the model's answer in first place (the reference second), and in second place.
        difference: first minus second.
        interval: of the difference, 95 %, and ``p``, two-sided, by sign flips over clusters; they agree.
        higher_first, equal, higher_second: shares of items.
        flipped: share of items in which the place decides which of the two answers is the better one.
        counts: how many answers got each score, rounded to whole ones, in first and in second place.
    """

    n_items: int
    n_clusters: int
    first: float
    second: float
    difference: float
    interval: tuple[float, float]
    p: float
    higher_first: float
    equal: float
    higher_second: float
    flipped: float
    counts: dict[str, tuple[int, int]]


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge does what a reply orders: replies judged as they are and with a demand for the highest score.

    Attributes:
        n_items: replies with verdicts both ways, in both orders.
        n_cannot_tell: verdicts, each order of each reply, that were the highest without the demand: none could rise.
        followed: share of the others that are the highest with the demand; None if there are no others.
        interval: of it, 95 %.
        rise: over all verdicts, mean difference of the score, with the demand minus without.
        rise_interval: of it, 95 %.
        n_failed: replies for which the judge gave no readable verdict with the demand.
    """

    n_items: int
    n_cannot_tell: int
    followed: float | None
    interval: tuple[float, float] | None
    rise: float | None
    rise_interval: tuple[float, float] | None
    n_failed: int


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the mixed items."""

    headline: float | None
    interval: tuple[float, float] | None
    n_items: int


class Mixed(msgspec.Struct, frozen=True, kw_only=True):
    """Mixed audio looked at closer.

    Attributes:
        by: rows by what the items' tags say: ``louder``, ``ahead``, ``level_difference`` (dB), ``offset_s`` (s).
        mixed, single: means over items with several sources at a time, and with one.
        difference: mixed minus single: below 0 the model is worse where sources overlap.
        interval: of the difference, 95 %; the two are different items, so tasks differ as well.
    """

    by: dict[str, dict[str, Slice]]
    mixed: float | None
    single: float | None
    difference: float | None
    interval: tuple[float, float] | None


class ChatDrop(msgspec.Struct, frozen=True, kw_only=True):
    """What the score loses when items come without their own clip; paired, on the scale of the scores."""

    n_items: int
    n_clusters: int
    real: float
    difference: float
    interval: tuple[float, float]
    p: float
    p_corrected: float


class ChatCondition(ChatRow, frozen=True, kw_only=True):
    """A run asked without the items' own clips: its row, and what it loses; None if no item counts on both sides."""

    difference: ChatDrop | None


class JudgeAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One judge: its own numbers, what it took, and how far it can be trusted.

    Attributes:
        row: the scores by this judge alone, over everything.
        parameters: it was asked with, the first time and again.
        prompt_sha256: of the instructions.
        journal: path of its answers, relative to the run folder.
        failures: answers of the judge that cannot be read, by reason.
        n_pairs: comparisons it was asked about; equal ones are asked once.
        usage: requests, tokens and cost of all of them, earlier sessions included.
        n_requests_now: requests made this time.
        position_bias: of its scores; None if no item has both.
        injection: how far it obeys a reply; None if that was not tried.
    """

    row: ChatRow
    parameters: dict[str, Any]
    prompt_sha256: str
    journal: str
    failures: dict[str, int]
    n_pairs: int
    usage: Usage
    n_requests_now: int
    position_bias: Bias | None
    injection: Injection | None = None


class ChatScored(ChatRow, frozen=True, kw_only=True):
    """A run's open items under one profile.

    Attributes:
        signature: how the number was made, short enough to print beside it.
        average: what the headline is a mean of: ``categories``, ``pools``, or ``none`` where the rules have no mean.
        rankable: at most 1 % failed, of model and judge; otherwise the number is not to be ranked.
        failures: failed replies by kind.
        categories, tasks, folders: rows by name.
        pooled: tasks whose items are pooled before categories are averaged, by pool.
        left_out: items that cannot be judged, by reason.
        without_description: items of which the judge knows nothing but question and reference.
        variants: rows of the variants that replace the items' clips; in no headline.
        judges: by name.
        panel: how several judges were put together.
        mixed: mixed audio looked at closer; None if no item is mixed.
    """

    signature: str
    average: str
    rankable: bool
    failures: dict[str, int]
    categories: dict[str, ChatRow]
    tasks: dict[str, ChatRow]
    folders: dict[str, ChatRow]
    pooled: dict[str, tuple[str, ...]]
    left_out: dict[str, int]
    without_description: int
    variants: dict[str, ChatCondition]
    judges: dict[str, JudgeAccount]
    panel: str
    mixed: Mixed | None


class ChatScore(msgspec.Struct, frozen=True, kw_only=True):
    """``score --judge --json``: a run's open items under one or several profiles; see `Score`."""

    run: str
    benchmark: str
    model: str
    asked: str
    profiles: dict[str, ChatScored]
    ranks: dict[str, Rank]
    n_without_clip: int
    n_left_out: int
    n_clips_cut: int
    left_out: dict[str, int]
