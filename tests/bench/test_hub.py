"""Data on the hub, fetched by the hub's own library from a server process that plays the hub."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from audiometry import bench
from audiometry.bench import arrived, hub
from audiometry.errors import BenchmarkError, StorageError, UsageError
from audiometry.files.extras import install

constants = pytest.importorskip("huggingface_hub.constants", reason="the hub extra is not installed")
pa = pytest.importorskip("pyarrow", reason="the hub extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

SERVER = Path(__file__).parents[1] / "servers" / "hub_server.py"
OLD, NEW = "a" * 40, "b" * 40
TOKEN = "hf_thisIsSecret123"  # noqa: S105  nobody's
CARD = """
[benchmark]
name = "from-the-hub"
version = "1"
[data]
source = "hub"
repository = "{repository}"
{more}
[data.columns]
task = ""
question = "ask"
options = "options"
answer = "truth"
"""


class FakeHub:
    """The server, and what it holds."""

    def __init__(self, root, port):
        self.root, self.endpoint = root, f"http://127.0.0.1:{port}"

    def put(self, repository, commit, name, raw):
        path = self.root / repository / commit / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)

    def say(self, **state):
        path = self.root / "hub.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | state))

    def asked(self, *, files=False):
        log = self.root / "requests.jsonl"
        told = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [t for t in told if t["method"] == "GET" and "/resolve/" in t["path"]] if files else told

    def forget(self):
        (self.root / "requests.jsonl").unlink(missing_ok=True)


@pytest.fixture
def the_hub(tmp_path, monkeypatch):
    root = tmp_path / "hub"
    root.mkdir()
    (root / "hub.json").write_text(json.dumps({"refs": {"org/clips": {"main": NEW, "v1": OLD}}}))
    with (
        subprocess.Popen([sys.executable, str(SERVER), str(root)], stdout=subprocess.PIPE, text=True) as process,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(process.kill)
        served = FakeHub(root, json.loads(process.stdout.readline())["port"])
        monkeypatch.setattr(constants, "ENDPOINT", served.endpoint)
        template = served.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf" / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("AUDIOMETRY_CACHE", str(tmp_path / "own"))
        for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        yield served


@pytest.fixture
def offline(monkeypatch):
    def go():
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    return go


def rows(wav, first, count):
    return [
        {"id": f"i{n}", "ask": f"Which, {n}?", "options": ["dog", "cat"], "truth": "cat"}
        | {"audio": {"bytes": wav(n), "path": f"{n}.wav"}}
        for n in range(first, first + count)
    ]


@pytest.fixture
def wav():
    import io

    import numpy as np
    import soundfile

    def make(number):
        file = io.BytesIO()
        soundfile.write(file, np.random.default_rng(number).normal(0, 0.1, 1600), 16_000, format="WAV")
        return file.getvalue()

    return make


@pytest.fixture
def in_parquet(the_hub, wav, tmp_path):
    """Two commits; the newer one has three test clips in two files, and two of another split."""
    for commit, files in {
        OLD: {"data/test-00000-of-00001.parquet": (0, 1)},
        NEW: {
            "data/test-00000-of-00002.parquet": (0, 2),
            "data/test-00001-of-00002.parquet": (2, 1),
            "data/train-00000-of-00001.parquet": (10, 2),
        },
    }.items():
        for name, (first, count) in files.items():
            parquet.write_table(pa.Table.from_pylist(rows(wav, first, count)), tmp_path / "made.parquet")
            the_hub.put("org/clips", commit, name, (tmp_path / "made.parquet").read_bytes())
        the_hub.put("org/clips", commit, "README.md", b"---\n---\n")
    return the_hub


@pytest.fixture
def card(tmp_path):
    def write(more="", repository="org/clips"):
        path = tmp_path / "card.toml"
        path.write_text(CARD.format(repository=repository, more=more), encoding="utf-8")
        return path

    return write


def test_a_split_of_a_parquet_repository(in_parquet, card, wav):
    loaded = bench.load(card('split = "test"'))
    assert [item.id for item in loaded] == ["i0", "i1", "i2"]
    assert loaded.revision == f"org/clips@{NEW}"
    assert loaded.clip_path(next(iter(loaded)).file_name).read_bytes() == wav(0)
    fetched = sorted(told["path"].rpartition("/")[2] for told in in_parquet.asked(files=True))
    assert fetched == ["test-00000-of-00002.parquet", "test-00001-of-00002.parquet"]
    assert {told["token"] for told in in_parquet.asked()} == {""}


def test_all_of_a_repository_and_a_pattern(in_parquet, card):
    assert len(bench.load(card())) == 5
    assert len(bench.load(card('path = "data/train-*"'))) == 2


@pytest.mark.parametrize("revision", ["v1", OLD])
def test_a_revision(in_parquet, card, revision):
    loaded = bench.load(card(f'revision = "{revision}"'))
    assert ([item.id for item in loaded], loaded.revision) == (["i0"], f"org/clips@{OLD}")


def test_a_commit_that_is_here_asks_nobody_and_needs_no_library(in_parquet, card, monkeypatch):
    file = card(f'revision = "{NEW}"')
    first = bench.load(file)
    in_parquet.forget()
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    again = bench.load(file)
    assert again.sha256 == first.sha256
    assert in_parquet.asked() == []


def test_a_branch_is_looked_up_and_nothing_is_fetched_twice(in_parquet, card):
    first = bench.load(card())
    in_parquet.forget()
    assert bench.load(card()).sha256 == first.sha256
    assert in_parquet.asked(files=True) == []
    assert in_parquet.asked()


def test_a_run_is_scored_on_the_commit_it_was_made_with(in_parquet, card, cli, tmp_path):
    file = card('split = "test"')
    said = cli("run", file, "--model", "scripted/constant?text=B", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0
    stamp = json.loads((tmp_path / "r" / "run.json").read_text())["benchmark"]
    assert (stamp["revision"], stamp["data"]) == (f"org/clips@{NEW}", "")
    in_parquet.say(refs={"org/clips": {"main": OLD}})  # the branch moves on
    in_parquet.forget()
    assert cli("score", tmp_path / "r", "--json").json["scores"]["strict"]["n_items"] == 3
    assert in_parquet.asked() == []
    said = cli("run", file, "--model", "scripted/constant?text=B", "-o", tmp_path / "r")
    assert (said.code, "0 replies (1 was there before)" in said.out) == (0, True)  # it asks what the branch has now
    assert json.loads((tmp_path / "r" / "run.json").read_text())["benchmark"]["revision"] == f"org/clips@{OLD}"


@pytest.fixture
def in_csv(the_hub, wav):
    """Rows beside clips, in the hub's AudioFolder layout."""
    lines = ["id,file_name,ask,o1,o2,truth"]
    for n in range(3):
        lines.append(f"i{n},clips/{n}.wav,Which?,dog,cat,cat")
        the_hub.put("org/clips", NEW, f"test/clips/{n}.wav", wav(n))
    the_hub.put("org/clips", NEW, "test/metadata.csv", "\n".join(lines).encode())
    the_hub.put("org/clips", NEW, "train/metadata.csv", lines[0].encode())
    the_hub.put("org/clips", NEW, "train/clips/9.wav", wav(9))
    return the_hub


