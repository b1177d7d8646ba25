"""Servers that fail: one clear line, what is done is safe, the same command goes on."""

import json
import socket
import time

import pytest

from audiometry.report.rows_text import said_of_failures


def one_line(done):
    assert "Traceback" not in done.err
    return done.said


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("401", "answered 401 (Incorrect API key provided.); check the key in the environment (OPENAI_API_KEY)"),
        ("403", "answered 403 (You may not use this model.); the key may not use this model"),
        ("404-model", "answered 404 (The model `mock` does not exist.); check the model's name and --base-url"),
        ("429-quota", "answered 429 (You exceeded your current quota.); the account has no credit left"),
        ("redirect", "answered 302; it redirects elsewhere, give the final address with --base-url"),
    ],
)
def test_what_no_item_survives_stops_the_run_at_once(asked, benchmark, chat_server, replies, tmp_path, fault, words):
    bench, server = benchmark(60), chat_server(faults=[f"{fault}:after-10"], delay_ms=2)
    done = asked(bench, server, "--concurrency", 4)
    assert done.code == 1
    assert one_line(done) == f"audiometry: error: 127.0.0.1:{server.port} {words}; all replies so far are kept"
    kept = replies(tmp_path / "run")
    assert len(kept) == 10
    assert all("text" in record for record in kept)  # the items that met the error are not failures: they wait
    assert 11 <= len(server.log()) <= 14
    assert {line["path"] for line in server.log()} == {"/v1/chat/completions"}


def test_and_nothing_is_lost_or_asked_twice(asked, benchmark, chat_server, replies, tmp_path):
    bench, ill, well = benchmark(30), chat_server(faults=["401:after-10"]), chat_server()
    assert asked(bench, ill).code == 1
    before = {record["item"] for record in replies(tmp_path / "run")}
    done = asked(bench, well)
    assert done.code == 0
    assert "Going on: 10 of 30 are there already." in done.err
    assert len(well.log()) == 20
    assert len({record["item"] for record in replies(tmp_path / "run")}) == len(replies(tmp_path / "run")) == 30
    assert len(before) == 10


@pytest.mark.parametrize(("fault", "kind"), [("400", "http-400"), ("413", "http-413"), ("no-choices", "no-choices")])
def test_what_is_refused_is_recorded_and_not_tried_again(asked, benchmark, chat_server, replies, tmp_path, fault, kind):
    bench, server = benchmark(12), chat_server(faults=[f"{fault}:items-0.4"])
    done = asked(bench, server)
    failed = [record for record in replies(tmp_path / "run") if "error" in record]
    assert done.code == 1
    assert 2 <= len(failed) <= 8
    assert {(record["error"]["kind"], record["attempts"]) for record in failed} == {(kind, 1)}
    assert max(server.requests.values()) == 1
    first, last = done.err.splitlines()[-2:]
    said = said_of_failures({kind: len(failed)})
    assert first == f"{len(failed)} of 12 failed ({said}), the first: {failed[0]['error']['message']}"
    assert last.startswith(f"All are in {tmp_path / 'run' / 'replies.jsonl'} under `error`; ")
    helps = kind == "no-choices"  # another reply may come; a request that is refused is refused again
    assert ("; the same command asks for what is missing." in last) == helps
    assert ("trying again as it is will not help" in last) != helps


def test_what_fails_for_its_clips_is_named_with_the_first_of_them(asked, benchmark, chat_server):
    bench, server = benchmark(4), chat_server()
    (bench / "audio" / "1.wav").write_bytes(b"<html>no audio</html>" * 99)
    done = asked(bench, server)
    first, last = done.err.splitlines()[-2:]
    said = said_of_failures({"audio-unreadable": 1})
    assert first.startswith(f"1 of 4 failed ({said}), the first: audio/1.wav: a web page, not audio")
    assert last.endswith("mend these clips, then the same command asks for them.")


@pytest.mark.parametrize(
    "fault", ["429", "503", "500", "502", "drop", "drop-middle", "half-json", "empty", "html", "error-200"]
)
def test_what_may_pass_is_tried_again_until_it_does(asked, benchmark, chat_server, replies, tmp_path, fault):
    bench, server = benchmark(6), chat_server(faults=[f"{fault}:first-1"], retry_after=0.2)
    assert asked(bench, server, "--concurrency", 6).code == 0
    assert [record["attempts"] for record in replies(tmp_path / "run")] == [2] * 6
    assert set(server.requests.values()) == {2}


@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize(
    "fault",
    ["bad-utf8", "odd-usage", "odd-fields", "odd-choice", "odd-reason", "odd-message", "surrogate", "raw-bytes"],
)
def test_a_reply_with_slips_beside_it_is_bought_once(asked, benchmark, chat_server, replies, tmp_path, fault, stream):
    bench, server = benchmark(3), chat_server(faults=[fault])
    assert asked(bench, server, *stream).code == 0
    assert [record["attempts"] for record in replies(tmp_path / "run")] == [1] * 3
    assert all(record["text"] for record in replies(tmp_path / "run"))
    assert set(server.requests.values()) == {1}
    assert asked(bench, server, *stream).code == 0  # the folder can be read again
    assert set(server.requests.values()) == {1}


