"""A small real language model plays the judge: the whole path meets what such models really say.

It is no judge: its answers are those of a model that does not understand the question. What is tested is that nothing
of that is taken for more than it is, not one score.
"""

import json

import pytest

from audiometry.score.judge.scores import read_scores

pytestmark = [pytest.mark.llm, pytest.mark.slow]


def test_a_real_model_as_judge_is_taken_at_its_word_and_for_no_more(small_llm, cli, tmp_path):
    folder = tmp_path / "run"
    assert cli("run", "mini/chat", "--model", "scripted/oracle", "--limit", 2, "--no-probe", "-o", folder).code == 0
    words = ("score", folder, "--judge", "openai/smollm2", "--base-url", small_llm(60), "--profile", "all")
    found = cli(*words, "--concurrency", 1, "--timeout", 600)
    (path,) = (folder / "judge").iterdir()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(record.get("text") is not None for record in records)
    assert {record["variant"] for record in records} <= {"first", "again"}
    text = " ".join(found.out.split())
    assert "How far to trust the judge" in text
    assert "openai/smollm2" in text.partition("How far to trust the judge")[2]
    score = cli(*words, "--json").json["scores"]["strict"]
    (account,) = score["extras"]["judges"].values()
    assert account["usage"]["requests"] == len(records)
    assert account["n_requests_now"] == 0

    last = {record["item"]: record for record in records if record["variant"] == "first"}
    last |= {record["item"]: record for record in records if record["variant"] == "again"}
    assert len(last) == account["n_pairs"] == 4
    unread = [key for key, record in last.items() if not readable(record)]
    assert sum(account["failures"].values()) == len(unread)
    if unread:  # never seen otherwise
        assert found.code == 1
        assert "so this number is not to be ranked" in text
        assert score["rankable"] is False
        assert score["n_unjudged"] > 0
        low, high = score["bounds"]
        assert 1 <= low < high <= 10
    if len(unread) == len(last):
        assert score["value"] is None


def readable(record):
    """Whether two scores stand in whole lines."""
    text = record["text"].rpartition("\n")[0] if record["finish_reason"] == "length" else record["text"]
    return not read_scores(text).failed
