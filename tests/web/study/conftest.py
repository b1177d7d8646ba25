"""A study around a review, served by the command line in a process of its own, and participants who come to it."""

import contextlib
import csv
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from queue import Queue
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from audiometry.cli import reviewing, studying
from audiometry.web import serve as server
from audiometry.web.clips import Clips
from audiometry.web.study.spec import read
from audiometry.web.study.study import Study

STUDY = """
name = "birds"
title = "Which answer is right?"
participants = {participants}
n = {n}
minutes = 8
hold_minutes = {hold}
instructions = \"\"\"
Hear each recording and say what you think of the question.

There is no hurry.
\"\"\"

[consent]
version = "1"
text = "You hear short recordings and judge questions about them. You may stop at any time."
receives = "The three of us at the University of Somewhere."
kept = "Ten years, on the university's own machines."
shared = "Your answers, without anything that tells who you are."
withdraw = "By the link at the foot of each page, until you are paid."
contact = "study@example.org"

[[screening]]
name = "hearing"
question = "Do you hear well with both ears?"
options = ["Yes", "No", "I am not sure"]
admit = ["Yes"]

[[demographics]]
name = "age"
question = "How old are you?"
options = ["Under 30", "30 to 59", "60 or more"]

[[check]]
question = "This one is about reading: choose 'Rather not' here, whatever you think."
options = ["Certainly", "Rather", "Rather not", "Not at all"]
choose = "Rather not"

[[check]]
question = "To go on, choose 'Blue' in this list."
options = ["Red", "Green", "Blue"]
choose = "Blue"

[codes]
complete = "C-COMPLETE"
no_consent = "C-NOCONSENT"
screened_out = "C-SCREENED"
quota_full = "C-FULL"
technical_failure = "C-TROUBLE"

[pay]
currency = "GBP"
complete = 2.00
screened_out = 0.20
"""


@pytest.fixture
def study_file(tmp_path):
    """Write a study's file: ``study_file(n=3)``; ``change`` makes another text of it."""

    def write(*, participants=20, n=3, hold=60, change=lambda text: text):
        path = tmp_path / "study.toml"
        path.write_text(change(STUDY.format(participants=participants, n=n, hold=hold)), encoding="utf-8")
        return path

    return write


@pytest.fixture
def spec(study_file):
    """A study that was read: ``spec(n=3)``."""
    return lambda **given: read(study_file(**given))


