"""The modes: what raters are asked, that nothing tells them more, and what their words become."""

import json
from collections import Counter

import msgspec
import pytest

from audiometry.cli import reviewing
from audiometry.errors import UsageError
from audiometry.records import Item
from audiometry.review import sources
from audiometry.review.answers import Answer
from audiometry.review.desk import Desk
from audiometry.review.modes import OF_ITEMS, OF_REPLIES, answer, approve
from audiometry.review.unit import Judged, Unit
from audiometry.score.opened import open_runs

OPTIONS = ("dog", "cat", "cow", "hen")
ITEM = Item(id="i", task="t", question="Who?", options=OPTIONS, answer="cat")
OPEN_CARD = '[benchmark]\nname = "open"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n'


def said(value, order=(), rater="r"):
    return Answer(unit="u", item="i", content="c", rater=rater, said=value, order=tuple(order), at="")


def answered(mode, unit, value, order=()):
    return [msgspec.to_builtins(line) for line in mode.ratings(unit, said(value, order))]


@pytest.fixture
def opened(tmp_path):
    """What the command opens for these: ``opened(mode, *paths, sample=3)``; gives the review."""

    def call(mode, *of, **given):
        given = {"output": tmp_path / "kept", "sample": None, "raters": None, "seed": None} | given
        return reviewing.opened(tuple(map(str, of)), mode, **given)[0]

    return call


@pytest.fixture
def runs(make_benchmark, make_run):
    """Four runs over six items, in which models name themselves; the last two err alike on the first item."""
    folder = make_benchmark(6)
    names = [f"lab/model-{name}" for name in "abcd"]
    right = {f"item-{n:05}": OPTIONS[n % 4] for n in range(6)}
    wrong = right | {"item-00000": "hen"}
    return [make_run(folder, wrong if n > 1 else right, model=name) for n, name in enumerate(names)]


def test_align_gives_the_letter_under_which_the_model_was_shown_the_option():
    unit = Unit(item=ITEM, replies=(Judged("m", "It is C."),), options=("hen", "cow", "cat", "dog"))
    mode = OF_REPLIES["align"]
    form = mode.form(unit, ())
    assert [(one.value, one.text) for one in form.fields[0].options][:4] == [
        ("A", "hen"), ("B", "cow"), ("C", "cat"), ("D", "dog")
    ]  # fmt: skip
    (line,) = answered(mode, unit, {"meant": "C"})
    assert (line["choice"], line["model"], line["item"]) == ("C", "m", "i")
    assert [answered(mode, unit, {"meant": one})[0]["choice"] for one in ("none", "several")] == ["none", "several"]
    assert not mode.hears


@pytest.mark.parametrize(
    ("chosen", "order", "preferred"),
    [("first", (0, 1), "a"), ("first", (1, 0), "b"), ("second", (0, 1), "b"), ("second", (1, 0), "a"),
     ("equal", (1, 0), "equal")],
)  # fmt: skip
def test_prefer_is_the_same_word_whatever_side_a_reply_stood_on(chosen, order, preferred):
    unit = Unit(item=ITEM, replies=(Judged("m", "one"), Judged("n", "two")))
    mode = OF_REPLIES["prefer"]
    assert [part.text for part in mode.form(unit, order).shown[-2:]] == [("one", "two")[at] for at in order]
    (line,) = answered(mode, unit, {"preferred": chosen}, order)
    assert (line["preferred"], line["model_a"], line["model_b"]) == (preferred, "m", "n")
    assert line["order"] == ("b-first" if order[0] else "a-first")


def test_sides_are_drawn_for_each_rater_and_balanced(journal):
    units = [Unit(item=msgspec.structs.replace(ITEM, id=str(n)), replies=(Judged("m", "1"), Judged("n", "2")))
             for n in range(200)]  # fmt: skip
    desk = Desk(OF_REPLIES["prefer"], units, raters=1, seed=1, journal=journal())
    sides = {name: [desk.order(unit, name)[0] for unit in units] for name in ("anna", "ben")}
    assert sides["anna"] != sides["ben"]
    assert all(70 <= sum(one) <= 130 for one in sides.values())  # four standard errors


