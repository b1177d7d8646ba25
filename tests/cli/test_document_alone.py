"""Whatever other packages print, standard output of a command under ``--json`` is its document alone."""

import json
import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "audiometry"]
LOUD = """
import atexit, logging, os, sys

def cry():
    print("LOUD print")
    os.write(1, b"LOUD write\\n")
    os.system("echo LOUD program")
    print("LOUD kept", file=sys.__stdout__)
    logging.warning("LOUD logging")

logging.basicConfig(stream=sys.stdout, force=True)
atexit.register(cry)
cry()
{more}

from audiometry.records import State
from audiometry.score.profiles import Profile
from audiometry.score.readers import Outcome


class Reads:
    name, version, kinds = "loud", 1, frozenset({{"choice"}})

    def read(self, reply, item, shown, said=()):
        cry()
        return Outcome(State.ANSWERED, item.answer, letter="A")


PROFILE = Profile(name="loud", about="loud", readers={{"choice": Reads()}})
"""


@pytest.mark.parametrize("more", ["", "sys.stdout = None; sys.stderr = None"], ids=["prints", "takes both away"])
def test_nothing_that_another_package_prints_gets_into_the_document(make_benchmark, announce, cli, tmp_path, more):
    run = tmp_path / "run"
    assert cli("run", make_benchmark(1), "--no-probe", "--model", "scripted/oracle", "-o", run).code == 0
    folder = announce("audiometry.profiles", "loud = loud:PROFILE", loud=LOUD.format(more=more))
    env = os.environ | {"PYTHONPATH": str(folder)}
    for words in (["list", "profiles"], ["score", run, "--profile", "loud"]):
        done = subprocess.run([*COMMAND, *words, "--json"], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
        assert "loud" in json.dumps(json.loads(done.stdout))
        assert "LOUD" not in done.stdout
        assert {"LOUD write", "LOUD program", "LOUD kept"} <= set(done.stderr.splitlines())


def test_a_table_is_printed_whoever_takes_standard_output_away(announce, cli):
    announce("audiometry.profiles", "loud = loud:PROFILE", loud="import sys; sys.stdout = sys.stderr = None")
    said = cli("list", "profiles")
    assert (said.code, "strict" in said.out) == (0, True)
    assert "profile 'loud' is announced as loud:PROFILE" in said.err
    assert sys.stdout is not None


def test_in_process_too_the_document_is_alone(announce, cli):
    announce("audiometry.measures", "loud = loud:MEASURE", loud="print('LOUD'); MEASURE = 5")
    said = cli("list", "measures", "--json")
    assert "wer" in {row["name"] for row in said.json}
    assert "LOUD\n" in said.err
