"""The text of ``--help``: commands shown as examples are folded where they do not fit, and can still be copied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click

_FURTHER: Final = "    "
_FOLD: Final = " \\"
_COMMAND: Final = re.compile(r"\s*(\w[\w ]*:\s+)?audiometry |\s+-")


class HelpText(click.HelpFormatter):
    """Click's, which leaves examples as long as they are."""

    def write_text(self, text: str) -> None:
        """Write paragraphs, in which no example is wider than the text."""
        super().write_text("\n".join(folded(text, self.width - self.current_indent)))


class HelpContext(click.Context):
    """Click's, with that text."""

    formatter_class = HelpText


def folded(text: str, width: int) -> Iterator[str]:
    r"""The lines of a text; of those that click leaves as they are, commands stand on several where one has no room.

    >>> list(folded("\b\nExamples:\n  audiometry run mini --limit 3", 24))
    ['\x08', 'Examples:', '  audiometry run mini \\', '      --limit 3']
    """
    as_it_is = False
    for line in text.split("\n"):
        as_it_is = line == "\b" or (as_it_is and bool(line.strip()))
        rest, indent = (
            line,
            " " * (line.find("audiometry ") if "audiometry " in line else len(line) - len(line.lstrip())),
        )
        while as_it_is and _COMMAND.match(rest) and len(rest) > width and (at := _end(rest, width - len(_FOLD))) > 0:
            yield rest[:at].rstrip() + _FOLD
            rest = indent + _FURTHER + rest[at:].lstrip()
        yield rest


def _end(line: str, width: int) -> int:
    """Where what has room on a line ends: before an option, if there is one, so that it stands with its value."""
    from_ = len(line) - len(line.lstrip()) + len(_FURTHER) + 1
    return max(line.rfind(" -", from_, width + 2), 0) or line.rfind(" ", from_, width + 1)
