"""Votes from labels and codes in memory, and parts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError, shown
from audiometry.records.votes import Outcome, Votes

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


__all__ = ["LABELS", "Outcome", "Votes", "checked", "chosen", "coded", "of_codes"]

LABELS: Final[Mapping[str, Outcome]] = {
    "model_a": Outcome.A,
    "model_b": Outcome.B,
    "tie": Outcome.TIE,
    "both_bad": Outcome.BOTH_BAD,
}
_SIDES: Final[Mapping[str | None, int]] = {"model_a": 0, "model_b": 1, "a": 0, "b": 1, None: -1, "": -1}


class _Codes(dict[Any, int]):
    """The code of each value, in order of first appearance."""

    def __missing__(self, value: object) -> int:
        code = self[value] = len(self)
        return code


def coded(
    model_a: Sequence[str],
    model_b: Sequence[str],
    winner: Sequence[str],
    *,
    voter: Sequence[str | None] | None = None,
    first: Sequence[str | None] | None = None,
    propensity: ArrayLike | None = None,
    contrasts: Mapping[str, ArrayLike] | None = None,
) -> Votes:
    """Votes from labels in memory.

    Args:
        model_a: names of the one side.
        model_b: names of the other.
        winner: ``model_a``, ``model_b``, ``tie`` or ``both_bad``.
        voter: who voted; None or an empty name where that is not known.
        first: the side shown first, ``model_a`` (``a``) or ``model_b`` (``b``); None or empty where not known.
        propensity: ``float[n]``, above 0 and at most 1; NaN where not known.
        contrasts: ``float[n, 2]`` by name.

    Raises:
        UsageError: an outcome or a side of another name, a model against itself, a name that is empty or no text,
            columns of different lengths, numbers outside their range.

    >>> coded(["x", "y"], ["y", "x"], ["model_a", "tie"]).outcome.tolist()
    [0, 2]
    """
    names = _Codes()
    a, b = (_column(names, column) for column in (model_a, model_b))
    outcome = _known(LABELS, winner, "winner")
    voters = _Codes()
    who = None if voter is None else _column(voters, voter)
    if who is not None:
        who, _ = _in_order(who, voters, unknown=(None, ""))
    place, models = _in_order(np.concatenate((a, b)), names)
    return checked(
        Votes(
            models=models,
            a=place[: len(a)],
            b=place[len(a) :],
            outcome=outcome,
            voter=who,
            first=None if first is None else _known(_SIDES, first, "first"),
            propensity=None if propensity is None else np.asarray(propensity, np.float64),
            contrasts={name: np.asarray(values, np.float64) for name, values in (contrasts or {}).items()},
        )
    )


def of_codes(
    names: Sequence[str],
    a: Codes,
    b: Codes,
    outcome: NDArray[np.int8],
    *,
    voter: Codes | None = None,
    first: NDArray[np.int8] | None = None,
    propensity: Floats | None = None,
    contrasts: Mapping[str, Floats] | None = None,
) -> Votes:
    """Votes from columns that are coded already.

    Args:
        names: of the models, by code, in any order; those that no vote names drop out.
        a: ``int32[n]``, codes of the one side.
        b: of the other.
        outcome: ``int8[n]``, `Outcome`.
        voter: ``int32[n]``, -1 where not known. Resamples do not hang on the order of votes if these codes do not,
            as those by order of name.
        first: as `Votes` has it.
        propensity: as `Votes` has it.
        contrasts: as `Votes` has them.

    Raises:
        UsageError: as `coded`; the same name twice.
    """
    if len(set(names)) < len(names):
        raise UsageError("a model's name stands for two codes; name each model once")
    both = np.concatenate((a, b))
    if len(both) and not 0 <= both.min() <= both.max() < len(names):
        raise UsageError(f"a code of a model is not one of the {len(names)} that have names; name every model")
    place, models = _in_order(both, {name: code for code, name in enumerate(names)})
    return checked(
        Votes(
            models=models,
            a=place[: len(a)],
            b=place[len(a) :],
            outcome=outcome,
            voter=voter,
            first=first,
            propensity=propensity,
            contrasts=contrasts or {},
        )
    )


def chosen(votes: Votes, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Votes:
    """Some of the votes; models without any of them drop out.

    Args:
        votes: all of them.
        rows: ``bool[n]``, or the numbers of rows.
    """
    return of_codes(
        votes.models,
        votes.a[rows],
        votes.b[rows],
        votes.outcome[rows],
        voter=None if votes.voter is None else votes.voter[rows],
        first=None if votes.first is None else votes.first[rows],
        propensity=None if votes.propensity is None else votes.propensity[rows],
        contrasts={name: values[rows] for name, values in votes.contrasts.items()},
    )


def checked(votes: Votes) -> Votes:
    """The votes, if their columns fit together.

    Raises:
        UsageError: columns of different lengths, a model against itself, numbers outside their range.
    """
    columns: dict[str, NDArray[Any] | None] = {"model_b": votes.b, "winner": votes.outcome, "voter": votes.voter}
    for name, column in {**columns, "first": votes.first, "propensity": votes.propensity}.items():
        if column is not None and column.shape != (votes.n,):
            raise UsageError(f"'{name}' has shape {column.shape} for {votes.n:,} votes; give one value a vote")
    same = np.flatnonzero(votes.a == votes.b)
    if len(same):
        who = shown(votes.models[votes.a[same[0]]])
        raise UsageError(f"vote {same[0] + 1:,} sets '{who}' against itself; leave such votes out")
    if votes.propensity is not None and ((votes.propensity <= 0) | (votes.propensity > 1)).any():
        raise UsageError("a propensity is a chance above 0 and at most 1; leave it empty where it is not known")
    for name, values in votes.contrasts.items():
        if values.shape != (votes.n, 2):
            raise UsageError(f"'{name}' has shape {values.shape} for {votes.n:,} votes; give two values a vote")
        if ((values < 0) | np.isinf(values)).any():
            raise UsageError(f"'{name}' is a finite size, 0 or more; leave it empty where it is not known")
    return votes


def _column(codes: _Codes, values: Sequence[Any] | NDArray[Any]) -> Codes:
    """Codes of a column in order of first appearance."""
    if isinstance(values, np.ndarray):
        values = values.tolist()  # numpy's own strings are hashed anew at every look
    return np.fromiter(map(codes.__getitem__, values), np.int32, len(values))


def _known(table: Mapping[Any, int], values: Sequence[Any], column: str) -> NDArray[np.int8]:
    """Codes of a column of known labels.

    Raises:
        UsageError: a label is not known; a guess would turn it into a vote.
    """
    codes = _Codes()
    found = _column(codes, values)
    to = np.zeros(max(len(codes), 1), np.int8)
    for label, code in codes.items():
        if label not in table:
            row = int(np.flatnonzero(found == code)[0]) + 1
            known = ", ".join(name for name in table if name)
            raise UsageError(f"vote {row:,}: '{column}' is '{shown(str(label))}'; known: {known}")
        to[code] = table[label]
    return to[found]


def _in_order(
    column: Codes, names: Mapping[Any, int], unknown: tuple[object, ...] = ()
) -> tuple[Codes, tuple[str, ...]]:
    """Codes by order of name, of the names that occur; -1 for those that stand for nobody.

    Raises:
        UsageError: a name is empty or no text.
    """
    occurs = np.bincount(column, minlength=len(names)) > 0
    there = [name for name, code in names.items() if occurs[code] and name not in unknown]
    for name in there:
        if not isinstance(name, str) or not name:
            row = int(np.flatnonzero(column == names[name])[0]) + 1
            raise UsageError(f"entry {row:,} of a column of names is {shown(repr(name))}; a name is a text of its own")
    there.sort()
    to = np.full(max(len(names), 1), -1, np.int32)
    to[[names[name] for name in there]] = np.arange(len(there), dtype=np.int32)
    return to[column], tuple(there)
