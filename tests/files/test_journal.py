"""The journal: whole lines only, whatever happens to the process or the disk."""

import errno
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.errors import RunFolderError, StorageError
from audiometry.files import jsonl
from audiometry.files.journal import BALLAST, BLOCK, Journal
from audiometry.records import Failure, ReplyRecord


def record(i, text="A", **changes):
    return ReplyRecord(item=f"i{i}", text=text, attempts=1, at="2026-01-01T00:00:00Z", **changes)


def items(path):
    return [r.item for r in jsonl.read(path, ReplyRecord)]


def test_a_record_is_on_disk_when_append_returns(tmp_path):
    path = tmp_path / "run" / "replies.jsonl"
    with Journal(path) as journal:
        for i in range(5):
            journal.append(record(i))
            assert items(path) == [f"i{k}" for k in range(i + 1)]


def test_what_was_appended_is_read_back(tmp_path):
    path = tmp_path / "replies.jsonl"
    written = [
        record(0, text='„Zeile 1\nZeile 2" \u2028 \x00 end', tokens_in=3, first_token_s=0.25, audio_changes=("a", "b")),
        ReplyRecord(item="i1", variant="order-1", error=Failure(kind="http-500", message="no"), attempts=5),
    ]
    with Journal(path) as journal:
        for one in written:
            journal.append(one)
    assert list(jsonl.read(path, ReplyRecord)) == written
    assert path.read_bytes().count(b"\n") == 2


def test_lines_are_left_out_in_one_step_and_writing_goes_on(tmp_path):
    path = tmp_path / "answers.jsonl"
    with Journal(path) as journal:
        for i in range(6):
            journal.append(record(i, text="a\u2028b\rc"))
        assert journal.leave_out(lambda line: json.loads(line)["item"] in {"i1", "i4"}) == 2
        assert items(path) == ["i0", "i2", "i3", "i5"]
        journal.append(record(6))
        with pytest.raises(RunFolderError, match="in use by another process"):  # it is locked as it was
            Journal(path)
        assert journal.leave_out(lambda _: False) == 0
    assert items(path) == ["i0", "i2", "i3", "i5", "i6"]
    assert not journal.put_back
    assert [one.name for one in tmp_path.iterdir()] == ["answers.jsonl"]


def test_lines_that_cannot_be_left_out_stay(tmp_path, monkeypatch):
    path = tmp_path / "answers.jsonl"
    with Journal(path) as journal:
        journal.append(record(0))

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", full)
            with pytest.raises(StorageError, match="No space left on device"):
                journal.leave_out(lambda _: True)
        journal.append(record(1))
    assert items(path) == ["i0", "i1"]


def test_going_on_appends(tmp_path):
    path = tmp_path / "replies.jsonl"
    for i in range(3):
        with Journal(path) as journal:
            assert journal.repaired == 0
            journal.append(record(i))
    assert items(path) == ["i0", "i1", "i2"]


def test_cut_at_every_byte_all_whole_lines_are_kept(tmp_path):
    whole = b"".join(msgspec.json.encode(record(i, text="Zwölf ✓")) + b"\n" for i in range(2))
    path = tmp_path / "replies.jsonl"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = whole[:cut].count(b"\n")
        with Journal(path) as journal:
            assert journal.repaired == cut - (whole[:cut].rfind(b"\n") + 1)
            journal.append(record(9))
        assert items(path) == [f"i{i}" for i in range(kept)] + ["i9"]


@settings(max_examples=40, deadline=None)
@given(lengths=st.lists(st.integers(0, 3 * BLOCK), min_size=1, max_size=3), torn=st.integers(0, 3 * BLOCK))
def test_torn_lines_longer_than_what_is_read_at_once(tmp_path_factory, lengths, torn):
    path = tmp_path_factory.mktemp("torn") / "replies.jsonl"
    whole = b"".join(msgspec.json.encode(record(i, text="x" * n)) + b"\n" for i, n in enumerate(lengths))
    path.write_bytes(whole + b"x" * torn)
    with Journal(path) as journal:
        assert journal.repaired == torn
    assert path.read_bytes() == whole


def test_a_torn_line_is_not_a_line_before_it_is_repaired(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(msgspec.json.encode(record(0)) + b"\n" + msgspec.json.encode(record(1)))
    assert items(path) == ["i0"]


def test_two_processes_do_not_share_a_journal(tmp_path):
    path = tmp_path / "run" / "replies.jsonl"
    code = (
        "import sys, time, pathlib\nfrom audiometry.files.journal import Journal\n"
        "with Journal(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RunFolderError, match=r"run is in use by another process; .*-o$"):
            Journal(path)
        other.send_signal(signal.SIGKILL)
        other.wait()
        with Journal(path) as journal:  # a killed process holds nothing
            journal.append(record(0))
    assert items(path) == ["i0"]


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StorageError, match=r"cannot lock .*Function not implemented; choose a folder on another"):
        Journal(tmp_path / "replies.jsonl")


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "runs").write_text("not a folder")
    with pytest.raises(StorageError, match=r"cannot write .*replies\.jsonl: .*; choose another folder"):
        Journal(tmp_path / "runs" / "replies.jsonl")


FILL = """
import pathlib, resource, sys
from audiometry.errors import StorageError
from audiometry.files.journal import Journal
from audiometry.records import ReplyRecord
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with Journal(pathlib.Path(sys.argv[1])) as journal:
    for i in range(100):
        try:
            journal.append(ReplyRecord(item=f"i{i}", text="A"))
        except StorageError as error:
            print(i, error)
            break
"""


