"""More wordings of a question, written by a model after the examples of the spec."""

import json
from collections import Counter

LABEL = """
name = "species"
make = "label"
about = "species"
question = ["Which bird is heard?", "Name the bird.", "What kind of bird calls here?"]
written = 50
"""


def test_fifty_more_wordings_are_used_and_who_wrote_them_is_kept(written, tmp_path, cli):
    said, items, rejected, server = written({}, LABEL, n=60)
    assert said.code == 0, said.err
    assert (len(items), rejected) == (60, [])
    info = json.loads((tmp_path / "out/build/build.json").read_text())
    wordings = info["wordings"]["species"]
    assert len(wordings) == len({*wordings}) == 53
    assert wordings[:3] == ["Which bird is heard?", "Name the bird.", "What kind of bird calls here?"]
    assert [*info["written"]["species"]] == wordings[3:]
    assert {by["model"] for by in info["written"]["species"].values()} == {"openai/pen"}
    asked = Counter(item["question"] for item in items)
    assert {*asked} <= {*wordings}
    assert len(asked) > 20
    for item in items:
        assert ("question_model" in item["provenance"]) == (item["question"] in wordings[3:])
    assert len(server.log()) == 3
    assert "Which bird is heard?" in server.log()[0]["text"]
    assert "What do you hear, put as" in server.log()[1]["text"]
    before = [item["id"] for item in items]
    assert cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out").code == 0
    assert len(server.log()) == 3
    assert [json.loads(line)["id"] for line in (tmp_path / "out/metadata.jsonl").read_text().splitlines()] == before


def test_wordings_that_are_no_good_are_left_out_each_with_its_rule(written):
    given = [
        "Which bird do you hear?",
        "which bird do you hear",
        "Is it a robin that is heard?",
        "Sure, here is a wording: which bird?",
        "Welcher Vogel ist zu hören?",
        "Which bird is shown in the picture?",
        "name the BIRD!",
    ]
    said, items, rejected, server = written({"reply": json.dumps({"questions": given})}, LABEL.replace("50", "4"))
    assert said.code == 0
    assert len(items) == 5
    assert len(server.log()) == 3  # a prompt would do; three are tried
    first = [(one["rule"], one["reply"]) for one in rejected[:6]]
    assert first == [
        ("repeated", "which bird do you hear"),
        ("gives-away", "Is it a robin that is heard?"),
        ("residue", "Sure, here is a wording: which bird?"),
        ("language", "Welcher Vogel ist zu hören?"),
        ("not-about-audio", "Which bird is shown in the picture?"),
        ("repeated", "name the BIRD!"),
    ]
    assert "task species: 1 wording written of 4, the others were no good" in " ".join(said.out.split())


def test_wordings_of_events_name_what_is_heard(written):
    task = """
name = "when"
make = "events"
about = "word"
question = ["When is '{label}' said?"]
written = 2
"""
    rows = [
        {"file": f"birds/{k}.wav", "from": a, "to": a + 0.05, "word": word, "station": k}
        for k in range(4)
        for a, word in ((0.01, "one"), (0.1, "two"), (0.2, "three"))
    ]
    reply = json.dumps(
        {"questions": ["When do you hear {label}?", "When is it heard?", "At which time is {label} said?"]}
    )
    columns = 'audio = "file", start = "from", end = "to", group = ["station"]'
    said, items, rejected, _ = written({"reply": reply}, task, n=4, rows=rows, columns=columns, facts='word = "word"')
    assert said.code == 0, said.err
    assert [one["rule"] for one in rejected] == ["malformed"]
    assert not any("{label}" in item["question"] for item in items)


def test_without_a_writer_or_an_example_the_spec_is_refused(spec, cli, tmp_path, captioned, recordings):
    recordings(5)
    said = cli("build", spec(captioned(5), LABEL), "-o", tmp_path / "out")
    assert (said.code, "needs a language model that writes" in said.err) == (2, True)
    task = LABEL.replace('["Which bird is heard?", "Name the bird.", "What kind of bird calls here?"]', "[]")
    said = cli("build", spec(captioned(5), task), "-o", tmp_path / "out", "--writer", "openai/pen")
    assert "has written, and no question to go by; give one to three as examples" in said.err
    assert not (tmp_path / "out").exists()


def test_a_dry_run_shows_a_prompt_of_each_kind_and_tells_no_column_for_wordings_alone(spec, cli, captioned, recordings):
    recordings(5)
    words = ("--dry-run", "--writer", "openai/pen@http://one:9/v1")
    path = spec(captioned(5), LABEL)
    found = cli("build", path, *words, "--json").json
    assert {one["what"]: one["calls"] for one in found["asked"]} == {"species, wordings": 3}
    assert found["items"] == {"species": 5}
    assert list(found["hosts"].values()) == [{}]
    assert "http://one:9/v1 would be told no column" in " ".join(cli("build", path, *words).out.split())
    path = spec(captioned(5), LABEL.replace('"label"', '"near"'))
    found = cli("build", path, *words, "--json").json
    assert {one["what"]: one["calls"] for one in found["asked"]} == {"species, wordings": 3, "species": 5}
    assert ["more wordings" in one["sample"] for one in found["asked"]] == [True, False]
    assert list(found["hosts"].values()) == [{"rows": ["species"]}]
