"""``run.json`` and the folder it stands in."""

import json
import os

import pytest

from audiometry.errors import RunFolderError
from audiometry.files import atomic
from audiometry.files.run_folder import AudioStamp, BenchmarkStamp, PromptStamp, RunFolder, RunInfo

INFO = RunInfo(
    benchmark=BenchmarkStamp(name="b", version="1", source="/b", sha256="0" * 64),
    model="openai/mock",
    parameters={"temperature": 0.5},
    prompt=PromptStamp(layout="ours", sha256="1" * 64, part_order="audio-first"),
    audio=AudioStamp(rate=16_000, channels=1, formats=("wav",), longest_s=None),
    seed=3,
    variants=("plain", "order-1"),
    n_items=4,
    versions={"audiometry": "0.1.0"},
    started="2026-01-01T00:00:00Z",
)


def test_what_is_written_is_read(tmp_path):
    folder = RunFolder(tmp_path / "run")
    assert not folder.exists()
    folder.write_info(INFO)
    assert folder.exists()
    assert folder.info() == INFO
    assert json.loads(folder.info_path.read_text())["benchmark"]["name"] == "b"
    assert list(folder.replies()) == []


def test_not_a_run_folder(tmp_path):
    with pytest.raises(RunFolderError, match=r"is not a run folder \(it has no run\.json\); give one that"):
        RunFolder(tmp_path).info()
    with pytest.raises(RunFolderError, match=r"none is not a run folder \(there is none\); give one that"):
        RunFolder(tmp_path / "none").info()
    (tmp_path / "run.json").mkdir()
    with pytest.raises(RunFolderError, match=r"is not a run folder \(run\.json: it is not a file\); give one that"):
        RunFolder(tmp_path).info()


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(RunFolderError, match="it is not a file"):
        RunFolder(tmp_path).info()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"format": 2}', r"format 2, this audiometry reads 1; update audiometry"),
        (b"{}", r"format None"),
        (b"[" * 100_000, r"run\.json: it is a list; an object is needed; restore it"),
        (b'{"format": 1, "a":' + b"[" * 100_000, r"run\.json: lists or objects nested too deeply; restore it"),
        (b'{"format": 1,\n "a": "\xe4"}', r"run\.json, line 2: not UTF-8 text"),
        (b"{", r"; restore it, or start a new run"),
        (b'{"format": 1}', r"run\.json: '(benchmark|model)' is missing; restore it"),
        (b"\xff\xfe", r"; restore it"),
        (b'{"format": "\\u001b[31m"}', r"format \\x1b\[31m"),
    ],
)
def test_damaged_or_newer(tmp_path, raw, said):
    (tmp_path / "run.json").write_bytes(raw)
    with pytest.raises(RunFolderError, match=said):
        RunFolder(tmp_path).info()


def test_a_folder_of_an_earlier_version_is_read(tmp_path):
    RunFolder(tmp_path).write_info(INFO)
    document = json.loads((tmp_path / "run.json").read_text())
    del document["audio"]
    document["added_later"] = 1
    (tmp_path / "run.json").write_text(json.dumps(document))
    assert RunFolder(tmp_path).info().audio is None


@pytest.mark.parametrize("name", ["x" * 300, "\u97f3" * 300, "exec/python ../../m.py", "e\u0301", ".."])
def test_a_score_has_a_name_that_file_systems_take_whatever_it_is_called(tmp_path, name):
    folder = RunFolder(tmp_path)
    signatures = [f"judged.1+{'x' * n}{end}" for n in (300, 301) for end in ("+judge-a+v1", "+judge-b+v1")]
    paths = [folder.score_path(name, signature) for signature in signatures]
    assert len(set(paths)) == len(paths)
    for path in paths:
        atomic.write(path, b"{}")
        assert path.parent == tmp_path / "scores"
        assert len(path.name.encode()) < 230
        assert path.name.isascii()


@pytest.mark.parametrize(
    "content", ["correct horse:0:0", '{"format": "correct horse"}', '{"format": 1, "model": 7, "correct horse": 0}']
)
def test_nothing_is_quoted_of_a_file_that_a_link_leads_to(tmp_path, content):
    (tmp_path / "elsewhere").write_text(content)
    (tmp_path / "run").mkdir()
    for name in ("run.json", "replies.jsonl"):
        (tmp_path / "run" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError) as caught:
        RunFolder(tmp_path / "run").info()
    assert "horse" not in str(caught.value)
    (tmp_path / "elsewhere").write_text(f"{content}\n")
    with pytest.raises(RunFolderError) as caught:
        list(RunFolder(tmp_path / "run").lines())
    assert "horse" not in str(caught.value)