class Visitor:
    """A participant at a browser without JavaScript: what they send, and what they are told.

    Attributes:
        cookie: of the study.
        heard: all that was answered, as path, body and headers.
    """

    def __init__(self, port, pid="", **link):
        self.port, self.pid, self.cookie, self.link, self.heard = port, pid, "", link, []
        self.came = self.come() if pid else None

    def ask(self, method, path, body=None, **headers):
        known = {"Cookie": self.cookie} if self.cookie else {}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as line:
            sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            line.request(method, path, sent, known | {k.replace("_", "-"): v for k, v in headers.items()})
            got = line.getresponse()
            data = got.read()
        if cookie := got.headers.get("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        self.heard.append((path, data, got.headers))
        said = json.loads(data) if got.headers.get_content_type() == "application/json" else None
        return SimpleNamespace(status=got.status, headers=got.headers, data=data, json=said)

    def come(self):
        """By the recruiter's link, in a browser that knows nothing."""
        self.cookie = ""
        link = {"PROLIFIC_PID": self.pid, "STUDY_ID": "s1", "SESSION_ID": f"x{self.pid}"} | self.link
        return self.ask("GET", f"/?{urlencode(link)}")

    def say(self, name, **body):
        """To the study's own pages; the step that follows."""
        got = self.ask("POST", f"/study/{name}", body)
        assert got.status == 200, got.data
        return got.json

    def at(self):
        return self.say("step")["step"]

    def through(self, *, consent=True, hearing="Yes", age=None):
        """Up to the work, or to a way out before it; what is shown there."""
        shown = self.say("step")
        while shown["step"] in (
            said := {
                "consent": {"version": shown.get("consent", {}).get("version", ""), "agreed": consent},
                "screening": {"answers": {"hearing": hearing}},
                "demographics": {"answers": {"age": age} if age else {}},
                "instructions": {},
            }
        ):
            shown = self.say(shown["step"], **said[shown["step"]])
        return shown

    def answer(self, put=None):
        """A unit of the review; what comes next there."""
        put = put or self.ask("POST", "/next", {}).json
        return self.ask("POST", "/answer", {"unit": put["unit"], "said": {"verdict": "approve"}, "seconds": 1.0})

    def work(self, *, fail=(), until=1_000):
        """Answer units and attention checks (failing those of some numbers) to the end, or so many; what is shown."""
        for _ in range(until):
            shown = self.say("step")
            if shown["step"] == "work":
                self.answer()
            elif shown["step"] == "check":
                right = ("Rather not", "Blue")[shown["check"]]
                wrong = shown["questions"][0]["options"][0]
                self.say("check", check=shown["check"], chosen=wrong if shown["check"] in fail else right)
            else:
                return shown
        return self.say("step")


@pytest.fixture
def visitor():
    return Visitor


class Served:
    """A page with a study around it, served by the command line: ``audiometry review … --study`` unless told otherwise.

    Attributes:
        port: where.
        said: path of all that it said on standard output and error.
    """

    def __init__(self, words, folder, said):
        self.words, self.folder, self.said = words, folder, said
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process = None

    def start(self):
        with self.said.open("ab") as out:
            self._process = subprocess.Popen(
                self.command("--port", str(self.port)), stdout=out, stderr=out, env=os.environ | {"COLUMNS": "200"}
            )
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
                return self
            assert self._process.poll() is None, self.said.read_text()
            time.sleep(0.05)
        raise AssertionError(self.said.read_text())

    def command(self, *flags):
        return [sys.executable, "-m", "audiometry", *map(str, self.words), *flags]

    def run(self, *flags):
        """The command once more, to its end: what it prints."""
        return subprocess.run(self.command(*flags), capture_output=True, text=True, timeout=120, check=False)

    def end(self, number=signal.SIGTERM):
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(30)
            self._process = None

    def sheet(self, path):
        """The payment sheet, by the participants' ids."""
        got = self.run("--payment", str(path))
        assert got.returncode == 0, got.stderr
        with path.open(newline="", encoding="utf-8") as file:
            return {row["id"]: row for row in csv.DictReader(file)}

    def answers(self):
        lines = (self.folder / "review" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self):
        self.at = 1_000_000.0

    def __call__(self):
        return self.at

    def minutes(self, n):
        self.at += 60 * n


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def inside(make_benchmark, spec, tmp_path, clock):
    """Serve the same in this process: gives the port, the study and the desk; ``heard`` is what went wrong."""
    with contextlib.ExitStack() as stack:

        def start(items=6, *, raters=99, said=None, **given):
            review, benchmark = reviewing.opened(
                (str(make_benchmark(items)),), "approve", output=None, sample=None, raters=raters, seed=None
            )
            url = f"sqlite:///{tmp_path}/study.db"
            study = stack.enter_context(contextlib.closing(Study.open(said or spec(**given), url, clock)))
            desk = stack.enter_context(review.desk())
            clips = stack.enter_context(contextlib.closing(Clips(benchmark.clip_path)))
            app = studying.around_review(study, desk, clips, "made", host="")
            on, ends = server.listen(port=0), Queue()
            port = on.getsockname()[1]
            thread = Thread(target=server.serve, args=(app, on, ends.put))
            thread.start()
            stack.callback(lambda: (ends.get()(), thread.join()))
            return SimpleNamespace(port=port, study=study, desk=desk, review=review)

        yield start


@pytest.fixture
def served(make_benchmark, study_file, tmp_path):
    """Serve a review of so many items with a study around it: ``served(items=4, participants=20)``."""
    with contextlib.ExitStack() as stack:

        def start(items=6, *, raters=99, **given):
            folder = make_benchmark(items)
            words = ["review", folder, "--study", study_file(**given), "--raters", raters]
            found = Served(words, folder, tmp_path / "said.txt")
            stack.callback(found.end)
            return found.start()

        yield start


@pytest.fixture
def served_arena(chat_server, study_file, tmp_path):
    """Serve an arena of two models, or of those named, with a study around it: ``served_arena(url, n=2)``."""
    with contextlib.ExitStack() as stack:

        def start(url="", names=("yes", "no"), requests=0, change=lambda text: text, **given):
            (tmp_path / "arena.toml").write_text(f"[limits]\nrequests = {requests}\n", encoding="utf-8")
            given["change"] = lambda text: change(f'arena = "arena.toml"\n{text}')  # all come from one address
            models = [f"vllm/{name}@{chat_server(answer=name).url}" for name in names]
            url = url or f"sqlite:///{tmp_path}/arena.sqlite"
            words = ["arena", "study", study_file(**given), "--models", ",".join(models), "--db", url]
            found = Served(words, tmp_path, tmp_path / "said.txt")
            found.url = url
            stack.callback(found.end)
            return found.start()

        yield start
