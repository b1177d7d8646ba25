"""Every ``--help`` has room in 80 and in 100 columns, an arena's in 60, and an example, and options under headings."""

import re

import pytest

from audiometry.cli.main import COMMANDS
from audiometry.cli.main import run as command_line


@pytest.fixture
def helped(capsys, monkeypatch):
    def call(name, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as left:
            command_line([*name.split(), "--help"])
        assert not left.value.code
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize(
    ("name", "columns"),
    [(name, columns) for columns in (60, 80, 100) for name in ("", *COMMANDS) if columns > 60 or "arena" in name],
)
def test_no_line_is_too_long(helped, name, columns):
    said = helped(name, columns)
    assert [line for line in said.splitlines() if len(line) > columns] == []
    if name:
        assert re.search(r"\n  Examples?:\n", said)
        assert f"audiometry {name} " in said


@pytest.mark.parametrize("name", ["run", "score", "probe"])
def test_every_option_stands_under_a_heading(helped, name):
    said = helped(name, 80)
    headings = re.findall(r"^(\w.*):$", said, re.MULTILINE)
    assert headings[-1] == "Other"
    assert len(headings) >= 4
    assert re.findall(r"^  (-.*)", said.partition("\nOther:\n")[2], re.MULTILINE) == [
        "-h, --help  Show this message and exit."
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_prints_one_document(helped, name):
    said = " ".join(helped(name, 100).split())
    assert "--json Print one JSON document, and nothing else, on standard output." in said
