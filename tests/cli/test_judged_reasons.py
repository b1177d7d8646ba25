"""``audiometry reasons --judge``: what a judge codes, what it fails at, and that it is not asked twice."""

from __future__ import annotations

import json

PLAIN = {"model_a": "x", "model_b": "y", "winner": "model_a"}
HOLDS = {
    "zxcvb": "tone: praise, A\naccuracy: fault B",
    "I cannot say": "who knows",
    "nothing at all": "none",
    "comment below": "helpfulness praise",
}


def test_a_judge_codes_is_held_against_the_sample_and_is_not_asked_twice(cli, tmp_path, chat_server):
    server = chat_server(judge=json.dumps({"holds": HOLDS}))
    file = tmp_path / "votes.jsonl"
    rows = [("model_a", "zxcvb"), ("model_b", "zxcvb"), ("model_a", "I cannot say"), ("tie", "nothing at all"),
            ("model_a", "zxcvb")]  # fmt: skip
    plain = {"model_a": "x", "model_b": "y"}
    file.write_text("".join(json.dumps(plain | {"winner": w, "comment": c}) + "\n" for w, c in rows))
    words = ("reasons", "--votes", file, "--judge", "openai/mock", "--base-url", server.url, "--json")
    said = cli(*words)
    assert said.code == 1  # of one comment nothing is known
    found = json.loads(said.out)
    rules, judge = found["coders"]
    assert (rules["name"], rules["n_coded"], found["coder"]) == ("rules", 0, "openai/mock")
    assert (judge["n"], judge["n_coded"], judge["n_failed"], judge["usage"]["requests"] > 100) == (5, 3, 1, True)
    assert {one["code"]: one["votes"]["n"] for one in found["reasons"]} == {"tone": 3, "accuracy": 3}
    cells = {(kind["kind"], one["model"]): one["cells"] for kind in found["by_model"] for one in kind["models"]}
    assert cells["for", "x"]["tone"]["n"] == 2
    assert cells["for", "y"]["tone"]["n"] == 0  # it won one, and A was praised
    assert cells["against", "y"]["accuracy"]["n"] == 2
    of_sample = [one for one in found["agreement"] if one["against"] == "the labelled sample"]
    hard = [one["n"] for one in found["agreement"] if one["against"] == "comments in roundabout words"]
    assert hard == [40, 40]
    assert [one["coder"] for one in of_sample] == ["rules", "openai/mock"]
    assert of_sample[1]["whole"]["kappa"] < 0.6
    assert any("openai/mock agrees with the labelled sample by less than kappa 0.6" in one for one in found["warnings"])
    asked = len(server.log())
    assert asked == 4 + 1 + 101 + 40  # different comments and outcomes, one once more, and the sample
    assert json.loads(cli(*words).out)["reasons"] == found["reasons"]
    assert len(server.log()) == asked
    assert list((tmp_path / "votes.jsonl.asked" / "judge").glob("code-*.jsonl"))
    elsewhere = cli(*words, "--asked", tmp_path / "elsewhere")
    assert elsewhere.code == 1
    assert (tmp_path / "elsewhere" / "judge").is_dir()


def test_a_book_of_ones_own_is_coded_by_a_judge_and_its_failures_are_said(cli, tmp_path, chat_server):
    server = chat_server(judge=json.dumps({"holds": {"dear": "price fault", "odd": "who knows"}}))
    book, file = tmp_path / "mine.toml", tmp_path / "votes.jsonl"
    codes = ("price", "joy")
    book.write_text("".join(f'[[code]]\nname = "{one}"\ntitle = "{one}"\nabout = "is {one}"\n' for one in codes))
    file.write_text("".join(json.dumps(PLAIN | {"comment": one}) + "\n" for one in ("too dear", "odd", "dear me")))
    said = cli("reasons", "--votes", file, "--book", book, "--judge", "openai/mock", "--base-url", server.url)
    assert said.code == 1
    flat = " ".join(said.out.split())
    assert "openai/mock: 1 of 3 comments were not coded: no answer came, or none that can be read." in flat
    assert "there is no labelled sample to hold its coders against" in flat
    assert len(server.log()) == 4
