"""Every command line in the README and the documents is one that there is."""

import importlib
import re
from pathlib import Path

import pytest

from audiometry.cli.main import COMMANDS, FAMILIES
from audiometry.models import cards

ROOT = Path(__file__).parents[2]
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
IN_TEXT = re.compile(r"`audiometry ([a-z]+)([^`\n]*)`|^audiometry ([a-z]+)(.*(?:\\\n.*)*)", re.MULTILINE)
FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")


def options(command):
    found = importlib.import_module(f"audiometry.cli.{COMMANDS[command][0]}").command
    return {name for param in found.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}


KNOWN = {command: options(command) for command in COMMANDS}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_commands_and_options_exist(path):
    text = path.read_text(encoding="utf-8")
    for found in IN_TEXT.finditer(text):
        command, rest = (found[1], found[2]) if found[1] else (found[3], found[4])
        if command in FAMILIES:
            command, rest = " ".join((command, *rest.split()[:1])), rest.partition(" ")[2]
        assert command in COMMANDS, found[0]
        unknown = set(FLAG.findall(re.sub(r'"[^"]*"', "", rest).partition("#")[0])) - KNOWN[command]
        assert not unknown, found[0]


@pytest.mark.parametrize(
    "path", [*WRITTEN, *sorted((ROOT / "src/audiometry/cli").glob("*.py"))], ids=lambda path: path.name
)
def test_models_that_people_are_shown_are_not_about_to_end(path):
    shown = re.findall(
        r"(?:--(?:model|judge|reader) |probe )((?:openai|google)/[\w.-]*\w)", path.read_text(encoding="utf-8")
    )
    assert [name for name in shown if cards.find(name).ends] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_every_option_named_belongs_to_some_command(path):
    named = set(re.findall(r"`(--[a-z][a-z-]*)[ `=]", path.read_text(encoding="utf-8")))
    elsewhere = {
        "--write",
        "--user",
        "--system-site-packages",
        "--index-url",
        "--no-deps",
        "--fetch",
        "--without-synonyms",
        "--confidence",
    }  # of other programs
    assert named - set().union(*KNOWN.values()) - elsewhere == set()
