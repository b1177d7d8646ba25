"""A small real language model writes and filters: the whole path meets what such models really say.

It is no writer: what is tested is that whatever it says is either a whole item that keeps every rule, or kept apart
with the rule that it breaks.
"""

import json

import pytest

from audiometry.builder import checks

pytestmark = [pytest.mark.llm, pytest.mark.slow]
TASKS = (
    'name = "near"\nmake = "near"\nabout = "species"\nquestion = ["Which bird is heard?"]\nwritten = 2\nn = 2',
    'name = "chat"\ncategory = "sound"\nmake = "chat"\nn = 2',
    'name = "music"\ncategory = "music"\nmake = "music"\nn = 1',
)


def test_a_real_writer_is_taken_at_its_word_and_for_no_more(
    small_llm, recordings, spec, captioned, cli, tmp_path, metadata, rejected
):
    recordings(2)
    url = small_llm(60)
    own = f'[writer]\nmodel = "openai/smollm2"\nbase_url = "{url}"\n[filter]\ntext = ["openai/other@{url}"]'
    path = spec(captioned(2), *TASKS, own, facts='species = "species", caption = "caption"')
    words = ("build", path, "-o", tmp_path / "out", "--concurrency", 1, "--timeout", 600)
    said = cli(*words)
    assert said.code in {0, 1}, said.err
    records = [
        json.loads(line)
        for path in (tmp_path / "out/build/asked").glob("written-*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert len(records) >= 2 + 2 + 1 + 1
    assert all(record.get("text") is not None for record in records)
    items, left = metadata(tmp_path / "out"), rejected(tmp_path / "out")
    assert items or left
    for item in items:
        assert item["provenance"]["model"] == "openai/smollm2"
        assert not checks.of_question(item["question"], "en")[0]
        assert len({*item.get("options", [])}) == len(item.get("options", []))
    for one in left:
        assert one["rule"]
        assert one["reason"]
        assert one.get("item") or one.get("reply") is not None
    before = [(path, path.read_bytes()) for path in sorted((tmp_path / "out").rglob("*")) if path.is_file()]
    again = cli(*words)
    assert again.code == said.code
    assert [(path, path.read_bytes()) for path, _ in before if path.suffix != ".html"] == [
        one for one in before if one[0].suffix != ".html"
    ]


def test_what_a_real_writer_writes_in_the_right_form_meets_the_rules(
    small_llm, recordings, spec, captioned, cli, tmp_path, metadata, rejected
):
    """A grammar holds it to the form, so that its words are read: its instructions again, or one thing for ever."""
    recordings(2)
    texts = {name: {"type": "string", "maxLength": 160} for name in ("question", "answer")}
    schema = {"type": "object", "properties": texts, "required": [*texts], "additionalProperties": False}
    form = {"response_format": {"type": "json_schema", "json_schema": {"name": "written", "schema": schema}}}
    (tmp_path / "form.json").write_text(json.dumps(form))
    own = f'[writer]\nmodel = "openai/smollm2"\nbase_url = "{small_llm(150)}"'
    path = spec(captioned(2), TASKS[1], own, facts='species = "species", caption = "caption"')
    more = ("--concurrency", 1, "--timeout", 600, "--extra", tmp_path / "form.json")
    said = cli("build", path, "-o", tmp_path / "out", *more)
    assert said.code in {0, 1}, said.err
    items, left = metadata(tmp_path / "out"), rejected(tmp_path / "out")
    read = [one for one in left if one["rule"] != "unreadable"]
    assert items or read
    for item in items:
        assert not checks.loops(item["question"])
        assert not checks.loops(item["answer"])
    assert {one["rule"] for one in read} <= {"residue", "not-about-audio", "gives-away", "repeated", "language"}
