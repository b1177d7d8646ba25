"""Nobody listens any more: the work goes on or drains, what was paid is kept, one line, the right code."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "audiometry"]
QUIET = ("Traceback", "Exception ignored", "BrokenPipe", "OSError", "Errno")


@pytest.fixture
def served(make_benchmark, chat_server, tmp_path):
    """A server, the words that ask it 40 items four at a time, and what was kept."""

    class Served:
        server = chat_server(delay_ms=60, letters="ABCD")
        folder = tmp_path / "run"
        bench = make_benchmark(40)

        def words(self, *more):
            return ["run", self.bench, "--no-probe", "--model", "openai/mock", "--base-url", self.server.url,
                    "--concurrency", 4, "-o", self.folder, *more]  # fmt: skip

        def kept(self):
            lines = (self.folder / "replies.jsonl").read_text().splitlines()
            return [record["item"] for record in map(json.loads, lines) if "text" in record]

        def nothing_lost(self, n):
            """So many replies are kept, each once, as many as the server was asked for."""
            kept = self.kept()
            return len(kept) == len(set(kept)) == len(self.server.log()) == n

        def under_way(self, process, at_least=4):
            while len(self.server.log()) < at_least:
                assert process.poll() is None
                time.sleep(0.01)

    return Served()


def shell(redirection, words, **how):
    """The command with its streams as a shell redirects them."""
    script = f'exec "$@" {redirection}'
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "sh", *COMMAND, *map(str, words)],
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | how),
    )


def ended(process):
    out, err = process.communicate(timeout=60)
    assert not [word for word in QUIET if word in (err or "") + (out or "")], err
    return process.returncode, out, err


OUT = "audiometry: error: the output could not be written: {}; all that was to be kept is kept\n"
FULL, BAD = "No space left on device", "Bad file descriptor"


@pytest.mark.parametrize(
    ("redirection", "code", "last"),
    [
        (">/dev/full", 1, OUT.format(FULL)),
        (">&-", 1, OUT.format(BAD)),
        pytest.param("2>/dev/full", 0, "", marks=pytest.mark.slow),
        ("2>&-", 0, ""),
        pytest.param(">/dev/full 2>/dev/full", 1, "", marks=pytest.mark.slow),
        pytest.param(">&- 2>&-", 1, "", marks=pytest.mark.slow),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
def test_a_run_ends_whole_whatever_takes_its_words(served, redirection, code, last):
    found, out, err = ended(shell(redirection, served.words()))
    assert found == code
    assert err.endswith(last)
    assert err.count("error") == bool(last)
    assert served.nothing_lost(40)
    if "2>" in redirection and not redirection.startswith((">", "<")):
        assert "openai/mock" in out  # the score is told all the same


@pytest.mark.slow
@pytest.mark.parametrize("both", [True, False], ids=["2>&1", "stderr alone"])
def test_a_reader_that_leaves_in_mid_run_stops_nothing(served, both):
    read, write = os.pipe()
    streams = {"stdout": write if both else subprocess.DEVNULL, "stderr": write}
    process = shell("", served.words(), **streams)
    os.close(write)
    served.under_way(process)
    os.close(read)
    assert process.wait(60) == int(both)
    assert served.nothing_lost(40)


def test_the_same_command_goes_on_and_says_nothing_twice(served):
    process = shell(">/dev/full", served.words("--limit", 10))
    assert ended(process)[0] == 1
    assert ended(shell("", served.words("--limit", 20)))[0] == 0
    assert served.nothing_lost(20)


AT_HOME = (
    "import fcntl, os, signal, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "signal.signal(signal.SIGHUP, getattr(signal, sys.argv[1]))\n"
    "os.execv(sys.executable, [sys.executable, '-m', 'audiometry', *sys.argv[2:]])\n"
)


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, words, *, hang_up="SIG_DFL"):
        self.master, theirs = pty.openpty()
        command = [sys.executable, "-c", AT_HOME, hang_up, *map(str, words)]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)

    def close(self):
        os.close(self.master)


def test_a_terminal_that_is_closed_drains_the_run(served):
    terminal = Terminal(served.words())
    served.under_way(terminal.process)
    terminal.close()
    assert terminal.process.wait(60) == 130
    asked = len(served.server.log())
    assert 4 <= asked < 40
    assert served.nothing_lost(asked)
    assert ended(shell("", served.words()))[0] == 0
    assert served.nothing_lost(40)


def test_under_nohup_a_closed_terminal_stops_nothing(served):
    terminal = Terminal(served.words(), hang_up="SIG_IGN")
    served.under_way(terminal.process)
    terminal.close()
    terminal.process.wait(60)
    assert terminal.process.returncode == 1  # the score had nowhere to go
    assert served.nothing_lost(40)


@pytest.mark.parametrize("times", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_hang_up_drains_however_often_it_is_told(served, times):
    process = shell("", served.words())
    served.under_way(process)
    for _ in range(times):
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    code, _, err = ended(process)
    assert code == 130
    assert err.count("Stopping: waiting for the replies under way.") == 1
    assert served.nothing_lost(len(served.server.log()))
    assert len(served.kept()) < 40


def test_hang_up_ends_other_commands_in_one_line(served, chat_server, tmp_path):
    slow = chat_server(delay_ms=2000)
    process = shell("", ["probe", "openai/mock", "--base-url", slow.url])
    while not slow.log():
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    code, _, err = ended(process)
    assert (code, err.strip()) == (130, "audiometry: stopped")


IN_A_TASK = """
import asyncio, os, signal
from audiometry.cli import streams
from audiometry.dispatch import event_loop

