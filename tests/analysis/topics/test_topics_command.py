"""``audiometry topics``: what a person sees, models that are asked once, what is written, and slips."""

from __future__ import annotations

import json
import sys

import pytest


def test_the_terminal_says_what_is_asked_and_how_far_to_trust_it(cli, votes, tmp_path):
    said = cli("topics", "--votes", votes(), "--topics", 4, "-o", tmp_path / "page.html")
    assert said.code == 0
    words = " ".join(said.out.split())
    for told in (
        "160 queries asked by 12 voters",
        "By participant",
        "Cohen's kappa 0.8",
        "adjusted Rand index",
        "share, % voters different firm",
    ):
        assert told in words
    page = (tmp_path / "page.html").read_text()
    assert "By topic" in page
    assert "By use" in page


def test_one_document_has_topics_uses_and_boards(cli, votes, tmp_path):
    said = cli("topics", "--votes", votes(), "--topics", 4, "--json", "--tables", tmp_path / "t")
    found = said.json
    assert said.code == 0
    assert len(found["topics"]) == 4
    assert set(found["by"]) == {"topic", "use"}
    assert set(found["by"]["topic"]["boards"]) == {one["label"] for one in found["topics"]}
    assert found["uses"]["trust"]["kappa"]["value"] >= 0.6
    assert (tmp_path / "t" / "topics.csv").exists()
    again = cli("topics", "--votes", votes(), "--topics", 4, "--json", "--tables", tmp_path / "t").json
    assert again == found


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_votes_are_written_with_topic_and_use_and_nothing_is_lost(cli, votes, made_rows, tmp_path, form):
    rows = [row | {"topic": "old"} for row in made_rows(n=80)]
    path = votes(rows, "votes.jsonl")
    if form == "csv":
        import csv

        path = tmp_path / "votes.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    elif form == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        path = tmp_path / "votes.parquet"
        parquet.write_table(pa.Table.from_pylist(rows), path)
    said = cli("topics", "--votes", path, "--topics", 4, "--write", tmp_path / "new.jsonl")
    assert said.code == 0
    assert said.err.splitlines()[-1].endswith("new.jsonl --by topic --by use")
    assert said.out.splitlines()[-1].startswith("Kept nowhere; next: the same with -o")
    written = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert [one["use"] for one in written] == [row["meant"] for row in rows]
    assert [one["given_topic"] for one in written] == ["old"] * 80
    assert [{name: one[name] for name in row if name != "topic"} for one, row in zip(written, rows, strict=True)] == [
        {name: value for name, value in row.items() if name != "topic"} for row in rows
    ]
    board = cli("arena", "rank", "--votes", tmp_path / "new.jsonl", "--by", "topic", "--by", "use", "--json").json
    assert set(board["by"]["topic"]["boards"]) == {one["topic"] for one in written}
    refused = cli("topics", "--votes", path, "--write", tmp_path / "new.jsonl")
    assert refused.code == 2
    assert "is there already" in refused.err


def test_lines_that_cannot_count_are_told_and_written_as_they_are(cli, votes, made_rows, tmp_path):
    path = votes(made_rows(n=60))
    with path.open("a") as file:
        file.write('{"model_a": "m1", "model_b": "m1", "winner": "tie", "query": "a"}\nnonsense\n')
    said = cli("topics", "--votes", path, "--topics", 3, "--write", tmp_path / "new.jsonl")
    assert said.code == 1
    assert "2 lines of 62 set apart" in " ".join(said.out.split())
    assert "not 1 line that cannot be read" in " ".join(said.err.split())
    assert len((tmp_path / "new.jsonl").read_text().splitlines()) == 61


def test_a_model_says_uses_and_names_topics_and_is_asked_once(cli, votes, chat_server):
    holds = {"write a short poem": "task-execution", "What is a": "**knowledge-expansion**"}
    holds = {"frequent words": "\x1b[2J <b>Everything</b>"} | holds
    server = chat_server(judge=json.dumps({"holds": holds}))
    words = ("topics", "--votes", votes(n=60), "--topics", 4, "--json", "--base-url", server.url)
    said = cli(*words, "--judge", "openai/mock", "--namer", "openai/mock")
    found = said.json
    assert said.code == 1  # of some queries nothing is known
    assert found["uses"]["coder"] == "openai/mock"
    assert found["uses"]["shares"]["chat"]["n"] == 0
    assert found["uses"]["n_unknown"] > 0  # of those that it said nothing readable
    assert found["uses"]["trust"] is None or found["uses"]["trust"]["n"] < 146
    assert all(one["named_by"] == "" for one in found["topics"])  # no such name, so they are called by their words
    n = sum(one["label"] != "other" for one in found["topics"])
    assert any(one.startswith(f"openai/mock gave {n} of {n} topics no name that can") for one in found["warnings"])
    assert "\x1b" not in said.out
    asked = len(server.log())
    assert cli(*words, "--judge", "openai/mock", "--namer", "openai/mock").json["topics"] == found["topics"]
    assert len(server.log()) == asked


def test_a_good_name_is_taken_and_one_that_two_topics_get_is_not(cli, votes, chat_server):
    server = chat_server(judge=json.dumps({"holds": {"orbit": '"Space and stars."', "frequent words": "The same"}}))
    found = cli(
        "topics", "--votes", votes(), "--topics", 4, "--json", "--base-url", server.url, "--namer", "openai/mock"
    ).json
    named = [one["label"] for one in found["topics"] if one["named_by"]]
    assert named == ["Space and stars"]
    assert any(one.startswith("openai/mock gave 3 of 4 topics no name") for one in found["warnings"])
    assert len({one["label"] for one in found["topics"]}) == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--judge", "openai/a", "--judge", "openai/b"), "name it once"),
        (("--rpm", "3"), "--rpm"),
        (("--topics", "1"), "--topics"),
    ],
)
def test_slips_are_one_line(cli, votes, words, told):
    said = cli("topics", "--votes", votes(n=30), *words)
    assert said.code == 2
    assert told in said.err
    assert "Traceback" not in said.err


def test_without_the_extra_one_line_says_what_to_install(cli, votes, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    said = cli("topics", "--votes", votes(n=30))
    assert said.code == 2
    assert "[topics]" in said.err


def test_an_embedding_model_is_asked_once_and_its_points_make_the_topics(cli, votes, chat_server):
    server = chat_server(faults=["503:first-1"])
    path = votes(n=60)
    words = ("topics", "--votes", path, "--topics", 4, "--json", "--embed", "openai/emb", "--base-url", server.url)
    found = cli(*words).json
    assert found["embedded"] == "openai/emb"
    assert "embedded=openai/emb" in found["signature"]
    asked = len(server.log())
    assert cli(*words).json == found
    assert len(server.log()) == asked
    assert (path.parent / "votes.jsonl.asked" / "embeddings.sqlite").exists()
