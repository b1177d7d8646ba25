"""Clips as private temporary files, each there while its prompt is under way."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from audiometry.errors import StorageError
from audiometry.records import Prompt


class ClipFolder:
    """A folder that only this user can read; its files' names say nothing of the items.

    Raises:
        StorageError: it cannot be made.
    """

    def __init__(self) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(prefix="audiometry-clips-"))
        except OSError as problem:
            raise StorageError(f"no temporary folder for clips: {problem.strerror}; set TMPDIR to another") from problem

    def write(self, number: str, prompt: Prompt) -> dict[int, Path]:
        """A file for each clip of a prompt, by its place among them.

        Raises:
            StorageError: the disk refused.
        """
        written: dict[int, Path] = {}
        try:
            for place, clip in enumerate(prompt.audio):
                path = self.path / f"{number}-{place}.{clip.format}"
                written[place] = path
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123  a mode from the start
                    file.write(clip.data)
        except OSError as problem:
            self.remove(written.values())
            raise StorageError(
                f"a clip cannot be handed over in {self.path}: {problem.strerror}; make room, or set TMPDIR"
            ) from problem
        return written

    def remove(self, paths: Iterable[Path]) -> None:
        """Take files away; one that is gone already is no matter."""
        for path in paths:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Take all away."""
        shutil.rmtree(self.path, ignore_errors=True)
