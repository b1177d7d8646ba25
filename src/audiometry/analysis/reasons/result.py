"""What is found about why people prefer one reply."""

from __future__ import annotations

from typing import Literal

import msgspec

from audiometry.analysis.coding.labelled import Agreement
from audiometry.dispatch.tally import Usage

Interval = tuple[float, float]
LEVEL = 0.05
"""p, corrected over all cells, below which one is marked."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some votes, or voters, have a code.

    Attributes:
        n: with it.
        value: of all of them, 0 to 1; None where there are none.
        interval: 95 %; None where the data give none.
    """

    n: int
    value: float | None
    interval: Interval | None


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """One reason.

    Attributes:
        code: its name; of a ticked tag that is no code of the book the tag.
        title: for people.
        is_tag: whether it is such a tag.
        votes: that give it, of all that say something in words; clustered by voter.
        voters: who give it at least once, of all voters known who say something; None where no voter is known.
        n_praise, n_complaint, n_open: votes in which it praises a reply, faults one (both may be), and neither is told.
        n_ticked, n_commented: votes in which it is ticked, and said in the comment.
    """

    code: str
    title: str
    is_tag: bool
    votes: Share
    voters: Share | None
    n_praise: int
    n_complaint: int
    n_open: int
    n_ticked: int
    n_commented: int


class Coder(msgspec.Struct, frozen=True, kw_only=True):
    """One coder, or the voters' own ticks.

    Attributes:
        name: ``ticked tags``, ``rules``, or a judge as ``provider/name``.
        kind: ``person``, ``rules`` or ``judge``.
        n: votes with ticks, or with a comment.
        n_coded: of these with at least one code.
        n_failed: comments on which a judge gave no answer that can be read; in no share.
        codes: by name, of the n less the failed ones.
        usage: of a judge, what its answers took in all sessions, those about the labelled sample among them.
        prompt_sha256: of a judge's instructions; empty for others.
    """

    name: str
    kind: Literal["rules", "judge", "person"]
    n: int
    n_coded: int
    n_failed: int
    codes: dict[str, Share]
    usage: Usage | None = None
    prompt_sha256: str = ""


class Tongue(msgspec.Struct, frozen=True, kw_only=True):
    """Comments without a code in one language, or one kind of letters.

    Attributes:
        name: the language as votes state it, else as it is told by words (with the extra ``topics``), else the letters.
        is_read: whether rules were written for it.
        n: comments.
    """

    name: str
    is_read: bool
    n: int


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One model and one reason.

    Attributes:
        n: the model's votes with it.
        value: share of the model's votes, 0 to 1.
        interval: 95 %, clustered by voter.
        p: of that share being the same in all other models' votes; None where it cannot be tested.
        p_corrected: by Holm, over all cells of the table.
    """

    n: int
    value: float | None
    interval: Interval | None
    p: float | None
    p_corrected: float | None


class ModelReasons(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of one model.

    Attributes:
        model: its name.
        n: its votes that say something.
        n_voters: clusters they come from: voters, and votes of nobody known.
        cells: by code.
    """

    model: str
    n: int
    n_voters: int
    cells: dict[str, Cell]


class ByModel(msgspec.Struct, frozen=True, kw_only=True):
    """Reasons by model: what is said for models where they won, or against them where they did not.

    Attributes:
        kind: ``for``: of votes that the model won, those that say this for it; ``against``: of votes that it lost or in
            which both were bad, those that say this against it.
        n: such votes of all models.
        overall: the share of each code among all of these.
        models: those with most votes first.
        n_others, n_other_models: votes of models that are not listed, and how many these are; all are in ``overall``.
    """

    kind: Literal["for", "against"]
    n: int
    overall: dict[str, float]
    models: tuple[ModelReasons, ...]
    n_others: int = 0
    n_other_models: int = 0


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """One comment, as an example of a reason.

    Attributes:
        code: which.
        battle: its id; empty where the file gives none.
        line: of the file.
        outcome: ``model_a``, ``model_b``, ``tie`` or ``both_bad``.
        model_a, model_b: who met.
        comment: what was said, on one line, cut where it is long.
        praised, faulted: models that it praises and faults by this code.
    """

    code: str
    battle: str
    line: int
    outcome: str
    model_a: str
    model_b: str
    comment: str
    praised: tuple[str, ...]
    faulted: tuple[str, ...]


class BookCode(msgspec.Struct, frozen=True):
    """A code of the book, without its rules."""

    name: str
    title: str
    about: str


class Reasons(msgspec.Struct, frozen=True, kw_only=True):
    """Why people prefer one reply.

    Attributes:
        source: the file.
        book: the codes.
        book_sha256: of the code book, rules among it.
        n_votes, n_said, n_commented, n_tagged: votes; those that say something in words, by a comment, by ticked tags.
        n_voters: voters known among those who say something; None: none is known.
        coder: who codes the comments for all counts: ``rules``, or the first judge.
        n_uncoded: comments without any code by that coder, or of which it failed.
        tongues: these by language or letters.
        reasons: by how many votes give them.
        coders: side by side.
        agreement: of coders with the labelled sample, with each other, and with ticks.
        by_model: for, and against.
        quotes: a few of each reason.
        warnings: what stands in the way of a claim, a sentence each without its full stop.
        n_unread: lines of the file that count nowhere.
        signature: how it was made.
    """

    source: str
    book: tuple[BookCode, ...]
    book_sha256: str
    n_votes: int
    n_said: int
    n_commented: int
    n_tagged: int
    n_voters: int | None
    coder: str
    n_uncoded: int
    tongues: tuple[Tongue, ...]
    reasons: tuple[Reason, ...]
    coders: tuple[Coder, ...]
    agreement: tuple[Agreement, ...]
    by_model: tuple[ByModel, ...]
    quotes: tuple[Quote, ...]
    warnings: tuple[str, ...]
    n_unread: int
    signature: str