async def part():
    os.kill(os.getpid(), signal.SIGHUP)
    await asyncio.sleep(60)

async def work():
    other = asyncio.ensure_future(part())
    await asyncio.sleep(60)

with streams.hang_up_as_ctrl_c(), event_loop.opened() as loop:
    try:
        loop.run(work())
    except KeyboardInterrupt:
        print("stopped")
"""


def test_hang_up_in_the_middle_of_a_task_cancels_the_work_and_raises_nothing_there():
    done = subprocess.run([sys.executable, "-c", IN_A_TASK], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_a_reader_that_stops_reading_holds_up_no_reply(served, monkeypatch):
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(write, bytes(4096)):
            pass
    os.set_blocking(write, True)
    script = (
        "import sys; from audiometry.cli import progress, main; progress.FILE_EVERY_S = 0.0; main.run(sys.argv[1:])"
    )
    process = subprocess.Popen([sys.executable, "-c", script, *map(str, served.words())], stderr=write, stdout=-1)
    os.close(write)
    deadline = time.monotonic() + 40
    while len(served.server.log()) < 40 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(served.server.log()) == 40
    os.close(read)
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert served.nothing_lost(40)


@pytest.mark.slow
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-", "2>&-", ">/dev/full 2>&1"])
def test_other_commands_end_with_their_code(served, redirection, tmp_path):
    """`check`, `probe`, `report`, `list`: what they write is written; what could not be said is an error."""
    run, page = tmp_path / "scripted", tmp_path / "page.html"
    assert ended(shell("", ["run", served.bench, "--model", "scripted/oracle", "-o", run]))[0] == 0
    code = 0 if redirection == "2>&-" else 1
    for words in (
        ["check", served.bench],
        ["report", run, "-o", page],
        ["list", "profiles"],
        ["score", run, "--json"],
        ["probe", "scripted/oracle", "-o", tmp_path / "probe"],
    ):
        found, _, err = ended(shell(redirection, words))
        assert found == code, (words, err)
        *before, last = err.splitlines() or [""]
        assert ("error: the output could not be written" in last) == (code == 1 and "2>" not in redirection), err
        assert [one.partition(":")[0] for one in before] == ["next"] * (words[0] == "report" and bool(last)), err
    assert "<html" in page.read_text()
    assert (tmp_path / "probe/probe.json").exists()


OPEN = '[benchmark]\nname = "made/chat"\nversion = "1"\n\n[[task]]\nname = "sounds"\nkind = "open"\n'


@pytest.fixture
def judging(make_benchmark, chat_server, tmp_path):
    """A run of 12 open questions, the words that have it judged in both orders, and the judge's server and journal."""
    rows = [{"question": f"What is sound {n}?", "options": [], "answer": f"reference {n} [q=8]"} for n in range(12)]
    recorded, run = tmp_path / "said.jsonl", tmp_path / "judged"
    recorded.write_text("".join(f'{{"item": "item-{n:05}", "text": "a reply {n} [q=5]"}}\n' for n in range(12)))
    model = f"scripted/replay?file={recorded}"
    assert ended(shell("", ["run", make_benchmark(rows, card=OPEN), "--model", model, "-o", run]))[0] == 0
    server = chat_server(judge="{}", delay_ms=80)
    words = ["score", run, "--judge", "openai/mock", "--base-url", server.url, "--concurrency", 2]

    def nothing_lost():
        (path,) = (run / "judge").iterdir()
        said = [record["prompt_sha256"] for record in map(json.loads, path.read_text().splitlines())]
        return len(said) == len(set(said)) == len(server.log())

    return server, words, nothing_lost


@pytest.mark.slow
@pytest.mark.parametrize("redirection", [">/dev/full 2>&1", "2>&-"])
def test_what_judges_said_is_kept_whoever_listens(judging, redirection):
    server, words, nothing_lost = judging
    code, out, _ = ended(shell(redirection, words))
    assert code == int(redirection.startswith(">"))
    assert nothing_lost()
    asked = len(server.log())
    assert asked >= 24
    code, out, _ = ended(shell("", words))
    assert (code, len(server.log())) == (0, asked)
    assert "openai/mock" in out


def test_a_closed_terminal_drains_the_judges(judging):
    server, words, nothing_lost = judging
    terminal = Terminal(words)
    while len(server.log()) < 4:
        assert terminal.process.poll() is None
        time.sleep(0.01)
    terminal.close()
    assert terminal.process.wait(60) != 0
    assert 4 <= len(server.log()) < 24
    assert nothing_lost()
    assert ended(shell("", words))[0] == 0
    assert nothing_lost()
