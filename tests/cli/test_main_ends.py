"""How the command line ends: its codes, and what it says when nobody listens, when interrupted, when asked nonsense."""

import errno
import importlib
import os
import subprocess
import sys

import click
import pytest

from audiometry.cli import main
from audiometry.errors import RunFolderError

COMMAND = [sys.executable, "-m", "audiometry"]


def test_output_that_nobody_reads_ends_the_command_without_a_word():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run([*COMMAND, "list", "profiles"], stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("problem", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "audiometry: stopped\n"),
        (click.exceptions.Abort(), 130, "audiometry: stopped\n"),
        (
            RunFolderError("no run here; give one"),
            RunFolderError("").exit_code,
            "audiometry: error: no run here; give one\n",
        ),
        (click.UsageError("Odd."), 2, "audiometry: error: Odd; see `audiometry --help`\n"),
    ],
    ids=["Ctrl-C", "a question left", "our own", "wrong usage"],
)
def test_every_end_has_its_code_and_one_line(problem, code, told, monkeypatch, capsys):
    def fails(*_args, **_named):
        raise problem

    monkeypatch.setattr(main.group, "main", fails)
    with pytest.raises(SystemExit) as ended:
        main.run(["list"])
    assert ended.value.code == code
    assert capsys.readouterr() == ("", told)


def test_ctrl_c_while_the_program_is_being_loaded_ends_it_without_a_word(monkeypatch, capsys):
    class Pressed:
        def find_spec(self, name, _path=None, _target=None):
            if name == "audiometry.cli.main":
                raise KeyboardInterrupt

    from audiometry.__main__ import main as program

    monkeypatch.delitem(sys.modules, "audiometry.cli.main")
    monkeypatch.setattr(sys, "meta_path", [Pressed(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        program()
    assert (ended.value.code, *capsys.readouterr()) == (130, "", "")


@pytest.mark.parametrize(("command", "less"), [("report", ""), ("run", " or lower --concurrency")])
def test_no_command_is_advised_to_lower_what_it_does_not_have(command, less, monkeypatch, cli):
    def fails(*_args, **_named):
        importlib.import_module(f"audiometry.cli.{command}")
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(main.group, "main", fails)
    said = f"audiometry: error: this program may open no more files; raise the limit (ulimit -n){less}\n"
    assert cli(command).err == said


def test_a_commands_own_code_is_the_programs(monkeypatch):
    for given, code in ((1, 1), (0, 0), (None, 0)):
        monkeypatch.setattr(main.group, "main", lambda *_a, given=given, **_n: given)
        with pytest.raises(SystemExit) as ended:
            main.run([])
        assert ended.value.code == code


def test_help_names_every_command_and_an_unknown_one_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        main.run(["--help"])
    assert ended.value.code == 0
    helped = capsys.readouterr().out
    assert all(f"\n  {name} " in helped for name in main.COMMANDS)
    with pytest.raises(SystemExit) as ended:
        main.run([])
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", helped)  # line by line, and no error
    with pytest.raises(SystemExit) as ended:
        main.run(["list"])
    assert ended.value.code == 2
    assert "Missing argument 'WHAT'. Choose from: benchmarks, measures, " in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main.run(["skore"])
    assert ended.value.code == 2
    assert "skore" in capsys.readouterr().err


def test_what_an_arena_needs_and_is_not_installed_is_named_with_what_installs_it(tmp_path):
    (tmp_path / "a.sqlite").touch()
    db = ("--db", "sqlite:///a.sqlite")
    words = [
        ("serve", "--models", "scripted/deaf,scripted/random", "--port", "0"),
        ("rank", *db),
        ("export", *db, "-o", "votes.jsonl"),
        ("contestants", *db),
    ]
    without = f"""
import sys
sys.modules["sqlalchemy"] = None
from audiometry.cli import main
for words in {words}:
    try:
        main.run(["arena", *words])
    except SystemExit as end:
        print(end.code)
"""
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.split() == ["2"] * len(words), done.stderr
    assert done.stderr.count("arena]") == len(words)
    assert "Traceback" not in done.stderr
