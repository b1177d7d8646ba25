"""Run again into the same folder: nothing is asked twice, and two runs never mix."""

import json
import re
import shutil
from pathlib import Path

import pytest

from audiometry.files.run_folder import RunFolder


def everything(folder):
    return sorted((path.name, path.read_bytes()) for path in folder.rglob("*") if path.is_file())


def counts(server):
    return sum(server.requests.values())


def test_a_finished_run_asks_nothing(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(20), chat_server()
    first = asked(bench, server, "--json")
    before = (tmp_path / "run" / "replies.jsonl").read_bytes(), (tmp_path / "run" / "run.json").read_bytes()
    again = asked(bench, server, "--json")
    assert (first.code, again.code) == (0, 0)
    assert counts(server) == 20
    assert before == ((tmp_path / "run" / "replies.jsonl").read_bytes(), (tmp_path / "run" / "run.json").read_bytes())
    assert again.json["scores"] == first.json["scores"]
    assert again.json["usage"]["requests"] == 0


def test_failures_are_asked_again_and_nothing_else(asked, benchmark, chat_server, replies, tmp_path):
    bench, ill, well = benchmark(24), chat_server(faults=["400:items-0.4"]), chat_server()
    assert asked(bench, ill).code == 1
    failed = {record["item"] for record in replies(tmp_path / "run") if "error" in record}
    assert 0 < len(failed) < 24
    assert asked(bench, well).code == 0
    assert counts(well) == len(failed)
    answered = [record["item"] for record in replies(tmp_path / "run") if "text" in record]
    assert sorted(answered) == sorted(f"i{i}" for i in range(24))


@pytest.mark.parametrize(
    "server",
    [
        {"faults": ["refusal"]},
        {"faults": ["null-content"]},
        {"faults": ["content-filter"]},
        {"answer": "I don't know."},
    ],
)
def test_refusals_and_unanswered_are_not_asked_again(asked, benchmark, chat_server, server):
    bench, told = benchmark(5), chat_server(**server)
    assert asked(bench, told).code == 0
    assert asked(bench, told).code == 0
    assert counts(told) == 5


def test_bad_clips_are_tried_again_once_mended(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(6), chat_server()
    kept = (bench / "audio" / "3.wav").read_bytes()
    (bench / "audio" / "3.wav").write_bytes(kept[:-40])
    assert asked(bench, server).code == 1
    assert counts(server) == 5
    (bench / "audio" / "3.wav").write_bytes(kept)
    assert asked(bench, server).code == 0
    assert counts(server) == 6
    assert [record["item"] for record in replies(tmp_path / "run")][-1] == "i3"


def changed_elsewhere(bench):
    """A benchmark of the same name in another place, which is none that was corrected."""
    other = Path(shutil.copytree(bench, bench.parent / "elsewhere" / bench.name))
    text = (other / "metadata.jsonl").read_text()
    (other / "metadata.jsonl").write_text(text.replace("What plays?", "What sounds?", 1))
    return other


def changed_version_elsewhere(bench):
    other = Path(shutil.copytree(bench, bench.parent / "elsewhere" / bench.name))
    text = (other / "benchmark.toml").read_text()
    (other / "benchmark.toml").write_text(text.replace('version = "1"', 'version = "2"'))
    return other


def another_benchmark(bench):
    other = changed_version_elsewhere(bench)
    text = (other / "benchmark.toml").read_text()
    (other / "benchmark.toml").write_text(text.replace('name = "bench"', 'name = "kitchen"'))
    return other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--temperature", "0.5"], "parameters temperature = none (now 0.5)"),
        (["--max-tokens", "5"], "parameters max_tokens = none (now 5)"),
        (["--seed", "7"], "seed 0, now 7"),
        (["--part-order", "text-first"], "prompt part_order = audio-first (now text-first)"),
        (["--model", "openai/other"], "model openai/mock, now openai/other"),
        (["--card", "CARD"], "audio rate = 16000 (now 8000)"),
        (changed_elsewhere, "another version of the benchmark ("),
        (changed_version_elsewhere, "another version of the benchmark (bench 1, now bench 2)"),
        (another_benchmark, "another benchmark (bench 1, now kitchen 2)"),
    ],
)
def test_another_run_does_not_go_into_the_same_folder(asked, benchmark, chat_server, tmp_path, words, said):
    (tmp_path / "card.toml").write_text('[[card]]\nname = "openai/mock"\nrate = 8000\n')
    bench, server = benchmark(3), chat_server()
    assert asked(bench, server).code == 0
    before = everything(tmp_path / "run")
    if callable(words):
        bench, words = words(bench), []
    done = asked(bench, server, *(str(tmp_path / "card.toml") if word == "CARD" else word for word in words))
    assert done.code == 2
    assert done.said.startswith(f"audiometry: error: {tmp_path / 'run'} was made with ")
    assert said in done.said
    assert done.said.endswith("; give another folder with -o")
    assert counts(server) == 3
    assert before == everything(tmp_path / "run")


