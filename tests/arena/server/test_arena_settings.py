"""The settings of an arena and the command that serves it."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from audiometry.arena.server import frequency, serving, settings
from audiometry.arena.server.life import Life
from audiometry.arena.server.metrics import Metrics
from audiometry.arena.server.refused import TooOftenError
from audiometry.arena.server.settings import ModelEntry
from audiometry.errors import UsageError

ROOT = Path(__file__).parents[3]
TOML = """
title = "Birds and voices"
db = "postgresql://arena@localhost/arena"
models = ["cascade/pocketsphinx"]
[[model]]
name = "openai/gpt-audio"
release = "2026-10"
temperature = 0.5
[recording]
longest_s = 30
noise_suppression = false
[vote]
outcomes = ["model_a", "model_b", "tie"]
tags = ["tone"]
[asking]
steps = true
quota = 500
[consent]
version = "1"
text = "We keep your voice."
"""


def read(tmp_path, text):
    path = tmp_path / "arena.toml"
    path.write_text(text)
    return settings.checked(settings.read(path))


def test_a_file_says_what_it_says(tmp_path):
    found = read(tmp_path, TOML)
    assert [entry.name for entry in found.entries] == ["openai/gpt-audio", "cascade/pocketsphinx"]
    assert (found.recording.longest_s, found.recording.noise_suppression, found.recording.upload) == (30, False, True)
    assert (found.asking.steps, found.asking.quota, found.vote.tags) == (True, 500, ("tone",))
    assert str(found.audio_folder) == "arena-audio"
    assert str(settings.Settings(db="sqlite:////var/a/birds.db").audio_folder) == "/var/a/birds-audio"


def test_the_settings_of_the_documentation_are_the_defaults(tmp_path):
    shown = re.search(r"```toml\n(.*?)```", (ROOT / "docs/arena.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    path = tmp_path / "arena.toml"
    path.write_text(shown, encoding="utf-8")
    found = settings.read(path)
    vote = msgspec.structs.replace(found.vote, tags=())
    assert msgspec.structs.replace(found, model=(), vote=vote, consent=None) == settings.Settings()
    for part in (
        settings.Settings,
        *(type(getattr(found, name)) for name in ("recording", "vote", "asking", "limits")),
    ):
        assert not [name for name in part.__struct_fields__ if name not in shown]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("titel = 'x'", "did you mean 'title'"),
        ("[recording]\nlongest = 3", "did you mean 'longest_s'"),
        ("[vote]\noutcomes = ['model_a', 'draw']", "outcomes"),
        ("[asking]\ntimeout_s = -1", "timeout_s"),
        ("models = ['a/b']", "needs two models at least"),
        ("models = ['a/b', 'c/d', 'a/b']", "'a/b' takes part twice"),
        ("models = ['a/b', 'c/d']\n[vote]\noutcomes = ['tie']", "'model_a' and 'model_b' have to be among them"),
        (
            "models = ['a/b', 'c/d']\n[vote]\noutcomes = ['model_a', 'model_b', 'model_a']",
            "'model_a' stands there twice",
        ),
        ("models = ['a/b', 'c/d']\n[vote]\ntags = ['tone', 'tone']", "tags: 'tone' stands there twice"),
        ("models = ['a/b', 'c/d']\n[asking]\nwhole_s = 5", "whole_s"),
        ("title = ", "line 1"),
        ("[[models]]\nname = 'a/b'", "tables are called [[model]]"),
    ],
)
def test_what_cannot_be_is_one_line_that_says_where(tmp_path, text, why):
    with pytest.raises(UsageError, match=re.escape(why)) as problem:
        read(tmp_path, text)
    assert "\n" not in str(problem.value)


def test_who_waits_may_go_on_and_others_are_not_held():
    now = [0.0]
    often = frequency.Frequency(3, 30.0, "too much", lambda: now[0])
    for _ in range(3):
        often.done("anna")
    with pytest.raises(TooOftenError, match=r"^too much; wait a little$") as problem:
        often.done("anna")
    assert problem.value.after_s == pytest.approx(10.0)
    often.done("bert")
    now[0] = 10.0
    often.done("anna")
    with pytest.raises(TooOftenError):
        often.done("anna")


def test_whom_one_remembers_is_bounded(monkeypatch):
    monkeypatch.setattr(frequency, "MOST", 100)
    often = frequency.Frequency(1, 10.0, "too much")
    for n in range(1000):
        often.done(n)
    assert len(often._left) == 100


def test_metrics_are_in_the_format_that_collectors_read():
    made = Metrics()
    made.count("votes", outcome="tie")
    made.count("votes", outcome="tie")
    for seconds in (0.004, 0.06, 99.0):
        made.took("/vote", seconds)
    text = made.text({"models_awake": lambda: 2})
    assert 'audiometry_arena_votes_total{outcome="tie"} 2\n' in text
    assert "# TYPE audiometry_arena_models_awake gauge\naudiometry_arena_models_awake 2\n" in text
    buckets = [int(n) for n in re.findall(r'_bucket\{route="/vote",le="[^"]+"\} (\d+)', text)]
    assert buckets == sorted(buckets)
    assert (buckets[0], buckets[-1]) == (1, 3)
    assert 'request_seconds_count{route="/vote"} 3' in text


def command(*words, cwd):
    return subprocess.Popen(
        [sys.executable, "-m", "audiometry", "arena", "serve", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_one_command_serves_two_local_models_and_says_what_comes_next(tmp_path, sounds, voter_at):
    running = command(
        "--models", "scripted/constant?text=Yes.,scripted/constant?text=No.", "--port", "0", "--json", cwd=tmp_path
    )
    said = []
    try:
        while not said or "Open http" not in said[-1]:
            said.append(running.stderr.readline())
            assert said[-1], said
        assert said[0] == "2 models; kept in sqlite:///arena.sqlite\n"
        port = int(re.search(r"http://127\.0\.0\.1:(\d+) in a browser; Ctrl-C ends it", said[-1])[1])
        anna = voter_at(port)
        assert anna.sent("GET", "/")[0] == 200
        kept = json.loads(anna.sent("POST", "/recording", sounds.coded(sounds.tone()))[1])
        battle = anna.asked(recording=kept["recording"])
        assert {battle["a"], battle["b"]} == {"Yes.", "No."}
        assert anna.post("/vote", {"battle": battle["battle"], "outcome": "tie"})[0] == 200
        assert anna.get("/openapi.json")[1]["openapi"] == "3.1.0"
    finally:
        running.send_signal(signal.SIGINT)
        out, rest = running.communicate(timeout=60)
    assert running.returncode == 0
    found = json.loads(out)
    assert (found["db"], found["votes"]) == ("sqlite:///arena.sqlite", 1)
    assert [one["asked"] for one in found["models"]] == [1, 1]
    assert "every vote is kept" in rest
    assert "Traceback" not in rest
    assert {"arena.sqlite", "arena-audio"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "needs two models at least"),
        (["--models", "scripted/constant"], "needs two models at least"),
        (["--models", "scripted/constant,nobody/x"], "unknown model provider 'nobody'"),
        (["--models", "scripted/constant,scripted/constant?text=B", "--db", "mysql://x/y"], "no database of the kind"),
        (["--models", "scripted/constant,scripted/random"], "scripted/random answers a benchmark's questions"),
        (["--models", "scripted/constant,openai/m"], "or say where it is served (base_url, or NAME@URL)"),
        (["none.toml"], "none.toml"),
    ],
)
def test_a_slip_at_the_command_line_is_one_line(tmp_path, monkeypatch, cli, words, why):
    monkeypatch.chdir(tmp_path)
    code, out, said = cli("arena", "serve", *words, "--port", "0")
    assert (code, out) == (2, "")
    assert why in said
    assert said.count("\n") <= 2
    assert not list(tmp_path.glob("arena.sqlite*"))


def test_recordings_that_could_not_be_kept_are_told_before_anybody_speaks(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "voices").write_text("no folder")
    models = 'audio = "voices"\nmodels = ["scripted/constant", "scripted/constant?text=B"]'
    (tmp_path / "arena.toml").write_text(models)
    code, _, said = cli("arena", "serve", "arena.toml", "--port", "0")
    assert (code, "recordings cannot be kept in voices" in said) == (2, True)
    (tmp_path / "arena.toml").write_text(f'transcriber = "nobody/x"\n{models}')
    code, _, said = cli("arena", "serve", "arena.toml", "--port", "0")
    assert (code, "unknown model provider 'nobody'" in said) == (2, True)
    assert not list(tmp_path.glob("arena.sqlite*"))


def test_a_reader_may_bring_its_address_and_what_does_nothing_is_called_as_in_the_file():
    reader = "openai/m@http://127.0.0.1:9/v1"
    found = serving.loaded(ModelEntry(name="cascade/pocketsphinx", reader=reader), settings.Settings())
    assert found.name == "cascade/pocketsphinx?reader=openai/m"
    for more, key in ({"reader": reader}, "reader"), ({"max_tokens": 5}, "max_tokens"):
        with pytest.raises(UsageError, match=rf"^{key} does nothing with scripted/constant"):
            serving.loaded(ModelEntry(name="scripted/constant", **more), settings.Settings())


def test_one_model_under_two_settings_is_two_contestants(tmp_path):
    two = '[[model]]\nname = "a/b"\n[[model]]\nname = "a/b"\n'
    assert len(read(tmp_path, two + 'system_prompt = "Be brief."').entries) == 2
    with pytest.raises(UsageError, match="'a/b' takes part twice"):
        read(tmp_path, two)


def test_the_disk_of_the_database_is_looked_at_too_where_recordings_are_on_another(tmp_path, monkeypatch):
    (tmp_path / "db").mkdir()
    arena = SimpleNamespace(
        settings=settings.Settings(db=f"sqlite:///{tmp_path}/db/arena.db", audio=str(tmp_path / "audio")),
        entrants=(),
        awake=(1, 2),
        stopping=False,
        battles=SimpleNamespace(transcriber=None, n_asking=0),
    )
    told = []
    its = Life(arena, None, told.append)
    monkeypatch.setattr(its, "_ping", lambda: None)
    asyncio.run(its._look())
    assert (its.now().disk, its.now().status) == (True, "ok")
    (tmp_path / "db").rmdir()
    (tmp_path / "db").write_text("in its place")
    asyncio.run(its._look())
    assert (its.now().disk, its.now().status) == (False, "degraded")
    (tmp_path / "db").unlink()
    (tmp_path / "db").mkdir()
    asyncio.run(its._look())
    assert its.now().disk
    assert told[0].startswith(f"votes cannot be kept in {tmp_path}/db: ")
    assert told[1:] == ["recordings and votes can be kept again"]
    assert settings.Settings(db="postgresql://a@b/c").database_folder is None
