"""Files put in place in one step."""

import errno
import os
import stat
import subprocess
import sys

import pytest

from audiometry.errors import StorageError
from audiometry.files import atomic


def test_the_folder_is_made_and_the_file_replaced(tmp_path):
    path = tmp_path / "a" / "b" / "run.json"
    atomic.write(path, b"one")
    atomic.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["run.json"]


def test_others_may_read_as_the_umask_says(tmp_path):
    path = tmp_path / "run.json"
    before = os.umask(0o027)
    try:
        atomic.write(path, b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(StorageError, match=r"cannot write .*run/run\.json: .*; a file stands where its folder"):
        atomic.write(tmp_path / "run" / "run.json", b"x")


def test_a_folder_where_the_file_should_be(tmp_path):
    (tmp_path / "run.json").mkdir()
    with pytest.raises(StorageError, match=r"cannot write .*run\.json"):
        atomic.write(tmp_path / "run.json", b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


REFUSED = """
import pathlib, resource, sys
from audiometry.errors import StorageError
from audiometry.files import atomic
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    atomic.write(pathlib.Path(sys.argv[1]), b"x" * 1000)
except StorageError as error:
    print(error)
"""


def test_a_refused_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    out = subprocess.run([sys.executable, "-c", REFUSED, str(path)], capture_output=True, text=True, check=True).stdout
    assert out.startswith(f"cannot write {path}: File too large; raise the limit (ulimit -f) or choose another folder")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("why", "do"),
    [
        ("ENOSPC", "free some space or go elsewhere"),
        ("EFBIG", "raise the limit (ulimit -f) or go elsewhere"),
        ("EMFILE", "raise the limit (ulimit -n) or lower --concurrency"),
        ("EACCES", "go elsewhere"),
    ],
)
def test_what_to_do_fits_why_a_file_cannot_be_written(why, do):
    assert atomic.remedy(OSError(getattr(errno, why), why), "go elsewhere") == do
