"""Alignments that run folders hold, used by `compare` and `report` without asking anybody."""

import json
import re

import pytest

PROSE = "It goes moo."


@pytest.fixture
def runs(make_benchmark, cli, tmp_path):
    """``runs([…], […])``: folders of runs of one benchmark with these replies."""

    def go(*replies):
        folder = make_benchmark([{"question": f"What is sound {number}?"} for number in range(len(replies[0]))])
        out = []
        for number, texts in enumerate(replies):
            recorded = tmp_path / f"{number}.jsonl"
            lines = [json.dumps({"item": f"item-{n:05}", "text": text}) for n, text in enumerate(texts)]
            recorded.write_text("".join(line + "\n" for line in lines))
            out.append(tmp_path / f"run-{number}")
            cli("run", folder, "--model", f"scripted/replay?file={recorded}", "-o", out[-1])
        return out

    return go


@pytest.fixture
def align(cli):
    """``align(folder, server, "judge")``: score it with a judge."""

    def go(folder, server, mode="judge", name="openai/mock", *words):
        said = cli("score", folder, "--align", mode, "--judge", name, "--base-url", server.url, *words)
        assert said.code in (0, 1)
        return said

    return go


def test_compare_uses_the_stored_letters_and_says_whose_they_are(runs, align, cli, chat_server):
    a, b = runs([PROSE, PROSE, PROSE, "D"], ["A", PROSE, "A", "A"])  # right are A B C D
    server = chat_server(answer="C")
    plain = cli("compare", a, b, "--json").json
    assert (plain["score_a"], plain["score_b"], plain["aligned_by"]) == (0.25, 0.25, "")
    align(a, server), align(b, server)
    asked = len(server.log())
    server.stop()
    found = cli("compare", a, b, "--align", "judge", "--json").json
    assert (found["score_a"], found["score_b"]) == (0.5, 0.25)
    assert found["aligned_by"].startswith("openai/mock where the rules read nothing (mock-")
    text = " ".join(cli("compare", a, b, "--align", "judge").out.split())
    assert f"read by {found['aligned_by']}" in text
    assert "read by" not in cli("compare", a, b).out
    assert cli("compare", a, b, "--json").json == plain
    assert len(server.log()) == asked


def test_runs_that_were_aligned_differently_are_not_mixed(runs, align, cli, chat_server):
    a, b = runs([PROSE, "A"], [PROSE, "B"])
    server = chat_server(answer="C")
    none = cli("compare", a, b, "--align", "judge")
    assert none.code == 2
    assert f"{a} has no such alignment (it has none at all)" in none.err
    align(a, server)
    one = cli("compare", a, b, "--align", "judge")
    assert one.code == 2
    assert f"{b} has no such alignment" in one.err
    align(b, server, "judge", "openai/other")
    differently = cli("compare", a, b, "--align", "judge")
    assert differently.code == 2
    assert "the runs were aligned differently" in differently.err
    assert differently.err.count("\n") == 1
    report = cli("report", a, b, "--align", "judge")
    assert report.code == 2
    assert "the runs were aligned differently" in report.err
    align(b, server)
    assert cli("compare", a, b, "--align", "judge").code == 0  # one in common is enough
    align(a, server, "judge", "openai/other")
    several = cli("compare", a, b, "--align", "judge")
    assert several.code == 2
    assert "there are several alignments" in several.err
    assert "choose one with --judge" in several.err
    said = cli("compare", a, b, "--align", "judge", "--judge", "openai/other", "--json").json
    assert said["aligned_by"].startswith("openai/other ")
    other_mode = cli("compare", a, b, "--align", "always")
    assert other_mode.code == 2
    assert "it has --align judge --judge mock-" in other_mode.err


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_judge_under_rules_alone_is_wrong_usage(runs, cli, command):
    a, b = runs(["A"], ["B"])
    said = cli(command, a, b, "--judge", "openai/mock")
    assert said.code == 2
    assert "has nothing to do under --align rules" in said.err


def test_an_alignment_belongs_to_the_profile_that_it_was_made_under(runs, align, cli, chat_server):
    a, b = runs([PROSE, "A"], [PROSE, "B"])
    server = chat_server(answer="C")
    align(a, server, "judge", "openai/mock", "--profile", "airbench")
    align(b, server, "judge", "openai/mock", "--profile", "airbench")
    assert cli("compare", a, b, "--align", "judge", "--profile", "airbench").code == 0
    assert "has no such alignment (it has none at all)" in cli("compare", a, b, "--align", "judge").err