@pytest.fixture
def csv_card(card):
    def write():
        path = card('path = "**/*.csv"\nsplit = "test"\nclips = ["test/**/*.wav"]')
        text = path.read_text().replace('"options"', '["o1", "o2"]')
        path.write_text(text + 'audio = "file_name"\n', encoding="utf-8")
        return path

    return write


def test_a_csv_repository_and_the_clips_beside_it(in_csv, csv_card, wav, cli, tmp_path):
    loaded = bench.load(csv_card())
    assert [item.file_name for item in loaded] == [f"test/clips/{n}.wav" for n in range(3)]
    assert loaded.clip_path("test/clips/2.wav").read_bytes() == wav(2)
    assert not [told for told in in_csv.asked(files=True) if "train/" in told["path"]]
    said = cli("run", csv_card(), "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0


def test_a_copy_of_ones_own_in_place_of_the_hub(in_csv, csv_card):
    loaded = bench.load(csv_card(), data=in_csv.root / "org/clips" / NEW)
    assert (len(loaded), loaded.revision, in_csv.asked()) == (3, "", [])


def test_a_download_that_breaks_is_taken_up_where_it_broke(in_parquet, card, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _s: None)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1024)
    name = "data/test-00000-of-00002.parquet"
    in_parquet.say(breaks={f"org/clips/{name}": 1})
    assert len(bench.load(card('split = "test"'))) == 3
    ranges = [told["range"] for told in in_parquet.asked(files=True) if told["path"].endswith(name)]
    assert ranges[0] is None
    assert ranges[1].startswith("bytes=")
    assert ranges[1] != "bytes=0-"


