"""Agreement from rating files: the paper's design with known truth, and what joins with what."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from audiometry.analysis.agreement import agree
from audiometry.analysis.agreement.setting import MOST_MACHINES, MOST_PAIRED, OTHERS, PEOPLE
from audiometry.errors import UnknownNameError, UsageError
from audiometry.files.ratings import read
from audiometry.report import agree_page, section_page
from audiometry.seeds import generator

ANNA, BEN, CLEO = TESTERS = ("anna", "ben", "cleo")
MODELS = ("BLSP", "GPT-4", "Qwen-Audio-Chat", "SALMONN")
FEW = {"resamples": 200}


@pytest.fixture
def rated(tmp_path):
    """Agreement of the given rating lines."""

    def make(rows, **settings):
        path = tmp_path / "ratings.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return agree(read([path]), **(FEW | settings))

    return make


def choice(item, rater, letter, **more):
    return {"item": item, "rater": rater, "choice": letter} | more


def score(item, rater, number, model="m", **more):
    return {"item": item, "rater": rater, "score": number, "model": model} | more


def prefer(item, rater, which, a="m", b="n", **more):
    return {"item": item, "rater": rater, "preferred": which, "model_a": a, "model_b": b} | more


def judge(row, name="judge"):
    return row | {"rater": name, "kind": "judge"}


def values(measure):
    return (measure.value, measure.n, measure.n_items)


def foundation(seed, right):
    """400 questions, three people and judges who say what the reply chose in so many of 100 cases, else guess."""
    source = generator(seed, "foundation")
    for i in range(400):
        truth = source.integers(4)
        for name, share in (dict.fromkeys(TESTERS, 0.99) | right).items():
            letter = "ABCD"[truth if source.random() < share else source.integers(4)]
            row = choice(f"q/{i}", name, letter)
            yield row if name in TESTERS else judge(row, name)


def same(a, b, kinds=4):
    """How often two say the same who follow the truth in a share of cases and else guess."""
    return a * b + (1 - a * b) / kinds


def test_coders_who_name_what_went_wrong_are_compared_by_the_names(rated):
    names = ("hears-what-is-not-there", "no-format", "from-the-words")
    source = generator(5, "codes")
    given = [
        [names[source.integers(3)] if name == "ben" and source.random() < 0.4 else names[i % 3] for name in TESTERS[:2]]
        for i in range(60)
    ]
    rows = [
        {"item": f"i{i}", "rater": name, "code": f" {code} "}
        for i, both in enumerate(given)
        for name, code in zip(TESTERS[:2], both, strict=True)
    ]
    rows += [judge(choice(f"i{i}", "", "A")) for i in range(30)]
    found = rated(rows)
    (pair,) = found.codes.pairs
    assert pair.kappa.value == pytest.approx(cohen_kappa_score(*zip(*given, strict=True)))
    assert pair.share.n == 60
    assert [(one.name, one.n_codes, one.n_choices) for one in found.raters] == [
        ("anna", 60, 0), ("ben", 60, 0), ("judge", 0, 30),
    ]  # fmt: skip
    assert rated(rows[::-1]).codes.pairs[0].kappa.value == pair.kappa.value


def test_the_papers_foundation_study_is_recovered(rated):
    found = rated(foundation(1, {"gpt-4-turbo": 0.985, "gpt-3.5-turbo": 0.94}), resamples=1000).choices
    assert (found.n_items, found.n_units, found.n_two_minds) == (400, 400, 0)
    assert found.people.raters == list(TESTERS)
    for measure, truth in (
        (found.people.share, same(0.99, 0.99)),
        (found.against[0].share, same(0.985, 0.99)),
        (found.against[1].share, same(0.94, 0.99)),
    ):
        assert measure.n == 1200
        assert measure.n_items == 400
        low, high = measure.interval
        assert low < truth < high
        assert high - low < 0.06
    alpha = found.people.alpha
    assert alpha.interval[0] < (same(0.99, 0.99) - 0.25) / 0.75 < alpha.interval[1]
    assert found.against[0].alpha.value > found.against[1].alpha.value
    assert found.against[1].majority.value == pytest.approx(0.955, abs=0.03)
    assert len(found.pairs) == 10


def chat(seed, judges, noise=0.9):
    """200 questions, four systems, three people who compare them, and judges who score each reply in both orders."""
    source = generator(seed, "chat")
    mean = dict(zip(MODELS, (4.5, 7.5, 6.2, 5.6), strict=True))
    for i in range(200):
        worth = {model: mean[model] + 1.5 * source.normal() for model in MODELS}
        for place, a in enumerate(MODELS):
            for b in MODELS[place + 1 :]:
                for name in TESTERS:
                    apart = worth[a] - worth[b] + noise * source.normal()
                    which = "equal" if abs(apart) < 0.5 else "a" if apart > 0 else "b"
                    row = prefer(f"c/{i}", name, which, a, b)
                    yield row if source.random() < 0.5 else swapped(row)
        for model in MODELS:
            for name, (wrong, bias) in judges.items():
                given = worth[model] + wrong * source.normal()
                for order, shift in (("reference-second", bias / 2), ("reference-first", -bias / 2)):
                    number = given + shift + 0.3 * source.normal()
                    yield judge(score(f"c/{i}", "", number, model, order=order), name)


def swapped(row):
    other = {"a": "b", "b": "a", "equal": "equal"}[row["preferred"]]
    return row | {"preferred": other, "model_a": row["model_b"], "model_b": row["model_a"]}


def test_the_papers_chat_study_is_recovered(rated):
    rows = list(chat(2, {"good": (0.5, 0.4), "poor": (3.0, -0.6)}))
    found = rated(rows, tie_margin=["0.5"], resamples=500)
    part = found.preferences
    assert (part.n_items, part.n_units) == (200, 1200)
    good, poor = part.against
    assert 0.7 < good.share.value < part.people.share.value + 0.03
    assert poor.share.interval[1] < good.share.interval[0]
    assert good.untied.value > good.share.value
    assert [(one.model_a, one.model_b) for one in good.models] == [
        (a, b) for place, a in enumerate(MODELS) for b in MODELS[place + 1 :]
    ]
    assert sum(one.share.n for one in good.models) == good.share.n == 3600
    assert good.share.value == pytest.approx(np.mean([one.share.value for one in good.models]))
    for position, bias in zip(found.positions, (0.4, -0.6), strict=True):
        low, high = position.difference.interval
        assert low < bias < high
        assert position.difference.p < 0.001
        assert position.difference.value == pytest.approx(position.first - position.second)
        assert [model.model for model in position.models] == list(MODELS)
        assert sum(n for _, n in position.histogram) == position.difference.n == 800
    assert found.positions[0].flips.value < 0.3


def test_the_example_in_the_documentation_is_what_the_program_prints(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    rows = list(chat(11, {"openai/gpt-6.1-terra": (1.0, 0.4), "metric:rouge-l": (3.0, 0.0)}))
    metric = [row for row in rows if row["rater"] == "metric:rouge-l"]
    rows = [
        row | ({"score": round(row["score"])} if "score" in row else {})
        for row in rows
        if row["rater"][:7] != "metric:"
    ]
    for row in metric:
        if row["order"] == "reference-second":
            rows.append({key: row[key] for key in ("item", "rater", "model")} | {"score": 0.05 * row["score"]})
    (tmp_path / "study.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    margins = ("--tie-margin", "0.5", "--tie-margin", "metric:rouge-l=0.025")
    said = cli("agree", tmp_path / "study.jsonl", *margins).out
    example = (Path(__file__).parents[2] / "docs" / "agree.md").read_text().split("## An example")[1].split("```")[1]
    first, second = example.strip("\n").split("\n\n[…]\n\n")
    assert f"\n{first}\n" in said
    assert f"\n{second}\n" in said


def test_shares_kappas_and_majorities_are_those_counted_by_hand(rated):
    said = {"anna": "AABBC", "ben": "AABCA", "cleo": "ABBAB", "judge": "AABBC"}
    rows = [choice(str(i), name, letter) for name, letters in said.items() for i, letter in enumerate(letters)]
    rows = [judge(row) if row["rater"] == "judge" else row for row in rows]
    found = rated(rows).choices
    # pairs of people: anna-ben 3, anna-cleo 2, ben-cleo 2 of 5 each
    assert values(found.people.share) == (pytest.approx(7 / 15), 15, 5)
    # the others have a majority: for anna (A, -, B, -, -), ben (A, -, B, -, -), cleo (A, A, B, -, -)
    assert values(found.people.others) == (pytest.approx(6 / 7), 7, 3)
    (one,) = found.against
    assert values(one.share) == (pytest.approx((5 + 3 + 2) / 15), 15, 5)
    assert values(one.majority) == (1.0, 3, 3)
    assert one.n_no_majority == 2
    for pair in found.pairs:
        a, b = (list(said[name]) for name in (pair.a, pair.b))
        assert pair.share.value == pytest.approx(np.mean([x == y for x, y in zip(a, b, strict=True)]))
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(a, b))


def test_preferences_are_the_same_whichever_model_is_called_a(rated):
    rows = list(chat(3, {"judge": (1.0, 0.2)}))
    turned = [swapped(row) if "preferred" in row else row for row in rows]
    assert rated(rows, **FEW) == rated(turned, **FEW)


def test_scores_become_preferences_with_a_margin_and_the_right_way_round(rated):
    rows = [prefer(str(i), ANNA, which) for i, which in enumerate(["a", "b", "equal", "a"])]
    for i, (m, n) in enumerate([(8, 5), (5, 8), (7, 6.5), (6, 7)]):
        rows += [judge(score(i := str(i), "", m, "m")), judge(score(i, "", n, "n"))]
        for name in ("metric:WER?language=de", "metric:chrf"):
            rows += [score(i, name, m / 10, "m"), score(i, name, n / 10, "n")]

    def shares(**settings):
        found = rated(rows, **settings).preferences.against
        return {one.rater.replace("WER?language=de", "wer"): one.share.value for one in found}

    assert shares() == {"judge": 0.5, "metric:wer": 0.25, "metric:chrf": 0.5}
    assert shares(tie_margin=["0.5"]) == {"judge": 0.75, "metric:wer": 0.25, "metric:chrf": 0.5}
    assert shares(tie_margin=["metric:chrf=0.05"])["metric:chrf"] == 0.75
    assert shares(lower_is_better=["chrf"]) == {"judge": 0.5, "metric:wer": 0.25, "metric:chrf": 0.25}


def test_a_margin_takes_scores_that_rounding_sets_apart_as_equal(rated):
    rows = [prefer("1", ANNA, "equal"), judge(score("1", "", 0.1 + 0.2)), judge(score("1", "", 0.3, "n"))]
    assert rated(rows).preferences.against[0].share.value == 1.0


def test_what_a_judge_prefers_goes_before_what_its_scores_imply(rated):
    rows = [prefer("1", ANNA, "a"), prefer("2", ANNA, "a"), judge(prefer("1", "", "b"))]
    for item in "12":
        rows += [judge(score(item, "", 9)), judge(score(item, "", 2, "n"))]
    assert values(rated(rows).preferences.against[0].share) == (0.5, 2, 2)


def test_scores_follow_people_as_scipy_says(rated):
    source = generator(4, "scores")
    truth = source.normal(5, 2, 60)
    columns = {name: np.round(truth + source.normal(0, 1, 60)) for name in (*TESTERS, "judge", "metric:wer")}
    columns["metric:wer"] = -columns["metric:wer"]
    rows = [
        score(f"i{i // 2}", name, float(column[i]), f"m{i % 2}") for name, column in columns.items() for i in range(60)
    ]
    rows = [judge(row) if row["rater"] == "judge" else row for row in rows]
    found = rated(rows).scores
    assert (found.n_items, found.n_units, found.people) == (30, 60, list(TESTERS))
    people = np.mean([columns[name] for name in TESTERS], axis=0)
    one, wer = found.against
    assert (one.a, one.b, wer.a, wer.b) == ("judge", PEOPLE, "metric:wer", PEOPLE)
    assert one.tau_b.value == pytest.approx(scipy.stats.kendalltau(columns["judge"], people).statistic)
    assert one.spearman.value == pytest.approx(scipy.stats.spearmanr(columns["judge"], people).statistic)
    assert one.bias.value == pytest.approx((columns["judge"] - people).mean())
    assert one.bias.interval[0] < one.bias.value < one.bias.interval[1]
    assert wer.tau_b.value == pytest.approx(scipy.stats.kendalltau(-columns["metric:wer"], people).statistic)
    assert wer.tau_b.n_items == 30
    assert wer.kappa.value is wer.bias.value is wer.alpha_interval.value is None
    assert wer.kappa.why == "a metric has a scale of its own"
    assert [pair.b for pair in found.each_person] == [OTHERS] * 3
    rest = (columns[BEN] + columns[CLEO]) / 2
    assert found.each_person[0].tau_b.value == pytest.approx(scipy.stats.kendalltau(columns[ANNA], rest).statistic)
    labels = range(-5, 20)
    for pair in found.pairs[:2]:
        a, b = columns[pair.a].astype(int), columns[pair.b].astype(int)
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic", labels=labels))
    assert found.alpha_interval.value > 0.5
    assert found.alpha_ordinal.value > 0.5


def test_both_orders_of_a_judge_are_one_score_and_two_minds_are_no_word(rated):
    rows = [score("1", ANNA, 6), score("2", ANNA, 4)]
    for item, first, second in (("1", 7, 5), ("2", 3, 5)):
        rows.append(judge(score(item, "", first, order="reference-first")))
        rows.append(judge(score(item, "", second, order="reference-second")))
    found = rated(rows)
    assert found.scores.against[0].bias.value == 0
    assert [(p.first, p.second, p.same.value) for p in found.positions] == [(5.0, 5.0, 0.0)]
    assert found.positions[0].histogram == [(-2.0, 1), (2.0, 1)]
    assert found.positions[0].scores == [(3.0, 0, 1), (5.0, 2, 0), (7.0, 0, 1)]
    minds = [prefer("1", ANNA, "a"), prefer("2", ANNA, "a")]
    for item, which in (("1", "b"), ("2", "a")):
        minds.append(judge(prefer(item, "", "a", order="reference-first")))
        minds.append(judge(prefer(item, "", which, order="reference-second")))
    part = rated(minds).preferences
    assert part.n_two_minds == 1
    assert values(part.against[0].share) == (1.0, 1, 1)


def test_a_judge_with_one_order_of_each_reply_has_no_other_to_be_held_against(rated):
    rows = [judge(score("1", "", 3, order="reference-first")), judge(score("2", "", 3, order="reference-second"))]
    assert rated(rows).positions == []


def test_preferences_flip_with_the_place(rated):
    rows = []
    for item, (m_first, n_first, m_second, n_second) in enumerate([(8, 5, 5, 8), (8, 5, 7, 5), (6, 6, 7, 6)]):
        for model, order, number in (
            ("m", "reference-second", m_first),
            ("n", "reference-second", n_first),
            ("m", "reference-first", m_second),
            ("n", "reference-first", n_second),
        ):
            rows.append(judge(score(str(item), "", number, model, order=order)))
    (position,) = rated(rows).positions
    assert values(position.flips) == (pytest.approx(2 / 3), 3, 3)
    assert values(position.reversed) == (pytest.approx(1 / 3), 3, 3)
    assert values(rated(rows, tie_margin=["1"]).positions[0].flips) == (pytest.approx(1 / 3), 3, 3)


def test_flips_need_two_models_and_not_too_many(rated):
    def both(models):
        return [
            judge(score("1", "", i, f"m{i}", order=order))
            for i in range(models)
            for order in ("reference-first", "reference-second")
        ]

    assert rated(both(1)).positions[0].flips.why == "needs scores of two models' replies to one item"
    assert rated(both(13)).positions[0].flips.why == "more than 12 models"


def test_the_last_of_repeated_ratings_counts_and_it_is_said(rated):
    rows = [choice("1", ANNA, "A"), choice("1", BEN, "B"), choice("1", ANNA, "B"), score("1", ANNA, 3)]
    found = rated(rows)
    assert found.choices.people.share.value == 1.0
    assert found.n_repeated == 1
    assert any("1 rating replaced by a later one" in warning for warning in found.warnings)
    assert [(one.name, one.n_choices, one.n_scores) for one in found.raters] == [(ANNA, 1, 1), (BEN, 1, 0)]


def test_ratings_without_a_model_are_of_the_only_one_named(rated):
    rows = [choice("1", ANNA, "A"), judge(choice("1", "", "A", model="m"))]
    found = rated(rows)
    assert found.choices.against[0].share.value == 1.0
    assert any("choice without a model, 1: taken as of m" in warning for warning in found.warnings)
    found = rated([*rows, judge(choice("1", "", "B", model="n"))])
    assert found.choices.against[0].share.value is None
    assert any("while others name 2 models" in warning for warning in found.warnings)


def test_only_the_raters_asked_for_are_looked_at(rated):
    rows = list(foundation(5, {"judge": 0.9}))
    assert [one.name for one in rated(rows, raters=[BEN, "judge"]).raters] == [BEN, "judge"]
    many = [judge(choice("q/1", "", "A"), f"j{i}") for i in range(MOST_MACHINES + 2)]
    last = f"j{MOST_MACHINES + 1}"
    assert [one.rater for one in rated([*rows, *many], raters=[ANNA, last]).choices.against] == [last]
    with pytest.raises(UnknownNameError, match="did you mean 'judge'"):
        rated(rows, raters=["judgee"])


@pytest.mark.parametrize("word", ["-1", "x", "nan", "inf", "judge=", ""])
def test_an_impossible_margin_is_refused(rated, word):
    with pytest.raises(UsageError, match="--tie-margin"):
        rated([score("1", ANNA, 1)], tie_margin=[word])


@pytest.mark.parametrize("says", [{"lower_is_better": True}, {"lower_is_better": "true"}, {}])
def test_a_rater_of_whom_lower_is_better_is_turned_round_where_its_ratings_or_the_person_say_so(rated, says):
    rows = [score(str(i), name, sign * (i % 7)) for i in range(30) for name, sign in ((ANNA, 1), ("metric:edits", -1))]
    rows[-1] |= says  # one line is enough
    (found,) = rated(rows, lower_is_better=[] if says else ["edits"]).scores.against
    assert found.tau_b.value == pytest.approx(1)


def test_a_rater_of_whom_lower_is_better_that_nobody_is_is_refused(rated):
    rows = [score("1", ANNA, 1), score("1", "metric:edits", 1)]
    with pytest.raises(UnknownNameError, match=r"unknown rater 'metric:edit'; did you mean 'metric:edits'\?"):
        rated(rows, lower_is_better=["metric:edit"])


@pytest.mark.parametrize("raters", [(ANNA, "judge"), (ANNA, BEN)])
def test_one_pair_has_one_interval_wherever_it_stands(rated, raters):
    rng = generator(3, "pair")
    rows = [score(str(i), name, int(rng.integers(1, 6))) for i in range(60) for name in raters]
    found = rated([judge(row) if row["rater"] == "judge" else row for row in rows]).scores
    (pair,) = found.pairs
    alike = [*found.against, *found.each_person]
    assert len(alike) == (2 if BEN in raters else 1)
    for one in alike:
        assert one.kappa == pair.kappa
        assert (one.alpha_interval, one.alpha_ordinal) == (pair.alpha_interval, pair.alpha_ordinal)
    if BEN in raters:
        assert (found.alpha_interval, found.alpha_ordinal) == (pair.alpha_interval, pair.alpha_ordinal)


def test_a_margin_of_nobody_is_refused(rated):
    with pytest.raises(UnknownNameError, match="unknown rater 'annna'"):
        rated([score("1", ANNA, 1)], tie_margin=["annna=1"])


def test_the_same_ratings_and_seed_give_the_same_numbers_whatever_their_order(rated):
    rows = list(chat(6, {"judge": (1.0, 0.2)}))[:900]
    first = rated(rows)
    assert rated(rows) == first
    mixed = rated(generator(1, "mix").permutation(rows).tolist())
    assert mixed.preferences.against == first.preferences.against
    assert rated(rows, seed=1).preferences.against[0].alpha != first.preferences.against[0].alpha


def said(found, words):
    return any(words in warning for warning in found.warnings)


def test_one_rater_few_items_and_nobody_in_common_are_said(rated):
    found = rated([choice("1", ANNA, "A")])
    assert said(found, "anna is the only rater")
    assert said(found, "only 1 item with choices")
    assert found.choices.people is None
    assert found.choices.pairs == []
    found = rated([judge(score("1", "", 3)), judge(score("1", "", 3), "other")])
    assert said(found, "no person among the raters")
    found = rated([choice("1", ANNA, "A"), choice("2", BEN, "A"), judge(choice("3", "", "A"))])
    assert said(found, "nothing that another rater rated as well: anna, ben, judge")
    assert found.choices.people.share.value is None
    assert found.choices.people.alpha.why == "nothing rated by two or more"
    assert found.choices.against[0].share.why == "nothing rated in common"
    assert said(rated([choice("1", ANNA, "A"), judge(choice("1", "", "A"))]), "anna is the only person")


def test_a_judge_that_shares_few_items_with_people_is_named(rated):
    rows = [choice(str(i), name, "AB"[i % 2]) for i in range(40) for name in TESTERS]
    rows += [judge(choice(str(i), "", "AB"[i % 2])) for i in range(5)]
    rows += [judge(choice(str(i), "", "AB"[i % 2]), "other") for i in range(40)]
    rows += [row for i in range(40) for row in (score(str(i), ANNA, i % 7), judge(score(str(i), "", i % 5), "other"))]
    found = rated(rows)
    assert said(found, "choices: fewer than 20 items shared with people, too few for a claim: judge")
    assert not said(found, "claim: other")
    assert not said(found, "scores: fewer")


def test_where_all_is_equal_kappa_and_alpha_are_not_defined(rated):
    rows = [choice(str(i), name, "A") for i in range(30) for name in TESTERS]
    rows += [judge(choice(str(i), "", "A")) for i in range(30)]
    rows += [score(str(i), name, 5) for i in range(30) for name in (*TESTERS, "judge")]
    found = rated(rows)
    assert found.choices.people.share.value == 1.0
    assert found.choices.people.share.interval[0] < 1
    assert found.choices.against[0].majority_kappa.value is None
    assert found.choices.people.alpha.value is None
    assert said(found, "alpha of people is not defined")
    assert said(found, "people give nothing but 5")
    pair = found.scores.against[0]
    assert (pair.bias.value, pair.bias.interval, pair.bias.why) == (0.0, None, "all scores are equal")
    assert pair.tau_b.value is pair.kappa.value is pair.alpha_interval.value is None
    document = msgspec.json.encode(found)
    assert b"NaN" not in document
    assert json.loads(document)["scores"]["against"][0]["tau_b"]["value"] is None


def test_scores_on_two_scales_are_said(rated):
    rows = [row for i in range(30) for row in (score(str(i), ANNA, i % 5 + 1), judge(score(str(i), "", i % 10 + 1)))]
    assert said(rated(rows), "judge gives 1 to 10, people 1 to 5")
    assert not said(rated(rows[:0] + [row for row in rows if row["score"] < 6]), "two scales")


def test_more_people_than_can_be_paired_are_looked_at_as_a_whole(rated):
    crowd = [f"p{i}" for i in range(MOST_PAIRED + 4)]
    rows = [choice(str(i), name, "AB"[i % 2]) for i in range(25) for name in crowd]
    found = rated(rows)
    assert len(found.choices.pairs) == math.comb(MOST_PAIRED, 2)
    assert found.choices.people.share.n == 25 * math.comb(len(crowd), 2)
    assert said(found, "compared two by two only among the first 16")


def test_items_and_models_that_the_runs_do_not_hold_are_said(rated, tmp_path):
    rows = [score("1", ANNA, 3), score("x", ANNA, 3), prefer("1", ANNA, "a", "m", "zz")]
    path = tmp_path / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = msgspec.structs.replace(read([path]), known_items=frozenset("1"), known_models=frozenset("m"))
    warnings = agree(found, **FEW).warnings
    assert "1 rating of 1 item that the runs do not hold (x)" in warnings
    assert "1 rating of models that the runs are not of (zz)" in warnings
    clean = msgspec.structs.replace(found, known_items=frozenset("1x"), known_models=frozenset(("m", "zz")))
    assert not any("the runs" in warning for warning in agree(clean, **FEW).warnings)


def test_a_rater_of_two_kinds_is_no_person(rated):
    found = rated([choice("1", ANNA, "A"), choice("1", "j", "A"), judge(choice("2", "", "A"), "j")])
    assert [(one.name, one.kind) for one in found.raters] == [(ANNA, "person"), ("j", "judge")]
    assert said(found, "said to be of more than one kind, and taken as no person: j")


def test_a_metric_of_which_lower_is_better_is_turned_round_in_both_places(rated):
    rows = [
        score(str(i), "metric:wer", 0.5 + shift, order=order)
        for i in range(3)
        for order, shift in (("reference-first", 0.1), ("reference-second", 0.0))
    ]
    (position,) = rated(rows).positions
    assert position.difference.value == pytest.approx(-0.1)
    assert (position.first, position.second) == (pytest.approx(0.5), pytest.approx(0.6))


def test_metrics_alone_are_not_held_against_each_other(rated):
    rows = [score(str(i), name, i) for i in range(30) for name in ("metric:a", "metric:b")]
    found = rated(rows)
    assert found.scores.pairs == found.scores.against == []
    assert not said(found, "nothing that another rater rated")
    found = rated([prefer("1", ANNA, "a"), judge(prefer("2", "", "a")), score("1", "metric:a", 1)])
    assert found.preferences.pairs == []


def test_people_who_share_nothing_are_not_held_against_each_other(rated):
    rows = [score("1", ANNA, 3), score("2", BEN, 4), judge(score("3", "", 4))]
    found = rated(rows).scores
    assert found.each_person == found.against == found.pairs == []
    assert found.alpha_interval.value is None


@pytest.mark.slow
def test_a_crowd_of_judges_people_or_models_does_not_take_forever(rated):
    crowd = [judge(score(str(i % 30), "", i % 7), f"j{i % 500}") for i in range(3_000)]
    crowd += [score(str(i % 30), f"p{i % 700}", i % 5) for i in range(3_000)]
    crowd += [prefer(str(i % 30), f"p{i % 700}", "a", f"m{i % 50}", f"n{i % 49}") for i in range(3_000)]
    found = rated(crowd, resamples=20)
    assert len(found.scores.against) == MOST_MACHINES
    assert len(found.scores.pairs) <= math.comb(MOST_MACHINES + MOST_PAIRED, 2)
    assert said(found, "500 judges and metrics: only the first 32 are looked at")
    assert said(found, "700 people")
    assert found.preferences.people.models == []


NAMES = st.sampled_from(["1", "2", "anna", "ben", "judge", "metric:wer", "m", "n", "\u2028", "x" * 50])
LINES = st.fixed_dictionaries(
    {"item": NAMES, "rater": NAMES},
    optional={
        "kind": st.sampled_from(["person", "judge", "metric"]),
        "model": NAMES,
        "model_a": NAMES,
        "model_b": NAMES,
        "order": st.sampled_from(["", "reference-first", "reference-second", "upside down"]),
        "score": st.floats(-1e9, 1e9) | st.integers(1, 10),
        "choice": st.sampled_from("ABc"),
        "preferred": st.sampled_from(["a", "b", "equal"]),
    },
)


@settings(max_examples=60)
@given(rows=st.lists(LINES, min_size=1, max_size=40))
def test_whatever_is_rated_there_is_an_answer_without_nan(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        ratings = read([path])
    except UsageError:  # not one line says anything
        return
    found = agree(ratings, resamples=20)
    assert b"NaN" not in msgspec.json.encode(found)
    assert section_page.render(agree_page.page(found)).startswith("<!DOCTYPE html>")
    for measure in measures(msgspec.to_builtins(found)):
        low, high = measure["interval"] or (measure["value"], measure["value"])
        assert measure["value"] is None or low - 1e-6 * abs(low) <= measure["value"] <= high + 1e-6 * abs(high)
        assert measure["interval"] is not None or measure.get("why")


def measures(found):
    """Every measure of a document, however deep."""
    if isinstance(found, dict) and {"value", "interval"} <= set(found):
        yield found
    for one in found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple) else ():
        yield from measures(one)
