"""Which models stand elsewhere in a part of the votes, by hand; and how votes are cut into thirds."""

import json

import msgspec
import numpy as np
import pytest
from scipy import stats

from audiometry.arena.moves import Move, moves
from audiometry.arena.parts import split
from audiometry.files.votes import read
from audiometry.seeds import generator
from audiometry.stats.ranking import bradley_terry, coded
from audiometry.stats.ranking.result import ELO


def ranked(strengths, voters, name):
    """The ranking of 400 votes, each voter's a cluster."""
    draw, names = generator(3, "moves", name), list(strengths)
    sides = [draw.choice(len(names), 2, replace=False).tolist() for _ in range(400)]
    odds = np.array([strengths[names[a]] - strengths[names[b]] for a, b in sides])
    won = np.where(draw.random(400) < 1 / (1 + np.exp(-odds)), "model_a", "model_b").tolist()
    whose = [f"v{i % voters}" for i in range(400)]
    return bradley_terry(coded([names[a] for a, _ in sides], [names[b] for _, b in sides], won, voter=whose))


def test_a_move_is_welchs_comparison_of_strengths_among_the_models_of_both():
    here = ranked({"x": 0.9, "y": 0.0, "z": 0.2, "only here": 1.5}, 12, "here")
    there = ranked({"only there": -1.0, "z": 0.8, "y": 0.3, "x": -0.4}, 25, "there")
    found = {one.model: one for one in moves("birds", here, there)}
    assert list(found) == ["x", "y", "z"]
    means, errors = [], []
    for one in (here, there):
        at = [one.names.index(name) for name in found]
        less = np.eye(3) - 1 / 3
        means.append(less @ one.strengths[at])
        errors.append(np.sqrt(np.diag(less @ one.covariance[np.ix_(at, at)] @ less)))
    for k, one in enumerate(found.values()):
        told = [[means[side][k], errors[side][k] * np.sqrt(n), n] for side, n in ((0, 12), (1, 25))]
        welch = stats.ttest_ind_from_stats(*told[0], *told[1], equal_var=False)
        reach = stats.t.ppf(0.975, welch_freedom(told)) * np.hypot(errors[0][k], errors[1][k])
        assert one.p == pytest.approx(welch.pvalue, rel=1e-6)
        assert one.difference == pytest.approx(ELO * (means[0][k] - means[1][k]))
        assert one.interval == pytest.approx((one.difference - ELO * reach, one.difference + ELO * reach))
        assert (one.part, one.n_models) == ("birds", 3)
        places = [int(stats.rankdata(-mean)[k]) for mean in means]
        assert [one.rank, one.rank_elsewhere] == places


def welch_freedom(told):
    """Welch and Satterthwaite's degrees of freedom, of two means, spreads and sizes."""
    squares = [spread**2 / n for _, spread, n in told]
    return sum(squares) ** 2 / sum(one**2 / (n - 1) for one, (_, _, n) in zip(squares, told, strict=True))


def test_two_models_in_both_or_a_part_without_a_ranking_make_no_move():
    two, three = ranked({"x": 0.5, "y": 0.0}, 12, "two"), ranked({"x": 0.5, "y": 0.0, "z": 0.1}, 12, "three")
    assert moves("", two, three) == moves("", None, three) == moves("", three, None) == []
    assert moves("", ranked({"x": 0.5, "y": 0.0, "z": 0.1}, 1, "one voter"), three) == []


def test_moves_are_corrected_over_all_of_them_the_surest_first():
    same = ranked({"x": 0.5, "y": 0.0, "z": 0.1}, 12, "same")
    one = moves("", same, same)[0]
    assert (one.difference, one.p) == (0, 1)
    given = [msgspec.structs.replace(one, p=p) for p in (0.04, 0.01)]
    assert [(each.p, each.p_corrected) for each in Move.corrected(given)] == [(0.01, 0.02), (0.04, 0.04)]


@pytest.mark.parametrize(
    ("lengths", "names", "parts"),
    [
        ([1, 2, 3, 4, 5, 6], ["short, up to 2", "middle, to 4", "long, over 4"], [0, 0, 1, 1, 2, 2]),
        ([6, 1, None, 4, 2, 5, 3], ["short, up to 2", "middle, to 4", "long, over 4"], [2, 0, -1, 1, 0, 2, 1]),
        ([7, 7, 7, 7, 9, 9], ["short, up to 7", "long, over 7"], [0, 0, 0, 0, 1, 1]),
        ([1, 7, 7, 9, 9, 9], ["short, up to 7", "middle, to 9"], [0, 0, 0, 1, 1, 1]),
        ([7, 1, 7, 2, 7, 7, 7], ["short, up to 2", "long, over 2"], [1, 0, 1, 0, 1, 1, 1]),
    ],
)
def test_thirds_have_as_many_votes_and_equal_ones_stay_together(tmp_path, lengths, names, parts):
    rows = [
        {"model_a": "x", "model_b": "y", "winner": "tie"}
        | ({} if n is None else {"length_a": n - 1, "length_b": n + 1})
        for n in lengths
    ]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = split(read(tmp_path / "votes.jsonl"), "length")
    assert (list(found.names), found.code.tolist()) == (names, parts)
