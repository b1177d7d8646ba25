"""Votes over the passes that leave one distractor out each, against a loop of its own."""

from collections import Counter

import pytest

from audiometry import bench as benches
from audiometry import seeds
from audiometry.choices.variant import shown_options
from audiometry.score.door import score
from audiometry.score.leave_one_out import guessed
from audiometry.score.opened import open_run

OPTIONS = ["dog", "cat", "cow", "hen", "owl"]
FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
PASSES = ("leave-1", "leave-2", "leave-3", "leave-4")


def said_by(loaded, text_of):
    """A reply to each item and variant, the letter of what ``text_of`` names among what is shown."""
    found = {}
    for item in loaded:
        for variant in ("plain", *PASSES):
            shown = shown_options(item, seed=0, variant=variant)
            text = text_of(item, variant, shown)
            found[item.id, variant] = "ABCDE"[shown.index(text)] if text in shown else text
    return found


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark([{"options": OPTIONS}] * 20, clips=False)


def scored(make_run, folder, text_of, profile="strict"):
    run = make_run(folder, said_by(benches.load(folder, absent=()), text_of), variants=("plain", *PASSES))
    return score(open_run(run), [profile]).scores[profile]


def test_a_vote_is_counted_as_an_independent_loop_counts_it(make_run, folder):
    def drawn(item, variant, shown):
        return seeds.stream(3, item.id, variant).pick([*shown, item.answer, "I do not know."])

    one = scored(make_run, folder, drawn).extras.leave_one_out
    loaded = benches.load(folder, absent=())
    right = tied = single = 0
    for item in loaded:
        taken = [drawn(item, variant, shown_options(item, seed=0, variant=variant)) for variant in PASSES]
        votes = Counter(text for text in taken if text in OPTIONS)
        first, *others = sorted(votes.values(), reverse=True) or [0]
        mine = votes[item.answer]
        right += mine == first > max(others, default=0)
        tied += mine == first == max(others, default=0)
        single += mine / 4
    assert right
    assert tied
    assert one.vote.value == pytest.approx(right / 20)
    assert (one.n_tied, one.n_items) == (tied, 20)
    assert one.each.value == pytest.approx(single / 20)
    assert one.chance == pytest.approx(guessed(5))


def test_as_many_for_another_is_not_right(make_run, folder):
    def two_of_four(item, variant, _shown):
        other = next(option for option in OPTIONS if option != item.answer)  # the first of its distractors
        return item.answer if variant in {"leave-1", "leave-4"} else other

    one = scored(make_run, folder, two_of_four).extras.leave_one_out
    assert (one.vote.value, one.n_tied, one.each.value) == (0.0, 20, 0.5)


def test_no_vote_without_every_pass(make_run, folder):
    said = said_by(benches.load(folder, absent=()), lambda item, _variant, _shown: item.answer)
    some = {key: text for key, text in said.items() if key[1] != "leave-4"}
    run = make_run(folder, some, variants=("plain", *PASSES[:3]))
    assert score(open_run(run)).scores["strict"].extras.leave_one_out is None


@pytest.mark.parametrize("n", [3, 4, 5])
def test_chance_is_what_a_guesser_gets(n):
    draw, right = seeds.stream(0, "guesser", str(n)), 0
    for _ in range(4000):
        votes = Counter(draw.pick([place for place in range(n) if place != left]) for left in range(1, n))
        right += votes[0] > max((votes[place] for place in range(1, n)), default=0)
    assert right / 4000 == pytest.approx(guessed(n), abs=0.025)


@pytest.mark.parametrize("profile", ["strict", "muchomusic", "lmms-eval", "airbench"])
def test_single_passes_are_those_of_the_rows_beside_them_under_all_rules(make_run, folder, profile):
    """Some rules draw a letter for what they cannot read, and some leave it out."""

    def drawn(item, variant, shown):
        return seeds.stream(4, item.id, variant).pick([*shown, item.answer, "none of them"])

    one = scored(make_run, folder, drawn, profile)
    rows = [one.fewer[name] for name in PASSES]
    right = sum(row.value * row.n_counted for row in rows)
    assert one.extras.leave_one_out.each.value == pytest.approx(right / sum(row.n_counted for row in rows))
    assert one.extras.leave_one_out.each.n == sum(row.n_counted for row in rows)
    assert (sum(row.n_guessed for row in rows) > 0) == (profile == "lmms-eval")


def test_a_pass_that_was_lost_raises_no_vote(make_run, folder):
    def one_of_four(item, variant, _shown):
        """The right option once more than another, or as often; what did not come could change some."""
        other = next(option for option in OPTIONS if option != item.answer)
        number = int(item.id[-5:])
        if variant == "leave-1":  # the other is not shown
            return item.answer
        if variant == "leave-2":
            return item.answer if number % 4 < 3 else other
        if variant == "leave-3":
            return item.answer if number % 4 == 0 else other
        return FAILURE

    found = scored(make_run, folder, one_of_four).extras.leave_one_out
    assert (found.n_lost, found.n_items) == (20, 20)
    assert found.vote.value == pytest.approx(5 / 20)  # three of three
    assert found.most == pytest.approx(15 / 20)  # two to one, had the fourth been right
    assert found.n_tied == 0
    whole = scored(make_run, folder, lambda item, variant, _: item.answer).extras.leave_one_out
    assert (whole.n_lost, whole.most, whole.vote.value) == (0, 1.0, 1.0)


def test_what_nobody_reads_is_no_tie_and_items_of_three_options_have_two_passes(make_benchmark, make_run):
    folder = make_benchmark([{"options": OPTIONS[:3]}] * 8, clips=False)
    unread = scored(make_run, folder, lambda *_: "I do not know.").extras.leave_one_out
    assert (unread.n_tied, unread.vote.value, unread.n_items) == (0, 0.0, 8)
    right = scored(make_run, folder, lambda item, *_: item.answer).extras.leave_one_out
    assert (right.vote.value, right.n_items, right.chance) == (1.0, 8, 0.25)


def test_items_with_a_distractor_less_are_voted_on_over_their_own_passes(make_benchmark, make_run):
    """The right option last, in a place that the others have not."""
    rows = [{"options": OPTIONS[:4] if n == 7 else OPTIONS, "answer": "hen" if n == 7 else "owl"} for n in range(8)]
    found = scored(make_run, make_benchmark(rows, clips=False), lambda item, *_: item.answer).extras.leave_one_out
    assert (found.vote.value, found.each.value, found.n_items, found.each.n) == (1.0, 1.0, 8, 7 * 4 + 3)
    assert found.chance == pytest.approx((7 * guessed(5) + guessed(4)) / 8)
