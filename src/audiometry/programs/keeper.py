"""Ends a program when the process that started it has gone without doing so itself (killed, out of memory).

Run as ``python keeper.py GROUP [FOLDER]`` with a pipe on standard input that only that process holds open.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys


def keep(group: int, *folders: str) -> None:
    """Wait for the end of standard input, then end the process group and remove the folder, if there is one."""
    while os.read(0, 1):
        pass
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    keep(int(sys.argv[1]), *sys.argv[2:])
