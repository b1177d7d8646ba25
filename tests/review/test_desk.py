"""The desk: each unit gets its raters, whoever comes, leaves or sends twice."""

import itertools

import msgspec
import pytest

from audiometry.errors import UsageError
from audiometry.files import jsonl
from audiometry.files.journal import Journal
from audiometry.records import Item
from audiometry.review import desk as desks
from audiometry.review.answers import Answer
from audiometry.review.desk import Desk
from audiometry.review.modes import OF_ITEMS, OF_REPLIES
from audiometry.review.unit import Unit, drawn

YES = {"verdict": "approve"}


@pytest.fixture
def units():
    options = ("dog", "cat")
    return [Unit(item=Item(id=f"i{n}", question=f"{n}?", options=options, answer="dog")) for n in range(12)]


@pytest.fixture
def make(units, journal):
    def call(kept=None, clock=lambda: 0.0, lines=(), among=units, mode="approve", **more):
        settings = {"raters": 1, "seed": 1} | more
        kept = journal() if kept is None else kept
        return Desk((OF_ITEMS | OF_REPLIES)[mode], among, journal=kept, lines=lines, clock=clock, **settings)

    return call


def work(desk, rater, most=1000):
    """Answer until nothing is left; the units in order."""
    seen = []
    while len(seen) < most and (unit := desk.next(rater)) is not None:
        desk.put(rater, unit.key, YES)
        seen.append(unit.item.id)
    return seen


@pytest.mark.parametrize("raters", [1, 2, 3])
def test_each_unit_has_as_many_raters_as_asked_and_nobody_twice(make, raters):
    desk = make(raters=raters)
    left = dict.fromkeys("abcd", True)
    while any(left.values()):
        for name in left:
            left[name] = bool(work(desk, name, most=1))
    assert {len(desk.answers.of(key)) for key in desk.units} == {raters}
    assert all(len({one.rater for one in desk.answers.of(key)}) == raters for key in desk.units)
    counts = [desk.answers.count(name) for name in left]
    assert max(counts) - min(counts) <= raters  # who works at the same pace has as much


def test_what_is_left_for_later_comes_after_all_others_and_in_turn(make):
    desk = make(raters=2)
    put_off = []
    for _ in range(2):
        put_off.append(desk.next("anna").item.id)
        desk.later("anna")
    assert work(desk, "ben", most=12)[-2:] != put_off  # for anna alone
    assert work(desk, "anna")[-2:] == put_off
    desk.later("anna")  # where nothing is before one
    assert desk.next("anna") is None


def test_what_one_has_before_them_is_given_to_nobody_else_until_they_are_away(make):
    now = [0.0]
    desk = make(clock=lambda: now[0])
    held = desk.next("anna")
    assert desk.next("anna") is held  # a reload shows the same
    desk.begin("anna", held.key)
    assert held.item.id not in work(desk, "ben")
    assert desk.next("ben") is None
    now[0] = desks.AWAY_S - 1
    assert desk.next("ben") is None
    now[0] = desks.AWAY_S
    assert desk.next("ben") is held  # she left: others finish
    desk.put("ben", held.key, YES)
    desk.put("anna", held.key, {"verdict": "reject", "reason": "clip"})  # she comes back: her word is kept too
    assert [one.rater for one in desk.answers.of(held.key)] == ["ben", "anna"]
    assert desk.next("anna") is None


def test_who_only_opens_the_page_keeps_nobody_waiting_for_long(make, units):
    now = [0.0]
    desk = make(clock=lambda: now[0], among=units[:1])
    held = desk.next("anna")
    assert desk.next("ben") is None
    now[0] = desks.IDLE_S
    assert desk.next("ben") is held
    assert desk.next("anna") is None  # it is his now


def test_who_leaves_without_a_word_lets_others_have_it_and_finds_it_again(make, units):
    desk = make(among=units[:1])
    held = desk.next("anna")
    desk.leave("anna", desk.visit("anna") - 1)  # another page of hers
    desk.leave("cy", 1)
    assert desk.next("ben") is None
    desk.leave("anna", desk.visit("anna"))
    assert desk.next("anna") is held  # a reload
    assert desk.next("ben") is None
    desk.leave("anna", desk.visit("anna"))
    assert desk.next("ben") is held