def test_pairs_are_shared_out_evenly_among_models(runs):
    found = sources.pairs(open_runs(runs), 20, 1)
    counts = Counter(unit.models for unit in found)
    assert len(found) == len({(unit.item.id, unit.models) for unit in found}) == 20
    assert len(counts) == 6
    assert max(counts.values()) - min(counts.values()) <= 1
    assert found == sources.pairs(open_runs(runs), 20, 1)
    assert found != sources.pairs(open_runs(runs), 20, 2)
    assert len(sources.pairs(open_runs(runs), None, 1)) == 36


TICKS = {
    "right": ["1"],
    "two": ["0", "1"],
    "other": ["0"],
    "cannot": ["cannot"],
    "wrong": ["wrong"],
}  # in the item's own order the right one is 1


def answers_of(*kinds, order=(0, 1, 2, 3)):
    return [said({"true": TICKS[kind]}, order, f"r{n}") for n, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "more", "verdict"),
    [
        ((), 3, None),
        (("right", "right"), 1, None),
        (("right",) * 3, 0, "keep"),  # they agree
        (("right", "right", "two"), 1, None),
        (("right", "right", "two", "right"), 1, None),
        (("right", "right", "two", "right", "right"), 0, "keep"),
        (("right", "two", "two", "right", "two"), 0, "reject"),  # a wrong one is ticked by three of five
        (("right", "two", "other", "wrong", "wrong"), 0, "reject"),  # two of five: what is wrong stays in the count
        (("right", "right", "other", "other", "cannot"), 0, "keep"),  # two of four: a half is enough, and not more
        (("two",) * 3, 0, "reject"),
        (("wrong",) * 3, 0, "reject"),
        (("cannot", "right", "right"), 1, None),
        (("cannot", "right", "right", "right"), 0, "keep"),
        (("cannot",) * 2, 3, None),
        (("cannot",) * 3, 2, None),
        (("cannot", "cannot", "cannot", "right", "right"), 0, "reject"),  # under three usable answers
    ],
)
def test_answer_asks_three_to_five_and_drops_as_muchomusic_does(kinds, more, verdict):
    unit = Unit(item=ITEM, options=OPTIONS)
    given = answers_of(*kinds)
    assert answer.wanted(unit, given, 5) == more
    decision = answer.decide(unit, given)
    assert (decision.verdict if decision else None) == verdict


def test_what_is_ticked_is_kept_by_its_place_in_the_item_whatever_order_it_was_shown_in():
    unit, mode = Unit(item=ITEM, options=OPTIONS), OF_ITEMS["answer"]
    order = (3, 1, 0, 2)
    assert [one.text for one in mode.form(unit, order).fields[0].options[:4]] == ["hen", "cat", "dog", "cow"]
    assert [line["choice"] for line in answered(mode, unit, {"true": ["0"]}, order)] == ["D"]
    for ticks, choice in ((["0", "1"], "several"), (["cannot"], "cannot"), (["wrong"], "wrong")):
        assert [line["choice"] for line in answered(mode, unit, {"true": ticks}, order)] == [choice]
    for ticks, letters in ((["0", "1"], "BD"), (["2"], "A"), (["0", "1", "2", "3"], "ABCD"), (["cannot"], None)):
        assert [line.get("ticked") for line in answered(mode, unit, {"true": ticks}, order)] == [letters]
    assert answer.ticked(said({"true": ["1", "2"]}, order)) == {1, 0}
    alike = [said({"true": ["0"]}, (1, 0, 2, 3), "a"), said({"true": ["1"]}, (0, 1, 2, 3), "b"),
             said({"true": ["3"]}, (2, 3, 0, 1), "c")]  # fmt: skip
    assert answer.wanted(unit, alike, 5) == 0  # all three ticked the cat


def test_what_excludes_the_others_is_ticked_alone(journal):
    unit = Unit(item=ITEM, options=OPTIONS)
    desk = Desk(OF_ITEMS["answer"], [unit], raters=5, seed=1, journal=journal())
    with pytest.raises(UsageError, match="excludes the others"):
        desk.put("anna", unit.key, {"true": ["0", "cannot"]})
    desk.put("anna", unit.key, {"true": ["2", "0"]})
    assert desk.answers.by("anna", unit.key).said == {"true": ["0", "2"]}


