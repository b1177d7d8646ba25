"""`arena rank` on votes of which some may be nobody's opinion."""

import json

import numpy as np
import pytest

from audiometry.files.votes import read as votes_of


@pytest.fixture
def votes(tmp_path):
    """Sixty honest voters and two who choose the worse model, in the order of time; one vote in 0.2 s."""
    rng = np.random.default_rng(0)
    lines = []
    for turn in range(40):
        for voter in range(62):
            a, b = sorted(rng.choice(4, 2, replace=False).tolist())
            better = rng.random() < 0.85
            if voter < 2:
                better = not better
            won = "model_a" if better else "model_b"
            at = f"2026-11-2{turn // 20}T{turn % 20:02}:{voter:02}:00Z"
            line = {
                "model_a": f"m{a}",
                "model_b": f"m{b}",
                "winner": won,
                "voter": f"v{voter}",
                "at": at,
                "seconds": 8.5,
            }
            lines.append(line)
    lines[100]["seconds"] = 0.2
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_they_are_told_and_counted_unless_one_says_otherwise(votes, cli):
    told = cli("arena", "rank", "--votes", votes, "--json").json
    apart = told["set_apart"]
    assert apart["votes"] == {"chance": 80, "one side": 0, "burst": 0, "too fast": 1}
    assert not apart["left_out"]
    assert [(one["voter"], one["reason"], one["line"], one["votes"]) for one in apart["voters"][:2]] == [
        (0, "chance", 1, 40),
        (1, "chance", 2, 40),
    ]
    assert told["matrix"]["n"][0][1] + told["votes"] > 0
    assert told["votes"] == 62 * 40
    assert any("81 votes of 3 voters may be nobody's opinion; --set-apart leaves" in one for one in told["warnings"])


def test_they_are_left_out_on_request_and_the_board_says_so(votes, cli, tmp_path):
    told = cli("arena", "rank", "--votes", votes, "--set-apart", "--json").json
    assert told["votes"] == 62 * 40 - 81
    assert told["set_apart"]["left_out"]
    assert {one["unit"] for one in told["dropped"]} == {"votes", "voters"}
    page = tmp_path / "board.html"
    said = cli("arena", "rank", "--votes", votes, "--set-apart", "-o", page).out
    assert "81 votes of 2,480 are in no number of this page." in said
    assert "would lead in place of m0: the fewest found." in said
    assert "cannot be told yet" in said
    assert "Votes that may be nobody" in page.read_text()


def test_times_and_seconds_that_are_none_are_told(tmp_path, cli):
    path = tmp_path / "votes.csv"
    rows = ["model_a,model_b,winner,voter,at,seconds"]
    rows += ["x,y,model_a,v1,yesterday,3", "x,y,model_b,v2,2026-11-20,-4", "y,x,tie,v3,1763000000,0.5", "x,y,tie,v4,,"]
    path.write_text("\n".join(rows) + "\n")
    told = cli("arena", "rank", "--votes", path, "--json").json
    assert told["set_apart"]["votes"]["too fast"] == 1
    assert any("of at (line 2 first) taken as not known: give a time" in one for one in told["file"]["notes"])
    assert any("of seconds (line 3 first) taken as not known: give a number" in one for one in told["file"]["notes"])


def test_milliseconds_are_neither_days_nor_passed_over(tmp_path, cli):
    path = tmp_path / "votes.csv"
    times = ["1764120110530", "1764331200000", "1764331200", "20261128", "-5", "1764331200.5"]
    rows = [f"x,y,model_{'ab'[at % 2]},v{at},{one},{4_000 + at}" for at, one in enumerate(times)]
    path.write_text("\n".join(["model_a,model_b,winner,voter,at,seconds", *rows]) + "\n")
    read = votes_of(path, times=True)
    np.testing.assert_array_equal(read.at, [np.nan, np.nan, 1764331200, 1795824000, np.nan, 1764331200.5])
    notes = cli("arena", "rank", "--votes", path, "--json").json["file"]["notes"]
    assert any(one.startswith("3 values of at (line 2 first) taken as not known: give a time") for one in notes)
    assert any("half of the values of seconds are 4,002 or more: are they milliseconds?" in one for one in notes)


def test_where_all_would_be_set_apart_nothing_is_ranked(tmp_path, cli):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,voter,seconds\nx,y,model_a,v1,0.1\nx,y,model_b,v2,0.1\n")
    failed = cli("arena", "rank", "--votes", path, "--set-apart")
    assert failed.code == 2
    assert "all votes would be set apart; look at them without --set-apart" in failed.err
