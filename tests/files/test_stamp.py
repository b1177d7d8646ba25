"""Whether a file is the one that was read before: what counts as a change, and what is no file at all."""

import os

import pytest

from audiometry.files import stamp


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.wav"
    path.write_bytes(b"a")
    return path


def test_a_new_link_to_a_file_or_another_mode_leaves_it_alone(clip, tmp_path):
    then = stamp.stat_of(clip)
    os.link(clip, tmp_path / "other")
    clip.chmod(0o600)
    assert stamp.left_alone(then, stamp.stat_of(clip))


def test_other_bytes_another_time_or_another_file_of_the_same_bytes_do_not(clip, tmp_path):
    then = stamp.stat_of(clip)
    clip.write_bytes(b"bb")
    os.utime(clip, ns=(0, int(then.split("-")[1])))
    assert not stamp.left_alone(then, stamp.stat_of(clip))
    clip.write_bytes(b"a")
    os.utime(clip, ns=(0, 1))
    assert not stamp.left_alone(then, stamp.stat_of(clip))
    (tmp_path / "copy").write_bytes(b"a")
    (tmp_path / "copy").replace(clip)
    os.utime(clip, ns=(0, int(then.split("-")[1])))
    assert not stamp.left_alone(then, stamp.stat_of(clip))


def test_an_open_file_has_the_stamp_of_its_path(clip):
    with clip.open("rb") as file:
        assert stamp.stat_of(file.fileno()) == stamp.stat_of(clip)


def test_what_is_no_file_has_no_stamp_and_no_hash(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "", "missing", "a\0b"):  # a pipe that nobody writes to would be waited for
        assert stamp.sha256_of(tmp_path / name) == ""
    for name in ("missing", "a\0b"):
        assert stamp.stat_of(tmp_path / name) == ""