@pytest.mark.parametrize("times", [1, 2])
def test_bytes_that_are_not_what_the_hub_lists_are_fetched_again(in_parquet, card, times):
    name = "data/test-00000-of-00002.parquet"
    in_parquet.say(spoils={f"org/clips/{name}": times})
    file = card('split = "test"')
    if times > 1:
        with pytest.raises(BenchmarkError, match="did not arrive whole; run the same command again"):
            bench.load(file)
    assert len(bench.load(file)) == 3


def test_ctrl_c_ends_a_download_that_is_under_way(in_parquet, card, tmp_path):
    in_parquet.say(drips=1500)  # 150 s
    own = os.environ | {"HF_ENDPOINT": in_parquet.endpoint, "HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "audiometry", "check", str(card('split = "test"'))]
    with subprocess.Popen(command, env=own, stderr=subprocess.PIPE, text=True) as process:
        try:
            while process.poll() is None and not in_parquet.asked(files=True):
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert "stopped" in process.communicate(timeout=60)[1]
        finally:
            process.kill()
    assert process.returncode == 130


def test_what_killed_downloads_left_is_removed_and_what_is_written_to_is_not(in_parquet, card):
    file = card('split = "test"')
    copy = hub.fetch(file, bench.load(file).card.data)
    blobs = (Path(copy.folder) / copy.tables[0]).resolve().parent
    for name, ago in (("a.0.incomplete", 7200), ("b.0.incomplete", 10)):
        (blobs / name).write_bytes(b"x")
        os.utime(blobs / name, (time.time() - ago,) * 2)
    (Path(copy.folder) / copy.tables[0]).unlink()
    bench.load(file)
    assert [one.name for one in blobs.glob("*.incomplete")] == ["b.0.incomplete"]


def test_nothing_outside_a_copy_is_removed_whatever_the_hub_lists(tmp_path):
    mine, own = tmp_path / "mine.wav", tmp_path / "in" / "own.wav"
    own.parent.mkdir()
    for file in (mine, own):
        file.write_bytes(b"x")
    listed = [
        SimpleNamespace(rfilename=name, size=9, lfs=None) for name in ("../mine.wav", str(mine), "a/../../mine.wav")
    ]
    assert not arrived.spoiled(listed, {one.rfilename for one in listed}, own.parent)
    assert arrived.spoiled([SimpleNamespace(rfilename="own.wav", size=9, lfs=None)], {"own.wav"}, own.parent)
    assert (mine.exists(), own.exists()) == (True, False)


def test_a_file_that_was_spoiled_here_is_fetched_again_once_it_is_deleted(in_parquet, card):
    file = card('split = "test"')
    first = bench.load(file)
    copy = hub.fetch(file, first.card.data)
    here = Path(copy.folder) / copy.tables[0]
    here.resolve().write_bytes(b"\0" * here.stat().st_size)
    with pytest.raises(BenchmarkError, match=r"cannot be read \(.*\); delete it and download it again"):
        bench.load(file)
    here.unlink()  # of a link: its bytes stay
    assert bench.load(file).sha256 == first.sha256


def test_the_hub_is_asked_for_the_files_alone(in_parquet, card):
    bench.load(card('split = "test"'))
    assert {told["path"].split("/")[1:3][-1] for told in in_parquet.asked()} <= {"datasets", "org"}


def test_what_has_arrived_is_kept_when_a_download_is_given_up(in_parquet, card, monkeypatch, offline):
    monkeypatch.setattr("time.sleep", lambda _s: None)
    name = "data/test-00001-of-00002.parquet"
    in_parquet.say(breaks={f"org/clips/{name}": 50})
    file = card('split = "test"')
    with pytest.raises(
        BenchmarkError, match=r"cannot be reached or broke off \(\w+\); run the same command again, what has arrived"
    ):
        bench.load(file)
    with monkeypatch.context() as without:
        without.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(BenchmarkError, match="no whole copy of org/clips is here and HF_HUB_OFFLINE is set"):
            bench.load(file)
    in_parquet.forget()
    in_parquet.say(breaks={})
    assert len(bench.load(file)) == 3
    assert [told["path"].rpartition("/")[2] for told in in_parquet.asked(files=True)] == [name.rpartition("/")[2]]


def test_offline_with_a_whole_copy_and_with_a_spoiled_one(in_parquet, card, offline):
    file = card('split = "test"')
    first = bench.load(file)
    in_parquet.forget()
    offline()
    again = bench.load(file)
    assert (again.sha256, again.revision, in_parquet.asked()) == (first.sha256, first.revision, [])
    fetched = hub.fetch(file, first.card.data)
    (Path(fetched.folder) / fetched.tables[0]).unlink()
    with pytest.raises(BenchmarkError, match=r"no whole copy .* run once with the network, or give a copy with --data"):
        bench.load(file)


def refused(file):
    with pytest.raises(BenchmarkError) as caught:
        bench.load(file)
    said = str(caught.value)
    assert "\n" not in said
    assert TOKEN not in said
    return said


def test_a_repository_that_is_not_there(the_hub, card, monkeypatch):
    said = refused(card(repository="org/gone"))
    assert "org/gone: the hub has no such dataset that is public; set HF_TOKEN if it is not" in said
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert "no such dataset that HF_TOKEN may read" in refused(card(repository="org/gone"))
    assert the_hub.asked()[-1]["token"] == TOKEN


def test_clips_and_splits_that_a_card_does_not_name_are_what_to_name(in_csv, csv_card, in_parquet, card, wav):
    file = csv_card()
    file.write_text(file.read_text().replace('clips = ["test/**/*.wav"]', ""))
    assert 'was fetched; name those of the repository under [data] of the card: clips = ["**/*.wav"]' in refused(file)
    for split in ("glad", "sorry"):
        in_csv.put("org/folders", NEW, f"test/{split}/1.wav", wav(1))
    in_csv.say(refs={"org/folders": {"main": NEW}, "org/clips": {"main": NEW}})
    assert 'or name its clips: clips = ["**/*.wav"]' in refused(card(repository="org/folders"))
    (note,) = bench.load(card('path = "**/*.parquet"')).notes
    assert "tables of several splits (test, train) are read as one; name one in [data] split" in note


def test_a_variable_that_the_library_cannot_read_is_one_line(in_parquet, card, monkeypatch):
    def broken(name):
        raise ValueError("invalid literal for int() with base 10: 'abc'")

    monkeypatch.setattr(hub, "importlib", SimpleNamespace(import_module=broken))
    with pytest.raises(UsageError, match=r"cannot be used \(invalid literal.*\); correct the variables .* HF_"):
        bench.load(card())


def test_a_gated_repository(in_parquet, card, monkeypatch):
    in_parquet.say(gated=["org/clips"])
    expected = f"its terms have to be accepted first, at {in_parquet.endpoint}/datasets/org/clips; then set HF_TOKEN"
    assert expected in refused(card())
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert expected in refused(card())


def test_a_revision_that_is_not_there(in_parquet, card):
    said = refused(card('revision = "v9"'))
    assert "org/clips at v9: the repository has no such revision; correct [data] revision" in said


def test_a_hub_that_is_ill_or_tells_the_token(in_parquet, card, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr("time.sleep", lambda _s: None)
    in_parquet.say(status=500)
    assert "the hub answered 500; run the same command again later" in refused(card())
    in_parquet.say(status=403)
    assert "the hub answered 403; check HF_TOKEN" in refused(card())


@pytest.mark.parametrize("nonsense", [[1], {}, "x", {"id": "org/clips", "sha": NEW, "siblings": [{}]}])
def test_a_hub_that_talks_nonsense(in_parquet, card, nonsense):
    in_parquet.say(nonsense=nonsense)
    assert "the hub's answer cannot be read (" in refused(card())


def test_a_hub_that_names_no_commit(in_parquet, card):
    in_parquet.say(nonsense={"id": "org/clips", "sha": "../main", "siblings": []})
    assert "the hub names no commit of org/clips" in refused(card())


def test_a_disk_that_refuses(in_parquet, card, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "file" / "hub"))
    with pytest.raises(StorageError, match="org/clips: cannot be kept: Not a directory"):
        bench.load(card())


def test_nobody_answers(in_parquet, card, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert "the hub cannot be reached or broke off (ConnectError)" in refused(card())


def test_a_token_that_lies_in_a_file_is_not_sent(in_parquet, card, tmp_path, monkeypatch):
    (tmp_path / "token").write_text(TOKEN)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    bench.load(card())
    assert {told["token"] for told in in_parquet.asked()} == {""}


def test_so_many_tables_are_refused_at_once(in_parquet, card):
    in_parquet.say(also_names=[f"data/{n}.parquet" for n in range(20_000)])
    assert "at most 1,000 are read; narrow [data] path or split" in refused(card())
    assert not in_parquet.asked(files=True)


def test_a_name_that_leads_out_of_the_repository(in_parquet, card):
    in_parquet.say(also_names=["../../../x.parquet"])
    assert "which leads out of it" in refused(card())


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            'path = "*.csv"',
            r"no table matches \*\.csv in org/clips \(tables there: data/test-00000-of-00002\.parquet, ",
        ),
        ('split = "dev"', r"no table of the split 'dev' matches \*\*/\*\.parquet"),
        ('path = "../x.parquet"', "is not a path in a repository"),
        ('clips = ["/etc/*"]', "is not a path in a repository"),
    ],
)
def test_a_card_that_names_nothing(in_parquet, card, more, says):
    with pytest.raises(BenchmarkError, match=says):
        bench.load(card(more))


