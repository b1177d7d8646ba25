"""The gap on the published table and pair counts, on made-up cases, and where there is nothing to say."""

import math

import msgspec
import numpy as np
import pytest
from scipy import stats as scipy_stats

from audiometry.analysis.gap import from_file, gap
from audiometry.analysis.gap.correlated import correlated
from audiometry.analysis.gap.minded import minded
from audiometry.analysis.gap.scores import lower_is_better, renamed
from audiometry.errors import UsageError
from audiometry.stats.ranking import coded

ASCENDING = [1.0, 2.0, 3.5, 5.0, 9.0, 10.0]


@pytest.fixture
def published(static_scores, talk_arena):
    return gap(from_file(static_scores), talk_arena)


def test_the_published_table_and_pair_counts_give_the_known_correlations(published):
    assert len(published.benchmarks) == 18
    assert published.n_systems == 5
    assert published.benchmarks["URFunny"].tau_b == pytest.approx(0.53, abs=0.005)
    assert published.benchmarks["URFunny"].p_exact == pytest.approx(1 / 3)
    assert published.mean_tau_b == pytest.approx(0.02, abs=0.005)
    assert published.least_p_exact == pytest.approx(0.233, abs=0.0005)
    assert all(each.n_systems == 5 for each in published.benchmarks.values())
    assert published.benchmarks["CallHome"].n_items == 24


def test_it_says_what_five_systems_can_never_show(published):
    said = " ".join(published.warnings)
    assert "a perfect rank correlation would have p = 0.0167" in said
    assert "5 systems can never pass a correction over 18 benchmarks" in said
    assert "1/120, is not below 0.05/18 = 0.0028" in said
    assert min(each.p_corrected for each in published.benchmarks.values()) > 0.05


def test_five_systems_can_pass_over_five_benchmarks_and_not_over_six(drawn, scored):
    rng = np.random.default_rng(9)
    votes = drawn(rng.normal(0, 0.6, 5))
    for n, told in ((5, False), (6, True)):
        found = gap(scored({f"b{at}": rng.normal(size=5) for at in range(n)}), votes)
        assert any("can never pass" in one for one in found.warnings) == told


@pytest.mark.parametrize(
    ("interval", "p", "at_odds"),
    [
        ((0.1, 1.0), 0.05, True),
        ((0.1, 1.0), 0.049, False),
        ((-0.1, 1.0), 0.049, True),
        ((-1.0, -0.1), 0.05, True),
        ((-0.5, 0.5), 0.05, False),
    ],
)
def test_it_is_told_where_the_interval_and_p_disagree(published, interval, p, at_odds):
    one = msgspec.structs.replace(published.benchmarks["MELD"], effect_interval=interval, p_permutation=p)
    said = " ".join(minded(msgspec.structs.replace(published, benchmarks={"MELD": one})))
    assert ("the interval and p disagree on MELD" in said) == at_odds


def test_a_search_that_did_not_end_is_told(published):
    assert all(each.converged for each in (*published.benchmarks.values(), *published.together))
    one = msgspec.structs.replace(published.benchmarks["MELD"], converged=False)
    two = msgspec.structs.replace(published.together[0], converged=False)
    said = " ".join(minded(msgspec.structs.replace(published, benchmarks={"MELD": one}, together=(two,))))
    assert "the search did not end for MELD, all categories in one fit: read these effects as rough ones" in said


@pytest.mark.parametrize(("n", "said"), [(7, "show little"), (8, "are few: a rank correlation of .6"), (12, None)])
def test_how_little_n_systems_show_is_said_for_what_it_is(drawn, scored, n, said):
    found = gap(scored({"a": np.arange(n)}), drawn(np.linspace(0, 1, n)))
    told = " ".join(found.warnings)
    assert (said in told) if said else ("show little" not in told and "are few" not in told)


def test_systems_of_the_table_without_votes_are_told(published):
    assert "Whisper+Llama3-8B" in published.only_scores
    assert any("only scores: NExT-GPT" in one for one in published.warnings)


def test_the_plain_specification_is_sure_where_systems_say_nothing(published):
    surely = [each for each in published.benchmarks.values() if each.plain.p < 0.001]
    assert len(surely) > 12
    assert all(each.effect_interval[0] < 0 < each.effect_interval[1] for each in published.benchmarks.values())


