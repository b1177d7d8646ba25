"""Help and imports load nothing heavy."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = ["numpy", "scipy", "aiohttp", "rich", "jinja2", "soundfile", "soxr", "pocketsphinx", "uvloop", "sqlite3"]
# on standard error: past a command's JSON document nothing reaches standard output
LOADED = "import json, sys; print(json.dumps([name for name in %r if name in sys.modules]), file=sys.stderr)" % (HEAVY,)  # noqa: UP031
# what measures the tests' coverage would be loaded with it
BARE = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
CALL = """
from audiometry.cli.main import run
try:
    run({words!r})
except SystemExit as left:
    assert not left.code
"""


@pytest.mark.parametrize(
    "code",
    [
        "import audiometry\n",
        "import audiometry.models\naudiometry.models.ModelSettings()\n",
        "import audiometry.cli.main\n",
        CALL.format(words=["--help"]),
        CALL.format(words=["--version"]),
        CALL.format(words=["run", "--help"]),
        CALL.format(words=["score", "--help"]),
        CALL.format(words=["list", "benchmarks", "--json"]),
        CALL.format(words=["list", "models", "--json"]),
        CALL.format(words=["list", "tasks", "mini", "--json"]),
        CALL.format(words=["list", "measures", "--json"]),
        CALL.format(words=["list", "profiles", "--json"]),
    ],
    ids=[
        "package",
        "models",
        "command line",
        "--help",
        "--version",
        "run --help",
        "score --help",
        "benchmarks",
        "list models",
        "tasks",
        "measures",
        "profiles",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert loaded(code) == []


def test_the_dispatcher_needs_no_http_client():
    code = "import audiometry.dispatch.local, audiometry.models.scripted\n"
    assert not {"numpy", "aiohttp", "scipy", "rich", "jinja2"} & set(loaded(code))


def loaded(code):
    """Of the heavy modules, those that are there after the code."""
    command = [sys.executable, "-c", code + LOADED]
    said = subprocess.run(command, env=BARE, capture_output=True, text=True, check=True).stderr
    return json.loads(said.splitlines()[-1])