@pytest.mark.parametrize("fault", ["not-object", "no-choices", "gzip-bomb"])
def test_a_document_of_the_wrong_shape_is_not_bought_again(asked, benchmark, chat_server, fault):
    bench, server = benchmark(2), chat_server(faults=[fault])
    assert asked(bench, server).code == 1
    assert set(server.requests.values()) == {1}


def test_a_cap_on_tries(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(4), chat_server(faults=["503"])
    done = asked(bench, server, "--max-tries", 2)
    assert done.code == 1
    assert {(r["error"]["kind"], r["attempts"]) for r in replies(tmp_path / "run")} == {("http-503", 2)}
    assert set(server.requests.values()) == {2}


@pytest.mark.parametrize("fault", ["429", "429-date", "503-retry"])
def test_a_server_is_given_the_time_it_asks_for(asked, benchmark, chat_server, fault):
    bench, server = benchmark(1), chat_server(faults=[f"{fault}:first-1"], retry_after=1)
    assert asked(bench, server).code == 0
    first, second = (line["at"] for line in server.log())
    assert 1.0 <= second - first <= 4.0  # a date has whole seconds: up to one more


def test_waits_are_spread(asked, benchmark, chat_server):
    bench, server = benchmark(24), chat_server(faults=["503:first-1"])
    assert asked(bench, server, "--concurrency", 24).code == 0
    log = server.log()
    firsts = {line["item"]: line["at"] for line in log if line["attempt"] == 1}
    waits = [line["at"] - firsts[line["item"]] for line in log if line["attempt"] == 2]
    assert min(waits) >= 0.2
    assert max(waits) - min(waits) > 0.2


def test_a_reply_that_does_not_come(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(4), chat_server(faults=["slow:items-0.5"])
    done = asked(bench, server, "--timeout", 0.5, "--max-tries", 1)
    failed = [record for record in replies(tmp_path / "run") if "error" in record]
    assert done.code == 1
    assert failed
    assert {record["error"]["message"] for record in failed} == {"no reply within 0.5 s"}
    assert len(failed) + sum("text" in record for record in replies(tmp_path / "run")) == 4


def test_a_reply_that_comes_a_byte_at_a_time(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(1), chat_server(faults=["slow-drip"], drip_ms=50)
    assert asked(bench, server, "--timeout", 0.5, "--max-tries", 1).code == 1
    assert replies(tmp_path / "run")[0]["error"]["kind"] == "timeout"


def test_ten_megabytes_of_text(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(3), chat_server(faults=["huge:items-0.5"])
    assert asked(bench, server).code == 1
    kinds = [record.get("error", {}).get("kind") for record in replies(tmp_path / "run")]
    assert kinds.count("reply-too-large") == sum(kind is not None for kind in kinds) >= 1
    assert (tmp_path / "run" / "replies.jsonl").stat().st_size < 3000


def test_a_server_that_is_down_is_not_asked_for_ever(cli, benchmark, replies, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    bench = benchmark(200)
    url = f"http://127.0.0.1:{port}/v1"
    started = time.monotonic()
    done = cli(
        "run", bench, "--no-probe", "--model", "openai/m", "--base-url", url, "-o", tmp_path / "run", "--max-tries", 2
    )
    assert time.monotonic() - started < 30
    assert done.code == 1
    assert "stopped after 20 failures in a row, the last: cannot connect to 127.0.0.1" in one_line(done)
    assert "Connection refused; is it running?; no reply came, run the same command again" in one_line(done)
    assert 20 <= len(replies(tmp_path / "run")) <= 28


def test_a_server_that_goes_down_in_the_middle(asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(80), chat_server(faults=["drop:after-30"])
    done = asked(bench, server, "--max-tries", 1)
    assert done.code == 1
    assert "broke the connection" in one_line(done)
    kept = replies(tmp_path / "run")
    assert sum("text" in record for record in kept) == 30
    assert sum("error" in record for record in kept) < 30
    well = chat_server()
    assert asked(bench, well).code == 0
    assert len(well.log()) == 50


def test_all_of_it_at_once(asked, benchmark, chat_server, replies, tmp_path):
    faults = ["503:0.1", "429:0.05", "drop:0.05", "half-json:0.05", "empty:0.05", "drop-middle:0.05", "502:0.05"]
    bench, server = benchmark(120), chat_server(letters="ABCD", faults=faults, retry_after=0.05, jitter_ms=10)
    done = asked(bench, server, "--concurrency", 16, "--max-tries", 12, "--json")
    assert done.code == 0
    kept = replies(tmp_path / "run")
    assert sorted(record["item"] for record in kept) == sorted(f"i{i}" for i in range(120))
    assert sum(record["attempts"] for record in kept) == len(server.log()) == done.json["usage"]["requests"]
    assert done.json["usage"]["retries"] == len(server.log()) - 120 > 20
    assert {record["audio_sha256"]: record["attempts"] for record in kept} == {
        item.partition(":")[0]: n for item, n in server.requests.items()
    }


@pytest.mark.parametrize("concurrency", [1, 5, 32])
def test_never_more_in_flight_than_allowed(asked, benchmark, chat_server, concurrency):
    bench, server = benchmark(100), chat_server(delay_ms=20)
    assert asked(bench, server, "--concurrency", concurrency).code == 0
    most = max(line["in_flight"] for line in server.log())
    assert most <= concurrency
    assert most >= min(concurrency, 16) // 2 or concurrency == 1


def test_the_card_says_how_many_unless_told(asked, benchmark, chat_server, tmp_path):
    (tmp_path / "card.toml").write_text('[[card]]\nname = "openai/mock"\nconcurrency = 3\n')
    bench, server = benchmark(40), chat_server(delay_ms=20)
    assert asked(bench, server, "--card", tmp_path / "card.toml").code == 0
    assert max(line["in_flight"] for line in server.log()) == 3


def test_requests_a_minute(asked, benchmark, chat_server):
    bench, server = benchmark(30), chat_server()
    assert asked(bench, server, "--rpm", 900).code == 0
    times = [line["at"] for line in server.log()]
    assert 29 / 15 - 0.3 <= times[-1] - times[0] <= 29 / 15 + 2  # the first may arrive late, the machine be busy


def test_tokens_a_minute(asked, benchmark, chat_server):
    bench, server = benchmark(25), chat_server()
    # the server counts 29 tokens a request, one reply token included: 24 × 29 at 24,000 a minute take 1.74 s
    assert asked(bench, server, "--tpm", 24_000, "--concurrency", 1).code == 0
    times = [line["at"] for line in server.log()]
    assert 1.4 <= times[-1] - times[0] <= 4


def test_what_it_took_and_cost(asked, benchmark, chat_server, tmp_path):
    import numpy as np

    prices = tmp_path / "prices.toml"
    prices.write_text('["openai/mock"]\ntokens_in = 2.5\ntokens_out = 10.0\n["openai/other"]\ntokens_in = 1\n')
    bench, server = benchmark(40), chat_server(answer="It is B, I am sure.", faults=["503:items-0.2", "400:items-0.2"])
    done = asked(bench, server, "--prices", prices, "--max-tries", 2, "--json")
    usage = done.json["usage"]
    kept = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    good = [record for record in kept if "text" in record]
    assert usage["requests"] == len(server.log())
    assert usage["replies"] == len(good)
    assert usage["failures"] == {
        kind: sum(record.get("error", {}).get("kind") == kind for record in kept) for kind in ("http-503", "http-400")
    }
    assert usage["tokens_in"] == sum(
        line["audio_bytes"] // 1280 + len(line["text"]) // 4 for line in server.log() if line["status"] == 200
    )
    assert usage["tokens_out"] == 4 * len(good)
    assert usage["cost_usd"] == pytest.approx((usage["tokens_in"] * 2.5 + usage["tokens_out"] * 10) / 1e6, abs=1e-6)
    expected = np.percentile([record["latency_s"] for record in good], [50, 90, 99])
    assert list(usage["latency_s"].values()) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", ""),
        ("a = " + "[" * 5000, "nested too deeply"),
        (
            '["openai/mock"]\ntoken_in = 2.5\n',
            "line 2: unknown key 'token_in' in an entry; did you mean 'tokens_in'?",
        ),
        ('["openai/mok"]\ntokens_in = 2.5\n', "did you mean 'openai/mok'"),
    ],
)
def test_a_price_table_with_a_slip(cli, benchmark, tmp_path, text, said):
    (tmp_path / "prices.toml").write_text(text)
    where = ["--base-url", "http://127.0.0.1:1", "--prices", tmp_path / "prices.toml"]
    done = cli("run", benchmark(1), "--no-probe", "--model", "openai/mock", *where)
    assert done.code == 2
    assert said in one_line(done)


def test_replies_are_on_disk_while_it_runs(start, benchmark, chat_server, tmp_path, replies):
    bench, server = benchmark(60), chat_server(delay_ms=60)
    process = start(
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
        2,
    )
    seen = []
    while process.poll() is None:
        answered = server.health()["requests"]
        path = tmp_path / "run" / "replies.jsonl"
        whole = path.read_bytes().count(b"\n") if path.exists() else 0
        seen.append((answered, whole))
        time.sleep(0.05)
    assert process.returncode == 0
    middle = [(answered, whole) for answered, whole in seen if 0 < whole < 60]
    assert len(middle) > 5
    # what was asked by then, less the two under way and the one between its reply and its line
    assert all(whole >= answered - 4 for answered, whole in middle)
    assert len(replies(tmp_path / "run")) == 60
