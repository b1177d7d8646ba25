"""``kill -9`` at any moment: nothing that was journalled is asked again, nothing is lost."""

import json
import random
import time
from collections import Counter

import pytest

DRAWS = random.Random(20260101)  # of the moments; another seed kills at other moments


def journalled(folder):
    """What stands in the journal: the sha256 of each item's clip. Whole lines are JSON, the last may be torn."""
    path = folder / "replies.jsonl"
    if not path.exists():
        return Counter()
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return Counter(json.loads(line)["audio_sha256"] for line in whole.splitlines())


def wait_for(path, lines, process):
    """Until the journal holds more than so many lines, so that a kill lands in mid-run and not in the imports."""
    while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") <= lines):
        time.sleep(0.002)


def kill_again_and_again(start, server, bench, folder, *, n, kills, least_mid_run):
    command = (
        "run",
        bench,
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "-o",
        folder,
        "--concurrency",
        8,
    )
    mid_run, log_seen = 0, 0
    for kill in range(kills):
        before = journalled(folder)
        # leave enough of the work for the kills to come
        share = (n - sum(before.values())) / (kills - kill + 1)
        process = start(*command)
        wait_for(folder / "replies.jsonl", sum(before.values()) + DRAWS.random() * share, process)
        time.sleep(DRAWS.random() * 0.004)
        mid_run += process.poll() is None
        process.kill()
        process.communicate()
        time.sleep(0.05)  # requests on their way are logged by then
        log = server.log()
        asked_now = {line["audio_sha256"] for line in log[log_seen:] if "item" in line}
        log_seen = len(log)
        assert not asked_now & set(before), "what was journalled before the restart was asked again"
        assert journalled(folder) >= before, "what was journalled is still there"
    assert mid_run >= least_mid_run
    before = journalled(folder)
    assert sum(before.values()) < n
    last = start(*command)
    _, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    asked_now = {line["audio_sha256"] for line in server.log()[log_seen:]}
    assert not asked_now & set(before)
    return before


def check_whole(folder, server, n, kills):
    records = [json.loads(line) for line in (folder / "replies.jsonl").read_text().splitlines()]
    assert Counter(record["item"] for record in records) == Counter(f"i{i}" for i in range(n))
    assert all("text" in record for record in records)
    told = Counter(line["audio_sha256"] for line in server.log())
    assert set(told) == {record["audio_sha256"] for record in records}
    # only what was in flight when the process died was asked a second time: at most eight a kill
    assert sum(told.values()) - n <= 8 * kills
    json.loads((folder / "run.json").read_text())


def test_five_kills(start, benchmark, chat_server, tmp_path):
    bench, server = benchmark(300), chat_server(delay_ms=4, letters="ABCD")
    kill_again_and_again(start, server, bench, tmp_path / "run", n=300, kills=5, least_mid_run=4)
    check_whole(tmp_path / "run", server, 300, 5)


@pytest.mark.slow
def test_twenty_kills(start, benchmark, chat_server, tmp_path):
    bench, server = benchmark(2000), chat_server(delay_ms=4, letters="ABCD", faults=["503:0.02"])
    kill_again_and_again(start, server, bench, tmp_path / "run", n=2000, kills=20, least_mid_run=15)
    records = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    assert Counter(record["item"] for record in records) == Counter(f"i{i}" for i in range(2000))
    answered = Counter(line["audio_sha256"] for line in server.log() if line["status"] == 200)
    assert set(answered) == {record["audio_sha256"] for record in records}
    assert sum(answered.values()) - 2000 <= 8 * 20


@pytest.mark.slow
def test_killed_before_the_first_reply(start, benchmark, chat_server, tmp_path):
    """At moments spread over the start: planning, writing run.json, the first requests."""
    bench, server = benchmark(40), chat_server(delay_ms=2)
    command = ("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
    for kill in range(12):
        process = start(*command)
        time.sleep(kill * 0.08)
        process.kill()
        process.communicate()
    last = start(*command)
    _, err = last.communicate(timeout=60)
    assert last.returncode == 0, err
    check_whole(tmp_path / "run", server, 40, 12)


def test_a_kill_in_the_midst_of_wordings_orders_and_repeats(start, make_benchmark, chat_server, tmp_path):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nwordings = ["{question}", "Now: {question}"]\n'
    bench, server, path = make_benchmark(20, card=card), chat_server(delay_ms=4, letters="ABCD"), tmp_path / "run"
    ways = ("--wordings", 2, "--orders", 2, "--repeats", 2)
    command = ("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", path, *ways)
    process = start(*command, "--concurrency", 4)
    wait_for(path / "replies.jsonl", 60, process)
    process.kill()
    process.communicate()
    whole = (path / "replies.jsonl").read_bytes().rpartition(b"\n")[0]
    assert 60 <= whole.count(b"\n") < 150
    last = start(*command, "--concurrency", 4)
    _, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    assert (path / "replies.jsonl").read_bytes().startswith(whole)
    found = [json.loads(line) for line in (path / "replies.jsonl").read_text().splitlines()]
    asked = Counter((one["item"], one["variant"]) for one in found)
    assert (len(asked), set(asked.values())) == (20 * 8, {1})
    assert len(server.log()) - 20 * 8 <= 4
