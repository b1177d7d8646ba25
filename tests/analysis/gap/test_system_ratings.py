"""The gap against people's ratings: a table of them, and what each rater said of each reply."""

import json
from itertools import permutations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats

from audiometry.analysis.gap import from_file, gap
from audiometry.analysis.gap.system_ratings import read
from audiometry.errors import UsageError
from audiometry.stats.ranking import bradley_terry, coded

RATED = {"s0": 1.0, "s1": 2.5, "s2": 2.0, "s3": 4.0, "s4": 3.0, "s5": 4.5, "s6": 3.5, "s7": 1.5}
SCORES = (10, 30, 20, 60, 35, 70, 50, 25)


@pytest.fixture
def scores(scored):
    return scored({"along": SCORES, "apart": [3, 1, 4, 1, 5, 9, 2, 6]})


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rating_lines(seed=1, raters=12):
    rng = np.random.default_rng(seed)
    return [
        {"item": f"i{n}", "rater": f"r{rater}", "model": model, "score": round(mean + bias + rng.normal(), 2)}
        for rater, bias in enumerate(rng.normal(size=raters))
        for n, (model, mean) in enumerate(RATED.items())
        if rng.random() < 0.8
    ]


def test_a_table_of_ratings_gives_order_effect_and_systems_left_out(tmp_path, scores):
    path = tmp_path / "mos.csv"
    path.write_text("System;Rating;Error\n" + "".join(f"{name};{value};0.1\n" for name, value in RATED.items()))
    ratings, notes, n_unread = read(path)
    found = gap(scores, ratings, notes=notes, n_unread=n_unread)
    assert (found.of, found.n_systems, found.n_votes, found.n_voters, found.n_unread) == ("ratings", 8, 0, None, 0)
    assert any("separated by semicolons" in one for one in found.warnings)
    one, values = found.benchmarks["along"], np.array(list(RATED.values()))
    assert one.tau_b == pytest.approx(scipy_stats.kendalltau(SCORES, values).statistic)
    assert one.p_exact == pytest.approx(scipy_stats.kendalltau(SCORES, values, method="exact").pvalue)
    assert one.interval[0] <= one.tau_b <= one.interval[1] < 1 + 1e-12
    line = scipy_stats.linregress(SCORES, values)
    assert one.effect_per_unit == pytest.approx(line.slope)
    assert (one.effect_p, one.r2_marginal) == (pytest.approx(line.pvalue), pytest.approx(line.rvalue**2))
    assert (one.r2_conditional, one.plain, one.tau_voters) == (None, None, None)
    orders = np.array(list(permutations(values - values.mean())))
    along = np.abs(orders @ (np.array(SCORES) - np.mean(SCORES)))
    assert one.p_permutation == pytest.approx((along >= along[0] - 1e-9).mean())
    best = found.foretold[0]
    assert (best.by, best.chosen, best.log_loss) == ("best", {"along": 8}, None)
    assert best.q2 > 0.8
    weights = next(each.weights for each in found.foretold if each.by == "weighted")
    assert weights["along"] > abs(weights["apart"])
    assert found.systems[0].interval == pytest.approx((4.5 - 0.196, 4.5 + 0.196), abs=1e-3)


def test_scores_of_raters_are_means_with_errors_clustered_by_rater(tmp_path, scores):
    rows = rating_lines()
    ratings, notes, _ = read(write(tmp_path / "ratings.jsonl", rows))
    values = np.array([row["score"] for row in rows])
    design = np.array([[row["model"] == name for name in ratings.systems] for row in rows], float)
    rater = np.unique([row["rater"] for row in rows], return_inverse=True)[1]
    theirs = sm.OLS(values, design).fit(cov_type="cluster", cov_kwds={"groups": rater, "use_correction": False})
    assert ratings.values == pytest.approx(theirs.params)
    assert ratings.covariance == pytest.approx(theirs.cov_params() * 12 / 11)
    assert (ratings.n, ratings.n_raters, notes) == (tuple(design.sum(axis=0).astype(int).tolist()), 12, [])
    found = gap(scores, ratings)
    assert (found.n_votes, found.n_voters) == (len(rows), 12)
    assert found.systems[0].battles == dict(zip(ratings.systems, ratings.n, strict=True))[found.systems[0].system]


