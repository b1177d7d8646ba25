"""Whether a model listens, through the command line."""

import json

import pytest

WITHOUT = ("noise", "silence", "other-clip", "text-only")


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark(60)


@pytest.fixture
def asked(cli, folder, tmp_path):
    """``asked("deaf", "noise")``: a run of scripted/deaf in the folder ``deaf``."""

    def go(model, *variants, json_too=False):
        words = [word for variant in variants for word in ("--variant", variant)]
        more = ["--json"] if json_too else []
        return cli("run", folder, "--model", f"scripted/{model}", "-o", tmp_path / model, *words, *more)

    return go


def flat(text):
    return " ".join(text.split())


def test_a_run_prints_the_conditions_and_the_verdict(asked):
    deaf = asked("deaf", *WITHOUT)
    assert deaf.code == 0
    rows = [line.split() for line in deaf.out.splitlines()]
    for name in ("noise", "silence", "other clip", "text only"):
        assert any(row[: len(name.split()) + 4] == [*name.split(), "60", "100.0", "100.0", "+0.0"] for row in rows), (
            name
        )
    assert "scripted/deaf does not listen: 100.0 % correct with the real clips, 100.0 % under" in flat(deaf.out)
    hearing = asked("noisy-oracle", *WITHOUT)
    assert "scripted/noisy-oracle listens: " in flat(hearing.out)


def test_a_run_without_variants_says_nothing_of_it(asked):
    assert "listen" not in asked("deaf").out


def test_json_has_the_conditions_and_the_verdict(asked):
    document = asked("noisy-oracle", "noise", "text-only", json_too=True).json
    condition = document["scores"]["strict"]["variants"]["noise"]
    assert {"value", "interval", "n_items", "n_answered", "n_refused", "n_failed", "over_answered"} <= set(condition)
    assert {"difference", "interval", "p", "p_corrected", "detectable", "score_a", "score_b"} <= set(
        condition["difference"]
    )
    assert document["listening"]["verdict"] == "listens"
    assert set(document["listening"]["conditions"]) == {"noise", "text-only"}
    assert document["scores"]["strict"]["n_replies"] == 60


def test_scoring_again_says_it_again(asked, cli, tmp_path):
    asked("deaf", "silence")
    assert "scripted/deaf does not listen" in flat(cli("score", tmp_path / "deaf").out)
    document = cli("score", tmp_path / "deaf", "--json").json
    assert document["scores"]["strict"]["variants"]["silence"]["value"] == 1.0


def test_under_the_rules_of_muchomusic_its_attention_test_stands_beside_our_verdict(asked, cli, tmp_path):
    for model in ("deaf", "noisy-oracle"):
        asked(model, "noise", "other-clip")
    words = ("score", tmp_path / "noisy-oracle", "--profile", "muchomusic")
    said = flat(cli(*words).out)
    at = "a drop: p below 0.05, two-sided, by swapping clusters, Holm over the sounds in the place of the clips"
    assert "scripted/noisy-oracle listens: " in said
    assert "scripted/noisy-oracle passes the attention test of muchomusic: the score drops under " in said
    assert at in said
    assert "muchomusic.1+" in said
    assert "the score" in said  # the column
    assert " drops " in said
    assert "worked example" not in said
    document = cli(*words, "--json").json
    found = document["listening"]
    assert found == document["scores"]["muchomusic"]["listening"]
    assert (found["profile"], found["verdict"], found["attention"]["passes"]) == ("muchomusic", "listens", True)
    for name, one in found["conditions"].items():
        row = document["scores"]["muchomusic"]["variants"][name]["difference"]
        assert [one[key] for key in ("difference", "interval", "p", "p_corrected")] == [
            row[key] for key in ("difference", "interval", "p", "p_corrected")
        ]
    deaf = flat(cli("score", tmp_path / "deaf", "--profile", "muchomusic").out)
    failed = "does not pass the attention test of muchomusic: no drop is shown under noise or other clip"
    assert f"scripted/deaf {failed} ({at})." in deaf
    assert "scripted/deaf does not listen: " in deaf


def test_by_several_rules_each_has_its_verdict_and_ours_is_the_first(asked, cli, tmp_path):
    asked("noisy-oracle", "noise")
    words = (
        "score",
        tmp_path / "noisy-oracle",
        "--profile",
        "muchomusic",
        "--profile",
        "strict",
        "--profile",
        "airbench",
    )
    document = cli(*words, "--json").json
    assert document["listening"] == document["scores"]["strict"]["listening"]
    assert document["listening"]["attention"] is None
    assert document["scores"]["airbench"]["listening"] is None
    assert document["scores"]["muchomusic"]["listening"]["attention"]["without_number"] == ["other-clip"]
    said = flat(cli(*words).out)
    assert said.count("scripted/noisy-oracle listens: ") == 2
    assert said.count("the attention test of") == 1
    alone = cli("score", tmp_path / "noisy-oracle", "--profile", "airbench", "--json").json
    assert alone["listening"] is None


def test_that_the_paper_asks_without_examples_is_said_where_there_were_some(cli, folder, tmp_path):
    run = tmp_path / "run"
    words = ("--model", "scripted/deaf", "-o", run, "--variant", "noise", "--shots", 2)
    note = "Asked with 2 worked examples; MuChoMusic's attention test is without any (--shots 0)."
    assert note in flat(cli("run", folder, *words).out)
    assert note in flat(cli("score", run, "--profile", "muchomusic").out)
    assert note in flat(cli("check", "--run", run).out)
    assert cli("score", run, "--profile", "muchomusic", "--json").json["listening"]["shots"] == 2
    cli("report", run, "-o", tmp_path / "page.html")
    assert note in flat((tmp_path / "page.html").read_text().replace("&#39;", "'").replace("\u00a0", " "))


