"""Few items that foretell votes: chosen without the systems that they are judged by, and written as a benchmark."""

import json

import numpy as np
import pytest
from scipy import special

from audiometry import bench
from audiometry.analysis.subset import by_votes, write
from audiometry.errors import UsageError
from audiometry.score import score
from audiometry.stats.ranking import coded

OPTIONS = ["dog", "cat", "cow", "hen"]
N, SYSTEMS = 40, 9
MERITS = np.linspace(-1.2, 1.2, SYSTEMS)


@pytest.fixture
def votes():
    rng = np.random.default_rng(1)
    first, second = np.repeat(np.triu_indices(SYSTEMS, 1), 60, axis=1)
    said = np.where(rng.random(len(first)) < special.expit(MERITS[first] - MERITS[second]), "model_a", "model_b")
    return coded([f"s{n}" for n in first], [f"s{n}" for n in second], said.tolist())


@pytest.fixture
def runs(make_benchmark, make_run):
    """Of 40 items 10 go along with merit (the worse a system, the fewer of them right), the others are chance."""
    rng = np.random.default_rng(2)
    tasks = ["along" if n < 10 else "chance" for n in range(N)]
    folder = make_benchmark(
        [{"id": f"i{n:02}", "task": tasks[n], "options": OPTIONS, "answer": OPTIONS[n % 4]} for n in range(N)],
        card='[benchmark]\nname = "made"\n[[task]]\nname = "along"\nsize = 10\n[[task]]\nname = "chance"\nsize = 30\n',
    )
    made = []
    for system in range(SYSTEMS):
        right = [n < 1 + system if n < 10 else rng.random() < 0.5 for n in range(N)]
        replies = {f"i{n:02}": OPTIONS[(n if right[n] else n + 1) % 4] for n in range(N)}
        made.append(make_run(folder, replies, model=f"s{system}"))
    return folder, made


def test_the_items_that_go_along_are_found_and_are_worth_more_than_the_whole(runs, votes):
    found = by_votes(runs[1], votes, 6)
    assert found.n_of == N
    assert found.tasks["along"] >= 4
    assert found.chosen.q2 > 0.5 > found.at_random.q2
    assert found.chosen.q2 > found.whole.q2
    assert found.chosen.log_loss < found.log_loss_of_none
    assert found.correlation > 0.95
    assert found.chosen.p <= 0.05
    assert found.items == by_votes(runs[1], votes, 6).items


def test_what_goes_along_by_chance_alone_is_worth_nothing_on_systems_left_out(make_benchmark, make_run, votes):
    rng = np.random.default_rng(4)
    folder = make_benchmark([{"id": f"i{n:02}", "options": OPTIONS, "answer": OPTIONS[n % 4]} for n in range(N)])
    made = [
        make_run(folder, {f"i{n:02}": OPTIONS[(n + rng.integers(2)) % 4] for n in range(N)}, model=f"s{system}")
        for system in range(SYSTEMS)
    ]
    found = by_votes(made, votes, 4)
    assert found.correlation > 0.8
    assert found.chosen.p > 0.05
    assert any("by chance" in one for one in found.warnings)


def test_it_is_a_benchmark_that_runs_and_is_scored(runs, votes, cli, tmp_path):
    folder, made = runs
    found = write(by_votes(made, votes, 6), bench.load(folder), tmp_path / "few")
    loaded = bench.load(tmp_path / "few")
    assert {item.id for item in loaded} == set(found.items)
    assert loaded.name == "made-by-votes-6"
    assert loaded.of_published == (6, 0)
    assert "no score of made" in loaded.card.benchmark.cannot_show[0]
    said = cli("run", tmp_path / "few", "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    assert said.code == 0, said.err
    scored = next(iter(score(tmp_path / "run", store=False).scores.values()))
    assert (scored.value, scored.n_items) == (1.0, 6)
    with pytest.raises(UsageError, match="is there already"):
        write(found, bench.load(folder), tmp_path / "few")


def test_a_missing_clip_leaves_nothing_behind(runs, votes, tmp_path):
    folder, made = runs
    found, loaded = by_votes(made, votes, 6), bench.load(folder)
    loaded.clip_path(loaded.item(found.items[0]).file_name).unlink()
    with pytest.raises(UsageError, match="is missing"):
        write(found, loaded, tmp_path / "few")
    assert list(tmp_path.iterdir()) == []


def test_few_systems_are_refused(runs, votes):
    with pytest.raises(UsageError, match="7 systems with runs of the same items and a rating by votes: too few"):
        by_votes(runs[1][:7], votes, 6)
    with pytest.raises(UsageError, match="0 systems"):
        by_votes(runs[1][:1], votes, 6)
    with pytest.raises(UsageError, match="41 items of 40"):
        by_votes(runs[1], votes, 41)


def test_more_items_than_tell_systems_apart_are_told(runs, votes):
    found = by_votes(runs[1], votes, N)
    assert found.n_items == N
    assert any("make up the number" in one for one in found.warnings)
    assert any("no better by these items than by the whole" in one for one in found.warnings)


def test_the_command_chooses_writes_and_says_what_it_is_worth(runs, votes, cli, tmp_path):
    folder, made = runs
    voted = tmp_path / "votes.jsonl"
    names, said = votes.models, ("model_a", "model_b")
    rows = zip(votes.a, votes.b, votes.outcome, strict=True)
    lines = [{"model_a": names[a], "model_b": names[b], "winner": said[won]} for a, b, won in rows]
    voted.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    given = ("subset", folder, "--from", *made, "--predict", "votes", "--votes", voted, "-n", 6)
    done = cli(*given, "-o", tmp_path / "few")
    assert done.code == 0, done.err
    assert "6 of 40 items of made chosen by 2,160 votes on 9 systems" in " ".join(done.out.split())
    assert f"next: audiometry run {tmp_path / 'few'}" in done.out
    document = json.loads(cli(*given, "--json").out)
    assert document["n_items"] == 6
    assert document["folder"] == ""
    assert (tmp_path / "few" / "benchmark.toml").is_file()
    assert cli("subset", folder, "--predict", "votes", "--votes", voted, "-n", 6).code == 2
    assert cli("subset", folder, "--from", *made[:3], "--predict", "votes", "--votes", voted, "-n", 6).code == 2
