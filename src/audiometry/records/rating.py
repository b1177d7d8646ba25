"""What a person, a judge or a metric says of a reply, or of two."""

from __future__ import annotations

from typing import Literal

import msgspec


class RatingLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a rating file: one rater's word on one item.

    A rater gives a number to one model's reply (``score``), picks an option (``choice``), says what went wrong in a
    reply (``code``), or prefers one of two models' replies (``preferred``). Which of them a line must hold is for its
    reader to ask; unknown keys are left alone, so a file may carry more.

    Attributes:
        item: id of the item.
        rater: who says it: a person, a judge by its model name, ``metric:wer``.
        kind: what sort of rater that is.
        model: whose reply ``score`` is about; empty where only one model is rated or a pair is preferred.
        score: a number on the rater's own scale.
        choice: the letter of an option, or ``none``, ``several``, ``cannot`` (be told), ``wrong`` (is the question).
        ticked: letters of all the options that a rater ticked, ``AC``; of a ``choice`` of ``several`` it says which.
        code: what went wrong, by the name that a code book gives it.
        book: of a stored code the first digits of the hash of its code book; empty where the line does not say.
        reply: of a stored code what tells whether the reply is still the same; see `files.ratings.stamp`.
        preferred: the better reply of two, ``a`` for ``model_a``'s.
        model_a, model_b: whose replies ``preferred`` compares.
        order: in which order replies were shown, in the rater's own words (``reference-first``).
        propensity: above 0 to 1, how likely the reply was to be rated; None where all were alike.
        cluster: what the item shares with others that are not independent of it, such as its clip; empty for nothing.
        lower_is_better: whether the rater's lower scores are the better ones (WER); said in any line, it holds for all.
    """

    item: str
    rater: str
    kind: Literal["person", "judge", "metric"] = "person"
    model: str = ""
    score: float | None = None
    choice: str | None = None
    ticked: str = ""
    code: str = ""
    book: str = ""
    reply: str = ""
    preferred: Literal["a", "b", "equal"] | None = None
    model_a: str = ""
    model_b: str = ""
    order: str = ""
    propensity: float | None = None
    cluster: str = ""
    lower_is_better: bool = False