def test_judges_and_lines_without_a_model_are_left_aside_and_told(tmp_path):
    rows = rating_lines()
    more = [
        {"item": "i0", "rater": "gpt", "kind": "judge", "model": "s0", "score": 5},
        {"item": "i0", "rater": "r1", "score": 5},
        {"item": "i0", "rater": "r1", "choice": "A"},
        {"item": "i0", "rater": "r1"},
    ]
    ratings, notes, n_unread = read(write(tmp_path / "ratings.jsonl", rows + more))
    assert ratings.values == pytest.approx(read(write(tmp_path / "fewer.jsonl", rows))[0].values)
    assert n_unread == 1
    assert "none of score, choice, preferred, code" in notes[0]
    assert f"3 ratings of {len(rows) + 3} are not people's of a model" in notes[1]


def test_lower_scores_that_are_better_turn_the_rating(tmp_path):
    rows = [{**row, "lower_is_better": True} for row in rating_lines()]
    turned = read(write(tmp_path / "ratings.jsonl", rows))[0]
    assert turned.values == pytest.approx(-read(write(tmp_path / "up.jsonl", rating_lines()))[0].values)


def test_one_rater_leaves_the_error_unknown(tmp_path, scores):
    ratings, *_ = read(write(tmp_path / "one.jsonl", rating_lines(raters=1)))
    assert ratings.covariance is None
    assert all(each.interval is None for each in gap(scores, ratings).benchmarks.values())


def test_preferences_of_raters_are_votes(tmp_path):
    rng = np.random.default_rng(4)
    words, rows, votes = {"a": "model_a", "b": "model_b", "equal": "tie"}, [], []
    for n in range(300):
        a, b = rng.choice(4, 2, replace=False)
        said = str(rng.choice(["a", "b", "equal"], p=[0.5, 0.3, 0.2]))
        rows.append({"item": f"{n}", "rater": f"r{n % 9}", "preferred": said, "model_a": f"s{a}", "model_b": f"s{b}"})
        votes.append((f"s{a}", f"s{b}", words[said], f"r{n % 9}"))
    found, *_ = read(write(tmp_path / "preferred.jsonl", rows))
    a, b, winner, voter = zip(*votes, strict=True)
    ours, theirs = bradley_terry(found), bradley_terry(coded(a, b, winner, voter=voter))
    assert ours.strengths == pytest.approx(theirs.strengths)
    assert ours.covariance == pytest.approx(theirs.covariance)
    assert (ours.clusters, ours.n_clusters) == ("voters", 9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,rating\na,x\n", "no row can be used"),
        ("item,rater,score\ni,r,3\n", "no rating that a person gave of a model"),
        ("foo,bar\n1,2\n", "holds no ratings|no rating file|give"),
        ("", "empty|no ratings"),
    ],
)
def test_what_holds_no_rating_is_refused_in_one_line(tmp_path, text, said):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=said) as refused:
        read(path)
    assert "\n" not in str(refused.value)


def test_the_command_takes_ratings_in_place_of_votes(cli, tmp_path, static_scores):
    path = tmp_path / "mos.csv"
    path.write_text("system,rating,error\nDiVA,3.9,.1\nGPT-4o,3.7,.1\nQwen2-Audio,3.2,.1\nTyphoon-Audio,2.5,.1\n")
    out = cli("gap", "--scores", static_scores, "--ratings", path, "-o", tmp_path / "gap.html")
    assert out.code == 0
    assert "Benchmarks by their effect on a rating" in out.out
    assert "log odds" not in out.out
    page = (tmp_path / "gap.html").read_text()
    assert "Static scores against ratings" in page
    assert "Points of the rating" in page or "points of the rating" in page
    document = json.loads(cli("gap", "--scores", static_scores, "--ratings", path, "--json").out)
    assert (document["of"], document["n_systems"]) == ("ratings", 4)
    for given in ([], ["--ratings", path, "--votes", path]):
        wrong = cli("gap", "--scores", static_scores, *given)
        assert (wrong.code, "or ratings of systems with --ratings" in wrong.err) == (2, True)


def test_a_table_without_errors_has_no_intervals_of_orders(tmp_path, scores):
    path = tmp_path / "mos.csv"
    path.write_text("system,rating,error\n" + "".join(f"{name},{value},\n" for name, value in RATED.items()))
    found = gap(scores, read(path)[0])
    assert found.benchmarks["along"].interval is None
    assert found.systems[0].interval is None
    assert from_file(path, rating=True).benchmarks == ("rating",)
