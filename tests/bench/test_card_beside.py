"""A card that names a metadata file: several benchmarks over one folder of clips."""

import json

import pytest

from audiometry import bench
from audiometry.errors import BenchmarkError

CARD = '[benchmark]\nname = "open"\n[data]\nsource = "folder"\npath = "{path}"\n[[task]]\nname = "ask"\nkind = "open"\n'


@pytest.fixture
def beside(make_benchmark):
    """A folder with a benchmark of its own and a card for open questions on the same clips."""
    folder = make_benchmark(3)
    row = {"id": "q1", "task": "ask", "file_name": "audio/00001.wav", "question": "What is it?", "answer": "A tone."}
    (folder / "open.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "open.toml").write_text(CARD.format(path="open.jsonl"))
    return folder


def test_a_card_may_point_at_a_metadata_file_beside_it(beside):
    loaded = bench.load(beside / "open.toml")
    assert (loaded.name, loaded.root, [item.id for item in loaded]) == ("open", beside, ["q1"])
    assert loaded.clip_path("audio/00001.wav").exists()
    assert [item.id for item in bench.load(beside)] == ["item-00000", "item-00001", "item-00002"]
    assert loaded.sha256 != bench.load(beside).sha256


def test_a_table_beside_is_passed_over_for_the_folders_own_metadata_only(beside):
    (beside / "metadata.csv").write_text("id\n")
    assert bench.load(beside / "open.toml").notes == ()
    assert len(bench.load(beside).notes) == 1


def test_its_run_is_found_again_from_elsewhere(beside, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(beside)
    assert cli("run", "open.toml", "--model", "scripted/oracle", "-o", tmp_path / "r").code == 0
    monkeypatch.chdir(tmp_path)
    source = json.loads((tmp_path / "r/run.json").read_text())["benchmark"]["source"]
    assert source == str(beside / "open.toml")
    assert len(bench.load(source)) == 1


def test_a_check_reads_that_file_and_names_its_lines(beside, cli):
    assert cli("check", beside / "open.toml", "--json").json["n_items"] == 1
    with (beside / "open.jsonl").open("a") as file:
        file.write('{"id": "q2", "task": "ask", "file_name": "audio/00001.wav"}\n')
    said = cli("check", beside / "open.toml", "--json")
    assert said.code == 1
    (error,) = [f for f in said.json["findings"] if f["severity"] == "error"]
    assert error["where"] == "open.jsonl, line 2"
    with pytest.raises(BenchmarkError, match=r"1 of 2 rows are left out: .*`audiometry check .*open\.toml --json`"):
        bench.load(beside / "open.toml", strict=True)


def test_clips_of_the_other_benchmark_are_not_unused(beside, cli):
    codes = {f["code"] for f in cli("check", beside / "open.toml", "--json").json["findings"]}
    assert "unused" not in codes
    (beside / "metadata.jsonl").unlink()
    (unused,) = [f for f in cli("check", beside / "open.toml", "--json").json["findings"] if f["code"] == "unused"]
    assert unused["what"].startswith("2 audio files")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("gone.jsonl", r"has no gone\.jsonl"),
        ("../open.jsonl", "is not a path below the card"),
        ("/etc/x.jsonl", "is not a path below the card"),
    ],
)
def test_a_path_that_cannot_be_is_named(beside, path, says):
    (beside / "open.toml").write_text(CARD.format(path=path))
    with pytest.raises(BenchmarkError, match=says):
        bench.load(beside / "open.toml")


def test_a_card_of_published_data_is_not_a_benchmark_by_itself(beside):
    card = beside / "open.toml"
    card.write_text(card.read_text().replace('"folder"', '"airbench"'))
    with pytest.raises(BenchmarkError, match="that of published data"):
        bench.load(card)
