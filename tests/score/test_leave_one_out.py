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


def scored(make_run, folder, text_of):
    run = make_run(folder, said_by(benches.load(folder, absent=()), text_of), variants=("plain", *PASSES))
    return score(open_run(run)).scores["strict"]


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
