"""The score that people would give: what it is made of, and when there is none."""

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.score.people.estimate import JudgeScores, estimated
from audiometry.seeds import generator

N = 400


@pytest.fixture
def study():
    """A judge two points above people, of two tasks in two categories; an item in five rated."""
    rng = generator(1, "people")
    people = np.clip(np.round(rng.normal(5, 1.5, N)), 1, 8)
    task = np.arange(N) % 2
    judge = np.clip(people + 2 + task, 1, 10)  # a point more lenient in the second task
    rated = np.where(rng.permutation(N) < N // 5, people, np.nan)
    return (
        JudgeScores(
            judge=judge[:, None],
            ruled=np.zeros((N, 1), bool),
            cluster=np.arange(N),
            task=task,
            tasks=("speech", "sound"),
            categories=("speech", "sound"),
        ),
        people,
        rated,
    )


def changed(scores, **changes):
    import msgspec

    return msgspec.structs.replace(scores, **changes)


def test_a_lenient_judge_is_set_right_and_worth_more_than_people_alone(study):
    scores, people, rated = study
    found = estimated(scores, rated)
    truth = (people[0::2].mean() + people[1::2].mean()) / 2
    assert found.interval[0] < truth < found.interval[1]
    assert abs(found.value - truth) < 0.15
    assert found.judge == pytest.approx(scores.judge.mean())
    assert found.judge > found.interval[1] + 1  # the judge's own number is not what people would give
    width, alone = (high - low for low, high in (found.interval, found.people_interval))
    assert width < 0.6 * alone
    assert (found.n_rated, found.n_clusters_rated, found.left_out) == (80, 80, ())
    assert found.rows.all()


def test_tasks_that_nobody_rated_are_left_out_by_name(study):
    scores, people, rated = study
    rated = np.where(scores.task == 0, np.where(np.arange(N) % 5 < 2, people, np.nan), np.nan)
    found = estimated(scores, rated)
    assert found.left_out == ("sound",)
    assert found.judge == pytest.approx(scores.judge[0::2].mean())  # the judge's is of the same tasks
    assert (found.rows == (scores.task == 0)).all()


def test_replies_that_rules_score_count_and_nobody_has_to_rate_them(study):
    scores, _, rated = study
    ruled = (np.arange(N) % 4 == 0)[:, None]  # half of the first task
    judge = np.where(ruled, 1.0, scores.judge)
    found = estimated(changed(scores, judge=judge, ruled=ruled), np.where(ruled[:, 0], np.nan, rated))
    before = estimated(scores, rated)
    first = before.value * 2 - estimated(changed(scores, task=np.ones(N, int)), rated).value
    assert found.value == pytest.approx((before.value * 2 - first) / 2 + (first / 2 + 0.5) / 2, abs=0.35)
    assert found.value < before.value - 0.7
    assert found.n_rated == int((~np.isnan(rated) & ~ruled[:, 0]).sum())
    loose = estimated(changed(scores, judge=judge, ruled=ruled), rated)
    assert loose.value == pytest.approx(found.value)  # what was said of an empty reply changes nothing


def test_replies_without_a_verdict_are_in_no_number(study):
    scores, _, rated = study
    judge = scores.judge.copy()
    judge[np.arange(N) % 10 == 0] = np.nan
    found = estimated(changed(scores, judge=judge), rated)
    assert found.rows.sum() == N - N // 10
    assert found.judge == pytest.approx(np.mean([np.nanmean(judge[scores.task == code]) for code in (0, 1)]))


def test_variants_are_averaged(study):
    scores, _, rated = study
    up_and_down = np.concatenate((scores.judge - 0.5, scores.judge + 0.5), axis=1)
    two = estimated(changed(scores, judge=up_and_down, ruled=np.zeros((N, 2), bool)), rated)
    assert two.value == pytest.approx(estimated(scores, rated).value)


def test_of_variants_without_a_verdict_the_others_are_averaged(study):
    scores, _, rated = study
    lacking = np.concatenate((scores.judge - 0.5, scores.judge + 0.5), axis=1)
    lacking[::3, 1], lacking[1::3, 0] = np.nan, np.nan
    two = estimated(changed(scores, judge=lacking, ruled=np.zeros((N, 2), bool)), rated)
    one = estimated(changed(scores, judge=np.nanmean(lacking, axis=1, keepdims=True)), rated)
    assert (two.value, two.judge, *two.interval) == pytest.approx((one.value, one.judge, *one.interval))


def test_fewer_than_thirty_clips_are_too_few(study):
    scores, people, rated = study
    few = np.where(np.cumsum(~np.isnan(rated)) <= 29, rated, np.nan)
    few[N // 2 :] = np.nan
    with pytest.raises(UsageError, match=r"people rated 29 items of 400 .* of 29 different clips: 30 at least"):
        estimated(scores, _spread(few, 29, people))
    clips = changed(scores, cluster=np.arange(N) // 3)  # many items of few clips are few
    some = np.where(np.arange(N) < 87, people, np.nan)
    with pytest.raises(UsageError, match="of 29 different clips"):
        estimated(clips, some)
    assert estimated(scores, _spread(few, 30, people)).n_clusters_rated == 30


def _spread(few, n, people):
    chosen = generator(2, "few").permutation(N) < n
    return np.where(chosen, people, np.nan)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (lambda n, judge: n < 60, r"stand earlier in the benchmark than the others \(7.5 % against 50 % on average,"),
        (lambda n, judge: n >= N - 60, "stand later in the benchmark"),
        (lambda n, judge: abs(n - N / 2) < 30, "stand closer together in the benchmark"),
        (
            lambda n, judge: judge <= np.sort(judge)[60],
            r"have lower scores by the judge than the others \(5.4 against 7.4 on average",
        ),
        (lambda n, judge: judge >= np.sort(judge)[-60], "have higher scores by the judge"),
    ],
)
def test_a_sample_that_was_not_drawn_at_random_is_refused(study, which, words):
    scores, people, _ = study
    chosen = which(np.arange(N), scores.judge[:, 0])
    with pytest.raises(UsageError, match=f"not drawn at random: they {words}") as problem:
        estimated(scores, np.where(chosen, people, np.nan))
    assert "`propensity`" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_unlike_propensities_are_weighed_and_wrong_ones_refused(study):
    scores, people, _ = study
    low = scores.judge[:, 0] <= np.median(scores.judge)
    odds = np.where(low, 0.5, 0.1)
    chosen = generator(3, "odds").random(N) < odds
    rated, known = np.where(chosen, people, np.nan), np.where(chosen, odds, np.nan)
    found = estimated(scores, rated, known)
    assert found.interval[0] < people.mean() < found.interval[1]
    assert found.people == pytest.approx(people.mean(), abs=0.6)
    with pytest.raises(UsageError, match="lower scores by the judge"):
        estimated(scores, rated)
    with pytest.raises(UsageError, match="not drawn at random"):
        estimated(scores, rated, np.where(chosen, 0.6 - odds, np.nan))


def test_stated_propensities_hold_beside_replies_that_rules_score(study):
    scores, people, _ = study
    ruled = np.arange(N) % 4 == 0
    judge = np.where(ruled, 1.0, scores.judge[:, 0])
    odds = np.where(judge <= np.median(judge), 0.6, 0.2)
    chosen = (generator(5, "odds").random(N) < odds) & ~ruled
    found = estimated(
        changed(scores, judge=judge[:, None], ruled=ruled[:, None]),
        np.where(chosen, people, np.nan),
        np.where(chosen, odds, np.nan),
    )
    truth = np.where(ruled, 1.0, people)
    truth = np.mean([truth[scores.task == code].mean() for code in (0, 1)])
    assert found.interval[0] < truth < found.interval[1]
    assert found.value == pytest.approx(truth, abs=0.3)


def test_all_items_rated_is_what_people_said(study):
    scores, people, _ = study
    found = estimated(scores, people)
    assert found.value == found.people == pytest.approx(people.mean(), abs=1e-9)
    assert found.tuning == 0
