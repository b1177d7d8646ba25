"""Keys come from the environment and go to the server, and nowhere else."""

import sys

import pytest

from audiometry.files import secrets

KEY = "sk-live-0123456789abcdefghijklmnop"


def everything(folder):
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch):
    """No key of another test is known in this process."""
    monkeypatch.setattr(secrets, "_stated", set())


@pytest.fixture
def run_with_key(cli, tmp_path, monkeypatch):
    def go(bench, server, *words):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        done = cli(
            *("run", bench, *(() if server is None else ("--model", "openai/mock", "--base-url", server.url))),
            *("-o", tmp_path / "run"),
            *("--cache", tmp_path / "run" / "cache.sqlite", *words),
        )
        return done.code, (done.out + done.err).encode()

    return go


@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize(
    ("server", "code"),
    [
        ({"require_key": True}, 0),
        ({"faults": ["401-echo"]}, 1),
        ({"faults": ["401-echo:after-3"]}, 1),
        ({"answer": f"You sent Authorization: Bearer {KEY}"}, 0),
        ({"faults": ["redirect-307"]}, 1),
    ],
)
def test_a_key_goes_to_the_server_and_nowhere_else(
    run_with_key, benchmark, chat_server, tmp_path, server, code, stream
):
    told = chat_server(**server)
    returned, said = run_with_key(benchmark(6), told, *stream)
    assert returned == code
    assert all(line["authorization"] for line in told.log())
    assert {line["path"] for line in told.log()} == {"/v1/chat/completions"}
    written = everything(tmp_path / "run")
    for leak in (KEY.encode(), KEY[:12].encode(), KEY[-12:].encode()):
        assert leak not in said
        assert leak not in written


def test_what_the_server_echoed_is_kept_without_the_key(run_with_key, benchmark, chat_server, tmp_path):
    code, _ = run_with_key(benchmark(2), chat_server(answer=f"Your key is {KEY}."))
    assert code == 0
    assert b'"Your key is ***."' in (tmp_path / "run" / "replies.jsonl").read_bytes()


def test_without_a_key_there_is_one_line(cli, benchmark):
    done = cli("run", benchmark(1), "--model", "openai/gpt-4o-audio-preview")
    assert done.code == 2
    assert "openai/gpt-4o-audio-preview needs a key: set OPENAI_API_KEY in the environment" in done.said


def test_a_key_in_the_models_name_is_not_written_and_the_run_goes_on(run_with_key, benchmark, tmp_path):
    serve = tmp_path / "serve.py"
    serve.write_text(
        "import json, sys\n"
        f"print(json.dumps({{'audiometry': 1, 'name': 'm {KEY}', 'version': sys.argv[1]}}), flush=True)\n"
        "for line in sys.stdin:\n"
        f"    said = {{'id': json.loads(line)['id'], 'text': 'A', 'finish_reason': '{KEY}', 'notes': sys.argv[1]}}\n"
        "    print(json.dumps(said), flush=True)\n"
    )
    words = ("--model", f"exec/{sys.executable} {serve} {KEY}", "--no-probe", "--json")
    bench = benchmark(3)
    for _ in range(2):  # the second goes on: what was written is what it is compared with
        code, said = run_with_key(bench, None, *words)
        assert code == 0, said
        assert KEY.encode() not in said + everything(tmp_path / "run")
    assert b"***" in everything(tmp_path / "run")


def test_what_an_address_and_a_proxy_hold_is_written_nowhere(cli, benchmark, chat_server, tmp_path, monkeypatch):
    said = "me:swordfish-1 bWU6c3dvcmRmaXNoLTE= swordfish-2"
    server = chat_server(answer=said, faults=["400:at-2"])
    url = f"http://me:swordfish-1@127.0.0.1:{server.port}/v1?api_key=swordfish-2"
    for words in ((), ("--stream",), ("--dry-run",), ("--proxy", f"http://you:swordfish-3@127.0.0.1:{server.port}")):
        monkeypatch.setattr(secrets, "_stated", set())  # the command before told it nothing
        done = cli(
            *("run", benchmark(3), "--model", "openai/mock", "--base-url", url, "-o", tmp_path / "run", "--no-probe"),
            *("--cache", tmp_path / "run" / "cache.sqlite", "--max-tries", 1, *words),
        )
        assert done.code in {0, 1, 2}
        assert "Traceback" not in done.err
        for secret in (b"swordfish", b"bWU6c3dvcmRmaXNoLTE"):
            assert secret not in (done.out + done.err).encode()
            assert secret not in everything(tmp_path / "run")
    assert b"me:*** *** ***" in everything(tmp_path / "run")