def test_replies_at_which_the_judge_failed_are_said(runs, align, cli, chat_server):
    a, b = runs([PROSE, "woof", "A"], ["A", "B", "C"])
    server = chat_server(answer="Let me think.")
    align(a, server), align(b, server)
    found = cli("compare", a, b, "--align", "judge", "--profile", "strict", "--json").json
    assert any("the judge failed at 66.7 % of the replies" in warning for warning in found["warnings"])
    align(a, chat_server(answer="C"), "judge", "openai/other")  # one that failed gives way to one that did not
    align(b, chat_server(answer="C"), "judge", "openai/other")
    found = cli("compare", a, b, "--align", "judge", "--json").json
    assert found["aligned_by"].startswith("openai/other ")
    found = cli("compare", a, b, "--align", "judge", "--judge", "openai/mock", "--json").json
    assert found["aligned_by"].startswith("openai/mock ")


def test_a_report_shows_the_stored_letters_and_says_so(runs, align, cli, chat_server, tmp_path):
    (a,) = runs([PROSE, PROSE, PROSE, "D"])
    server = chat_server(answer="C")
    signature = align(a, server, "judge", "openai/mock", "--json").json["scores"]["strict"]["signature"]
    server.stop()
    plain, aligned = tmp_path / "plain.html", tmp_path / "aligned.html"
    assert cli("report", a, "-o", plain).code == 0
    assert cli("report", a, "-o", aligned, "--align", "judge").code == 0
    by_rules, by_judge = plain.read_text(), aligned.read_text()
    assert "All numbers are by rules alone." in by_rules
    said = re.sub(r"</?span[^>]*>", "", by_rules)  # words of it that are not broken stand in some
    assert f"audiometry report {a} --align judge --judge openai/mock" in said
    assert signature not in by_rules
    assert '<span class="number">25.0</span>' in by_rules
    assert '<span class="number">50.0</span>' in by_judge
    assert f"<code>{signature}</code>" in by_judge
    assert "where these read nothing, by a judge: <strong>openai/mock</strong>" in by_judge
    assert "by rules alone and without the judge" in by_judge
    assert by_judge.count('"how":"judge"') == 3


def test_a_report_offers_only_an_alignment_that_all_of_its_runs_hold(runs, align, cli, chat_server, tmp_path):
    a, b = runs([PROSE, "D"], [PROSE, "B"])
    server = chat_server(answer="C")
    align(a, server)
    offers = []
    for _ in range(2):
        assert cli("report", a, b, "-o", tmp_path / "both.html").code == 0
        offers.append("hold an alignment by a judge as well" in (tmp_path / "both.html").read_text())
        assert cli("report", a, b, "-o", tmp_path / "aligned.html", "--align", "judge").code == (0 if offers[-1] else 2)
        align(b, server)
    assert offers == [False, True]


def test_a_damaged_score_is_one_line(runs, align, cli, chat_server):
    (a,) = runs([PROSE])
    align(a, chat_server(answer="C"))
    (kept,) = [path for path in (a / "scores").iterdir() if "align-judge-" in path.read_text()]
    kept.write_text("{")
    said = cli("report", a)
    assert said.code == 0, "the others are shown"
    (line,) = [line for line in said.err.splitlines() if "cannot be read" in line]
    assert f"1 stored score cannot be read (the first: scores/{kept.name}: " in line
    refused = cli("report", a, "--align", "judge")
    assert refused.code == 2
    assert "no such alignment (it has none at all); make it with audiometry score" in refused.err


def test_a_report_says_where_its_listening_verdict_is_by_rules_alone(make_benchmark, align, cli, chat_server, tmp_path):
    cli("run", make_benchmark(4), "--model", "scripted/deaf", "--variant", "noise", "-o", tmp_path / "deaf")
    align(tmp_path / "deaf", chat_server(answer="C"), "always")
    note = "The verdict is by rules alone, the table as the judge read the replies."
    cli("report", tmp_path / "deaf", "-o", tmp_path / "a.html", "--align", "always")
    cli("report", tmp_path / "deaf", "-o", tmp_path / "b.html")
    assert note in (tmp_path / "a.html").read_text()
    assert "Every reply is read by a judge, and counts by the rules of strict" in (tmp_path / "a.html").read_text()
    assert note not in (tmp_path / "b.html").read_text()
