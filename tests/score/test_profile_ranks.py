"""Several runs ranked under each profile, and what moves them."""

import json
import re

import pytest

from audiometry.score import score
from audiometry.score.opened import open_run
from audiometry.score.ranks import ranked

FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}


def letter(number):
    return "ABCD"[number % 4]


def run_of(make_run, folder, right, n, rest="{wrong}", **changes):
    """The first ``right`` items answered right; the others wrong, or with ``rest``."""
    replies = {}
    for number in range(n):
        wrong = letter(number + 1) if rest == "{wrong}" else rest
        replies[f"item-{number:05}"] = letter(number) if number < right else wrong
    return make_run(folder, replies, **changes)


def ranks(paths, names=("all",)):
    runs = [open_run(path) for path in paths]
    return [score.ranks for score in ranked([score(run, names) for run in runs], runs)]


def test_equal_headlines_share_a_place_and_the_next_is_left_out(make_benchmark, make_run):
    folder = make_benchmark(10, clips=False)
    found = ranks([run_of(make_run, folder, right, 10) for right in (5, 9, 5, 2)])
    assert [r["strict"].rank for r in found] == [2, 1, 2, 4]
    assert [r["strict"].tied for r in found] == [1, 0, 1, 0]
    assert all(rank.change == 0 for r in found for rank in r.values())
    assert {rank.of for r in found for rank in r.values()} == {4}


def test_leaving_hard_items_unanswered_wins_under_airbench(make_benchmark, make_run):
    folder = make_benchmark(10, clips=False)
    honest, silent = run_of(make_run, folder, 6, 10), run_of(make_run, folder, 3, 10, rest="Hmm.")
    found = ranks([honest, silent])
    assert [r["strict"].rank for r in found] == [1, 2]
    assert [r["airbench"].rank for r in found] == [2, 1]
    assert [r["airbench"].change for r in found] == [-1, 1]


def test_places_among_other_tasks_are_none_gained_or_lost(make_benchmark, make_run):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "bells"\n[[task]]\nname = "mood"\nkind = "label"'
    moods = [{"task": "mood", "options": [], "answer": ("sad", "glad")[n % 2]} for n in range(4)]
    folder = make_benchmark([{"task": "bells"} for _ in range(4)] + moods, card=card, clips=False)
    runs = []
    for right in ("bells", "mood"):
        said = {f"item-{n:05}": letter(n + (right != "bells")) for n in range(4)}
        said |= {f"item-{n:05}": ("sad", "glad")[(n + (right != "mood")) % 2] for n in range(4, 8)}
        runs.append(make_run(folder, said))
    found = ranks(runs, ("strict", "airbench"))
    assert [one["strict"].rank for one in found] == [1, 2]
    assert [one["macro-f1"].rank for one in found] == [2, 1]
    assert [one["macro-f1"].change for one in found] == [None, None]
    assert [one["airbench"].change for one in found] == [0, 0]


def test_a_run_with_more_than_one_percent_failed_has_no_rank_under_strict_only(make_benchmark, make_run, cli):
    folder = make_benchmark(100, clips=False)
    one = run_of(make_run, folder, 50, 100)
    at_the_limit, beyond = (
        make_run(folder, {f"item-{n:05}": letter(n) if n < came else FAILURE for n in range(100)}) for came in (99, 98)
    )
    found = ranks([one, at_the_limit, beyond])
    assert [r["strict"].rank for r in found] == [2, 1, None]
    assert [r["strict"].of for r in found] == [2, 2, 2]
    assert "more than 1 % of the replies failed" in found[2]["strict"].why
    assert [r["airbench"].rank for r in found] == [3, 1, 1]
    assert [r["airbench"].change for r in found] == [-1, 0, None]
    said = cli("score", one, at_the_limit, beyond, "--profile", "all").out
    assert "#None" not in said
    assert re.search(r"\d\.\d not\s+ranked", said)  # in the table, beside the value
    assert "#1=" in said


def test_the_table_of_ranks_is_whole_on_a_terminal_of_eighty_columns(make_benchmark, make_run):
    from audiometry.render.console import Terminal
    from audiometry.report.views.ranks import ranks as view

    folder = make_benchmark(10, clips=False)
    name = "exec/python serve.py --checkpoint weights/step-120000"
    paths = [run_of(make_run, folder, 6, 10, model=name), run_of(make_run, folder, 3, 10, rest="Hmm.", model="b/b")]
    runs = [open_run(path) for path in paths]
    scores = ranked([score(run, ["all"]) for run in runs], runs)
    with (console := Terminal(80)).capture() as captured:
        console.show([view(scores, [name, "b/b"])])
    text = captured.get()
    assert "\u2026" not in text
    assert all(part in text for part in re.findall(r"[^ /-]+", name))  # broken behind joints alone
    ours = {label: (f"{100 * one.value:.1f}", scores[0].ranks[label].rank) for label, one in scores[0].scores.items()}
    assert [
        one for one, (value, rank) in ours.items() if f"{one}, %" not in text or f"{value} #{rank}" not in text
    ] == []
    assert len(ours) >= 5


