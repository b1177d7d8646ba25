"""What commands that hold something against votes have in common."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audiometry.errors import shown

if TYPE_CHECKING:
    from audiometry.files.votes import VoteFile


class Same(click.ParamType[tuple[str, str]]):
    """``SCORES=VOTES``."""

    name = "same"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Two names of one system; the first may hold ``=`` too."""
        if isinstance(value, tuple):
            return value
        one, equals, other = str(value).rpartition("=")
        if not equals or not one.strip() or not other.strip():
            self.fail(f"{shown(str(value))} is not SCORES=VOTES.", param, ctx)
        return one.strip(), other.strip()


def read_votes(path: Path, *, texts: bool = False) -> VoteFile:
    """The votes, with progress for whoever sits at a terminal; ``texts``: with what they say in words."""
    from audiometry.files import votes

    if not sys.stderr.isatty():
        return votes.read(path, texts=texts)
    from audiometry.cli.progress import Steps

    steps = Steps("MB")
    try:
        return votes.read(path, texts=texts, reached=steps.show)
    finally:
        steps.end()
