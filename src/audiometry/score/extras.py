"""What one kind of score alone has to show, beside its rows."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from audiometry.dispatch.tally import Usage
from audiometry.score.chosen import Consistent, Dimension, Distractors, Followed, LeaveOneOut, Preferred
from audiometry.score.counts import Confusion, Errors, Letters, PlainMatching
from audiometry.score.row import Interval, Mixed, Row

Mode: TypeAlias = Literal["judge", "always"]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How often rules and judge read the same letter, where both read one.

    Attributes:
        share: 0 to 1.
        interval: 95 %, items that share a clip or group counted as one cluster.
        n: replies in which both read a letter.
    """

    share: float
    interval: Interval
    n: int


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that rules and judge read differently.

    Attributes:
        item, variant: which reply.
        rules: the letter that the rules read; None where they say that the reply declines.
        how: the rule that decided.
        judge: the judge's letter; None where it says that the reply chooses nothing.
        right: the letter of the right option; None where it is not known.
        reply: its beginning.
    """

    item: str
    variant: str
    rules: str | None
    how: str
    judge: str | None
    right: str | None
    reply: str


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did for a score. All counts are over the replies that came, in all variants of the run.

    Attributes:
        judge, parameters: who was asked, and with which parameters the first time and again.
        mode: ``judge``: only where the profile's rules read nothing; ``always``: for every reply.
        prompt_sha256: of the judge's instructions.
        journal: path of the judge's answers, relative to the run folder.
        n_replies: replies that came.
        n_read_by_rules: of these, how many the profile's rules read a letter from.
        share_read_by_rules: the one over the other; None if no reply came.
        n_put: replies that were put to the judge.
        n_contents: different ones among them: equal question, options and reply are asked once.
        n_calls_saved: contents that were not asked about because the rules could read them.
        n_blank: replies with nothing in them to ask about.
        n_chosen, n_none, n_judge_failed: replies for which the judge gave a letter, said that none is chosen,
            or failed.
        failures: of the judge, by kind, in replies.
        agreement: of rules and judge, only under ``always``; None if nowhere both read a letter.
        disagreements: every reply in which they differ, in the order of arrival; only under ``always``.
        usage: what all calls about these contents took, earlier sessions included.
        n_requests_now: requests made this time.
    """

    judge: str
    mode: Mode
    parameters: dict[str, Any]
    prompt_sha256: str
    journal: str
    n_replies: int
    n_read_by_rules: int
    share_read_by_rules: float | None
    n_put: int
    n_contents: int
    n_calls_saved: int
    n_blank: int
    n_chosen: int
    n_none: int
    n_judge_failed: int
    failures: dict[str, int]
    agreement: Agreement | None
    disagreements: tuple[Disagreement, ...]
    usage: Usage
    n_requests_now: int


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """What the place of an answer does to its score (AIR-Bench, figure 4c); items with a verdict in both orders.

    Attributes:
        n_items, n_clusters: how many.
        first, second: mean score of the model's answer in first place (the reference second), and in second place.
        difference: first minus second.
        interval: of the difference, 95 %, and ``p``, two-sided, as of a `Difference`; they agree.
        higher_first, equal, higher_second: shares of items.
        flipped: share of items in which the place decides which of the two answers is the better one.
        counts: how many answers got each score, rounded to whole ones, in first and in second place.
    """

    n_items: int
    n_clusters: int
    first: float
    second: float
    difference: float
    interval: Interval
    p: float
    higher_first: float
    equal: float
    higher_second: float
    flipped: float
    counts: dict[str, tuple[int, int]]


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge does what a reply orders: replies judged as they are and with a demand for the highest score.

    Attributes:
        n_drawn: replies that were tried: ``n_items + n_failed``.
        n_items: replies with verdicts both ways, in both orders.
        n_cannot_tell: of these verdicts, two a reply, those that were the highest without the demand: none could rise.
        followed: share of the others that are the highest with the demand; None if there are no others.
        interval: of it, 95 %.
        rise: over all verdicts, mean difference of the score, with the demand minus without.
        rise_interval: of it, 95 %.
        n_failed: replies that lack a verdict that can be read, with the demand or without.
    """

    n_drawn: int
    n_items: int
    n_cannot_tell: int
    followed: float | None
    interval: tuple[float, float] | None
    rise: float | None
    rise_interval: tuple[float, float] | None
    n_failed: int


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """Answers beside the reference answers that a judge saw with them.

    Attributes:
        reference: mean score of the reference answers; None if none was judged.
        orders: mean score of the model's answers by order.
        win, tie, loss: shares of the items in which the model's answer scores above, as, below the reference, averaged
            as the value is; a failed or empty answer loses under ``strict``. None if nothing counts.
        n_reference: replies beside which a reference answer was judged, fewer than count where some are empty; None:
            not known.
    """

    reference: float | None
    orders: dict[str, float | None]
    win: float | None
    tie: float | None
    loss: float | None
    n_reference: int | None = None

    def beside(self, n_counted: int) -> bool:
        """Whether the reference answers stood beside all replies that count, so that a number can be held to theirs."""
        return self.n_reference in {None, n_counted}


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """`Against` over everything (``all``), and for each category, task and folder."""

    all: Against
    categories: dict[str, Against]
    tasks: dict[str, Against]
    folders: dict[str, Against]


class JudgeAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One judge: its own numbers, what it took, and how far it can be trusted.

    Attributes:
        row: the scores by this judge alone, over everything; ``against``: beside the references.
        parameters: it was asked with, the first time and again.
        prompt_sha256: of the instructions.
        journal: path of its answers, relative to the run folder.
        failures: answers of the judge that cannot be read, by reason.
        n_pairs: comparisons that these rules ask it about; equal ones are asked once.
        usage: requests, tokens and cost of all of them and of the injections, earlier sessions included.
        n_requests_now: requests made this time, likewise.
        position_bias: of its scores; None if no item has both.
        injection: how far it obeys a reply; None if that was not tried.
    """

    row: Row
    against: Against
    parameters: dict[str, Any]
    prompt_sha256: str
    journal: str
    failures: dict[str, int]
    n_pairs: int
    usage: Usage
    n_requests_now: int
    position_bias: Bias | None
    injection: Injection | None = None


