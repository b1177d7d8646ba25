"""Files that are made piece by piece are either the old ones or the new ones."""

from pathlib import Path

import pytest

from audiometry.errors import StorageError
from audiometry.files import atomic


def test_parts_make_one_file(tmp_path):
    atomic.write_parts(tmp_path / "new" / "file", (b"%d," % i for i in range(4)))
    assert (tmp_path / "new" / "file").read_bytes() == b"0,1,2,3,"


def test_an_error_half_way_leaves_the_old_file_and_no_other(tmp_path):
    (tmp_path / "file").write_bytes(b"old")

    def parts():
        yield b"half"
        raise KeyError("broken")

    with pytest.raises(KeyError):
        atomic.write_parts(tmp_path / "file", parts())
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_place_that_refuses_is_one_error(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(StorageError, match="cannot write"):
        atomic.write_parts(tmp_path / "file", (b"x",))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_where_no_file_can_be_made_nobody_is_told_to_free_space():
    with pytest.raises(StorageError, match=r"cannot write /proc/x\.html: .*; choose another folder") as refused:
        atomic.write(Path("/proc/x.html"), b"x")
    assert "free some space" not in str(refused.value)
