"""``audiometry arena rank``, from vote files to what is printed."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from audiometry.seeds import generator

EXAMPLE = Path(__file__).parents[2] / "examples/talk_arena/talk_arena.csv"
PUBLISHED = {
    "DiVA": (1143.0, 1129.8, 1156.8),
    "GPT-4o": (1073.7, 1062.5, 1085.3),
    "Gemini-1.5-Pro": (1054.3, 1042.3, 1066.1),
    "Qwen2-Audio": (984.8, 972.7, 996.7),
    "Typhoon-Audio": (744.2, 727.9, 759.4),
}
DAVIDSON = {"DiVA": 1171.2, "GPT-4o": 1088.6, "Gemini-1.5-Pro": 1065.5, "Qwen2-Audio": 982.8, "Typhoon-Audio": 691.8}
PROMISED = {"model", "rating", "interval", "rank", "rank_range", "battles", "wins", "losses", "ties"}


@pytest.fixture
def votes(tmp_path):
    def write(rows, name="votes.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def vote(a="x", b="y", winner="model_a", **more):
    return {"model_a": a, "model_b": b, "winner": winner, **more}


def drawn(n, strengths, name="votes", voters=40, **columns):
    """Votes of models with these strengths (natural logarithms); a strength by topic where ``columns`` has topics."""
    draw, names = generator(3, name), list(strengths)
    rows = []
    for at in range(n):
        a, b = draw.choice(len(names), 2, replace=False)
        cells = {column: values[at % len(values)] for column, values in columns.items()}
        own = [strengths[names[one]] for one in (a, b)]
        own = [one[cells["topic"]] if isinstance(one, dict) else one for one in own]
        won = draw.random() < 1 / (1 + np.exp(own[1] - own[0]))
        said = draw.random()
        winner = "tie" if said < 0.1 else "both_bad" if said < 0.15 else "model_a" if won else "model_b"
        rows.append(vote(names[a], names[b], winner, battle=str(at), voter=f"v{at % voters}", **cells))
    return rows


def test_the_published_pair_counts_give_the_published_ranking(cli):
    said = cli("arena", "rank", "--votes", EXAMPLE, "--json")
    assert said.code == 0
    models = said.json["models"]
    assert [one["model"] for one in models] == list(PUBLISHED)
    for rank, one in enumerate(models, 1):
        rating, low, high = PUBLISHED[one["model"]]
        assert one["rating"] == pytest.approx(rating, abs=1)
        assert one["interval"] == pytest.approx([low, high], abs=2)
        assert (one["rank"], one["battles"]) == (rank, 2000)
        assert set(one) >= PROMISED
    assert models[0]["rank_range"] == [1, 1]
    assert models[1]["rank_range"] == [2, 3]
    fit = said.json["fit"]
    assert (round(fit["chi2"], 1), fit["df"]) == (66.3, 6)
    assert fit["p"] < 1e-9
    assert said.json["warnings"][0].startswith("these votes do not fit one scale: chi-square 66.3 on 6 degrees")
    matrix = said.json["matrix"]
    row, column = (matrix["models"].index(one) for one in ("GPT-4o", "Gemini-1.5-Pro"))
    assert (matrix["wins"][row][column], matrix["wins"][column][row], matrix["n"][row][column]) == (186, 213, 500)


def test_ties_that_are_left_out_count_in_no_board_and_are_told(cli, votes):
    drawn_rows = drawn(100, {"x": 0.3, "y": 0.0, "z": -0.2}, topic=["a", "b"])
    rows = [one for one in drawn_rows if one["winner"] != "tie"][:80]
    tied = [one | {"winner": "tie", "battle": f"tied {n}"} for n, one in enumerate(rows[:20])]
    kept = cli("arena", "rank", "--votes", votes(rows), "--by", "topic", "--json").json
    said = cli("arena", "rank", "--votes", votes([*rows, *tied]), "--by", "topic", "--ties", "drop", "--json").json
    assert (said["ties"], said["ties_left_out"], said["by"]["topic"]["boards"]["a"]["ties"]) == ("drop", 20, "drop")
    assert said["models"] == kept["models"]
    assert said["both_bad_share"] == pytest.approx(said["both_bad"] / 100)
    flat = " ".join(cli("arena", "rank", "--votes", votes([*rows, *tied]), "--ties", "drop").out.split())
    bad = sum(one["winner"] == "both_bad" for one in rows)
    assert bad
    assert f"20 ties (20.0 %) are left out; {bad} votes ({bad}.0 %) called both bad" in flat
    none = cli("arena", "rank", "--votes", votes(tied), "--ties", "drop")
    assert (none.code, "take them with --ties half" in none.err) == (2, True)


def test_davidsons_ties_and_an_anchor(cli):
    found = cli("arena", "rank", "--votes", EXAMPLE, "--ties", "davidson", "--json").json
    assert {one["model"]: round(one["rating"], 1) for one in found["models"]} == DAVIDSON
    assert found["nu"] == pytest.approx(0.360, abs=0.0005)
    assert (round(found["fit"]["chi2"], 1), found["fit"]["df"]) == (95.8, 15)
    moved = cli("arena", "rank", "--votes", EXAMPLE, "--anchor", "GPT-4o=1200.5", "--json").json
    by_name = {one["model"]: one for one in moved["models"]}
    assert by_name["GPT-4o"]["rating"] == 1200.5
    assert by_name["GPT-4o"]["interval"] is None
    assert by_name["DiVA"]["rating"] == pytest.approx(1200.5 + 1143.0 - 1073.7, abs=0.2)
    refused = cli("arena", "rank", "--votes", EXAMPLE, "--anchor", "GPT-4o")
    assert refused.code == 2
    assert "is not MODEL=RATING" in refused.err


def test_the_terminal_says_who_leads_and_that_one_scale_does_not_hold_the_votes(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    said = cli("arena", "rank", "--votes", EXAMPLE)
    assert said.code == 0
    assert "5,000 votes on 5 models, 10 of 10 pairs met; 634 ties (12.7 %) count as half a vote for each" in said.out
    row = next(line for line in said.out.splitlines() if line.startswith("GPT-4o "))
    assert row.split() == [
        *("GPT-4o", "1,074", "1,062", "to", "1,085", "2", "to", "3", "2,000", "1,063", "639", "298", "0")
    ]
    assert "Note: these votes do not fit one scale: chi-square 66.3 on 6 degrees of freedom, p < 0.0001" in said.out


def test_models_that_cannot_be_placed_are_listed_with_reasons_and_counts_and_ranked_under_a_prior(cli, votes):
    rows = drawn(300, {"x": 0.5, "y": 0.0, "z": -0.5})
    rows += [vote("x", "low")] * 4 + [vote("high", "x")] * 3 + [vote("p", "q"), vote("q", "p")]
    rows += [vote("x", "bad", "both_bad")] * 2 + [vote("y", "tied", "tie")] * 2
    found = cli("arena", "rank", "--votes", votes(rows), "--json").json
    assert [one["model"] for one in found["models"]] == ["x", "y", "z"]
    apart = {one["model"]: one for one in found["unplaced"]}
    assert {name: one["reason"] for name, one in apart.items()} == {
        "low": "never won",
        "high": "never lost",
        "p": "not connected",
        "q": "not connected",
        "bad": "no votes that count",
        "tied": "only ties",
    }
    assert (apart["low"]["losses"], apart["high"]["wins"], apart["tied"]["ties"]) == (4, 3, 2)
    said = cli("arena", "rank", "--votes", votes(rows))
    assert "6 models have no rating, as the votes cannot place them" in said.out
    assert "never won: no rating is low enough" in " ".join(said.out.split())
    prior = cli("arena", "rank", "--votes", votes(rows), "--prior", "1", "--json").json
    assert {one["model"] for one in prior["models"]} == {"x", "y", "z", "low", "high", "p", "q", "tied"}
    assert prior["prior"] == 1
    assert [one["model"] for one in prior["unplaced"]] == ["bad"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([vote(winner="tie")] * 5, "no model can be ranked"),
        ([vote(), vote("z", "y")], "no model can be ranked"),
        ([vote(winner="both_bad")] * 3, "no model can be ranked"),
    ],
)
def test_votes_that_rank_nobody_say_so_and_lose_no_count(cli, votes, rows, said):
    path = votes(rows)
    printed = cli("arena", "rank", "--votes", path)
    assert printed.code == 0
    assert f"Note: {said}" in printed.out
    document = cli("arena", "rank", "--votes", path, "--json").json
    assert document["models"] == []
    assert sum(one["battles"] for one in document["unplaced"]) == 2 * len(rows)


def test_one_model_alone_is_refused_in_one_line(cli, votes):
    said = cli("arena", "rank", "--votes", votes([vote("x", "x")] * 3))
    assert said.code == 2
    assert "holds no vote that counts: none of 3 lines can be used (a model against itself, line 1)" in said.err
    assert said.err.count("\n") == 1


def test_of_many_parts_those_with_most_votes_stand_side_by_side(cli, votes, tmp_path):
    page = tmp_path / "board.html"
    rows = drawn(280, {"x": 0.3, "y": 0.0}, topic=list("abcdefghijklmn"))
    said = cli("arena", "rank", "--votes", votes(rows), "--by", "topic", "-o", page).out
    assert "The 12 with most votes; 2 more have a board below." in " ".join(said.split())
    assert "swatch cells both" in page.read_text()


def test_lines_set_apart_are_told_and_end_with_1(cli, votes):
    rows = [*drawn(60, {"x": 0.2, "y": 0.0}), vote(winner="dunno"), vote(winner="tie (bothbad)")]
    said = cli("arena", "rank", "--votes", votes(rows))
    assert said.code == 1
    assert "Note: 'tie (bothbad)' is read as both_bad (1 vote)." in said.out
    apart = "1 line of 62 set apart, which counts nowhere: 1: winner 'dunno' is none of model_a, model_b, tie, both_bad"
    assert apart in " ".join(said.out.split())
    assert "61 votes (1 of 62 lines set apart: see the notes) on 2 models" in " ".join(said.out.split())
    document = cli("arena", "rank", "--votes", votes(rows), "--json")
    assert document.code == 1
    assert document.json["file"]["apart"][0]["n"] == 1
    assert document.json["file"]["read_as"] == {"tie (bothbad)": {"winner": "both_bad", "votes": 1}}


STRENGTHS = {"x": 0.6, "y": 0.2, "z": {"birds": 1.4, "bells": -1.6}}


def test_a_board_for_each_topic_and_whose_strength_differs(cli, votes, monkeypatch):
    path = votes([*drawn(1200, STRENGTHS, topic=["birds", "bells"], voters=80), vote(), vote("y")])
    found = cli("arena", "rank", "--votes", path, "--by", "topic", "--json")
    assert found.code == 1  # y against itself
    topics = found.json["by"]["topic"]
    assert list(topics["boards"]) == ["bells", "birds"]
    assert topics["unknown"] == 1
    assert topics["boards"]["birds"]["models"][0]["model"] == "z"
    assert topics["boards"]["bells"]["models"][-1]["model"] == "z"
    first = topics["moves"][0]
    assert (first["model"], first["n_models"]) == ("z", 3)
    assert {first["rank"], first["rank_elsewhere"]} == {1, 3}
    assert first["p_corrected"] < 0.001
    monkeypatch.setenv("COLUMNS", "110")
    said = cli("arena", "rank", "--votes", path, "--by", "topic").out
    assert "Topic: birds" in said
    assert "z is " in said
    assert "1 vote without a topic: on no board below." in said


def test_no_move_is_called_where_there_is_none(cli, votes):
    path = votes(drawn(900, {"x": 0.6, "y": 0.2, "z": 0.0}, language=["de", "en", "fr"]))
    found = cli("arena", "rank", "--votes", path, "--by", "language", "--json").json["by"]["language"]
    assert len(found["moves"]) == 9
    assert all(one["p_corrected"] >= 0.05 for one in found["moves"])
    assert "No model is surely stronger or weaker" in cli("arena", "rank", "--votes", path, "--by", "language").out


def test_boards_of_short_and_long_replies_and_control_for_length(cli, votes):
    rows = drawn(600, {"x": 0.4, "y": 0.0, "z": -0.4}, length_a=[10, 20, 30, 40], length_b=[5, 90, 35])
    found = cli("arena", "rank", "--votes", votes(rows), "--by", "length", "--control", "length", "--json").json
    boards = found["by"]["length"]["boards"]
    assert [name.partition(",")[0] for name in boards] == ["short", "middle", "long"]
    assert sum(one["votes_in"] for one in boards.values()) == 600
    assert found["contrasts"][0]["name"] == "length"
    assert "a longer reply" in cli("arena", "rank", "--votes", votes(rows), "--control", "length").out


def test_any_number_that_votes_say_of_both_replies_can_be_controlled(cli, votes):
    """Of equal models of which one writes more lists, and voters like lists."""
    rng = np.random.default_rng(6)
    rows = []
    for _ in range(900):
        lists = {"x": int(rng.integers(3, 9)), "y": int(rng.integers(0, 6))}
        a, b = ("x", "y") if rng.random() < 0.5 else ("y", "x")
        apart = (lists[a] - lists[b]) / max(1, lists[a] + lists[b])
        won = rng.random() < 1 / (1 + np.exp(-1.5 * apart))
        row = {"model_a": a, "model_b": b, "winner": "model_a" if won else "model_b"}
        rows.append({**row, "style_a": lists[a], "style_b": lists[b]})
    found = {
        given: {
            one["model"]: one["rating"]
            for one in cli("arena", "rank", "--votes", votes(rows), *given, "--json").json["models"]
        }
        for given in ((), ("--control", "Style"))
    }
    assert found[()]["x"] > 1040
    assert abs(found["--control", "Style"]["x"] - 1000) < 25
    assert "more style" in cli("arena", "rank", "--votes", votes(rows), "--control", "style").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "topic"], "has no column 'topic' that says anything"),
        (["--by", "length"], "says of no vote the length of both replies"),
        (["--control", "latency"], "no vote has the covariate 'latency'"),
        (["--first"], "no vote says which reply was shown first"),
        (["--anchor", "nobody=1000"], "nobody"),
        (["--prior", "nan"], "is not a number"),
        (["--ties", "thirds"], "thirds"),
    ],
)
def test_what_the_votes_do_not_say_is_refused_in_one_line(cli, votes, options, said):
    found = cli("arena", "rank", "--votes", votes(drawn(40, {"x": 0.1, "y": 0.0})), *options)
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1


def test_hostile_names_reach_no_terminal_and_no_page(cli, votes, tmp_path):
    rows = drawn(80, {"<script>alert(1)</script>": 0.2, "b\x1b[2J\u202e": 0.0, "c": 0.1}, topic=["\x1b]0;t\x07", "<b>"])
    page = tmp_path / "board.html"
    said = cli("arena", "rank", "--votes", votes(rows), "--by", "topic", "-o", page)
    assert said.code == 0
    assert "\x1b" not in said.out
    assert "<script>alert" not in page.read_text()
    assert "<b>" not in page.read_text()


def test_tables_and_figures_are_written(cli, tmp_path):
    found = cli("arena", "rank", "--votes", EXAMPLE, "--tables", tmp_path / "t", "--figures", tmp_path / "f", "--json")
    names = {path.name for path in (tmp_path / "t").iterdir()} | {path.name for path in (tmp_path / "f").iterdir()}
    assert {
        "leaderboard.csv",
        "leaderboard.tex",
        "pairs.md",
        "win-matrix.csv",
        "leaderboard.svg",
        "win-matrix.svg",
    } <= names
    assert {"tables", "figures"} <= set(found.json)


def test_the_family_helps_and_names_what_it_has(cli):
    assert "rank " in cli("arena", "--help").out
    said = cli("arena", "rnk")
    assert said.code == 2
    assert "unknown command 'rnk'; did you mean 'rank'?" in said.err


def test_resamples_and_first_position_are_asked_for(cli, votes):
    rows = [
        one | {"first": "model_a" if at % 2 else "model_b"} for at, one in enumerate(drawn(400, {"x": 0.4, "y": 0.0}))
    ]
    found = cli("arena", "rank", "--votes", votes(rows), "--first", "--bootstrap", "50", "--json").json
    assert (found["intervals"], found["resamples"], found["clusters"]) == ("bootstrap", 50, "voters")
    assert found["first"]["interval"][0] < found["first"]["elo"] < found["first"]["interval"][1]
    assert "being shown first" in cli("arena", "rank", "--votes", votes(rows), "--first").out


def test_an_order_against_the_pairs_own_votes_is_told_with_what_it_rests_on(cli, monkeypatch):
    for ties, lead, of in (("half", 3.1, "ties as half votes"), ("davidson", 3.7, "ties by Davidson")):
        found = cli("arena", "rank", "--votes", EXAMPLE, "--ties", ties, "--json").json["reversals"]
        assert [(one["above"], one["below"]) for one in found] == [("GPT-4o", "Gemini-1.5-Pro")]
        assert found[0]["share"] == pytest.approx(0.473)
        assert found[0]["without"]["DiVA"] == pytest.approx(lead, abs=0.05)
        said = " ".join(cli("arena", "rank", "--votes", EXAMPLE, "--ties", ties).out.split())
        assert "GPT-4o stands above Gemini-1.5-Pro by " in said
        assert of in said


def test_voters_of_whom_a_few_cast_most_votes_are_told(cli, votes):
    rows = drawn(900, {"x": 0.3, "y": 0.0, "z": -0.3})
    even = [{**row, "voter": f"v{n % 45}"} for n, row in enumerate(rows)]
    heavy = [{**row, "voter": f"v{n % 45 if n < 450 else 0}"} for n, row in enumerate(rows)]
    found = {
        name: cli("arena", "rank", "--votes", votes(one), "--json").json for name, one in (("e", even), ("h", heavy))
    }
    kish = 900**2 / (460**2 + 44 * 10**2)
    assert (found["e"]["kish_clusters"], found["h"]["kish_clusters"]) == (
        pytest.approx(45, abs=0.5),
        pytest.approx(kish, abs=0.1),
    )
    said = (
        f"some voters voted far more often than others: 45 voters tell no more than {kish:.0f} with equally many votes"
    )
    assert [any(said in one for one in found[name]["warnings"]) for name in "eh"] == [False, True]
    nearly = votes([{**row, "voter": f"v{n * 7 % 31 % 30}"} for n, row in enumerate(rows[:400])])
    told = cli("arena", "rank", "--votes", nearly, "--json").json
    assert told["kish_clusters"] < 30
    assert not any("far more often" in one for one in told["warnings"])


@pytest.mark.slow
def test_ten_million_rows_are_ranked_and_none_is_lost(tmp_path):
    """In a process of its own, whose memory can be told."""
    said = (
        [("x", "y", "model_a")] * 500 + [("y", "x", "model_a")] * 299 + [("x", "y", "tie")] * 200 + [("x", "y", "huh")]
    )
    block = "".join(f"{a},{b},{winner}\n" for a, b, winner in said)
    path = tmp_path / "votes.csv"
    with path.open("w") as file:
        file.write("model_a,model_b,winner\n")
        for _ in range(100):
            file.write(block * 100)
    command = [sys.executable, "-m", "audiometry", "arena", "rank", "--votes", path, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(one["model"], one["battles"], one["wins"], one["ties"]) for one in found["models"]] == [
        ("x", 9_990_000, 5_000_000, 2_000_000),
        ("y", 9_990_000, 2_990_000, 2_000_000),
    ]
    assert [(one["n"], one["lines"]) for one in found["file"]["apart"]] == [(10_000, [1001, 2001, 3001])]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_500_000  # KB
