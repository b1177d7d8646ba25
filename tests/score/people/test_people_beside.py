"""What people's score is estimated from, out of a sheet of a judge's scores."""

import msgspec
import numpy as np
import pytest

from audiometry.records import State
from audiometry.score.items import KINDS, ItemTable
from audiometry.score.judge.people import beside_people
from audiometry.score.judge.places import with_references
from audiometry.score.judge.rules import RULES
from audiometry.score.people.said import PeopleSaid
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import CODE, Sheet

N = 80


def _sheet(parts, highest=10.0):
    none = np.full((N, 1), -1, np.int16)
    items = ItemTable(
        position=np.arange(N),
        task=np.zeros(N, np.int64),
        kind=np.full(N, KINDS.index("open")),
        cluster=np.arange(N),
        chance=np.zeros(N),
        reference=np.ones(N, np.bool_),
        clip=np.ones(N, np.bool_),
        tasks=("t",),
        categories=("",),
        pools=("t",),
        shape=np.zeros(N, np.int64),
    )
    return Sheet(
        run=None,
        profile=PROFILES.named("airbench"),
        measure=with_references("judge-score-0", msgspec.structs.replace(RULES["airbench"], highest=highest)),
        items=items,
        variants=("plain",),
        state=np.full((N, 1), CODE[State.ANSWERED], np.int8),
        parts=parts,
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


def test_where_one_order_could_not_be_read_the_judges_score_is_that_of_the_other():
    """As under rules that drop what they cannot read: half a point more in second place, which some have not."""
    rng = np.random.default_rng(0)
    score = rng.integers(3, 8, N).astype(float)
    parts, second = np.zeros((N, 1, 8)), np.arange(N) % 4 > 0
    parts[:, 0, :4] = np.stack((score, np.ones(N), (score + 1) * second, second), axis=-1)
    sheet = _sheet(parts)
    rated = np.where(rng.permutation(N) < N // 2, score - 1, np.nan)
    found, notes = beside_people(
        sheet, PeopleSaid(score=rated, propensity=None, n_ratings=N // 2, raters=1), empty_judged=True
    )
    assert found.judge == pytest.approx((score + 0.5 * second).mean())
    assert found.value == pytest.approx((score - 1).mean(), abs=0.2)
    assert (found.n_rated, notes) == (N // 2, ())


def test_ratings_of_another_scale_than_the_rules_are_left_out_with_a_note():
    rated = PeopleSaid(score=np.full(N, 7.0), propensity=None, n_ratings=N, raters=1)
    parts = np.tile((4.0, 1.0, 4.0, 1.0, 4.0, 1.0, 4.0, 1.0), (N, 1, 1))
    found, notes = beside_people(_sheet(parts, highest=5.0), rated, empty_judged=True)
    assert found is None
    assert notes == ("people's ratings are left out: they are of 1 to 10, and these rules score 0 to 5",)
