"""A command as a user writes it: split into words as a shell does, started without one."""

from __future__ import annotations

import shlex
import shutil

from audiometry.errors import UsageError, shown


def words(command: str) -> tuple[str, ...]:
    """The program and its arguments.

    Raises:
        UsageError: it cannot be split, or there is no such program.
    """
    try:
        found = tuple(shlex.split(command))
    except ValueError as problem:
        raise UsageError(f"exec/{shown(command)}: the command cannot be split into words: {problem}") from problem
    if not found or not found[0]:
        raise UsageError("exec/ needs a command, for example exec/python serve.py")
    if shutil.which(found[0]) is None:
        raise UsageError(
            f"there is no program '{shown(found[0])}' to start; write the command as in a terminal, "
            "for example exec/python serve.py, or give the program's whole path"
        )
    return found