class People(Row, frozen=True, kw_only=True):
    """The score that people would give: the judge's of all items set right by people's of some.

    Attributes:
        judge: the judge's own score over the same tasks.
        people: by people's ratings alone; ``people_interval``: of it, 95 %.
        tuning: how much the judge counts: 0 not at all, 1 in full.
        n_rated, n_clusters_rated: items with ratings, and groups of those that are not independent.
        n_ratings, n_raters: scores that count, and the people they are from.
        left_out: tasks that nobody rated, which are in none of these numbers.
    """

    judge: float
    people: float
    people_interval: Interval
    tuning: float
    n_rated: int
    n_clusters_rated: int
    n_ratings: int
    n_raters: int
    left_out: tuple[str, ...] = ()


class Extras(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one kind of score alone has to show; absent where there is nothing.

    Attributes:
        letters: of choices: bias towards letters.
        preferences: of choices: wrong replies that take the ``first`` or the ``longest`` of the wrong options.
        consistency: of choices: what is right, and the same, in every order of whole rounds (``orders``), and in every
            wording (``wordings``), where there are several.
        leave_one_out: of choices: single replies and votes where each distractor was left out in turn.
        ways: of choices: the score in each order, wording and repeat alone, by variant, where there are several.
        ifr: of choices: from how many replies anything could be read.
        distractors: of choices: which kinds of wrong options are taken.
        dimensions: rows by what items are about, by tag.
        plain_matching: of choices: how many replies are in a form that plain matching reads, by parser.
        alignment: of choices: what a judge that read replies did.
        judges: of judged answers: by name.
        panel: how several judges were put together.
        beside: of judged answers: the references'.
        without_description: items of which the judge knows nothing but question and reference.
        mixed: mixed audio looked at closer.
        people: the score that people would give.
        confusion: of labels, by task.
        errors: of error rates: which kinds of edits they count.
        corpus: the measure over all items as one corpus.
        n_cut: replies longer than is read of one.
        ratings: path of the score of every item, relative to the run folder.
    """

    letters: Letters | None = None
    preferences: dict[str, Preferred] = {}
    consistency: dict[str, Consistent] = {}
    leave_one_out: LeaveOneOut | None = None
    ways: dict[str, float] = {}
    ifr: Followed | None = None
    distractors: Distractors | None = None
    dimensions: dict[str, Dimension] = {}
    plain_matching: dict[str, PlainMatching] = {}
    alignment: Alignment | None = None
    judges: dict[str, JudgeAccount] = {}
    panel: str = ""
    beside: Beside | None = None
    without_description: int = 0
    mixed: Mixed | None = None
    people: People | None = None
    confusion: dict[str, Confusion] = {}
    errors: Errors | None = None
    corpus: float | None = None
    n_cut: int = 0
    ratings: str = ""