def test_a_folder_without_a_reply_takes_other_settings(asked, benchmark, chat_server, tmp_path):
    bench, strict, failing = benchmark(3), chat_server(provider="openai"), chat_server(faults=["400"])
    extra = tmp_path / "extra.toml"
    extra.write_text("zeal = 1\n")
    assert "take it out" in asked(bench, strict, "--extra", extra).said  # which nobody could do before
    assert asked(bench, failing, "--max-tokens", 5).code == 1  # failures are no replies
    assert asked(bench, strict, "--temperature", 0).code == 0
    assert RunFolder(tmp_path / "run").info().parameters == {"temperature": 0.0}
    assert "was made with parameters temperature = 0.0 (now none)" in asked(bench, strict).said


def test_a_recipe_that_was_forgotten_is_named(asked, benchmark, chat_server, tmp_path):
    bench, server, recipe = benchmark(3), chat_server(), tmp_path / "mine.toml"
    recipe.write_text(
        'models = ["openai/*"]\nlongest_s = 9\n[decoding]\nmax_tokens = 9\n[[ask]]\nbenchmarks = ["*"]\n'
        'wording = "ours"\nsingle = "{question} {options}"\npart_order = "audio-first"\n'
    )
    assert asked(bench, server, "--recipe", recipe).code == 0
    assert re.search(r"was made with --recipe mine \([0-9a-f]{6}\), now without; give", asked(bench, server).said)
    recipe.write_text(recipe.read_text().replace("= 9", "= 8"))
    said = asked(bench, server, "--recipe", recipe).said
    assert re.search(r"was made with --recipe mine \([0-9a-f]{6}\), now --recipe mine \([0-9a-f]{6}\); give", said)


def test_what_shapes_no_reply_may_change(asked, benchmark, chat_server, tmp_path):
    bench, server, elsewhere = benchmark(3), chat_server(), chat_server()
    assert asked(bench, server).code == 0
    changes = ["--concurrency", 2, "--rpm", 6000, "--max-tries", 2, "--timeout", 9, "--stream"]
    assert asked(bench, elsewhere, *changes).code == 0
    assert counts(elsewhere) == 0


