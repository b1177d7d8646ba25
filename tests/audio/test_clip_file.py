"""The door by which clips are read: regular files of a bounded size, and whose fault it is if that fails."""

import errno
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from audiometry.audio import clip_file
from audiometry.audio.clip_file import file_size, read_file, read_head, read_small
from audiometry.errors import ShortageError, UnreadableAudioError

NAMES = {
    "missing": ("none.wav", "no such file; correct the name or fetch the file$", "missing"),
    "of no folder": ("no/such/folder.wav", "no such file; correct", "missing"),
    "another ending": ("song [1].wav", r"no such file; 'song \[1\]\.flac' is there: correct the name$", "missing"),
    "a folder": (".", "a folder, not a file; name", "unreadable"),
    "through a file": ("song [1].flac/x.wav", "a part of the path is a file, not a folder;", "unreadable"),
    "empty": ("empty.wav", r"empty \(0 bytes\); replace", "empty"),
    "a NUL": ("a\0b", "not a possible file name; correct it$", "unreadable"),
    "half a character": ("a\ud800b", "not a possible file name; correct it$", "unreadable"),
    "too long": ("x" * 300, "the name is longer than the file system takes; correct it$", "unreadable"),
    "a path too long": ("x/" * 3000 + "a.wav", "the name is longer than the file system takes", "unreadable"),
    "a ring of links": ("ring", "cannot be read .ELOOP", "unreadable"),
    "a link to nothing": ("dangling", "no such file", "missing"),
    "a pipe": ("fifo", "a device or a pipe, not a file; replace it$", "unreadable"),
    "a link to a device": ("zero", "a device or a pipe, not a file; replace it$", "unreadable"),
    "a socket": ("socket", "cannot be read .ENXIO", "unreadable"),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "song [1].flac").write_bytes(b"fLaC and more")
    (tmp_path / "empty.wav").touch()
    (tmp_path / "ring").symlink_to(tmp_path / "ring")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "link.flac").symlink_to(tmp_path / "song [1].flac")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(tmp_path, os.O_RDONLY)
        made.bind(f"/proc/self/fd/{here}/socket")  # the folder's own name may be too long for a socket
        os.close(here)
    return tmp_path


def test_a_read_that_stops_short_is_gone_on_with(folder, monkeypatch):
    """The system may give less than it was asked for, 2 GB at most at a time."""
    read = os.read
    for at_a_time in (1, 5, 12, 13):
        monkeypatch.setattr(clip_file.os, "read", lambda file, n, most=at_a_time: read(file, min(n, most)))
        assert read_file(folder / "link.flac") == b"fLaC and more"
        assert read_small(str(folder / "link.flac"), 13) == b"fLaC and more"
        assert read_head(folder / "link.flac", 6) == b"fLaC a"


@pytest.mark.parametrize("kind", NAMES)
def test_what_cannot_be_read_says_why_and_what_to_do(folder, kind):
    name, message, flaw = NAMES[kind]
    with pytest.raises(UnreadableAudioError, match=f"^clip 7: {message}") as caught:
        read_file(folder / name, where="clip 7")
    assert caught.value.flaw == flaw
    if kind != "empty":
        with pytest.raises(UnreadableAudioError, match=f"^clip 7: {message}"):
            read_head(folder / name, 64, where="clip 7")
    assert read_small(str(folder / name), 100) == b""
    assert file_size(folder / name) == 0


def test_a_file_and_a_link_to_one_are_read(folder):
    for name in ("song [1].flac", "link.flac"):
        assert read_file(folder / name) == b"fLaC and more"
        assert read_head(folder / name, 4) == b"fLaC"
        assert read_small(str(folder / name), 13) == b"fLaC and more"
        assert read_small(str(folder / name), 12) == b""
        assert file_size(folder / name) == 13
    with pytest.raises(UnreadableAudioError, match=f"^{folder / 'none.wav'}: "):
        read_file(str(folder / "none.wav"))


def test_an_endless_name_is_cut_where_it_is_told():
    with pytest.raises(UnreadableAudioError) as caught:
        read_file("a\x1b[31m" + "b" * 5000)
    assert len(str(caught.value)) < 300
    assert "\x1b" not in str(caught.value)


def test_a_sparse_file_of_4_gb_takes_no_memory(tmp_path):
    with (tmp_path / "a.wav").open("wb") as file:
        file.truncate(4 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UnreadableAudioError, match="holds 4,294,967,296 bytes, at most 2,147,483,648 are read; cut"):
        read_file(tmp_path / "a.wav")
    assert len(read_head(tmp_path / "a.wav", 64)) == 64
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_a_file_that_is_larger_than_asked_for_is_not_read(folder):
    with pytest.raises(UnreadableAudioError, match="at most 12 are read") as caught:
        read_file(folder / "song [1].flac", largest=12)
    assert caught.value.flaw == "too-large"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_without_permission_say_so(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(UnreadableAudioError, match="no permission"):
        read_file(path)


def refusing(number):
    def refuse(*_args):
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("call", ["open", "read"])
@pytest.mark.parametrize(
    "number",
    ["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EAGAIN", "EIO", "ESTALE", "ETIMEDOUT", "ENOTCONN", "ENOSPC", "EDQUOT"],
)
def test_a_shortage_of_the_machine_is_no_fault_of_the_clip(folder, monkeypatch, number, call):
    monkeypatch.setattr(clip_file.os, call, refusing(getattr(errno, number)))
    with pytest.raises(ShortageError, match=r"^clip 7 cannot be read now: .+; ") as caught:
        read_file(folder / "song [1].flac", where="clip 7")
    assert not isinstance(caught.value, UnreadableAudioError)
    monkeypatch.setattr(clip_file.os, call, refusing(errno.EACCES))
    with pytest.raises(UnreadableAudioError, match="clip 7: no permission to read it; change its mode or owner"):
        read_file(folder / "song [1].flac", where="clip 7")


def test_memory_that_is_not_there_is_a_shortage_too(folder, monkeypatch):
    def refuse(*_args):
        raise MemoryError

    monkeypatch.setattr(clip_file.os, "read", refuse)
    with pytest.raises(ShortageError, match="the machine has no more memory"):
        read_file(folder / "song [1].flac")


def test_open_files_run_out_in_earnest(folder):
    child = (
        "import os, resource, sys\n"
        "from audiometry.audio.clip_file import read_file\n"
        "from audiometry.errors import ShortageError\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))\n"
        "held = []\n"
        "try:\n"
        "    while True: held.append(os.open(os.devnull, os.O_RDONLY))\n"
        "except OSError: pass\n"
        "try: read_file(sys.argv[1])\n"
        "except ShortageError as short: print(short)\n"
        "os.close(held.pop())\n"
        "print(len(read_file(sys.argv[1])))\n"
    )
    path = str(folder / "song [1].flac")
    said = subprocess.run([sys.executable, "-c", child, path], capture_output=True, text=True, check=True).stdout
    short, length = said.splitlines()
    told = "cannot be read now: this program may open no more files; raise the limit (ulimit -n) or lower --concurrency"
    assert (short, length) == (f"{path} {told}", "13")


def test_no_descriptor_is_left_open(folder):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name, _, _ in NAMES.values():
        with pytest.raises(UnreadableAudioError):
            read_file(folder / name)
        read_small(str(folder / name), 10)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before  # others may have closed theirs meanwhile
