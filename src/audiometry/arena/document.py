"""The board as one JSON document."""

from __future__ import annotations

from typing import Any

import msgspec

from audiometry.arena.abuse.look import REASONS
from audiometry.arena.board import Board, Part, Parts
from audiometry.arena.doubts import doubts, of_ranking
from audiometry.files.votes import VoteFile
from audiometry.stats.ranking import Ranking
from audiometry.stats.ranking.reversals import Reversal

_ARRAYS = {"names", "strengths", "covariance", "matrix", "models", "unplaced", "fit"}


def document(found: Board) -> dict[str, Any]:
    """What ``arena rank --json`` prints; models best first."""
    return {
        **of_ranking_alone(found.ranking),
        **_left_out(found),
        "matrix": matrix(found.ranking),
        "reversals": [_reversal(one) for one in found.reversals],
        "by": {one.by: _parts(one, _left_out(found)) for one in found.splits},
        "dropped": msgspec.to_builtins(found.dropped),
        "set_apart": _look(found),
        **({"rates": msgspec.to_builtins(found.rates)} if found.rates else {}),
        "file": _file(found.file),
        "warnings": doubts(found),
    }


def _left_out(found: Board) -> dict[str, Any]:
    """What is to be said of ties where they are left out: no ranking knows of them then."""
    if found.settings.ties != "drop":
        return {}
    cast = found.file.votes.n + found.ties_left_out
    share = found.ranking.both_bad / cast if cast else None
    return {"ties": "drop", "ties_left_out": found.ties_left_out, "both_bad_share": share}


def of_ranking_alone(its: Ranking) -> dict[str, Any]:
    """One ranking."""
    plain = {name: getattr(its, name) for name in its.__struct_fields__ if name not in _ARRAYS}
    fit: dict[str, Any] = {"chi2": None, "df": 0, "p": None, "pairs": []}
    if its.fit is not None:
        fit = msgspec.to_builtins(its.fit)
    made: dict[str, Any] = msgspec.to_builtins({"models": its.models, "unplaced": its.unplaced, "fit": fit} | plain)
    return made


def matrix(its: Ranking) -> dict[str, Any]:
    """Votes of every pair as they were given: the row's wins over the column, and the ties and both-bad of the two."""
    own = its.matrix
    tables = {"wins": own.wins, "ties": own.ties, "both_bad": own.both_bad, "n": own.n}
    return {"models": own.models, **{name: table.tolist() for name, table in tables.items()}}


def _reversal(its: Reversal) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(its)
    return made | {"without": dict(its.without)}


def _look(found: Board) -> dict[str, Any] | None:
    """Votes that may be nobody's opinion; None where nothing is known to tell."""
    its = found.look
    if its is None:
        return None
    of_voters = its.chance
    return {
        "left_out": found.set_apart,
        "votes": {one: its.n(one) for one in REASONS},
        "voters": msgspec.to_builtins(its.voters),
        "known_voters": its.known,
        "like_others": int(of_voters.like_others.sum()),
        "at_random": int(of_voters.at_random.sum()),
        "of_their_own": list(its.of_their_own),
        "choices_needed": of_voters.needed,
        "alarm": msgspec.to_builtins(its.alarm),
    }


def _parts(its: Parts, ties: dict[str, Any]) -> dict[str, Any]:
    said = {name: ties[name] for name in ties if name == "ties"}
    return {
        "boards": {one.name: _part(one) | (said if one.ranking is not None else {}) for one in its.parts},
        "unknown": its.unknown,
        "others": {"values": its.others[0], "votes": its.others[1]},
        "moves": msgspec.to_builtins(its.moves),
    }


def _part(its: Part) -> dict[str, Any]:
    if its.ranking is None:
        return {"votes_in": its.votes, "models": [], "unplaced": [], "why": its.why, "warnings": []}
    return {
        "votes_in": its.votes,
        **of_ranking_alone(its.ranking),
        "why": its.why,
        "warnings": list(of_ranking(its.ranking)),
    }


def _file(its: VoteFile) -> dict[str, Any]:
    return {
        "path": its.path,
        "lines": its.n_lines,
        "votes": its.votes.n,
        "pair_counts": its.is_counts,
        "apart": msgspec.to_builtins(its.apart),
        "read_as": {label: {"winner": ours, "votes": n} for label, (ours, n) in its.read_as.items()},
        "notes": list(its.notes),
    }