def test_what_was_done_to_a_clip_is_kept(asked, tmp_path):
    asked("oracle", *WITHOUT)
    lines = [json.loads(line) for line in (tmp_path / "oracle" / "replies.jsonl").read_text().splitlines()]
    changes = {line["variant"]: " ".join(line["audio_changes"]) for line in lines}
    assert changes["plain"] == changes["text-only"] == ""
    # The made clips are noise of 0.1 of full scale themselves: each its own level around -20 dBFS.
    level = float(changes["noise"].removeprefix("replaced by noise (").partition(" ")[0])
    assert level == pytest.approx(-20, abs=1)
    assert changes["silence"] == "replaced by silence"
    assert changes["other-clip"].startswith("replaced by the clip of item-")
    assert {line["audio_sha256"] == "" for line in lines if line["variant"] == "text-only"} == {True}


def test_runs_are_checked(asked, cli, tmp_path):
    for model in ("deaf", "noisy-oracle", "random"):
        asked(model, *WITHOUT)
    runs = [word for model in ("deaf", "noisy-oracle", "random") for word in ("--run", tmp_path / model)]
    said = cli("check", *runs)
    assert said.code == 0
    assert "scripted/deaf does not listen" in flat(said.out)
    assert "scripted/noisy-oracle listens" in flat(said.out)
    assert "scripted/random may or may not listen; these items cannot tell" in flat(said.out)
    assert "of 60 items give themselves away: 3 models can show it only if at least" in flat(said.out)
    document = cli("check", *runs, "--json").json
    assert [one["verdict"] for one in document["runs"]] == ["does not listen", "listens", "cannot tell on these items"]
    assert {"run", "model", "reason", "conditions"} <= set(document["runs"][0])
    assert {"models", "items", "least_share", "reason"} <= set(document["giveaways"])


def test_giveaways_are_listed(make_benchmark, cli, tmp_path):
    folder = make_benchmark(40)
    words = []
    for k, other in enumerate("abcdefgh"):
        recorded = tmp_path / f"{other}.jsonl"
        right = ["ABCD"[n % 4] if n < 24 else "ABCD"[(n + 1 + (n // 4 + k) % 3) % 4] for n in range(40)]
        lines = [
            json.dumps({"item": f"item-{n:05}", "variant": variant, "text": letter}) + "\n"
            for variant in ("plain", "text-only")
            for n, letter in enumerate(right)
        ]
        recorded.write_text("".join(lines))
        model = f"scripted/replay?file={recorded}"
        cli("run", folder, "--model", model, "--variant", "text-only", "-o", tmp_path / other)
        words += ["--run", tmp_path / other]
    said = cli("check", *words)
    assert "24 of 40 items give themselves away: 8 models can show it for a single item." in flat(said.out)
    assert "item-00000" in said.out
    assert "and 4 more; --json lists all" in said.out
    assert "item-00030" not in said.out
    assert len(cli("check", *words, "--json").json["giveaways"]["items"]) == 24


def test_a_run_over_a_benchmark_that_moved(asked, cli, folder, tmp_path):
    asked("deaf", "noise")
    folder.rename(tmp_path / "moved")
    assert cli("check", "--run", tmp_path / "deaf").code == 2
    assert cli("check", "--run", tmp_path / "deaf", "--bench", tmp_path / "moved").code == 0
    for words, name in (
        (("--run", tmp_path / "deaf", "--headers"), "--headers does nothing with --run"),
        (("--run", tmp_path / "deaf", "--strict"), "--strict does nothing with --run"),
        (("--run", tmp_path / "deaf", "--data", tmp_path), "--data does nothing with --run"),
        (("mini", "--bench", tmp_path), "--bench does nothing without --run"),
    ):
        said = cli("check", *words)
        assert (said.code, said.err) == (2, f"audiometry: error: {name}; leave it out\n")


@pytest.mark.parametrize("words", [(), ("mini", "--run", "runs/x")], ids=["neither", "both"])
def test_a_benchmark_or_runs(cli, words):
    said = cli("check", *words)
    assert said.code == 2
    assert "a benchmark or runs" in said.err


def test_a_slip_in_the_name_of_a_variant(asked, tmp_path):
    said = asked("deaf", "slience")
    assert said.code == 2
    assert "unknown variant 'slience'; did you mean 'silence'?" in said.err
    assert not (tmp_path / "deaf").exists()


def test_a_dry_run_counts_the_variants(cli, folder, tmp_path):
    said = cli("run", folder, "--model", "scripted/deaf", "--variant", "noise", "--dry-run", "-o", tmp_path / "r")
    assert "60 items × 2 = 120 requests" in said.out


def test_runs_of_one_model_count_once_and_that_is_said(make_benchmark, cli, tmp_path):
    folder, note = make_benchmark(4), "Of several runs of one model only the first counts"
    for name in ("first", "second"):
        cli("run", folder, "--model", "scripted/deaf", "--variant", "text-only", "-o", tmp_path / name)
    assert note in cli("check", "--run", tmp_path / "first", "--run", tmp_path / "second").out
    assert note not in cli("check", "--run", tmp_path / "first").out
