"""Variants with fewer options and with every rotation: what is sent, what is counted, and what is refused."""

import json
import re
from collections import Counter

import pytest

from audiometry import bench as benches
from audiometry.choices.variant import shown_options
from audiometry.score.door import score
from audiometry.score.opened import OpenedRun, open_run

OPTIONS, KINDS = ["lute", "oboe", "bell", "fife"], ["", "IR", "CU", "IU"]
TITLES = '\n[distractors]\nIR = "incorrect but related"\nCU = "correct but unrelated"\nIU = "neither"\n'
CARD = '[benchmark]\nname = "made"\nversion = "1"\n'
PAIRS = ["IR", "CU", "IU", "IR+CU", "IR+IU", "CU+IU"]


def rows(n):
    """The right option goes round over the places, its kind with it."""
    turned = [(OPTIONS[k % 4 :] + OPTIONS[: k % 4], KINDS[k % 4 :] + KINDS[: k % 4]) for k in range(n)]
    return [
        {"question": f"Number {k}?", "options": options, "kinds": kinds, "answer": "lute"}
        for k, (options, kinds) in enumerate(turned)
    ]


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark(rows(12), card=CARD + TITLES)


def texts(server):
    return [line["text"] for line in server.log()]


def options_in(text):
    return re.findall(r"^[A-Z]\. (.+)$", text, re.MULTILINE)


def test_the_right_option_and_the_distractors_of_these_kinds_are_shown_with_the_own_clip_and_no_example(
    asked, folder, chat_server, replies, tmp_path
):
    server = chat_server(decode=True)
    words = ("--variant", "distractors=IR", "--variant", "distractors=IU+CU", "--shots", 1)
    assert asked(folder, server, *words).code == 0
    plain, fewer = ([text for text in texts(server) if ("Answer:" in text) == examples] for examples in (True, False))
    assert (len(plain), len(fewer)) == (12, 24)
    shown = Counter(frozenset(options_in(text)) for text in fewer)
    assert shown == {frozenset({"lute", "oboe"}): 12, frozenset({"lute", "bell", "fife"}): 12}
    assert all(line["formats"] == ["wav"] for line in server.log())
    records = replies(tmp_path / "run")
    clips = {record["item"]: record["audio_sha256"] for record in records if record["variant"] == "plain"}
    assert all(record["audio_sha256"] == clips[record["item"]] for record in records)
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["variants"] == ["plain", "distractors=IR", "distractors=CU+IU"]  # kinds in the card's order


def test_the_order_is_drawn_so_that_no_letter_is_favoured(make_benchmark):
    loaded = benches.load(make_benchmark(rows(400), card=CARD + TITLES, clips=False), absent=())
    places = Counter(shown_options(item, seed=0, variant="distractors=IR").index("lute") for item in loaded)
    assert 160 < places[0] < 240
    again = [shown_options(item, seed=1, variant="distractors=IR") for item in loaded]
    assert again != [shown_options(item, seed=0, variant="distractors=IR") for item in loaded]


def test_distractors_alone_stand_for_each_kind_and_each_two(cli, folder, tmp_path):
    words = ("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--dry-run", "--json")
    assert cli(*words, "--variant", "distractors").json["variants"] == ["plain", *(f"distractors={k}" for k in PAIRS)]
    assert cli(*words, "--variant", "leave-one-out").json["variants"] == ["plain", "leave-1", "leave-2", "leave-3"]
    assert cli(*words, "--variant", "leave-2").json["n_requests"] == 24


def test_leaving_one_out_leaves_each_distractor_out_once(make_benchmark):
    for item in benches.load(make_benchmark(rows(4), card=CARD)):
        shown = [set(shown_options(item, seed=0, variant=f"leave-{k}")) for k in (1, 2, 3)]
        left = [set(OPTIONS) - some for some in shown]
        assert set.union(*left) == set(OPTIONS[1:])
        assert all(len(one) == 1 for one in left)