def test_a_run_that_is_not_finished_has_no_rank(make_benchmark, make_run):
    folder = make_benchmark(4, clips=False)
    found = ranks([run_of(make_run, folder, 3, 3), run_of(make_run, folder, 1, 4)])
    assert {name: (rank.rank, rank.tied, rank.why) for name, rank in found[0].items()} == dict.fromkeys(
        found[0], (None, 0, "1 reply not asked for yet")
    )
    assert {rank.rank for rank in found[1].values()} == {1}


def test_a_run_without_a_number_has_no_rank(make_benchmark, make_run):
    folder = make_benchmark(4, clips=False)
    found = ranks([run_of(make_run, folder, 4, 4), run_of(make_run, folder, 0, 4, rest="Hmm.")])
    assert [r["airbench"].rank for r in found] == [1, None]
    assert found[1]["airbench"].why
    assert found[1]["strict"].rank == 2


def test_only_runs_on_the_same_items_are_ranked_against_each_other(make_benchmark, make_run, cli):
    folder = make_benchmark(8, clips=False)
    whole, other = run_of(make_run, folder, 4, 8), run_of(make_run, folder, 5, 8)
    part = run_of(make_run, folder, 4, 4, limit=4, n_items=4)
    found = ranks([whole, part, other])
    why = "no other of these runs was asked the same items"
    assert {name: (one.rank, one.why) for name, one in found[1].items()} == dict.fromkeys(found[1], (None, why))
    assert found[1].keys() == found[0].keys()
    assert [found[0]["strict"].rank, found[2]["strict"].rank] == [2, 1]
    said = " ".join(cli("score", whole, part, other).out.split())
    assert f"({part.name}) is not ranked under strict: {why}" in said
    assert ("100.0 not ranked" in said, "None" in said) == (True, False)
    assert ranks([whole, part]) == [{}, {}]


def test_runs_that_are_not_ranked_for_one_reason_stand_in_one_line(make_benchmark, make_run, cli):
    folder = make_benchmark(8, clips=False)
    two = [run_of(make_run, folder, right, 8) for right in (4, 5)]
    parts = [run_of(make_run, folder, n, n, limit=n, n_items=n) for n in (3, 4)]
    said = " ".join(cli("score", *two, *parts).out.split())
    assert said.count("no other of these runs was asked the same items") == 1
    assert f"({parts[0].name})" in said
    assert f"({parts[1].name}) are not ranked under strict: no other" in said


def test_without_strict_there_is_no_change_to_state(make_benchmark, make_run):
    folder = make_benchmark(4, clips=False)
    found = ranks([run_of(make_run, folder, 4, 4), run_of(make_run, folder, 1, 4)], ["airbench", "evalscope"])
    assert [r["evalscope"].rank for r in found] == [1, 2]
    assert {rank.change for r in found for rank in r.values()} == {None}


def test_the_json_of_several_runs_is_a_list_with_ranks_and_plain_matching(make_benchmark, make_run, cli):
    folder = make_benchmark(4, clips=False)
    good, vague = run_of(make_run, folder, 4, 4), run_of(make_run, folder, 1, 4, rest="Hmm.")
    first, second = json.loads(cli("score", good, vague, "--profile", "all", "--json").out)
    matched = [one["scores"]["strict"]["extras"]["plain_matching"] for one in (first, second)]
    every = {"n_read": 4, "n_replies": 4, "share": 1.0}
    assert matched[0] == {"airbench-text": every, "airbench-script": every}
    assert [one["share"] for one in matched[1].values()] == pytest.approx([1 / 4, 1 / 4])
    assert second["ranks"]["strict"]["rank"] == 2
    assert second["ranks"]["airbench"] == {"rank": 1, "of": 2, "tied": 1, "change": 1, "why": ""}
    assert json.loads(cli("score", good, "--json").out)["ranks"] == {}


def test_runs_that_cannot_be_ranked_say_why_and_one_is_not_ranked_against_itself(make_benchmark, make_run, cli):
    folder = make_benchmark(6, clips=False)
    whole, part, again = (run_of(make_run, folder, 3, 6, **more) for more in ({}, {"limit": 4}, {}))
    said = cli("score", whole, part)
    assert said.code == 0
    assert "Not ranked: no two of these runs were asked just the same items (--task, --category and" in said.out
    assert "audiometry compare takes those that both were asked" in " ".join(said.out.split())
    assert [one["ranks"] for one in cli("score", whole, part, "--json").json] == [{}, {}]
    assert "Not ranked" not in cli("score", whole, again).out
    other = run_of(make_run, make_benchmark(5, clips=False), 3, 5)
    assert "Not ranked: these are runs of different benchmarks, or of" in cli("score", whole, other).out
    twice = cli("score", whole, again, f"{whole}/.")
    assert twice.code == 2
    assert "is given twice; give each run once" in twice.err
