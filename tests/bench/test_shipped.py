"""Tests of shipped data are left out only while data, recipe and tests are those that were recorded."""

import runpy
from pathlib import Path

import pytest

SHIPPED = runpy.run_path(str(Path(__file__).with_name("shipped.py")))
FILES = ("src/audiometry/bench/mini/audio/a.ogg", "recipes/mini/build.py", "tests/bench/test_mini_card.py")


@pytest.fixture
def tree(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize("name", [*FILES, "src/audiometry/bench/mini/audio/b.ogg", "recipes/mini/more/new.toml"])
def test_any_change_of_what_is_measured_is_seen(tree, name):
    record = tree / "record"
    record.write_text(SHIPPED["digest"](tree))
    assert SHIPPED["unchanged"](tree, record)
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text("changed")
    assert not SHIPPED["unchanged"](tree, record)


def test_a_file_that_is_renamed_or_gone_is_seen(tree):
    record = tree / "record"
    record.write_text(SHIPPED["digest"](tree))
    (tree / FILES[0]).rename(tree / FILES[0].replace("a.ogg", "c.ogg"))
    assert not SHIPPED["unchanged"](tree, record)
    (tree / FILES[0]).parent.joinpath("c.ogg").unlink()
    assert not SHIPPED["unchanged"](tree, record)


def test_without_a_record_they_run(tree):
    assert not SHIPPED["unchanged"](tree, tree / "record")


def test_what_is_marked_is_part_of_the_record():
    """Another file with the mark would be left out after a change of its own."""
    here = Path(__file__)
    marked = {path.name for path in here.parent.glob("test_*.py") if "mark.ship" + "ped" in path.read_text("utf-8")}
    assert marked
    assert all(name.startswith("test_mini_") for name in marked)