@pytest.mark.parametrize(
    ("words", "verdict", "changes"),
    [
        (["1"], "mend", {"answer": "dog"}),
        (["0"], "keep", {}),
        (["both", "both", "1"], "reject", {}),
        (["neither"], "reject", {}),
        (["1", "0"], "keep", {}),  # split: the stated answer stays
        (["1", "1", "0"], "mend", {"answer": "dog"}),
        (["cannot", "cannot", "1"], "keep", {}),
    ],
)
def test_errata_mends_what_most_say(words, verdict, changes):
    unit, mode = Unit(item=ITEM, options=OPTIONS, suspects=("cat", "dog")), OF_REPLIES["errata"]
    decision = mode.decide(unit, [said({"right": one}, (0, 1), f"r{n}") for n, one in enumerate(words)])
    assert (decision.verdict, decision.changes) == (verdict, changes)
    assert mode.decide(unit, []) is None
    swapped = [msgspec.to_builtins(line)["choice"] for line in mode.ratings(unit, said({"right": "0"}, (1, 0)))]
    assert swapped == ["A"]  # the dog, which stood first
    for word, choice in (("both", "several"), ("neither", "none"), ("cannot", "cannot")):
        assert [line.choice for line in mode.ratings(unit, said({"right": word}, (1, 0)))] == [choice]


def test_suspects_are_what_several_models_agree_on_against_the_benchmark(opened, runs):
    with pytest.raises(UsageError, match="nothing to review"):  # two of four are no majority
        opened("errata", *runs)
    review = opened("errata", *runs[1:], output=runs[0].parent / "other")
    (unit,) = review.units
    assert unit.item.id == "item-00000"
    assert unit.suspects == ("dog", "hen")


@pytest.mark.parametrize("mode", ["align", "prefer", "score", "code", "errata", "answer"])
def test_no_byte_that_a_rater_is_sent_tells_who_spoke_or_what_is_right(mode, opened, runs, client, serving):
    folder = json.loads((runs[0] / "run.json").read_text())["benchmark"]["source"]
    review = opened(mode, *([folder] if mode == "answer" else runs[1:]))
    anna = client(serving(review, folder), "anna")
    seen = 0
    while "unit" in (put := anna.next()):
        sent = json.dumps(put)
        assert not any(word in sent for word in ("lab/", "model-", "item-0", "audio/0", '"right": true', "suspects"))
        field = put["form"]["fields"][0]
        value = field["options"][0]["value"]
        assert anna.say(put, **{field["name"]: [value] if field["kind"] == "many" else value}).status == 200
        seen += 1
    assert seen == len(review.units) > 0
    assert {line.rater for line in review.ratings()} == {"anna"}


