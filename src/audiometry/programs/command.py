"""A command as a user writes it: split into words as a shell does, started without one."""

from __future__ import annotations

import os
import shlex
import shutil

from audiometry.errors import UsageError, shown


def passed(names: str, whom: str) -> tuple[str, ...]:
    """The variables of the environment that a program gets though they hold secrets: ``HF_TOKEN,OTHER_KEY``.

    Raises:
        UsageError: there is none of that name.
    """
    found = tuple(name.strip() for name in names.split(",") if name.strip())
    for name in found:
        if name not in os.environ:
            raise UsageError(f"{whom}: env={shown(name)}: there is no such variable in the environment; set it")
    return found


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