def test_what_was_left_for_later_is_so_after_a_restart(make, journal):
    kept = journal()
    desk = make(kept)
    put_off = [desk.next("anna").item.id]
    desk.later("anna")
    put_off.append(desk.next("anna").item.id)
    desk.later("anna")
    again = make(journal(), lines=kept)
    assert len(again.answers) == again.answers.passed_over == 0
    assert work(again, "anna")[-2:] == put_off


def test_a_rater_sees_their_own_answers_and_changes_one(make, journal):
    kept = journal()
    desk = make(kept)
    seen = work(desk, "anna", most=3)
    work(desk, "ben", most=2)
    before = desk.next("anna")
    assert [line.item for line in desk.answers.all_by("anna")] == seen[::-1]
    desk.put("anna", desk.answers.all_by("anna")[2].unit, {"verdict": "reject", "reason": "clip"})
    assert desk.answers.count("anna") == 3
    assert desk.answers.all_by("anna")[0].said == {"verdict": "reject", "reason": "clip"}
    assert desk.next("anna") is before  # what was before them still is
    assert len(kept) == 6


def test_others_finish_what_somebody_has_begun(make):
    desk = make(raters=2)
    begun = work(desk, "anna", most=5)
    assert set(work(desk, "ben", most=5)) != set(begun)  # there is one for each place: in an order of his own
    desk = make(raters=2)
    begun = work(desk, "anna", most=5)
    for name in ("ben", "cy"):
        desk.next(name)
    assert set(begun) <= {*work(desk, "ben", most=6), *work(desk, "cy", most=6)}


def test_orders_are_each_raters_own_and_always_the_same(make):
    first, again, other = (work(make(raters=9, seed=seed), "anna") for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first != work(make(raters=9), "ben")


def test_an_answer_that_is_sent_twice_is_kept_once(make, journal):
    kept = journal()
    desk = make(kept)
    unit = desk.next("anna")
    for _ in range(2):
        desk.put("anna", unit.key, YES, seconds=2.5)
    assert len(kept) == 1
    assert (kept[0].item, kept[0].rater, kept[0].seconds, kept[0].said) == (unit.item.id, "anna", 2.5, YES)
    desk.put("anna", unit.key, {"verdict": "reject", "reason": "other", "note": " hum "})  # another word replaces it
    assert len(kept) == 2
    assert desk.answers.by("anna", unit.key).said == {"verdict": "reject", "reason": "other", "note": "hum"}


def test_undo_goes_back_answer_by_answer(make, journal):
    kept = journal()
    desk = make(kept)
    assert desk.undo("anna") is None
    seen = [desk.next("anna")]
    desk.put("anna", seen[0].key, YES)
    seen.append(desk.next("anna"))
    desk.put("anna", seen[1].key, YES)
    for unit in reversed(seen):
        assert desk.undo("anna")[0] is unit
        assert desk.next("anna") is unit
    assert len(desk.answers) == 0
    assert [line.undone for line in kept] == [False, False, True, True]
    assert desk.undo("ben") is None  # what others said is theirs


def test_what_was_kept_counts_at_the_next_start(make, journal, units):
    kept = journal()
    desk = make(kept, raters=2)
    done = work(desk, "anna", most=4)
    desk.undo("anna")
    later = make(journal(), lines=kept, raters=2)
    assert later.answers.count("anna") == 3
    assert set(done[:3]).isdisjoint(work(later, "anna"))
    assert later.progress("anna").left == 0
    changed = [*units[:1], Unit(item=Item(id="i1", question="another?", options=("dog", "cat"), answer="dog"))]
    found = Desk(OF_ITEMS["approve"], changed, raters=1, seed=1, journal=journal(), lines=kept)
    assert all(one.item != "i1" for one in found.answers)  # it was said of another text
    assert found.answers.passed_over > 0


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "needed"),
        ({"verdict": "maybe"}, "no choice"),
        ({"verdict": ["approve", "mend"]}, "one choice"),
        ({"verdict": "reject"}, "Why"),
        ({"verdict": "reject", "reason": "other", "note": "x" * 10_001}, "shorten"),
        ({"verdict": "mend", "question": "q", "option-0": " ", "option-1": "b", "answer": "dog"}, "Option A"),
        (
            {"verdict": "mend", "question": "0?", "option-0": "dog", "option-1": "cat", "answer": "dog"},
            "nothing is mended",
        ),
        ({"verdict": "mend", "question": "0?", "option-0": "CAT", "option-1": "cat", "answer": "dog"}, "say the same"),
        ({"verdict": "mend", "question": " ", "option-0": "cat", "option-1": "dog", "answer": "dog"}, "Question"),
    ],
)
def test_what_is_no_answer_is_refused_and_nothing_kept(make, journal, said, why):
    kept = journal()
    desk = make(kept)
    unit = next(one for one in desk.units.values() if one.item.id == "i0")
    with pytest.raises(UsageError, match=why):
        desk.put("anna", unit.key, said)
    assert kept == []