def test_eighteen_columns_are_refused_and_stand_as_components(published):
    assert "18 columns of rank 4: 5 systems give 4 contrasts" in published.refused[0]
    (components,) = [one for one in published.together if one.of == "components"]
    assert (components.rank, components.contrasts, len(components.terms)) == (4, 4, 2)
    assert "from 8 on" in published.refused[-1]
    assert not published.foretold


def test_the_three_category_means_of_six_systems_are_one_fit(drawn, scored):
    rng = np.random.default_rng(1)
    columns = {f"b{n}": rng.normal(size=6) for n in range(9)}
    found = gap(scored(columns, category={f"b{n}": "xyz"[n // 3] for n in range(9)}), drawn(rng.normal(0, 0.5, 6)))
    assert [one.of for one in found.together] == ["categories", "components"]
    categories = found.together[0]
    assert ([term.name for term in categories.terms], categories.rank, categories.df) == (["x", "y", "z"], 3, 2)
    assert "9 columns of rank 5: 6 systems give 5 contrasts" in found.refused[0]


def test_few_benchmarks_are_one_fit_without_components(drawn, scored):
    rng = np.random.default_rng(2)
    found = gap(scored({"a": rng.normal(size=6), "b": rng.normal(size=6)}), drawn(rng.normal(0, 0.5, 6)))
    assert [one.of for one in found.together] == ["benchmarks"]


def test_a_score_that_goes_along_and_one_that_is_lower_for_better(drawn, scored):
    merits = np.array(ASCENDING) / 5
    votes = drawn(merits, each=200)
    found = gap(scored({"up": ASCENDING, "errors": [-x for x in ASCENDING]}, lower=["errors"]), votes)
    for each in found.benchmarks.values():
        assert each.tau_b == pytest.approx(1.0)
        assert each.p_exact == pytest.approx(2 / 720)
        assert each.p_permutation == pytest.approx(1 / 720)
        assert each.effect * math.sqrt(1) == pytest.approx(np.std(merits, ddof=1), abs=0.15)
        assert each.effect_per_unit == pytest.approx(0.2, abs=0.04)
    assert found.benchmarks["errors"].scores == tuple(-x for x in reversed(ASCENDING))
    turned = lower_is_better(scored({"errors": [-x for x in ASCENDING]}), ["errors"])
    assert gap(turned, votes).benchmarks["errors"].tau_b == pytest.approx(1.0)
    with pytest.raises(UsageError, match="no scores on 'error'; did you mean 'errors'"):
        lower_is_better(turned, ["error"])


def test_p_is_over_all_orders_and_holm_over_benchmarks(drawn, scored):
    rng = np.random.default_rng(3)
    found = gap(scored({name: rng.normal(size=5) for name in "abc"}), drawn(rng.normal(0, 0.6, 5)))
    p = [each.p_permutation for each in found.benchmarks.values()]
    order = np.argsort(p)
    expected = np.maximum.accumulate(np.minimum(1, np.array(p)[order] * np.array([3, 2, 1])))
    corrected = np.array([each.p_corrected for each in found.benchmarks.values()])[order]
    assert corrected == pytest.approx(expected)


def test_the_interval_of_tau_is_what_votes_leave_open(drawn, scored):
    near, far = np.linspace(0, 0.2, 6), np.linspace(0, 5, 6)
    wide = gap(scored({"a": ASCENDING}), drawn(near, each=20)).benchmarks["a"]
    narrow = gap(scored({"a": ASCENDING}), drawn(far, each=400)).benchmarks["a"]
    assert wide.interval[1] - wide.interval[0] > 0.5
    assert narrow.interval == (1.0, 1.0)
    noisy = gap(scored({"a": ASCENDING}, errors=3.0), drawn(far, each=400)).benchmarks["a"]
    assert noisy.interval[0] < 1.0
    assert noisy.reliability == pytest.approx(1 - 9 / np.var(ASCENDING, ddof=1))


def test_noisy_scores_are_told(drawn, scored):
    found = gap(scored({"a": ASCENDING}, errors=3.0), drawn(np.linspace(0, 1, 6)))
    assert any("drawn towards 0" in one for one in found.warnings)


def test_missing_cells_leave_the_others_and_are_told(drawn, scored):
    found = gap(scored({"a": [1, 2, None, 4, 5, 3], "b": ASCENDING}), drawn(np.linspace(0, 1, 6)))
    assert found.benchmarks["a"].n_systems == 5
    assert found.benchmarks["a"].systems == ("s5", "s4", "s3", "s1", "s0")
    assert found.benchmarks["b"].n_systems == 6
    assert any("1 score of 12 missing" in one for one in found.warnings)
    alone = gap(scored({"a": [1, 2, 9, 4, 5, 3]}), coded(*_without(drawn(np.linspace(0, 1, 6)), "s2")))
    assert found.benchmarks["a"].effect == pytest.approx(alone.benchmarks["a"].effect, abs=1e-6)


def _without(votes, system):
    names, kinds = votes.models, ["model_a", "model_b", "tie", "both_bad"]
    rows = [(names[a], names[b], kinds[said]) for a, b, said in zip(votes.a, votes.b, votes.outcome, strict=True)]
    return zip(*[row for row in rows if system not in row[:2]], strict=True)


def test_a_constant_benchmark_has_no_number_and_says_why(drawn, scored):
    found = gap(scored({"flat": [7] * 6, "b": ASCENDING}), drawn(np.linspace(0, 1, 6)))
    assert found.benchmarks["flat"].tau_b is None
    assert found.benchmarks["flat"].effect is None
    assert "flat: all 6 systems have the same score" in found.warnings
    both = gap(scored({"flat": [7] * 6, "even": [1] * 6, "b": ASCENDING}), drawn(np.linspace(0, 1, 6)))
    assert "flat, even: all 6 systems have the same score" in both.warnings
    assert found.benchmarks["b"].p_corrected == found.benchmarks["b"].p_permutation


def test_a_benchmark_of_one_system_and_of_two(drawn, scored):
    found = gap(
        scored({"one": [1, *[None] * 5], "two": [1, 2, *[None] * 4], "b": ASCENDING}), drawn(np.linspace(0, 1, 6))
    )
    assert found.benchmarks["one"].why == "only s0 has both a score and a rating"
    assert found.benchmarks["two"].tau_b is not None
    assert "one contrast" in found.benchmarks["two"].why
    assert found.benchmarks["b"].why == ""


def test_one_system_in_both_is_refused_in_one_line(drawn, scored):
    votes = coded(["s0", "x"], ["x", "s0"], ["model_a", "model_a"])
    with pytest.raises(UsageError, match="1 system with scores and votes, where at least 2 are needed") as said:
        gap(scored({"a": ASCENDING}), votes)
    assert "--same NAME=VOTES" in str(said.value)
    assert "\n" not in str(said.value)


def test_systems_that_votes_cannot_place_are_told(drawn, scored):
    never = coded(["s0", "s1", "s2", "s0", "s1", "s2"] * 2, ["s1", "s2", "s0", "s3", "s3", "s3"] * 2, ["model_a"] * 12)
    found = gap(scored({"a": ASCENDING}), never)
    assert found.n_systems == 3
    assert list(found.unplaced) == ["s3"]
    assert any("votes give no rating to 1 system" in one for one in found.warnings)
    lost = coded(["s0", "s0"], ["s1", "s2"], ["model_a", "model_a"])
    with pytest.raises(UsageError, match="the votes do not place s0"):
        gap(scored({"a": ASCENDING}), lost)


def test_names_that_differ_are_given_as_the_same(drawn, scored):
    table = renamed(scored({"a": ASCENDING}), {"s0": "zero"})
    assert gap(table, drawn(np.linspace(0, 1, 6))).only_scores == ("zero",)
    with pytest.raises(UsageError, match="no scores of 'nobody'"):
        renamed(table, {"nobody": "s1"})
    with pytest.raises(UsageError, match="one name"):
        renamed(table, {"zero": "s1"})


def test_ties_count_half_or_are_left_out(drawn, scored):
    votes = drawn(np.linspace(0, 1, 6), each=100, ties=0.3)
    half, drop = (gap(scored({"a": ASCENDING}), votes, ties=ties) for ties in ("half", "drop"))
    assert half.n_votes == 1500
    assert drop.n_votes == 1500 - half.n_ties
    assert half.n_ties == drop.n_ties > 350
    assert drop.benchmarks["a"].effect > half.benchmarks["a"].effect


def test_votes_that_found_both_bad_are_in_no_fit(drawn, scored):
    votes = drawn(np.linspace(0, 1, 6))
    bad = coded(*_with_bad(votes))
    found, plain = gap(scored({"a": ASCENDING}), bad), gap(scored({"a": ASCENDING}), votes)
    assert found.n_both_bad == 40
    assert found.n_votes == plain.n_votes
    assert found.benchmarks["a"].effect == pytest.approx(plain.benchmarks["a"].effect)


def _with_bad(votes):
    names, kinds = votes.models, ["model_a", "model_b", "tie", "both_bad"]
    rows = [(names[a], names[b], kinds[said]) for a, b, said in zip(votes.a, votes.b, votes.outcome, strict=True)]
    return zip(*rows, *[("s0", "s1", "both_bad")] * 40, strict=True)


def test_known_voters_weigh_the_score_each_in_their_own_way(drawn, scored):
    found = gap(scored({"a": ASCENDING}), drawn(np.linspace(0, 1, 6), each=60, voters=30))
    assert found.n_voters == 30
    assert found.benchmarks["a"].tau_voters is not None
    assert "by voter" in found.signature
    assert gap(scored({"a": ASCENDING}), drawn(np.linspace(0, 1, 6))).benchmarks["a"].tau_voters is None


def test_of_eight_systems_each_is_foretold_by_the_others(drawn, scored):
    rng = np.random.default_rng(5)
    merits = rng.normal(0, 0.8, 9)
    found = gap(scored({"good": merits, "bad": rng.normal(size=9)}), drawn(merits, each=40))
    by = {one.by: one for one in found.foretold}
    assert by["good"].q2 > 0.8 > by["bad"].q2
    assert by["best"].chosen == {"good": 9}
    assert "weighted" in by
    assert not found.refused
    assert any("not every order" in one for one in found.warnings)


def test_benchmarks_that_say_the_same_stand_side_by_side(drawn, scored):
    rng = np.random.default_rng(6)
    one, other = rng.normal(size=9), rng.normal(size=9)
    columns = {"a": one, "x": other, "b": one + 0.01, "y": other * 2, "flat": [1] * 9}
    found = gap(scored(columns), drawn(rng.normal(0, 0.6, 9))).correlated
    assert set(found.benchmarks[:2]) in ({"a", "b"}, {"x", "y"})
    assert found.groups == (1, 1, 2, 2)
    at = found.benchmarks.index("a"), found.benchmarks.index("x")
    assert found.rho[at[0]][at[1]] == pytest.approx(scipy_stats.spearmanr(one, other).statistic)
    assert found.n_systems[0][1] == 9


def test_benchmarks_that_other_systems_have_are_correlated_over_those_of_both(scored):
    values = np.random.default_rng(7).integers(0, 6, (9, 6)).astype(float)
    values[[0, 3, 3, 8], [1, 1, 2, 4]] = np.nan
    found = correlated(scored({f"b{at}": [None if np.isnan(one) else one for one in values[:, at]] for at in range(6)}))
    for i, one in enumerate(found.benchmarks):
        for j, other in enumerate(found.benchmarks):
            a, b = values[:, int(one[1])], values[:, int(other[1])]
            both = np.isfinite(a) & np.isfinite(b)
            assert found.n_systems[i][j] == both.sum()
            assert found.rho[i][j] == pytest.approx(scipy_stats.spearmanr(a[both], b[both]).statistic)


def test_the_same_seed_gives_the_same_numbers(drawn, scored):
    votes, scores = drawn(np.linspace(0, 1, 9), each=20), scored({"a": [*ASCENDING, 4, 2, 8]})
    assert gap(scores, votes, seed=4).benchmarks == gap(scores, votes, seed=4).benchmarks
    one, other = (gap(scores, votes, seed=seed).benchmarks["a"] for seed in (4, 5))
    assert one.tau_b == other.tau_b
    assert one.p_permutation == pytest.approx(other.p_permutation, abs=0.02)


@pytest.mark.parametrize(("voters", "told"), [(8, True), (29, True), (30, False), (0, False)])
def test_few_voters_are_told_as_p_takes_them_as_they_are(drawn, scored, voters, told):
    found = gap(scored({"one": [1, 2, 3, 4, 5, 7]}), drawn([0, 0.2, 0.4, 0.6, 0.8, 1], voters=voters))
    assert found.n_voters == (voters or None)
    assert any("p takes them as they are" in one for one in found.warnings) == told