def test_a_file_size_limit_leaves_whole_lines(tmp_path):
    path = tmp_path / "replies.jsonl"
    out = subprocess.run([sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=True).stdout
    kept, _, message = out.partition(" ")
    assert "File too large; all replies before this one are kept" in message
    assert items(path) == [f"i{i}" for i in range(int(kept))]
    assert path.read_bytes().endswith(b"\n")
    assert 900 < path.stat().st_size <= 1000


WRITE = """
import pathlib, sys
from audiometry.files.journal import Journal
from audiometry.records import ReplyRecord
with Journal(pathlib.Path(sys.argv[1])) as journal:
    for i in range(10**9):
        journal.append(ReplyRecord(item=str(i), text="x" * (i % 5000)))
        if i % 100 == 0:
            print(i, flush=True)
"""


def test_killed_while_writing_every_journalled_record_is_whole(tmp_path):
    path = tmp_path / "replies.jsonl"
    with subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        said = [int(writer.stdout.readline()) for _ in range(5)]
        time.sleep(0.01)
        writer.kill()
    with Journal(path):
        pass
    kept = [int(item) for item in items(path)]
    assert kept == list(range(len(kept)))
    assert len(kept) > said[-1]


def test_a_device_in_the_place_of_the_file_is_not_read(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.symlink_to("/dev/zero")  # reading it would never end
    assert list(jsonl.read(path, ReplyRecord)) == []


@pytest.mark.parametrize("bad", [b"{", b"[]", b'{"item": 3}', b'{"item": "\xff"}', b"\x00\x00"])
def test_a_damaged_whole_line_is_named(tmp_path, bad):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(msgspec.json.encode(record(0)) + b"\n" + bad + b"\n")
    lines = jsonl.read(path, ReplyRecord)
    assert next(lines).item == "i0"
    with pytest.raises(RunFolderError, match=r"replies\.jsonl, line 2: .*; remove that line, or restore the file"):
        next(lines)


def test_lines_are_json_for_anybody(tmp_path: Path):
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        journal.append(record(0, finish_reason="stop", tokens_in=4, tokens_out=1, latency_s=0.5))
    assert json.loads(path.read_text()) == {
        "item": "i0",
        "variant": "plain",
        "prompt_sha256": "",
        "audio_sha256": "",
        "text": "A",
        "finish_reason": "stop",
        "tokens_in": 4,
        "tokens_out": 1,
        "latency_s": 0.5,
        "attempts": 1,
        "audio_changes": [],
        "at": "2026-01-01T00:00:00Z",
    }


@pytest.mark.parametrize("remove", [Path.unlink, lambda path: shutil.rmtree(path.parent)], ids=["file", "folder"])
@pytest.mark.parametrize("after", [True, False], ids=["before a record", "before the end"])
def test_what_somebody_removes_is_put_back(tmp_path, remove, after):
    path = tmp_path / "run" / "replies.jsonl"
    with Journal(path) as journal:
        for i in range(3):
            journal.append(ReplyRecord(item=f"i{i}", text="x" * 50_000))
        assert not journal.put_back
        remove(path)
        if after:
            journal.append(record(3))
            assert journal.put_back
            with pytest.raises(RunFolderError, match="in use by another process"):
                Journal(path)
            journal.append(record(4))
    assert items(path) == [f"i{i}" for i in range(5 if after else 3)]
    with Journal(path) as journal:
        journal.append(record(9))
    assert items(path)[-1] == "i9"


def test_what_somebody_put_in_its_place_is_left_alone(tmp_path):
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        journal.append(record(0))
        path.unlink()
        path.write_text("another's")
        for _ in range(2):
            with pytest.raises(StorageError, match=r"cannot write .*replies\.jsonl: File exists"):
                journal.append(record(1))
    assert path.read_text() == "another's"


def test_a_moved_file_is_written_on_where_it_is(tmp_path):
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        journal.append(record(0))
        path.rename(tmp_path / "moved.jsonl")
        journal.append(record(1))
        assert not journal.put_back
    assert items(tmp_path / "moved.jsonl") == ["i0", "i1"]
    assert not path.exists()


def test_on_a_full_disk_the_room_held_in_reserve_takes_what_is_under_way(tmp_path, monkeypatch):
    path = tmp_path / "replies.jsonl"
    write = os.write
    with Journal(path) as journal:
        held = journal._ballast
        assert [p.name for p in tmp_path.iterdir()] == ["replies.jsonl"]
        assert os.fstat(held).st_blocks * 512 >= BALLAST

        def full_while_held(fd, data):
            if journal._ballast is not None:
                write(fd, data[: len(data) // 2])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(fd, data)

        journal.append(record(0))
        monkeypatch.setattr(os, "write", full_while_held)
        assert journal.full is None
        journal.append(record(1))
        assert "No space left on device; all replies before this one are kept" in str(journal.full)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(held)
        journal.append(record(2))
        monkeypatch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space")))
        with pytest.raises(StorageError, match="No space"):
            journal.append(record(3))
    assert items(path) == ["i0", "i1", "i2"]


def test_a_process_that_was_forked_meanwhile_holds_no_lock(tmp_path):
    (there, begun), (ended, end) = os.pipe(), os.pipe()
    with Journal(tmp_path / "replies.jsonl") as journal:
        journal.append(record(1))
        child = os.fork()
        if not child:
            os.write(begun, b".")
            os.read(ended, 1)
            os._exit(0)
        os.read(there, 1)
    try:
        with Journal(tmp_path / "replies.jsonl") as again:
            again.append(record(2))
    finally:
        os.write(end, b".")
        os.waitpid(child, 0)
        for pipe in (there, begun, ended, end):
            os.close(pipe)
    assert items(tmp_path / "replies.jsonl") == ["i1", "i2"]