def test_scores_are_read_by_score_people(make_benchmark, make_run, opened, cli, tmp_path):
    folder = make_benchmark([{"options": [], "answer": "a bark"} for _ in range(32)], card=OPEN_CARD)
    run = make_run(folder, {f"item-{n:05}": f"I hear {n}" for n in range(32)})
    review = opened("", run)
    assert review.mode.name == "score"
    with review.desk() as desk:
        while unit := desk.next("anna"):
            desk.put("anna", unit.key, {"score": "7"})
    review.export(tmp_path / "people.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    assert {(line["score"], line["model"]) for line in lines} == {(7.0, "made/by-hand")}
    told = cli("score", run, "--measure", "token-f1", "--people", tmp_path / "people.jsonl")
    assert "has no scores by people" not in told.err


def test_codes_are_read_by_modes_people(opened, runs, cli, tmp_path):
    review = opened("code", runs[3])
    form = review.mode.form(review.units[0], ())
    assert [one.value for one in form.fields[0].options][:2] == ["declined", "training-data-bias"]
    assert not any(one.right for part in form.shown for one in part.options)
    with review.desk() as desk:
        while unit := desk.next("anna"):
            desk.put("anna", unit.key, {"code": "auditory-hallucination", "note": "no such animal"})
    assert review.export(tmp_path / "codes.jsonl") == len(review.units) > 0
    found = cli("modes", runs[3], "--people", tmp_path / "codes.jsonl", "--json").json
    coders = {one["name"]: one for one in found["runs"][0]["coders"]}
    assert coders["anna"]["n_coded"] == len(review.units)


def test_every_word_is_exported_and_counts_in_agreement(opened, runs, cli, tmp_path):
    review = opened("align", runs[0], raters=2)
    words = {"anna": ["A", "B", "C", "none", "none", "none"], "ben": ["A", "B", "C", "none", "several", "D"]}
    with review.desk() as desk:
        for name, said_of in words.items():
            for unit, word in zip(review.units, said_of, strict=True):
                desk.put(name, unit.key, {"meant": word})
    assert review.export(tmp_path / "a.jsonl") == 12
    found = cli("agree", tmp_path / "a.jsonl", "--json")
    assert found.code == 0
    assert found.json["choices"]["n_units"] == 6
    assert found.json["choices"]["pairs"][0]["share"]["value"] == pytest.approx(4 / 6)


def test_preferences_are_read_by_agree(opened, runs, cli, tmp_path):
    review = opened("", *runs, sample=12, raters=2)
    assert review.mode.name == "prefer"
    assert len(review.units) == 12
    with review.desk() as desk:
        for name in ("anna", "ben"):
            while unit := desk.next(name):
                desk.put(name, unit.key, {"preferred": "first"})
    review.export(tmp_path / "p.jsonl")
    found = cli("agree", tmp_path / "p.jsonl", "--json")
    assert found.code == 0
    assert found.json["preferences"]["n_units"] == 12


@pytest.mark.parametrize(
    ("mode", "of", "why"),
    [
        ("approve", [0], "mode approve is for a benchmark"),
        ("align", ["bench"], "mode align is for runs"),
        ("prefer", [0], "give two runs or more"),
        ("prefer", [0, 0], "given twice"),
        ("", [0, "bench"], "is no run, and others are"),
        ("", ["bench", "bench"], "reviewed alone"),
        ("vote", [0], "unknown mode of review 'vote'"),
        ("errata", [0], "nothing to review in mode errata"),
    ],
)
def test_what_cannot_be_reviewed_so_is_one_line(cli, runs, mode, of, why, tmp_path):
    folder = json.loads((runs[0] / "run.json").read_text())["benchmark"]["source"]
    paths = [folder if one == "bench" else runs[one] for one in of]
    got = cli("review", *paths, *(["--mode", mode] if mode else []), "-o", tmp_path / "kept", "--port", 0)
    assert got.code == 2
    assert why in got.err
    assert got.err.count("\n") == 1


def test_runs_over_different_benchmarks_are_not_compared(cli, make_benchmark, make_run, runs):
    other = make_run(make_benchmark(5), {"item-00000": "A"}, model="lab/other")
    assert "over different benchmarks" in cli("review", runs[0], other, "--port", 0).err


def test_replies_that_never_came_are_not_judged(make_benchmark, make_run):
    folder = make_benchmark(4)
    said = {"item-00000": "A", "item-00001": " ", "item-00002": {"error": {"kind": "timeout", "message": "x"}},
            ("item-00003", "noise"): "B"}  # fmt: skip
    run = make_run(folder, said, variants=("plain", "noise"))
    assert [unit.item.id for unit in sources.replies(open_runs([run])[0])] == ["item-00000"]


def test_two_runs_of_one_model_are_not_compared(cli, make_run, runs):
    folder = json.loads((runs[0] / "run.json").read_text())["benchmark"]["source"]
    twin = make_run(folder, {"item-00000": "A"}, model="lab/model-a")
    assert "two of the runs are of lab/model-a" in cli("review", runs[0], twin, "--port", 0).err


@pytest.mark.parametrize("mode", ["align", "answer", "code"])
def test_no_choice_has_a_key_that_is_the_pages_own(mode):
    many = tuple(f"option {n}" for n in range(26))
    unit = Unit(item=msgspec.structs.replace(ITEM, options=many), options=many, replies=(Judged("m", "one"),))
    asked = (OF_ITEMS | OF_REPLIES)[mode]
    keys = [one.key for one in asked.form(unit, tuple(range(26))).fields[0].options if one.key]
    assert not set(keys) & set("psu?" if asked.hears else "u?")
    assert len(set(keys)) == len(keys)


def test_reasons_have_keys_of_their_own():
    form = approve.form(Unit(item=ITEM, options=OPTIONS), ())
    keys = [one.key for one in next(field for field in form.fields if field.name == "reason").options]
    assert len(set(keys)) == len(approve.REASONS) == len(keys)