def test_a_row_of_its_own_with_its_own_chance_and_no_part_in_the_headline(cli, folder, tmp_path):
    words = ("run", folder, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run", "--json")
    more = ("--variant", "distractors", "--variant", "leave-one-out")
    found = cli(*words, *more).json["scores"]["strict"]
    assert (found["value"], found["n_replies"], found["chance"]) == (1.0, 12, 0.25)
    chances = {name: row["chance"] for name, row in found["fewer"].items()}
    third = pytest.approx(1 / 3)
    assert chances == {f"distractors={kinds}": third if "+" in kinds else 0.5 for kinds in PAIRS} | {
        f"leave-{k}": third for k in (1, 2, 3)
    }
    assert {(row["value"], row["n_replies"]) for row in found["fewer"].values()} == {(1.0, 12)}
    assert found["variants"] == {}


def test_what_is_wrong_with_fewer_options_alone_leaves_the_headline_as_it_is(make_run, folder):
    loaded = benches.load(folder)
    said = {}
    for item in loaded:
        for variant in ("plain", "distractors=IR"):
            options = shown_options(item, seed=0, variant=variant)
            right = options.index("lute")
            said[item.id, variant] = "AB"[1 - right] if variant != "plain" else "ABCD"[right]
    run = open_run(make_run(folder, said, variants=("plain", "distractors=IR")))
    assert isinstance(run, OpenedRun)
    scores = score(run)
    one = scores.scores["strict"]
    assert (one.value, one.fewer["distractors=IR"].value) == (1.0, 0.0)
    assert scores.listening is None  # nothing was asked without the clips
    assert one.extras.letters is not None
    assert one.extras.letters.test is not None
    assert one.extras.letters.test.n_replies == 12


def test_an_item_without_these_kinds_is_not_asked_so(make_benchmark, cli, tmp_path):
    few = [*rows(4), {"question": "Other?"}, {"question": "Two?", "options": ["lute", "oboe"], "kinds": ["", "IR"]}]
    folder = make_benchmark([few[k] | ({"answer": "lute"} if k == 5 else {}) for k in range(6)], card=CARD)
    words = ("run", folder, "--model", "scripted/oracle", "--no-probe", "-o", tmp_path / "run", "--json")
    found = cli(*words, "--variant", "distractors=IR", "--variant", "distractors=CU").json["scores"]["strict"]
    rows_of = found["fewer"]
    assert {name: row["n_items"] for name, row in rows_of.items()} == {"distractors=IR": 5, "distractors=CU": 4}
    assert cli("score", tmp_path / "run", "--json").json["scores"]["strict"]["fewer"] == rows_of
    assert cli("list", "runs", tmp_path / "run", "--json").json[0]["stopped"] is False


def test_a_run_goes_on_and_may_be_asked_more(asked, folder, chat_server, tmp_path):
    server = chat_server(decode=True)
    assert asked(folder, server, "--variant", "distractors=IR", "--limit", 5).code == 0
    assert len(server.log()) == 10
    assert asked(folder, server, "--variant", "distractors=IR").code == 0
    assert len(server.log()) == 24
    assert asked(folder, server, "--variant", "distractors").code == 0
    assert len(server.log()) == 12 * 7
    assert "Nobody was asked" in asked(folder, server, "--variant", "distractors").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("distractors=XX",), r"unknown kind of distractor 'XX'.*made has IR, CU, IU"),
        (("distractors=ir",), r"did you mean 'IR'"),
        (("distractors=",), r"unknown kind of distractor ''"),
        (("leave-9",), r"--variant leave-9: the items of made have at most 3 distractors"),
        (("distractor",), r"unknown variant 'distractor'; did you mean 'distractors'"),
        (("cyclical",), r"unknown variant 'cyclical'; did you mean 'cyclic'"),
        (("order-1",), r"always asked with their own clip too"),
    ],
)
def test_a_slip_is_told_in_one_line(cli, folder, tmp_path, words, said):
    done = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--variant", *words)
    assert done.code == 2
    assert re.search(said, done.said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("distractors", r"made does not say of which kind its distractors are; leave it out"),
        ("distractors=IR", r"--variant distractors=IR: made does not say of which kind"),
        ("leave-one-out", r"no item of made has two distractors"),
    ],
)
def test_a_benchmark_that_has_no_such_thing_is_told_in_one_line(cli, make_benchmark, tmp_path, name, said):
    two = [{"options": ["dog", "cat"], "answer": "dog"}] * 3
    done = cli("run", make_benchmark(two), "--model", "scripted/oracle", "-o", tmp_path / "run", "--variant", name)
    assert done.code == 2
    assert re.search(said, done.said)


def test_cyclic_asks_as_many_orders_as_options_stand_in_every_place(asked, folder, chat_server, replies, tmp_path):
    server = chat_server(decode=True)
    assert asked(folder, server, "--variant", "cyclic").code == 0
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["variants"] == ["plain", "order-1", "order-2", "order-3", "order-4"]
    loaded = benches.load(folder)
    for item in loaded:
        turns = [shown_options(item, seed=0, variant=f"order-{k}") for k in range(1, 5)]
        assert {turn.index("lute") for turn in turns} == {0, 1, 2, 3}
        assert turns[1] == (*turns[0][1:], turns[0][0])
    done = asked(folder, server, "--variant", "cyclic", "--orders", 6)
    assert len(server.log()) == 12 * 6, done.err


def test_cyclic_of_open_questions_is_refused(cli, make_benchmark, tmp_path):
    card = CARD + '[[task]]\nname = "sounds"\nkind = "transcript"\n'
    folder = make_benchmark([{"options": [], "answer": "a word"}] * 2, card=card)
    done = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--variant", "cyclic")
    assert done.code == 2
    assert "the items of made have no options; leave it out" in done.said


def test_two_runs_are_compared_by_what_a_score_is_made_of_and_it_is_said(cli, folder, tmp_path):
    for name, model in (("a", "scripted/oracle"), ("b", "scripted/random")):
        words = ("run", folder, "--model", model, "--no-probe", "-o", tmp_path / name)
        assert cli(*words, "--variant", "distractors=IR").code == 0
    done = cli("compare", tmp_path / "a", tmp_path / "b")
    assert done.code == 0
    assert "variants with fewer options are not compared: distractors=IR" in " ".join((done.out + done.err).split())