@pytest.mark.parametrize("name", ["", "clips", "a/b/c", "../x"])
def test_a_repository_that_is_no_name(card, name):
    with pytest.raises(BenchmarkError, match="is not one; write owner/name"):
        bench.load(card(repository=name))


def test_tables_of_several_kinds(in_parquet, in_csv, card):
    with pytest.raises(BenchmarkError, match=r"tables of several kinds match \(csv, parquet\); narrow"):
        bench.load(card('path = "**/*"'))


def test_without_the_library_it_says_how_to_get_it(in_parquet, card, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "huggingface_hub"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UsageError, match=re.escape(install("hub"))):
        bench.load(card())


def test_the_command_line_by_the_environment_alone(in_parquet, card, tmp_path):
    """HF_ENDPOINT and HF_HOME, as a user sets them; standard output is one JSON document."""
    environment = os.environ | {"HF_ENDPOINT": in_parquet.endpoint, "HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "audiometry", "run", str(card('split = "test"')), "--model", "scripted/oracle"]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "r"), "--json"],
        env=environment | {"HF_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["scores"]["strict"]["value"] == 1.0
    assert list((tmp_path / "home/hub/datasets--org--clips/snapshots" / NEW / "data").iterdir())
    assert {told["token"] for told in in_parquet.asked() if "org/clips" in told["path"]} == {TOKEN}
    assert TOKEN not in done.stderr + (tmp_path / "r/run.json").read_text()


def test_a_revision_pins_its_own_repository_only(in_parquet, card):
    file = card()
    assert [item.id for item in bench.load(file, revision=f"org/clips@{OLD}")] == ["i0"]
    assert len(bench.load(file, revision=f"org/others@{OLD}")) == 5


SETTLED = "or give a copy with --data FOLDER: the repository's files, or metadata.csv with audio and answer beside"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_whoever_is_not_let_in_is_told_how_to_give_a_copy(in_parquet, card, status, monkeypatch):
    assert SETTLED in refused(card(repository="org/gone"))
    in_parquet.say(gated=["org/clips"])
    assert SETTLED in refused(card())
    in_parquet.say(status=status)
    said = refused(card())
    assert SETTLED in said
    assert f"answered {status}" in said or "no such dataset" in said
    in_parquet.say(status=0)
    with monkeypatch.context() as without:
        without.setenv("HF_HUB_OFFLINE", "1")
        assert SETTLED in refused(card())
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert SETTLED in refused(card())


def put_table(the_hub, repository, commit, name, table, tmp_path):
    parquet.write_table(table, tmp_path / "made.parquet", row_group_size=2)
    the_hub.put(repository, commit, name, (tmp_path / "made.parquet").read_bytes())


@pytest.mark.parametrize("how", ["structs", "bytes", "paths"])
def test_parquet_of_several_splits_and_shards_however_it_holds_its_clips(the_hub, card, wav, cli, tmp_path, how):
    audio = {
        "structs": lambda n: {"bytes": wav(n), "path": f"{n}.wav"},
        "bytes": wav,
        "paths": lambda n: f"clips/{n}.wav",
    }[how]
    for name, first in (("test-00000-of-00002", 0), ("test-00001-of-00002", 3), ("train-00000-of-00001", 6)):
        made = [row | {"audio": audio(n)} for n, row in enumerate(rows(wav, first, 3), first)]
        put_table(the_hub, "org/clips", NEW, f"data/{name}.parquet", pa.Table.from_pylist(made), tmp_path)
    if how == "paths":
        for n in range(9):
            the_hub.put("org/clips", NEW, f"data/clips/{n}.wav", wav(n))
    file = card('split = "test"\nclips = ["data/clips/*"]' if how == "paths" else 'split = "test"')
    said = cli("run", file, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert (said.code, said.json["scores"]["strict"]["value"]) == (0, 1.0)
    loaded = bench.load(file)
    assert [item.id for item in loaded] == [f"i{n}" for n in range(6)]
    assert [loaded.clip_path(item.file_name).read_bytes() for item in loaded] == list(map(wav, range(6)))


LABELS = """
[benchmark]
name = "moods"
[data]
source = "hub"
repository = "{repository}"
{more}
[data.columns]
id = []
task = ""
question = ""
options = ""
audio = "file_name"
answer = "mood"
[[task]]
name = "{name}"
kind = "label"
labels = ["glad", "sorry"]
wordings = ["Glad or sorry?"]
"""


def labels(folder, name="moods", repository="org/clips", more=""):
    path = folder / f"{name}.toml"
    path.write_text(LABELS.format(name=name, repository=repository, more=more))
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_metadata_of_an_audio_folder_in_every_form(the_hub, wav, tmp_path, form):
    lines = [{"file_name": f"clips/{n}.wav", "mood": mood} for n, mood in enumerate(("glad", "sorry", "glad"))]
    for split in ("test", "train"):
        for n in range(3):
            the_hub.put("org/clips", NEW, f"{split}/clips/{n}.wav", wav(n))
        if form == "parquet":
            put_table(the_hub, "org/clips", NEW, f"{split}/metadata.parquet", pa.Table.from_pylist(lines), tmp_path)
        else:
            as_csv = "file_name,mood\n" + "".join(f"{one['file_name']},{one['mood']}\n" for one in lines)
            text = as_csv if form == "csv" else "".join(json.dumps(one) + "\n" for one in lines)
            the_hub.put("org/clips", NEW, f"{split}/metadata.{form}", text.encode())
    more = f'path = "**/metadata.{form}"\nsplit = "test"\nclips = ["test/**/*.wav"]'
    loaded = bench.load(labels(tmp_path, more=more))
    assert [item.answer for item in loaded] == ["glad", "sorry", "glad"]
    assert [loaded.clip_path(item.file_name).read_bytes() for item in loaded] == list(map(wav, range(3)))
    assert not [told for told in the_hub.asked(files=True) if "train/" in told["path"]]


def test_folders_of_an_audio_folder_are_its_labels_where_it_has_no_table(the_hub, wav, cli, tmp_path):
    for n, name in enumerate(("test/glad/a.wav", "test/sorry/b.wav", "test/glad/c.wav", "train/glad/d.wav")):
        the_hub.put("org/clips", NEW, name, wav(n))
    file = labels(tmp_path, more='clips = ["test/**/*.wav"]')
    loaded = bench.load(file)
    assert [(item.file_name, item.answer) for item in loaded] == [
        ("test/glad/a.wav", "glad"),
        ("test/glad/c.wav", "glad"),
        ("test/sorry/b.wav", "sorry"),
    ]
    assert loaded.revision == f"org/clips@{NEW}"
    said = cli("run", file, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["macro-f1"]["value"] == 1.0
    the_hub.forget()
    assert len(bench.load(labels(tmp_path, more=f'clips = ["test/**/*.wav"]\nrevision = "{NEW}"'))) == 3


@pytest.fixture
def a_suite(the_hub, wav, tmp_path):
    """Two sets, each from a repository of its own at two commits, of which one has an item less."""
    for repository in ("org/one", "org/two"):
        for commit, n_items in ((OLD, 2), (NEW, 3)):
            moods = [
                {"file_name": {"bytes": wav(n), "path": f"{n}.wav"}, "mood": ("glad", "sorry")[n % 2]}
                for n in range(n_items)
            ]
            put_table(the_hub, repository, commit, "data/test.parquet", pa.Table.from_pylist(moods), tmp_path)
    the_hub.say(refs={name: {"main": OLD} for name in ("org/one", "org/two")})
    for name in ("one", "two"):
        labels(tmp_path, name, f"org/{name}")
    file = tmp_path / "suite.toml"
    file.write_text('[benchmark]\nname = "both"\n[data]\nsource = "cards"\ncards = ["one.toml", "two.toml"]\n')
    return file


def test_a_suite_keeps_the_revisions_of_all_its_repositories_and_says_when_one_moved(a_suite, the_hub, cli, tmp_path):
    said = cli("run", a_suite, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 0, said.err
    stamp = json.loads((tmp_path / "r" / "run.json").read_text())["benchmark"]
    assert stamp["revision"] == f"org/one@{OLD} org/two@{OLD}"
    the_hub.say(refs={"org/one": {"main": OLD}, "org/two": {"main": NEW}})
    the_hub.forget()
    assert cli("score", tmp_path / "r", "--json").json["scores"]["macro-f1"]["n_items"] == 4
    assert the_hub.asked() == []
    said = cli("run", a_suite, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 0, said.err
    assert f"org/two: has moved from {OLD[:7]} to {NEW[:7]} since this run was asked" in said.err
    assert "org/one: has moved" not in said.err
    stamp = json.loads((tmp_path / "r" / "run.json").read_text())["benchmark"]
    assert stamp["revision"] == f"org/one@{OLD} org/two@{NEW}"
    assert cli("score", tmp_path / "r", "--json").json["scores"]["macro-f1"]["n_items"] == 5


def test_a_set_of_a_suite_that_is_gone_is_named_and_the_others_go_on(a_suite, the_hub, cli, tmp_path):
    the_hub.say(refs={"org/one": {"main": OLD}})
    said = cli("run", a_suite, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["macro-f1"]["n_items"] == 2
    assert "1 of 2 sets are there; not asked:" in said.err
    assert f"two: {tmp_path}/two.toml: org/two: the hub has no such dataset that is public" in said.err
    assert SETTLED in said.err
    the_hub.say(refs={})
    said = cli("run", a_suite, "--model", "scripted/oracle", "-o", tmp_path / "r2")
    assert said.code == 2
    assert "none of its 2 sets is there; give them with --data FOLDER" in said.err
    assert not (tmp_path / "r2").exists()