def test_a_page_can_answer_only_what_it_was_given_and_as_that_stood(make, units):
    desk = make(salt="s")
    unit = desk.next("anna")
    address = desk.address(unit, "anna")
    assert desk.at(address, "anna") is unit
    work(desk, "anna", most=1)
    assert desk.at(address, "anna") is unit  # sent twice
    changed = [msgspec.structs.replace(one, options=("cat", "dog")) for one in units]
    later = make(salt="s", among=changed)
    for other, who in ((desk, "ben"), (make(salt="t"), "anna"), (later, "anna")):
        with pytest.raises(UsageError, match="load the page again"):
            other.at(address, who)


def test_nothing_that_is_sent_can_be_worked_out_from_what_is_public(make, units):
    one, other = make(salt="s"), make(salt="t")
    assert work(make(salt="s"), "anna") != work(make(salt="t"), "anna")
    assert any(one.address(unit, "anna") != other.address(unit, "anna") for unit in units)
    many = [Unit(item=Item(id=f"j{n}"), suspects=("a", "b")) for n in range(40)]
    orders = [[make(among=many, mode="errata", salt=salt).order(unit, "anna") for unit in many] for salt in "st"]
    assert orders[0] != orders[1]


def test_what_was_not_asked_is_not_kept(make, journal):
    kept = journal()
    desk = make(kept)
    desk.put("anna", desk.next("anna").key, {"verdict": "approve", "reason": "clip", "else": "x"}, seconds=-3)
    assert kept[0].said == YES
    assert kept[0].seconds is None


def test_a_sample_is_drawn_alike_and_always_the_same(units):
    some = drawn(units, 5, 3)
    assert some == drawn(units, 5, 3)
    assert len(some) == len({one.key for one in some}) == 5
    assert drawn(units, 99, 3) == drawn(units, None, 3) == units
    hits = [one.item.id for seed in range(600) for one in drawn(units, 5, seed)]
    counts = [hits.count(one.item.id) for one in units]
    assert all(abs(n - 250) < 60 for n in counts), counts  # five standard errors


def test_keys_tell_nothing_of_items_and_models(units):
    assert not any(set(one.key) - set("0123456789abcdef") for one in units)
    assert len({one.key for one in units}) == len(units)
    assert all(a.content != b.content for a, b in itertools.pairwise(units))


def test_an_answer_is_about_all_that_was_judged(units):
    unit = units[0]
    changes = ({"question": "q"}, {"options": ("dog", "cow")}, {"answer": "cat"}, {"sha256": "00"}, {"file_name": "a"})
    contents = {Unit(item=msgspec.structs.replace(unit.item, **one), options=()).content for one in changes}
    assert len(contents | {unit.content}) == 1 + len(changes)
    assert Unit(item=msgspec.structs.replace(unit.item, tags={"loud": True}), options=()).content == unit.content


def test_what_somebody_withdraws_is_gone_and_given_to_others(make, tmp_path):
    with Journal(tmp_path / "answers.jsonl") as kept:
        desk = make(kept)
        work(desk, "anna", most=3)
        desk.next("anna")
        desk.later("anna")
        work(desk, "ben", most=2)
        desk.forget("anna")
        assert desk.answers.raters == ["ben"]
        assert desk.progress("ben").done == 2
        again = make(kept, lines=jsonl.read(kept.path, Answer))
        assert (again.answers.count("anna"), again.answers.count("ben")) == (0, 2)
        assert b"anna" not in kept.path.read_bytes()
        assert len(work(desk, "cara")) == 10