def test_a_folder_that_moved_is_the_same_benchmark(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(3), chat_server()
    assert asked(bench, server).code == 0
    shutil.move(bench, tmp_path / "elsewhere")
    assert asked(tmp_path / "elsewhere", server).code == 0
    assert counts(server) == 3


def test_a_run_may_grow(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(12, tasks=("pitch", "instrument")), chat_server()
    steps = [
        (["--limit", 4], 4), (["--limit", 8], 8), (["--task", "pitch"], 10), ([], 12), (["--orders", 2], 24),
    ]  # fmt: skip
    for words, total in steps:
        assert asked(bench, server, *words).code == 0
        assert counts(server) == total
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (info["n_items"], info["variants"], info["limit"], info["tasks"]) == (12, ["plain", "order-1"], None, [])
    keys = [(record["item"], record["variant"]) for record in replies(tmp_path / "run")]
    assert len(set(keys)) == len(keys) == 24


def test_without_a_name_the_same_request_finds_its_folder(cli, benchmark, chat_server, tmp_path, monkeypatch):
    bench, server = benchmark(3), chat_server()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "card.toml").write_text('[[card]]\nname = "openai/mock"\nrate = 8000\n')
    words = ["run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url]
    for more in ([], [], ["--limit", 2], ["--seed", 1], ["--temperature", 0], ["--card", tmp_path / "card.toml"]):
        assert cli(*words, *more).code == 0
    folders = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert len(folders) == 4
    assert all(name.startswith("bench--mock--") for name in folders)
    assert counts(server) == 12


def test_a_folder_in_use(start, asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(200), chat_server(delay_ms=50)
    other = start(
        "run",
        bench,
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "-o",
        tmp_path / "run",
        "--concurrency",
        1,
    )
    while not server.log():
        assert other.poll() is None
    info = (tmp_path / "run" / "run.json").read_bytes()
    done = asked(bench, server, "--limit", 5)
    assert done.code == 2
    where, advice = tmp_path / "run", "wait for it, or give another folder with -o"
    assert done.said == f"audiometry: error: {where} is in use by another process; {advice}"
    assert (tmp_path / "run" / "run.json").read_bytes() == info  # the run at work is not described anew


def test_replies_without_their_description(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(3), chat_server()
    assert asked(bench, server).code == 0
    (tmp_path / "run" / "run.json").unlink()
    done = asked(bench, server)
    assert done.code == 2
    assert "has replies but no run.json; restore it, or give another folder with -o" in done.said


def test_a_torn_last_line_is_repaired_and_asked_again(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(6), chat_server()
    assert asked(bench, server).code == 0
    path = tmp_path / "run" / "replies.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert asked(bench, server).code == 0
    assert counts(server) == 7
    assert sorted(record["item"] for record in replies(tmp_path / "run")) == [f"i{i}" for i in range(6)]


def test_a_damaged_line_is_named(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(4), chat_server()
    assert asked(bench, server).code == 0
    path = tmp_path / "run" / "replies.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"%!\n" + b"".join(lines[1:]))
    done = asked(bench, server)
    assert done.code == 2
    assert f"{path}, line 2: " in done.said
    assert "remove that line, or restore the file" in done.said
    assert counts(server) == 4


def test_replies_are_taken_from_a_cache_only_when_told(asked, benchmark, chat_server, replies, tmp_path, make_wav):
    bench, server, cache = benchmark(10), chat_server(letters="ABCD"), tmp_path / "cache.sqlite"
    assert asked(bench, server, "--cache", cache, folder="first").code == 0
    done = asked(bench, server, "--cache", cache, "--json", folder="second")
    assert counts(server) == 10
    assert (done.json["usage"]["cached"], done.json["usage"]["requests"], done.json["usage"]["tokens_in"]) == (10, 0, 0)
    said = [{r["item"]: r["text"] for r in replies(tmp_path / folder)} for folder in ("first", "second")]
    assert said[0] == said[1]
    assert asked(bench, server, folder="third").code == 0  # off by default
    assert counts(server) == 20
    make_wav(bench / "audio" / "4.wav", seed=1000)  # another clip under the same name
    assert asked(bench, server, "--cache", cache, folder="fourth").code == 0
    assert counts(server) == 21
    assert asked(bench, server, "--cache", cache, "--temperature", 1, folder="fifth").code == 0
    assert counts(server) == 31
    assert asked(bench, server, "--cache", cache, "--part-order", "text-first", folder="sixth").code == 0
    assert counts(server) == 41
