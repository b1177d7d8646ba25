"""Which items models answer from the words alone."""

import math

import pytest
from scipy import stats

from audiometry import seeds
from audiometry.analysis.giveaways import LEVEL, giveaways
from audiometry.errors import UsageError
from audiometry.score.opened import open_run

LETTERS = "ABCD"


def gold(n):
    return LETTERS[n % 4]


def knows(n_items, known, seed):
    """A model that knows some items' answers and guesses the others'."""
    draw = seeds.stream(seed, "guesses")
    return {
        (f"item-{n:05}", variant): gold(n) if n in known else draw.pick(LETTERS)
        for variant in ("plain", "text-only")
        for n in range(n_items)
    }


@pytest.fixture
def runs(make_benchmark, said):
    """``runs(48, known, models)``: so many models that know some of the items, opened."""

    def make(n_items, known, models, folder=None):
        folder = folder or make_benchmark(n_items)
        return [open_run(said(folder, f"m{seed}", knows(n_items, known, seed), "text-only")) for seed in range(models)]

    return make


def test_items_that_all_models_know_are_listed_and_no_others(runs):
    known = {3, 10, 17}
    found = giveaways(runs(48, known, 8))
    assert {one.item for one in found.items} == {f"item-{n:05}" for n in known}
    assert all((one.n_models, one.n_right) == (8, 8) and one.p_corrected <= LEVEL for one in found.items)
    assert [one.answer for one in sorted(found.items, key=lambda one: one.item)] == ["hen", "cow", "cat"]
    assert (found.n_items, len(found.models)) == (48, 8)
    assert found.reason == "8 models can show it for a single item"


def test_p_is_the_binomial_tail_at_the_models_own_rate_of_the_letter(runs):
    opened = runs(40, {0}, 6)
    found = giveaways(opened)
    (one,) = found.items
    rates = []
    for seed in range(6):
        letters = [text for (_, variant), text in knows(40, {0}, seed).items() if variant == "text-only"]
        rates.append(max(0.25, letters.count("A") / 40))
    assert one.p == pytest.approx(math.prod(rates))
    assert one.expected == pytest.approx(sum(rates))
    assert one.p >= stats.binom.sf(5, 6, 0.25)


def test_a_letter_that_all_models_like_gives_nothing_away(make_benchmark, said):
    folder = make_benchmark(24)
    always = {(f"item-{n:05}", variant): "A" for n in range(24) for variant in ("plain", "text-only")}
    found = giveaways([open_run(said(folder, f"m{k}", always, "text-only")) for k in range(8)])
    assert found.items == ()
    assert found.n_items == 24


def test_guessing_lists_nothing(runs):
    assert giveaways(runs(48, set(), 8)).items == ()


@pytest.mark.parametrize(
    ("models", "reason"),
    [
        (1, "one model cannot show it for any item, however many of them are right; about 3 models are needed"),
        (2, "2 models cannot show it for any item, however many of them are right; about 3 models are needed"),
        (4, "4 models can show it only if at least 8 % of the items give themselves away; more models see single ones"),
    ],
)
def test_few_models_say_how_little_they_show(runs, models, reason):
    found = giveaways(runs(48, {1}, models))
    assert found.reason == reason
    assert found.items == ()
    assert (found.least_share > 1) == (models < 3)


def test_replies_that_decline_are_no_answers(make_benchmark, said):
    folder = make_benchmark(8)
    declined = {(f"item-{n:05}", v): "I cannot hear any audio." for n in range(8) for v in ("plain", "text-only")}
    found = giveaways([open_run(said(folder, "m", declined, "text-only"))])
    assert (found.n_items, found.least_share) == (0, None)
    assert found.models != ()
    assert "one model asked in words alone gave no answer that could be read" in found.reason


def test_runs_without_words_alone_and_second_runs_of_a_model_are_passed_over(runs, make_benchmark, said):
    folder = make_benchmark(12)
    without = open_run(said(folder, "plain", knows(12, set(), 0)))
    nothing = giveaways([without])
    assert (nothing.models, nothing.items, nothing.least_share) == ((), (), None)
    assert "--variant text-only" in nothing.reason
    one = runs(12, set(), 1, folder)
    assert len(giveaways([*one, without, *one]).models) == 1


def test_a_stated_chance_above_guessing_counts(make_benchmark, said):
    card = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nchance = 1.0\n'
    folder = make_benchmark(8, card=card)
    found = giveaways([open_run(said(folder, "m", knows(8, set(range(8)), 0), "text-only"))])
    assert found.items == ()
    assert found.reason == "one model cannot show it for any item, however many of them are right"


def test_only_runs_of_one_benchmark(make_benchmark, said, runs):
    with pytest.raises(UsageError, match="runs of one benchmark"):
        giveaways([])
    with pytest.raises(UsageError, match="runs of one benchmark"):
        giveaways([*runs(4, set(), 1), open_run(said(make_benchmark(5), "other", knows(5, set(), 0)))])
