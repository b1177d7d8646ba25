"""The difference of mixed and single items by judges' scores: two groups of other items, whose clips may be shared."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from audiometry.records import State
from audiometry.score.items import KINDS, ItemTable
from audiometry.score.judge.mixed import mixed
from audiometry.score.measures import MEASURES
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import CODE, Sheet

N_MIXED, N = 100, 250


def sheet_of(scores, there, cluster):
    """Scores in both orders, ``float64[n, 2]``; the first items are mixed."""
    single = (np.arange(N) >= N_MIXED).astype(np.int64)
    none = np.full((N, 1), -1, np.int16)
    items = ItemTable(
        position=np.arange(N),
        task=single,
        kind=np.full(N, KINDS.index("open")),
        cluster=cluster,
        chance=np.zeros(N),
        reference=np.ones(N, np.bool_),
        clip=np.ones(N, np.bool_),
        tasks=("both", "one"),
        categories=("mixed", "sound"),
        pools=("both", "one"),
        shape=np.zeros(N, np.int64),
    )
    at = SimpleNamespace(at=lambda _: SimpleNamespace(tags={}))
    return Sheet(
        run=SimpleNamespace(benchmark=SimpleNamespace(items=at)),
        profile=PROFILES.named("strict"),
        measure=MEASURES.named("judge-score"),
        items=items,
        variants=("plain",),
        state=np.full((N, 1), CODE[State.ANSWERED], np.int8),
        parts=np.stack((scores * there, there), axis=-1).reshape(N, 1, 4),
        counted=np.ones((N, 1), np.bool_),
        worst=None,
        best=None,
        letter=none,
        gold=none,
        option=none,
        guessed=np.zeros((N, 1), np.bool_),
        why={},
        blocked=frozenset(),
        left_out={},
    )


def test_the_interval_is_that_of_two_means():
    rng = np.random.default_rng(2)
    scores = np.clip(rng.normal(6, 1.5, (N, 2)) - 0.8 * (np.arange(N) < N_MIXED)[:, None], 1, 10)
    found = mixed(sheet_of(scores, np.ones((N, 2)), np.arange(N)))
    each = scores.mean(axis=1)
    one, other = each[:N_MIXED], each[N_MIXED:]
    wanted = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert found.difference == pytest.approx(one.mean() - other.mean())
    assert found.interval == pytest.approx((wanted.low, wanted.high), abs=0.05)


def test_an_order_that_could_not_be_read_is_in_neither_mean():
    rng = np.random.default_rng(3)
    scores = np.clip(rng.normal((6, 7), 1, (N, 2)), 1, 10)
    there = np.ones((N, 2))
    there[::3, 1] = 0
    found = mixed(sheet_of(scores, there, np.arange(N)))
    low, high = found.interval
    means = [
        np.mean([scores[rows, k][there[rows, k] > 0].mean() for k in range(2)])
        for rows in (slice(0, N_MIXED), slice(N_MIXED, N))
    ]
    assert found.difference == pytest.approx(means[0] - means[1])
    assert (low + high) / 2 == pytest.approx(found.difference, abs=0.02)
    assert high - low < 0.6


def test_clips_that_both_sides_share_are_taken_together():
    """Where what is good for the one is bad for the other, the difference rests on half as many clips."""
    rng = np.random.default_rng(4)
    shared = rng.normal(5, 1.5, N_MIXED)
    scores = np.clip(np.concatenate((shared, 10 - shared, np.full(N - 2 * N_MIXED, 5.0)))[:, None], 1, 10)
    scores = np.repeat(scores, 2, axis=1)
    alone, together = np.arange(N), np.concatenate((np.arange(2 * N_MIXED) % N_MIXED, np.arange(2 * N_MIXED, N)))
    widths = [np.diff(mixed(sheet_of(scores, np.ones((N, 2)), cluster)).interval)[0] for cluster in (alone, together)]
    assert widths[1] > 1.2 * widths[0]
