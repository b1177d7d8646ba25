"""The document's spec and its commands, word for word, with recordings of ours."""

import re
import shlex
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs/build.md").read_text(encoding="utf-8")
SPEC = re.search(r"```toml\n(\[benchmark\].*?)```", TEXT, re.DOTALL)[1]
COMMANDS = re.search(r"```sh\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()
GENUS = {"robin": "Erithacus", "crow": "Corvus", "rook": "Corvus", "raven": "Corvus", "jackdaw": "Corvus"}


@pytest.fixture
def dawn(recordings, tmp_path, monkeypatch):
    recordings(6, seconds=3)
    rows = ["file,begin_s,end_s,station,day,label,genus"]
    for k, bird in enumerate([*GENUS, "crow;raven"]):
        genus = ";".join(GENUS[one] for one in bird.split(";"))
        rows.append(f"birds/{k}.wav,0.5,1.75,north,{k // 2},{bird},{genus}")
    (tmp_path / "dawn.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "birds.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_of_the_document_do_what_it_says(dawn, cli, metadata):
    for line in (one for one in COMMANDS if "audiometry review" not in one):  # which serves a page until it is stopped
        said = cli(*shlex.split(line.partition("#")[0])[1:])
        assert said.code == 0, (line, said.err, said.out)
    items = metadata(dawn / "dawn-birds")
    assert {item["answer"] for item in items} <= {*GENUS} - {"robin"}  # of its genus there is no other
    for item in items:
        assert {GENUS[one] for one in item["options"]} == {"Corvus"}
    assert "100.0" in said.out


def test_every_rule_that_rejects_is_in_the_document():
    source = Path(__file__).parents[2] / "src/audiometry/builder"
    modules = ("gather", "items", "splits", "build", "makes/label", "makes/given", "makes/events")
    rules = r'(?:rule="|rule, reason = "|return \("|_Unusable\(")([a-z]+(?:-[a-z]+)*)"'
    named = {rule for name in modules for rule in re.findall(rules, (source / f"{name}.py").read_text())}
    assert len(named) > 10
    assert named <= set(re.findall(r"`([a-z-]+)`", TEXT))
