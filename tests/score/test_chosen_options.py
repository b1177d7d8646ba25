"""What choices tell besides whether they are right, against loops over the replies by hand."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from statistics import stdev

import msgspec
import numpy as np
import pytest

from audiometry import seeds
from audiometry.choices.ordering import order
from audiometry.choices.variant import asked, asked_names
from audiometry.score import score
from audiometry.score.consistency import consistency
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.preferences import distractors, preferences, share
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import UNPLANNED

KINDS = ("IR", "CU", "IU")
VALUES = {"knowledge": ("melody", "harmony", "structure"), "reasoning": ("lyrics", "genre and style")}
CARD = """
[benchmark]
name = "music"
version = "1"
[[task]]
name = "sounds"
[[dimension]]
tag = "knowledge"
title = "Music knowledge"
values = ["melody", "harmony", "structure"]
[[dimension]]
tag = "reasoning"
title = "Music reasoning"
values = ["lyrics", "genre and style"]
[distractors]
IR = "incorrect but related"
CU = "correct but unrelated"
"""
FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
BLOCKED = {"text": "", "finish_reason": "content_filter"}
ORDERS = ("plain", *(f"order-{k}" for k in range(1, 9)))


def options_of(number):
    """Four options of an item, the right one first, and their kinds; lengths as a draw has it."""
    draw = seeds.stream(0, "lengths", str(number))
    return [f"{name}{number} {'x' * int(draw.random() * 5)}" for name in ("right", "ir", "cu", "iu")], ["", *KINDS]


def rows_of(n):
    rows = []
    for number in range(n):
        options, kinds = options_of(number)
        draw = seeds.stream(0, "rows", str(number))
        places = draw.shuffled(range(4))
        tags = {tag: [value for value in values if draw.random() < 0.4] for tag, values in VALUES.items()}
        rows.append(
            {
                "options": [options[k] for k in places],
                "kinds": [kinds[k] for k in places],
                "answer": options[0],
                "tags": {tag: values for tag, values in tags.items() if values},
                "group": f"track-{number // 2}",
            }
        )
    return rows


def shown(rows, number, variant):
    return order(f"item-{number:05}", rows[number]["options"], seed=0, order=asked(variant).order)


def written(make_benchmark, make_run, rows, said, variants, card=CARD):
    """A run in which ``said(number, variant, options as shown)`` is a letter, a text or a failure."""
    folder = make_benchmark(rows, card=card, clips=False)
    replies = {
        (f"item-{number:05}", variant): said(number, variant, shown(rows, number, variant))
        for number in range(len(rows))
        for variant in variants
    }
    return make_run(folder, replies, variants=variants), replies


def extras(run, profile="muchomusic"):
    return score(run, [profile], store=False).scores[profile].extras


def drawn(number, variant, options):
    draw = seeds.stream(3, "said", str(number), variant)
    return [*"ABCD", "ABCD"[0], "hm", FAILURE][int(draw.random() * 7)]


def test_every_count_of_kinds_and_places_against_a_loop(make_benchmark, make_run):
    rows, variants = rows_of(60), ORDERS[:3]
    run, replies = written(make_benchmark, make_run, rows, drawn, variants)
    found = extras(run)
    first, longest, kinds, expected_longest = Counter(), Counter(), Counter(), Fraction(0)
    table = {tag: {value: Counter() for value in values} for tag, values in VALUES.items()}
    every, n_longest = Counter(), 0
    for (item, variant), reply in replies.items():
        number = int(item[-5:])
        row, options = rows[number], shown(rows, number, variant)
        if reply == FAILURE:
            continue
        taken = options["ABCD".index(reply)] if reply in set("ABCD") else None
        kind = "none" if taken is None else row["kinds"][row["options"].index(taken)] or "right"
        every[kind] += 1
        for tag, values in row["tags"].items():
            for value in values:
                table[tag][value][kind] += 1
        if kind in {"none", "right"}:
            continue
        wrong = [one for one in options if one != row["answer"]]
        most = [one for one in wrong if len(one) == max(map(len, wrong))]
        kinds[kind] += 1
        first[taken == wrong[0]] += 1
        if len(most) < 3:
            longest[taken in most] += 1
            n_longest += 1
            expected_longest += Fraction(len(most), 3)
    one = found.preferences["first"]
    assert (one.n_taken, one.n, one.expected) == (first[True], first.total(), pytest.approx(1 / 3))
    assert one.share == pytest.approx(first[True] / first.total())
    one = found.preferences["longest"]
    assert (one.n_taken, one.n) == (longest[True], n_longest)
    assert one.expected == pytest.approx(float(expected_longest / n_longest))
    assert {kind: one.n_taken for kind, one in found.distractors.wrong.items()} == dict(kinds)
    assert sum(one.share for one in found.distractors.wrong.values()) == pytest.approx(1)
    assert all(one.expected == pytest.approx(1 / 3) for one in found.distractors.wrong.values())

    def counted(taken):
        return Counter({"right": taken.right, "none": taken.none} | taken.kinds)

    assert counted(found.distractors.all) == every
    told = {tag: {v: counted(taken) for v, taken in values.items()} for tag, values in found.distractors.by.items()}
    assert told == table
    assert found.distractors.titles == {
        "IR": "incorrect but related",
        "CU": "correct but unrelated",
        "IU": "IU",
    }  # in the card's order, then as met


def test_dimensions_have_rows_by_value_and_for_any_and_an_item_is_in_the_row_of_each(make_benchmark, make_run):
    rows = rows_of(40)
    run, replies = written(make_benchmark, make_run, rows, drawn, ("plain", "order-1"))
    scored = score(run, ["muchomusic"], by=["knowledge"], store=False).scores["muchomusic"]
    right = {
        key: Fraction(shown(rows, int(key[0][-5:]), key[1])["ABCD".index(reply)] == rows[int(key[0][-5:])]["answer"])
        if reply != FAILURE and reply in set("ABCD")
        else Fraction(0)
        for key, reply in replies.items()
    }
    for tag, values in VALUES.items():
        dimension = scored.extras.dimensions[tag]
        assert [*dimension.values] == [v for v in values if any(v in row["tags"].get(tag, ()) for row in rows)]
        for value, row in {**dimension.values, None: dimension.any}.items():
            mine = [n for n, one in enumerate(rows) if tag in one["tags"] and value in {None, *one["tags"][tag]}]
            wanted = sum(right[f"item-{n:05}", v] for n in mine for v in ("plain", "order-1")) / (2 * len(mine))
            assert (row.n_items, row.value) == (len(mine), pytest.approx(float(wanted)))
            assert row.interval[0] <= row.value <= row.interval[1]
            assert row.chance == 1 / 4
    assert scored.by["knowledge"]["melody"] == scored.extras.dimensions["knowledge"].values["melody"]
    assert sum(row.n_items for row in scored.extras.dimensions["knowledge"].values.values()) > sum(
        bool(row["tags"].get("knowledge")) for row in rows
    )
    assert scored.extras.dimensions["knowledge"].title == "Music knowledge"


def test_a_dimension_that_no_item_has_has_no_rows(make_benchmark, make_run):
    rows = [row | {"tags": {}} for row in rows_of(4)]
    run, _ = written(make_benchmark, make_run, rows, drawn, ("plain",))
    found = extras(run).dimensions["knowledge"]
    assert (found.any, found.values) == (None, {})


def letter_of(options, text):
    return "ABCD"[options.index(text)]


@pytest.mark.parametrize("bias", ["first", "longest", "IR"])
def test_a_model_that_prefers_something_is_told_of_that_and_one_that_guesses_is_not(make_benchmark, make_run, bias):
    rows = rows_of(60)

    def prefers(number, variant, options):
        row = rows[number]
        wrong = [one for one in options if one != row["answer"]]
        by = {
            "first": lambda: wrong[0],
            "longest": lambda: max(wrong, key=len),
            "IR": lambda: row["options"][row["kinds"].index("IR")],
        }
        sure = seeds.stream(0, "sure", str(number), variant).random()
        return letter_of(options, by[bias]() if sure < 0.5 else row["answer"])

    run, _ = written(make_benchmark, make_run, rows, prefers, ORDERS[:3])
    found = extras(run)
    every = {**found.preferences, **found.distractors.wrong}
    assert every[bias].share == 1.0
    assert every[bias].apart
    assert [name for name, one in every.items() if one.apart and name in {"first", "longest"}] == [
        name for name in ("first", "longest") if name == bias
    ]
    run, _ = written(
        make_benchmark, make_run, rows, lambda n, v, _: seeds.stream(1, "g", str(n), v).pick("ABCD"), ORDERS[:3]
    )
    found = extras(run)
    assert not any(one.apart for one in {**found.preferences, **found.distractors.wrong}.values())


def test_a_guesser_is_told_of_a_preference_no_oftener_than_stated(make_benchmark, make_run):
    """Of 150 guessers: how often any of the five, the first, the longest and three kinds, is said to be preferred."""
    rows = rows_of(50)
    run, _ = written(make_benchmark, make_run, rows, lambda *_: "A", ("plain",))
    opened = open_run(run)
    sheet = fill(opened, PROFILES.named("strict"), MEASURES.named("accuracy"))
    told, times = Counter(), 150
    for guesser in range(times):
        taken = np.random.default_rng(guesser).integers(0, 4, (50, 1))
        guessed = msgspec.structs.replace(sheet, letter=taken.astype(np.int32), option=taken.astype(np.int8))
        found, kinds = preferences(guessed), distractors(guessed, opened.benchmark.card)
        told.update(name for name, one in {**found, **kinds.wrong}.items() if one.apart)
        told["any"] += any(one.apart for one in {**found, **kinds.wrong}.values())
    assert told["any"] <= 0.05 * times + 3 * (0.05 * 0.95 * times) ** 0.5
    assert told["any"] > 0  # and it is no test that finds nothing


def test_a_kind_counts_where_it_and_another_were_there_to_be_taken(make_benchmark, make_run):
    """Kinds as many benchmarks have them: several of one, items without one, with nothing else, of two options."""
    each = [("X", "X", "Y"), ("X", "Y", "Z"), ("X", "X", "X"), ("Y", "Z", "Z"), ("X",)]
    rows = [
        {"options": [f"o{k}" for k in range(1 + len(its))], "answer": "o0", "kinds": ["", *its], "group": f"g{n}"}
        for n, its in enumerate(each * 12)
    ]
    run, replies = written(
        make_benchmark,
        make_run,
        rows,
        lambda n, v, shown: seeds.stream(8, str(n), v).pick("ABCD"[: len(shown)]),
        ("plain",),
    )
    found = extras(run).distractors.wrong
    for kind in "XYZ":
        n = taken = expected = 0
        for (item, _), reply in replies.items():
            kinds = rows[int(item[-5:])]["kinds"]
            if reply == "A" or not 0 < kinds.count(kind) < len(kinds) - 1:
                continue
            n, taken = n + 1, taken + (kinds["ABCD".index(reply)] == kind)
            expected += kinds.count(kind) / 3
        assert (found[kind].n, found[kind].n_taken) == (n, taken)
        assert found[kind].share == pytest.approx(taken / n)
        assert found[kind].expected == pytest.approx(expected / n)


@pytest.mark.parametrize(("kinds", "looks"), [(("IR", "CU", "IU"), 5), (("IR", "CU", "CU"), 3), (("IR",) * 3, 2)])
def test_preferences_that_are_looked_for_together_hold_together(make_benchmark, make_run, kinds, looks):
    """Each at .05 over their number: of two kinds one, since they add up to all."""
    options = ["o", "oo", "ooo", "oooo"]
    rows = [{"options": options, "answer": "o", "kinds": ["", *kinds], "group": f"g{n}"} for n in range(40)]
    run, _ = written(make_benchmark, make_run, rows, lambda n, *_: "BCDD"[n % 4], ("plain",))
    one = extras(run).preferences["longest"]
    expected = share(np.arange(40) % 4 > 1.5, np.ones(40), np.arange(40), 1 - 0.05 / looks)
    assert (one.share, one.n) == (0.5, 40)
    assert one.interval == pytest.approx(expected.interval)


def test_what_the_rules_pick_for_its_place_is_no_preference_of_the_model(make_benchmark, make_run):
    """MuChoMusic's script reads the first option shown where several are named; the others name none of two."""
    rows = rows_of(40)

    def names_two(number, _variant, options):
        wrong = [option for option in options if option != rows[number]["answer"]]
        return f"{wrong[0]} or {wrong[1]}" if number % 2 else letter_of(options, wrong[number // 2 % 3])

    run, _ = written(make_benchmark, make_run, rows, names_two, ("plain",))
    found = extras(run)
    assert (found.ifr.n_read, found.preferences["first"].n, sum(found.letters.chosen.values())) == (40, 20, 20)
    assert found.preferences["first"].share == pytest.approx(7 / 20)
    assert sum(one.n_taken for one in found.distractors.wrong.values()) == 40


def test_a_letter_that_the_rules_draw_counts_in_rounds_as_it_does_in_the_score(make_benchmark, make_run):
    rows = rows_of(80)
    run, _ = written(make_benchmark, make_run, rows, lambda *_: "hm", ORDERS[:5])
    one = score(run, ["lmms-eval"], store=False).scores["lmms-eval"]
    rounds = [one.extras.ways[name] for name in ORDERS[1:5]]
    assert one.extras.consistency["orders"].each == pytest.approx(sum(rounds) / 4)
    assert one.extras.consistency["orders"].each > 0.1
    assert (one.extras.preferences, one.extras.distractors.wrong) == ({}, {})  # nothing was taken
    assert (one.extras.distractors.all.right, one.extras.distractors.all.none) == (0, 80 * 5)


def test_right_in_every_order_of_a_round_against_a_loop(make_benchmark, make_run):
    rows = [*rows_of(20), {"options": ["yes", "no"], "answer": "no", "kinds": ["IR", ""]}]

    def said(number, variant, options):
        draw = seeds.stream(5, "said", str(number), variant)
        if number % 5 == 0:
            return "A"  # by the letter
        if number % 5 == 1 or draw.random() < 0.8:
            return "ABCD"[options.index(rows[number]["answer"])]
        return [*"ABCD", "hm", FAILURE][int(draw.random() * 6)]

    run, replies = written(make_benchmark, make_run, rows, said, ORDERS)  # two rounds of four options, four of two
    found = extras(run, "strict").consistency["orders"]
    by_item = {}
    for number, row in enumerate(rows):
        n = len(row["options"])
        rounds = []
        for first in range(1, 9, n):
            taken = []
            for k in range(first, first + n):
                reply, options = replies[f"item-{number:05}", f"order-{k}"], shown(rows, number, f"order-{k}")
                read = reply != FAILURE and reply in set("ABCD"[:n])
                taken.append(options["ABCD".index(reply)] if read else f"nothing {k}")
            rounds.append((taken == [row["answer"]] * n, len(set(taken)) == 1, taken.count(row["answer"]) / n))
        by_item[number] = [sum(one[k] for one in rounds) / len(rounds) for k in range(3)]
    n = len(rows)
    assert found.right.value == pytest.approx(sum(one[0] for one in by_item.values()) / n)
    assert found.same.value == pytest.approx(sum(one[1] for one in by_item.values()) / n)
    assert found.each == pytest.approx(sum(one[2] for one in by_item.values()) / n)
    assert found.chance == pytest.approx((20 * (1 / 4) ** 4 + (1 / 2) ** 2) / 21)
    assert (found.n_rounds, found.right.n, found.right.n_clusters) == (20 * 2 + 4, n, 11)
    assert found.right.interval[0] < found.right.value < found.right.interval[1]
    assert by_item[0][0] == 0.0  # what is chosen by its letter is right once a round
    assert by_item[1] == [1.0, 1.0, 1.0]


WORDED = CARD.replace(
    'name = "sounds"', 'name = "sounds"\nwordings = ["{question}", "Listen: {question}", "Say: {question}"]'
)


def by_wording(rows, replies, wordings, orders):
    """Of each item the shares of its orders that are right, and the same, in every wording; and of right replies."""
    found = []
    for number, row in enumerate(rows):
        each = []
        for k in range(orders):
            taken = []
            for variant in (name for name in asked_names(orders, wordings) if asked(name).order == k):
                reply, options = replies[f"item-{number:05}", variant], shown(rows, number, variant)
                read = reply != FAILURE and reply in set("ABCD")
                taken.append(options["ABCD".index(reply)] if read else f"nothing {variant}")
            right = taken.count(row["answer"])
            each.append((right == wordings, len(set(taken)) == 1, right / wordings))
        found.append([sum(one) / orders for one in zip(*each, strict=True)])
    return found


@pytest.mark.parametrize(("wordings", "orders"), [(3, 1), (2, 3)])
def test_right_in_every_wording_against_a_loop(make_benchmark, make_run, wordings, orders):
    rows = rows_of(40)

    def said(number, variant, options):
        draw = seeds.stream(6, "said", str(number), variant)
        if number % 4 == 0:  # the wording decides
            return "ABCD"[(options.index(rows[number]["answer"]) + asked(variant).wording) % 4]
        if draw.random() < 0.8:
            return "ABCD"[options.index(rows[number]["answer"])]
        return [*"ABCD", "hm", FAILURE][int(draw.random() * 6)]

    run, replies = written(make_benchmark, make_run, rows, said, asked_names(orders, wordings), WORDED)
    found, each = extras(run, "strict").consistency, by_wording(rows, replies, wordings, orders)
    assert list(found) == ["wordings"]  # three orders are no round
    one = found["wordings"]
    for value, k in ((one.right.value, 0), (one.same.value, 1), (one.each, 2)):
        assert value == pytest.approx(sum(item[k] for item in each) / 40)
    assert (one.right.n, one.right.n_clusters, one.n_rounds) == (40, 20, 40 * orders)
    assert one.chance == pytest.approx(0.25**wordings)
    assert one.right.interval[0] < one.right.value < one.right.interval[1]
    assert one.same.interval[0] < one.same.value < one.same.interval[1]
    assert each[0][:2] == [0.0, 0.0]


def test_a_model_that_takes_one_option_whatever_it_is_asked_is_the_same_and_not_right(make_benchmark, make_run, cli):
    rows = rows_of(30)
    wrong = [next(one for one in row["options"] if one != row["answer"]) for row in rows]
    run, _ = written(
        make_benchmark, make_run, rows, lambda n, _, options: "ABCD"[options.index(wrong[n])],
        asked_names(5, 2), WORDED,
    )  # fmt: skip
    found = extras(run, "strict").consistency
    assert {way: (one.right.value, one.same.value, one.n_rounds) for way, one in found.items()} == {
        "orders": (0.0, 1.0, 60), "wordings": (0.0, 1.0, 150),
    }  # fmt: skip
    said = " ".join(cli("score", run).out.split())
    assert "right in every order of a whole round 0.0" in said
    assert "right in every wording 0.0" in said
    assert said.count("100.0") >= 2  # the same option in all


def test_each_item_is_held_to_the_wordings_that_it_was_to_be_asked_in(make_benchmark, make_run):
    rows, variants = rows_of(9), asked_names(1, 3)
    run, replies = written(make_benchmark, make_run, rows, lambda *_: "A", variants, WORDED)
    source = Path(open_run(run).info.benchmark.source)
    stopped = make_run(source, {k: v for k, v in replies.items() if k[0] != "item-00004"}, variants=variants)
    assert extras(stopped).consistency["wordings"].right.n == 8
    sheet = fill(open_run(run), PROFILES.named("strict"), MEASURES.named("accuracy"))
    state = sheet.state.copy()
    state[:3, 2], state[3, 1:] = UNPLANNED, UNPLANNED  # three items in two wordings, one in one
    one = consistency(msgspec.structs.replace(sheet, state=state))["wordings"]
    assert (one.right.n, one.n_rounds) == (8, 8)
    assert one.chance == pytest.approx((3 * 0.25**2 + 5 * 0.25**3) / 8)


@pytest.mark.parametrize("variants", [("plain",), ORDERS[:4], ("plain", "order-2", "order-3", "order-4", "order-5")])
def test_less_than_a_whole_round_says_nothing_of_consistency(make_benchmark, make_run, variants):
    rows = rows_of(6)
    run, _ = written(make_benchmark, make_run, rows, lambda *_: "A", variants)
    assert extras(run).consistency == {}


def test_a_round_of_a_stopped_run_counts_where_it_was_asked_in_full(make_benchmark, make_run):
    rows = rows_of(6)
    run, replies = written(make_benchmark, make_run, rows, lambda *_: "A", ORDERS[:5])
    kept = {key: reply for key, reply in replies.items() if key != ("item-00002", "order-3")}
    again = make_run(Path(open_run(run).info.benchmark.source), kept, variants=ORDERS[:5])
    assert extras(again).consistency["orders"].right.n == 5


def test_the_rate_of_what_is_read_is_over_what_came_and_over_all(make_benchmark, make_run):
    said = ["A", "Drums", "hm", "", FAILURE, BLOCKED, "B", "none of them"]
    rows = rows_of(8)
    run, _ = written(make_benchmark, make_run, rows, lambda n, *_: said[n], ("plain",))
    found = extras(run).ifr
    assert (found.n_read, found.n_received, found.n_all) == (3, 6, 8)
    assert found.of_received.value == pytest.approx(3 / 6)
    assert found.of_all.value == pytest.approx(3 / 8)
    assert found.of_all.interval[0] < 3 / 8 < found.of_all.interval[1]
    found = extras(run, "lmms-eval").ifr  # what is drawn is not read
    assert (found.n_read, found.n_received, found.n_all) == (2, 6, 8)


def test_where_nothing_came_or_nothing_can_be_read_the_rate_is_said_all_the_same(make_benchmark, make_run):
    rows = rows_of(3)
    run, _ = written(make_benchmark, make_run, rows, lambda *_: FAILURE, ("plain",))
    found = extras(run).ifr
    assert (found.n_read, found.n_received, found.n_all, found.of_received) == (0, 0, 3, None)
    assert found.of_all.value == 0.0
    run, _ = written(make_benchmark, make_run, rows, lambda *_: "hm", ("plain",))
    found = extras(run)
    assert (found.ifr.of_received.value, found.ifr.of_all.value) == (0.0, 0.0)
    assert found.preferences == {}
    assert found.distractors.wrong == {}
    assert (found.distractors.all.right, found.distractors.all.none) == (0, 3)
    stopped = make_run(Path(open_run(run).info.benchmark.source), {"item-00000": "A"})
    assert extras(stopped).ifr.of_all is None
    assert extras(stopped).ifr.of_received.value == 1.0


def test_other_benchmarks_have_no_kinds_and_no_dimensions(make_benchmark, make_run):
    folder = make_benchmark(8, clips=False)
    run = make_run(folder, {f"item-{n:05}": "A" for n in range(8)})
    found = extras(run, "strict")
    assert (found.distractors, found.dimensions, found.consistency) == (None, {}, {})
    assert (found.preferences["first"].n, found.preferences["first"].share) == (6, 1.0)
    assert "longest" not in found.preferences  # all are of one length


def test_the_score_in_each_order_is_told_where_there_are_several(make_benchmark, make_run, cli):
    rows = rows_of(30)
    run, replies = written(make_benchmark, make_run, rows, drawn, ORDERS[:3])
    found = score(run, ["muchomusic"], store=False).scores["muchomusic"]
    right = dict.fromkeys(ORDERS[:3], 0)
    for (item, variant), reply in replies.items():
        options = shown(rows, int(item[-5:]), variant)
        came = reply != FAILURE and reply in set("ABCD")
        right[variant] += came and options["ABCD".index(reply)] == rows[int(item[-5:])]["answer"]
    assert found.extras.ways == {name: pytest.approx(n / 30) for name, n in right.items()}
    assert sum(found.extras.ways.values()) / 3 == pytest.approx(found.value)
    each = ", ".join(f"{100 * n / 30:.1f}" for n in right.values())
    spread = stdev(100 * n / 30 for n in right.values())
    said = " ".join(cli("score", run, "--profile", "muchomusic").out.split())
    assert f"Mean of 3 orders: {each} %, standard deviation {spread:.1f} points." in said
    one, _ = written(make_benchmark, make_run, rows, drawn, ORDERS[:1])
    assert extras(one).ways == {}
    assert "Mean of" not in cli("score", one).out
    stopped = make_run(Path(open_run(run).info.benchmark.source), {"item-00000": "A"}, variants=ORDERS[:2])
    assert extras(stopped).ways == {}


def test_what_is_read_in_no_order_is_not_the_same_in_every_order(make_benchmark, make_run):
    rows = rows_of(8)
    run, _ = written(make_benchmark, make_run, rows, lambda n, *_: "hm" if n % 2 else FAILURE, ORDERS[:5])
    found = extras(run).consistency["orders"]
    assert (found.right.value, found.same.value, found.each, found.n_rounds) == (0.0, 0.0, 0.0, 8)


def test_each_order_alone_is_of_the_items_that_were_asked_in_all_of_them(make_benchmark, make_run, cli):
    """Else orders differ in their items: here those of one order alone are the hard ones."""
    rows = rows_of(30)

    def said(number, _variant, options):
        return letter_of(options, rows[number]["answer"]) if number < 20 else "hm"

    run, replies = written(make_benchmark, make_run, rows, said, ORDERS[:3])
    some = {key: reply for key, reply in replies.items() if int(key[0][-5:]) < 20 or key[1] == "plain"}
    part = make_run(Path(open_run(run).info.benchmark.source), some, variants=ORDERS[:3])
    found = score(part, ["strict"], store=False).scores["strict"]
    assert found.extras.ways == dict.fromkeys(ORDERS[:3], 1.0)
    (note,) = [note for note in found.notes if "each way of asking" in note]
    assert note == "each way of asking alone is of the 20 of 30 items that were asked in all of them"
    assert note in " ".join(cli("score", part).out.split())
    assert not [note for note in score(run, ["strict"], store=False).scores["strict"].notes if "each way" in note]


@pytest.mark.parametrize("profile", ["muchomusic", "evalscope", "airbench"])
def test_rules_that_know_four_letters_say_how_many_right_ones_have_another(make_benchmark, make_run, profile):
    rows = [{"options": [f"o{k}" for k in range(5)], "answer": f"o{n % 5}"} for n in range(20)]
    said = {(f"item-{n:05}", "plain"): "ABCDE"[n % 5] for n in range(20)}
    run = make_run(make_benchmark(rows, clips=False), said)
    found = score(run, [profile, "strict"], store=False).scores
    (note,) = found[profile].notes
    assert note.startswith(
        "these rules read the letters A to D alone: in 4 of 20 replies that came the right one is another"
    )
    assert note.endswith("guessing among all letters is right in 16.0 %") == (profile != "airbench")
    assert found["strict"].notes == ()
    four = make_run(make_benchmark(8, clips=False), {f"item-{n:05}": "A" for n in range(8)})
    assert score(four, [profile], store=False).scores[profile].notes == ()
