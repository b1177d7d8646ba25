"""Scores that come from run folders: through the one door, with their uncertainty, and item by item."""

import json

import numpy as np
import pytest

from audiometry.analysis.gap import gap
from audiometry.analysis.gap.items import correlations
from audiometry.analysis.gap.runs import of_runs
from audiometry.errors import UsageError

TASKS = "".join(
    f'[[task]]\nname = "{task}"\ncategory = "{category}"\n'
    for task, category in (("sounds", "sound"), ("voices", "speech"))
)
CARD = f'[benchmark]\nname = "made"\n{TASKS}'
N = 12


@pytest.fixture
def runs(make_benchmark, make_run):
    """Runs of models s0, s1, … of which s<n> gets the first so many right; half of the items are of each task."""

    def make(right, **more):
        options = ["dog", "cat", "cow", "hen"]
        rows = [
            {"id": f"i{n:02}", "task": "sounds" if n % 2 else "voices", "options": options, "answer": options[n % 4]}
            for n in range(N)
        ]
        folder = make_benchmark(rows, card=CARD, clips=False)
        found = []
        for number, n_right in enumerate(right):
            replies = {f"i{n:02}": options[(n if n < n_right else n + 1) % 4] for n in range(N)}
            found.append(make_run(folder, replies, model=f"s{number}", **more))
        return found

    return make


def test_scores_of_runs_are_those_of_scoring_with_their_errors(runs):
    table, items = of_runs(runs([3, 6, 9]))
    assert table.systems == ("s0", "s1", "s2")
    assert table.benchmarks == ("made",)
    assert table.values[:, 0] == pytest.approx([3 / N, 6 / N, 9 / N], abs=0.05)
    assert (table.errors > 0.05).all()
    assert table.n_items == (N,)
    (one,) = items
    assert one.systems == ("s0", "s1", "s2")
    assert one.values.sum(axis=1).tolist() == [3, 6, 9]
    assert len(one.items) == N


def test_every_task_can_be_a_benchmark(runs):
    table, _ = of_runs(runs([3, 6, 9]), by_task=True)
    assert set(table.benchmarks) == {"made/sounds", "made/voices"}
    assert set(table.category) == {"sound", "speech"}


def test_a_run_of_which_replies_failed_gives_no_score_and_is_told(runs, make_run):
    good = runs([3, 6, 9])
    bad = runs([5])[0]
    path = bad / "replies.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[: N // 2]) + "\n")
    table, _ = of_runs([*good, bad])
    assert np.isnan(table.values[:, 0]).sum() in {0, 1}
    assert any("so it gives no score" in one for one in table.notes)


def test_runs_that_hold_nothing_to_score_are_refused(make_benchmark, make_run):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nkind = "open"\n'
    folder = make_benchmark([{"id": "a", "options": [], "answer": "a dog"}], card=card, clips=False)
    with pytest.raises(UsageError, match="judge"):
        of_runs([make_run(folder, {"a": "something"}, model="s0")])


def test_runs_stand_one_after_the_other_behind_one_option(cli, runs, tmp_path):
    voted = tmp_path / "votes.csv"
    pairs = [(a, b) for a in range(4) for b in range(a)]
    lines = "".join(f"s{a},s{b},{20 + 5 * (a - b)},20,4\n" for a, b in pairs)
    voted.write_text(f"model_a,model_b,a_wins,b_wins,ties\n{lines}", encoding="utf-8")
    made = runs([2, 4, 6, 9])
    document = json.loads(cli("gap", "--runs", *made, "--votes", voted, "--json").out)
    (one,) = document["benchmarks"].values()
    assert (one["n_systems"], one["tau_b"]) == (4, 1.0)
    assert one["errors"][0] > 0
    assert document["items"]["made"]["n_along"] > 0
    said = cli("gap", "--runs", *made, "--votes", voted, "--tasks", "--profile", "strict")
    assert said.code == 0, said.err
    assert "made/voices" in said.out
    assert "go along with preference" in " ".join(said.out.split())
    assert cli("gap", "--scores", "x.csv", "--runs", *made, "--votes", voted).code == 2


def test_items_go_along_with_ratings_or_against_them(runs, drawn):
    found = runs([2, 4, 6, 8, 10])
    table, items = of_runs(found)
    along = gap(table, drawn(np.linspace(0, 2, 5), each=100), items=items)
    against = gap(table, drawn(np.linspace(2, 0, 5), each=100), items=items)
    one, other = along.items["made"], against.items["made"]
    assert (one.n_systems, one.n_items, one.n_alike) == (5, N, 4)
    assert (one.n_along, one.n_against) == (8, 0) == (other.n_against, other.n_along)
    assert one.along[0].correlation > 0.7
    assert not one.against
    assert other.against[0].item in {f"i{n:02}" for n in range(N)}
    assert along.benchmarks["made"].reliability is not None
    assert gap(table, drawn(np.linspace(0, 2, 3)), items=items).items == {}


def test_correlations_are_numpys_and_none_where_all_score_alike():
    rng = np.random.default_rng(1)
    values, merits = rng.normal(size=(6, 3)), rng.normal(size=6)
    values[:, 1] = 1
    found = correlations(values, merits)
    assert found[[0, 2]] == pytest.approx([np.corrcoef(values[:, n], merits)[0, 1] for n in (0, 2)])
    assert np.isnan(found[1])
