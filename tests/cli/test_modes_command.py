"""``audiometry modes``: what a person sees, a judge that is asked once, and slips."""

from __future__ import annotations

import json

import pytest

CARD = '[benchmark]\nname = "made"\n\n[distractors]\nIR = "incorrect but related"\n'
ITEM = {"options": ["a waltz", "a polka", "a dog"], "kinds": ["", "IR", "IU"], "answer": "a waltz"}


@pytest.fixture
def run(make_benchmark, make_run):
    folder = make_benchmark([ITEM | {"question": f"Which dance is number {n}?"} for n in range(6)], card=CARD)
    replies = ["A", "B", "B because of the beat", "no idea", "C", "It is not mentioned in the caption."]
    return make_run(folder, {f"item-{n:05}": text for n, text in enumerate(replies)})


def test_the_terminal_counts_quotes_and_says_what_would_tell_more(cli, run):
    said = cli("modes", run)
    assert said.code == 0
    assert "5 wrong or without an answer" in said.out
    headings = [line for line in said.out.splitlines() if "coded by rules" in line]
    assert headings[-2] == "hears what is not there (auditory hallucination): 2 of them, coded by rules"
    assert said.out.splitlines()[-1].startswith("The codes are kept in the run folder; next: audiometry report ")
    assert "B because of the beat" in said.out
    assert "--variant noise" in said.out
    assert "beside-the-question" not in said.out


def test_a_judge_codes_and_is_not_asked_twice(cli, run, chat_server):
    holds = {"number 1": "auditory-hallucination", "number 2": "auditory-hallucination", "number 3": "declined",
             "number 4": "I cannot say", "number 5": "training-data-bias"}  # fmt: skip
    server = chat_server(judge=json.dumps({"holds": holds}))
    words = ("modes", run, "--judge", "openai/mock", "--base-url", server.url, "--json")
    said = cli(*words)
    assert said.code == 1  # of one reply nothing is known
    judge = said.json["runs"][0]["coders"][1]
    assert (judge["name"], judge["n_coded"], judge["n_failed"]) == ("openai/mock", 4, 1)
    assert judge["codes"]["auditory-hallucination"]["n"] == 2
    asked = len(server.log())
    assert asked == 6  # five replies, and one once more
    assert not any(one.get("clips") for one in server.log())
    (pair,) = said.json["runs"][0]["agreement"]["codes"]["pairs"]
    assert pair["share"]["n"] == 4
    assert cli(*words).json["runs"] == said.json["runs"]
    assert len(server.log()) == asked
    (kept,) = (run / "ratings").glob("codes-openai-mock-*.jsonl")
    assert kept.read_text().count("\n") == 4
    agreed = cli("agree", run, "--json").json
    assert agreed["codes"]["pairs"][0]["share"]["n"] == 4


def test_tables_and_figures_name_the_run(cli, run, tmp_path):
    assert cli("modes", run, "--tables", tmp_path / "t", "--figures", tmp_path / "f").code == 0
    assert (
        "made/by-hand" in (tmp_path / "t" / "modes.md").read_text()
        or run.name in (tmp_path / "t" / "modes.md").read_text()
    )
    assert (tmp_path / "t" / "code-book.tex").is_file()
    assert (tmp_path / "f" / "modes.svg").is_file()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--people", "none.csv"), "none.csv"),
        (("--book", "none.toml"), "none.toml"),
        (("--rpm", "5"), "--rpm is about judges"),
        (("--bench", "nowhere"), "nowhere"),
    ],
)
def test_slips_are_said_in_one_line(cli, run, words, why):
    said = cli("modes", run, *words)
    assert said.code == 2
    assert why in said.err
    assert said.err.count("\n") == 1


def test_a_file_of_people_without_codes_is_refused(cli, run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("item,rater,score\nitem-00001,ann,3\n")
    said = cli("modes", run, "--people", path)
    assert said.code == 2
    assert "holds no codes" in said.err


def test_a_judge_of_which_nothing_can_be_read_takes_no_report_away(cli, run, chat_server, tmp_path):
    server = chat_server(judge=json.dumps({"holds": {"number": "It is not declined."}}))
    said = cli("modes", run, "--judge", "openai/mock", "--base-url", server.url)
    assert said.code == 1
    assert "5 of 5 replies were not coded: no answer came, or none that names one code" in " ".join(said.out.split())
    assert cli("report", run, "-o", tmp_path / "page.html").code == 0
    assert cli("agree", run).code == 0


def test_lines_that_do_not_count_are_told_where_they_stand_and_what_was_meant(cli, run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("item,rater,code\nitem-00001,ann,auditory-halucination\nitem-00002,ann,\nitem-00004,ann,declined\n")
    more = tmp_path / "more.csv"
    more.write_text("item,rater,code,model\nitem-00001,bo,declined,gpt\nitem-00002,bo,declined,\n")
    said = cli("modes", run, "--people", path, "--people", more)
    assert said.code == 1
    told = " ".join(said.out.split())
    assert "people.csv, line 2: 'auditory-halucination', did you mean 'auditory-hallucination'?" in told
    assert "people.csv: 1 line left out as unusable (line 3: none of score, choice, preferred, code)" in told
    assert "1 code of another model (more.csv, line 2: 'gpt') left out; the model here is 'made/by-hand'" in told
    as_json = cli("modes", run, "--people", path, "--people", more, "--json")
    assert [one["name"] for one in as_json.json["runs"][0]["coders"]] == ["rules", "ann", "bo"]
    assert "line 3" in as_json.err


def test_a_run_without_any_reply_is_not_called_right(cli, make_benchmark, make_run):
    folder = make_benchmark([ITEM], card=CARD)
    said = cli("modes", make_run(folder, {"item-00000": {"error": {"kind": "http-500", "message": "x"}}}))
    assert "no reply came" in said.out
    assert "every reply" not in said.out


def test_among_machines_alone_it_is_said_that_no_person_coded(cli, run, chat_server):
    server = chat_server(judge=json.dumps({"holds": {"number": "unexplained"}}))
    told = " ".join(cli("modes", run, "--judge", "openai/mock", "--base-url", server.url).out.split())
    assert "no person among the raters" in told
    assert "No other rater" not in told
    assert "How far the coders agree" in told
