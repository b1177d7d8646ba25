"""Scripted models over a whole benchmark: what each must score."""

import re

import pytest


@pytest.fixture
def score(cli, benchmark, tmp_path):
    def run(model, *words, n=400, **how):
        bench = tmp_path / "bench"
        if not bench.exists():
            benchmark(n, **how)
        done = cli("run", bench, "--model", model, "-o", tmp_path / re.sub(r"\W+", "-", model)[:40], "--json", *words)
        return done.code, done.json["scores"]["strict"] if done.code in {0, 1} else done

    return run


def test_each_scores_what_it_must(score):
    assert score("scripted/oracle")[1]["value"] == 1.0
    assert score("scripted/deaf")[1]["value"] == 1.0
    assert 0.62 < score("scripted/noisy-oracle?p=0.7")[1]["value"] < 0.78
    row = score("scripted/random")[1]
    low, high = row["interval"]
    assert low < 0.25 < high
    assert row["n_answered"] == row["n_items"] == 400
    assert score("scripted/constant?text=B")[1]["value"] == 0.25
    silent = score("scripted/constant?text=Who%20knows")[1]
    assert (silent["value"], silent["n_answered"], silent["n_failed"]) == (0.0, 0, 0)


@pytest.mark.parametrize("orders", [1, 3])
def test_the_oracle_is_right_in_every_order(score, orders):
    assert score("scripted/oracle", "--orders", orders, n=40)[1]["value"] == 1.0


def test_the_seed_decides_what_is_guessed(cli, benchmark, tmp_path, replies):
    bench = benchmark(60)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert cli("run", bench, "--model", "scripted/random", "--seed", seed, "-o", tmp_path / name).code == 0
    said = [{r["item"]: r["text"] for r in replies(tmp_path / name)} for name in "abc"]
    assert said[0] == said[1] != said[2]


def test_a_replay_scores_as_the_run_it_repeats(score, tmp_path):
    _, first = score("scripted/noisy-oracle?p=0.5", n=80)
    path = next(tmp_path.glob("scripted-noisy*/replies.jsonl"))
    _, again = score(f"scripted/replay?file={path}")
    assert again["value"] == first["value"]


def test_a_replay_of_half_the_items(score, tmp_path):
    assert score("scripted/oracle", "--limit", 30, n=60)[0] == 0
    code, row = score(f"scripted/replay?file={tmp_path / 'scripted-oracle' / 'replies.jsonl'}")
    assert code == 1
    assert (row["n_items"], row["n_failed"]) == (60, 30)
    assert row["bounds"] == [0.5, 1.0]


def test_an_oracle_that_is_sent_other_clips_guesses(cli, benchmark, tmp_path, monkeypatch):
    """The clips are moved round between planning and asking: an oracle hears it, a deaf model does not."""
    from audiometry.bench.benchmark import Benchmark
    from audiometry.run.answers import BenchmarkAnswers

    bench = benchmark(200)
    own = BenchmarkAnswers.audio_sha256
    monkeypatch.setattr(BenchmarkAnswers, "audio_sha256", lambda self, item: own(self, f"i{(int(item[1:]) + 1) % 200}"))
    assert Benchmark  # the patch is on what knows the answers, the benchmark stays as it is
    heard = cli("run", bench, "--model", "scripted/oracle", "-o", tmp_path / "oracle", "--json").json
    deaf = cli("run", bench, "--model", "scripted/deaf", "-o", tmp_path / "deaf", "--json").json
    assert 0.1 < heard["scores"]["strict"]["value"] < 0.4
    assert deaf["scores"]["strict"]["value"] == 1.0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--model", "scripted/orakle"], 2, "unknown scripted model 'orakle'; did you mean 'oracle'?"),
        (["--model", "skripted/oracle"], 2, "unknown model provider 'skripted'; did you mean 'scripted'?"),
        (["--model", "oracle"], 2, "'oracle' is not a model name; write provider/name"),
        (["--model", "scripted/random", "--task", "instrumnt"], 2, "'instrumnt'; did you mean 'instrument'?"),
        (["--model", "scripted/random", "--prompt", "hours"], 2, "unknown prompt layout 'hours'; did you mean 'ours'?"),
        (["--model", "cascade/pocketsphinx", "--reader", "opnai/x"], 2, "did you mean 'openai'?"),
        (["--model", "scripted/random", "--limt", "3"], 2, "--limit"),
        (["--model", "scripted/random", "--orders", "0"], 2, "orders"),
        (["--model", "scripted/replay"], 2, "needs the replies of another run"),
        (
            ["--model", "scripted/replay?file=none"],
            2,
            "none is not there: write scripted/replay?file=RUN/replies.jsonl",
        ),
    ],
)
def test_slips_are_one_line_and_the_nearest_name(cli, benchmark, tmp_path, words, code, said):
    done = cli("run", benchmark(2), "-o", tmp_path / "run", *words)
    assert done.code == code
    assert said in done.said
    assert not (tmp_path / "run").exists()
